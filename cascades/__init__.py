"""Diffusion networks from activation times, when two networks may act at once.

Given only who was activated when, the package recovers who passes things on to whom, with uncertainty and
with the limits of what the data can tell. Names are imported from their modules when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

_HOMES = {
    "cascades.diagnostics": ("Residuals", "residuals"),
    "cascades.errors": (
        "ArgumentError",
        "CascadesError",
        "InputError",
        "MissingPackageError",
        "NeverCodeQuestion",
        "SizeError",
    ),
    "cascades.mixture.layers_fit": ("LayersFit",),
    "cascades.mixture.result": ("MixtureFit",),
    "cascades.models": ("ConNIe", "DoubleMixture", "MMRate", "NetInf", "NetRate", "Superposition"),
    "cascades.networks": ("Network",),
    "cascades.ranked": ("RankedNetwork",),
    "cascades.results": ("EdgeEstimate", "NetworkFit", "load_fit"),
    "cascades.selection": (
        "Bootstrap",
        "EdgeTests",
        "HeldOut",
        "bootstrap",
        "bootstrap_p_value",
        "edge_tests",
        "held_out",
    ),
    "cascades.simulation": ("simulate",),
    "cascades.superposed": ("SuperpositionFit",),
    "cascades.tables": ("Cascades", "load", "save"),
    "cascades.tables.ties": ("resolution", "tie_share"),
    "cascades.transmission": ("Exponential", "Law", "PowerLaw", "Rayleigh", "Weibull"),
}
_MODULES = ("datasets", "designs", "metrics", "plotting")
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

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

if TYPE_CHECKING:
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
else:

    def __getattr__(name: str) -> object:
        if name in _MODULES:
            return import_module(f"cascades.{name}")
        if name not in _HOME_OF:
            raise AttributeError(f"module 'cascades' has no attribute '{name}'")
        value = getattr(import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
