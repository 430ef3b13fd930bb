"""What is loaded when it is first used: names of a package, and packages that are optional."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from privacy_stats.errors import MissingPackageError


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


def optional(module: str, sentence: str) -> Any:
    """Return an optional module, or say in one sentence what to install.

    Parameters
    ----------
    module : str
        Full name of the module.
    sentence : str
        What needs it, and the command that installs it.

    Raises
    ------
    MissingPackageError
        If it is not installed.

    Examples
    --------
    >>> optional("no_such_module", "example files need it: pip install it")
    Traceback (most recent call last):
        ...
    privacy_stats.errors.MissingPackageError: example files need it: pip install it
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingPackageError(sentence) from None
