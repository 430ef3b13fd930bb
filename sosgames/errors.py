"""All errors of the package in one place; the trusted ones come from the verifier's folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sosgames.certificates.errors import CertificateError, InputError, SosgamesError

__all__ = [
    "CertificateError",
    "InputError",
    "LimitError",
    "SolverError",
    "SosgamesError",
    "double_precision",
    "reading",
]


class LimitError(SosgamesError):
    """A size, time or memory limit forbids the work; the text says the estimate, the limit and the advice."""


class SolverError(SosgamesError):
    """No solver fits, or the one asked for cannot be used here; the text says why and what to install."""


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Values of a file that are read as ``what``; a missing or wrong one ends in an `InputError`.

    >>> with reading("a bracket"):
    ...     {}["lower"]
    Traceback (most recent call last):
    ...
    sosgames.certificates.errors.InputError: the values are not a bracket: 'lower' is missing.
    """
    try:
        yield
    except SosgamesError:
        raise
    except KeyError as error:
        raise InputError(f"the values are not {what}: {error} is missing.") from None
    except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError) as error:
        raise InputError(f"the values are not {what}: {error}.") from None


@contextmanager
def double_precision() -> Iterator[None]:
    """Work whose numbers must fit floating point; serves as a decorator as well.

    >>> with double_precision():
    ...     float(10**400)
    Traceback (most recent call last):
    ...
    sosgames.errors.LimitError: numbers of this game leave the range of floating point; rescale its utilities.
    """
    try:
        yield
    except (OverflowError, FloatingPointError):
        raise LimitError(
            "numbers of this game leave the range of floating point; rescale its utilities."
        ) from None
