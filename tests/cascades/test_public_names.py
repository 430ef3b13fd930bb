"""The public names of the package, spelled out."""

from __future__ import annotations

import cascades as cs


def test_the_public_names_are_these() -> None:
    assert sorted(cs.__all__) == [
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
    assert all(hasattr(cs, name) and getattr(cs, name).__doc__ for name in cs.__all__)
