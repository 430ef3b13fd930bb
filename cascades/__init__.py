"""Diffusion networks from activation times, when two networks may act at once.

Given only who was activated when, the package recovers who passes things on to whom, with uncertainty and
with the limits of what the data can tell.
"""

from cascades.errors import (
    ArgumentError,
    CascadesError,
    InputError,
    MissingPackageError,
    NeverCodeQuestion,
    SizeError,
)
from cascades.tables import Cascades, load, save
from cascades.tables.ties import resolution, tie_share

__all__ = [
    "ArgumentError",
    "Cascades",
    "CascadesError",
    "InputError",
    "MissingPackageError",
    "NeverCodeQuestion",
    "SizeError",
    "load",
    "resolution",
    "save",
    "tie_share",
]
