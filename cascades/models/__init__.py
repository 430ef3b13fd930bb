"""Models of one network, one file each, with one interface: ``Model(...).fit(data)``."""

from cascades.models.netrate import NetRate

__all__ = ["NetRate"]
