"""Everything that this package refuses, under one root."""

from __future__ import annotations

from collections.abc import Sequence

SHOWN = 8


class CascadesError(Exception):
    """Root of every exception that `cascades` raises on purpose."""


class ArgumentError(CascadesError, ValueError):
    """An argument is outside what the function is defined for; the message says what to give instead."""


class InputError(CascadesError, ValueError):
    """A cascade table has faults; each is named by row or line, cascade and node.

    Attributes
    ----------
    faults : tuple of str
        All faults found, in reading order; the message shows the first eight.
    """

    def __init__(self, faults: str | Sequence[str]) -> None:
        self.faults: tuple[str, ...] = (faults,) if isinstance(faults, str) else tuple(faults)
        shown = list(self.faults[:SHOWN])
        if len(self.faults) > SHOWN:
            shown.append(f"... and {len(self.faults) - SHOWN} more faults")
        super().__init__("\n".join(shown))


class NeverCodeQuestion(InputError):  # noqa: N818 (it asks; nothing is wrong yet)
    """One time looks like a code for "never activated"; only the user can say whether it is."""


class SizeError(CascadesError):
    """The work does not fit the stated limit; the message gives the estimate and what would fit."""


class MissingPackageError(CascadesError, ImportError):
    """An optional package is needed for this call; the message says what to install."""
