"""Names of a package that are loaded when they are first used."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def lazily(
    package: str, homes: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package whose submodules are loaded on first use.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    homes : mapping
        For each submodule the public names that live there.

    Examples
    --------
    >>> load, names = lazily("json", {"decoder": ("JSONDecoder",)})
    >>> load("JSONDecoder").__name__, names()
    ('JSONDecoder', ['JSONDecoder'])
    """
    places = {name: home for home, names in homes.items() for name in names}

    def load(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{places[name]}"), name)

    return load, lambda: sorted(places)
