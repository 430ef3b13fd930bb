"""Diffusion networks from activation times, when two networks may act at once.

Given only who was activated when, the package recovers who passes things on to whom, with uncertainty and
with the limits of what the data can tell. This package is at its beginning and exports nothing yet; see
docs/changelog.md for what has landed.
"""

__all__: list[str] = []
