"""Diffusion networks from activation times, when two networks may act at once.

Given only who was activated when, the package recovers who passes things on to whom, with uncertainty and
with the limits of what the data can tell.
"""

from cascades import datasets, designs, metrics, plotting
from cascades.diagnostics import Residuals, residuals
from cascades.errors import (
    ArgumentError,
    CascadesError,
    InputError,
    MissingPackageError,
    NeverCodeQuestion,
    SizeError,
)
from cascades.mixture.layers_fit import LayersFit
from cascades.mixture.result import MixtureFit
from cascades.models import ConNIe, DoubleMixture, MMRate, NetInf, NetRate, Superposition
from cascades.networks import Network
from cascades.ranked import RankedNetwork
from cascades.results import EdgeEstimate, NetworkFit, load_fit
from cascades.selection import (
    Bootstrap,
    EdgeTests,
    HeldOut,
    bootstrap,
    bootstrap_p_value,
    edge_tests,
    held_out,
)
from cascades.simulation import simulate
from cascades.superposed import SuperpositionFit
from cascades.tables import Cascades, load, save
from cascades.tables.ties import resolution, tie_share
from cascades.transmission import Exponential, Law, PowerLaw, Rayleigh, Weibull

__all__ = [
    "ArgumentError",
    "Bootstrap",
    "Cascades",
    "CascadesError",
    "ConNIe",
    "DoubleMixture",
    "EdgeEstimate",
    "EdgeTests",
    "Exponential",
    "HeldOut",
    "InputError",
    "Law",
    "LayersFit",
    "MMRate",
    "MissingPackageError",
    "MixtureFit",
    "NetInf",
    "NetRate",
    "Network",
    "NetworkFit",
    "NeverCodeQuestion",
    "PowerLaw",
    "RankedNetwork",
    "Rayleigh",
    "Residuals",
    "SizeError",
    "Superposition",
    "SuperpositionFit",
    "Weibull",
    "bootstrap",
    "bootstrap_p_value",
    "datasets",
    "designs",
    "edge_tests",
    "held_out",
    "load",
    "load_fit",
    "metrics",
    "plotting",
    "residuals",
    "resolution",
    "save",
    "simulate",
    "tie_share",
]
