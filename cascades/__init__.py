"""Diffusion networks from activation times, when two networks may act at once.

Given only who was activated when, the package recovers who passes things on to whom, with uncertainty and
with the limits of what the data can tell.
"""

from cascades import metrics
from cascades.errors import (
    ArgumentError,
    CascadesError,
    InputError,
    MissingPackageError,
    NeverCodeQuestion,
    SizeError,
)
from cascades.models import NetRate
from cascades.networks import Network
from cascades.results import EdgeEstimate, NetworkFit, load_fit
from cascades.simulation import simulate
from cascades.tables import Cascades, load, save
from cascades.tables.ties import resolution, tie_share
from cascades.transmission import Exponential, Law, PowerLaw, Rayleigh, Weibull

__all__ = [
    "ArgumentError",
    "Cascades",
    "CascadesError",
    "EdgeEstimate",
    "Exponential",
    "InputError",
    "Law",
    "MissingPackageError",
    "NetRate",
    "Network",
    "NetworkFit",
    "NeverCodeQuestion",
    "PowerLaw",
    "Rayleigh",
    "SizeError",
    "Weibull",
    "load",
    "load_fit",
    "metrics",
    "resolution",
    "save",
    "simulate",
    "tie_share",
]
