"""Exact rational numbers from whatever a person writes; nothing is ever rounded.

(The file is not called ``numbers``: a folder that runs as a program is first on Python's search path, where
that name would hide the module of the standard library.)
"""

from __future__ import annotations

import math
import numbers
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sosgames.certificates.errors import InputError, shown
from sosgames.certificates.limits import MAX_LITERAL, check_number

_NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?:(?P<top>[0-9]+)/(?P<bottom>[0-9]+)"
    r"|(?P<whole>[0-9]*)(?:\.(?P<decimals>[0-9]*))?(?:[eE](?P<exponent>[+-]?[0-9]+))?)"
)


def read_number(text: str, where: str = "number") -> Fraction:
    """Read a number as it is written in files: ``2``, ``-1/3``, ``0.1``, ``.5``, ``1e-3``.

    Only the ASCII digits count as digits; underscores and spaces are refused. A decimal means what it
    says: ``0.1`` is one tenth.

    Raises
    ------
    InputError
        When the text is no such number, has more than 2,500 characters or a larger decimal exponent.

    Examples
    --------
    >>> read_number("-1/3"), read_number("0.1"), read_number("25e-1")
    (Fraction(-1, 3), Fraction(1, 10), Fraction(5, 2))
    """
    if len(text) < 19 and text.isascii() and text.isdigit():  # most numbers
        return Fraction(int(text))
    if len(text) > MAX_LITERAL:
        raise InputError(
            f"{where}: a number of {len(text):,} characters; at most {MAX_LITERAL:,} can be read."
        )
    match = _NUMBER.fullmatch(text)
    if match is None or not (match["top"] or match["whole"] or match["decimals"]):
        raise InputError(
            f"{where}: {shown(text)} is not a number; write one such as 2, -1/3, 0.25, 1e-3 in ASCII digits."
        )
    size = _ratio(match, where) if match["top"] else _decimal(match, where)
    return check_number(-size if match["sign"] == "-" else size, where)


def _ratio(match: re.Match[str], where: str) -> Fraction:
    if not int(match["bottom"]):
        raise InputError(f"{where}: {shown(match[0])} divides by zero.")
    return Fraction(int(match["top"]), int(match["bottom"]))


def _decimal(match: re.Match[str], where: str) -> Fraction:
    decimals = match["decimals"] or ""
    exponent = int(match["exponent"] or 0)
    if abs(exponent) > MAX_LITERAL:
        raise InputError(
            f"{where}: {shown(match[0])} has a decimal exponent above {MAX_LITERAL:,}; rescale the data."
        )
    shift = exponent - len(decimals)
    digits = int((match["whole"] or "") + decimals)
    return Fraction(digits * 10**shift) if shift >= 0 else Fraction(digits, 10**-shift)


def exact(value: Any, where: str = "number") -> Fraction:
    """The exact rational value of a Python number.

    Parameters
    ----------
    value
        An ``int``, ``Fraction`` or ``Decimal``; a string that `read_number` reads; a float, which becomes
        the dyadic rational that it is (0.1 becomes 3602879701896397/2**55); or a rational of NumPy, SymPy or
        python-flint.
    where
        What the number is, for the message.

    Raises
    ------
    InputError
        For anything else, for booleans, and for what is not finite.

    Examples
    --------
    >>> exact("0.1"), exact(0.5), exact(3)
    (Fraction(1, 10), Fraction(1, 2), Fraction(3, 1))
    """
    if isinstance(value, str):
        return read_number(value, where)
    if isinstance(value, (bool, complex)):
        raise InputError(f"{where}: got {shown(value)}, which is not a rational number.")
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) > MAX_LITERAL:
        raise InputError(f"{where}: {shown(value)} has a decimal exponent above {MAX_LITERAL:,}.")
    try:
        numerator, denominator = _integers(value)
    except (TypeError, ValueError, OverflowError, AttributeError):
        raise InputError(
            f"{where}: got {shown(value)}, which is not a finite rational number; pass an int, a Fraction,"
            ' a float or text such as "1/3".'
        ) from None
    return check_number(Fraction(numerator, denominator), where)


def _integers(value: Any) -> tuple[int, int]:
    """Numerator and denominator, by whichever of the usual protocols the value speaks."""
    if isinstance(value, numbers.Rational):
        return int(value.numerator), int(value.denominator)
    if hasattr(value, "as_integer_ratio"):  # Python's and NumPy's floats, Decimal
        numerator, denominator = value.as_integer_ratio()
        return int(numerator), int(denominator)
    if hasattr(value, "__index__"):  # flint.fmpz
        return value.__index__(), 1
    numerator, denominator = int(value.p), int(value.q)  # flint.fmpq
    if denominator <= 0 or math.gcd(numerator, denominator) != 1:
        raise ValueError
    return numerator, denominator
