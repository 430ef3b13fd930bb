"""The public names of the package, spelled out."""

from __future__ import annotations

import cascades as cs


def test_the_public_names_are_these() -> None:
    assert sorted(cs.__all__) == [
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
    assert all(hasattr(cs, name) and getattr(cs, name).__doc__ for name in cs.__all__)
