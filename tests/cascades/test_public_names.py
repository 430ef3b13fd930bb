"""The public names of the package, spelled out."""

from __future__ import annotations

import cascades as cs


def test_the_public_names_are_these() -> None:
    assert sorted(cs.__all__) == [
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
    assert all(hasattr(cs, name) and getattr(cs, name).__doc__ for name in cs.__all__)
