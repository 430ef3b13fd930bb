"""Models, one file each, with one interface: ``Model(...).fit(data)``."""

from cascades.models.connie import ConNIe
from cascades.models.double_mixture import DoubleMixture
from cascades.models.mmrate import MMRate
from cascades.models.netinf import NetInf
from cascades.models.netrate import NetRate
from cascades.models.superposition import Superposition

__all__ = ["ConNIe", "DoubleMixture", "MMRate", "NetInf", "NetRate", "Superposition"]
