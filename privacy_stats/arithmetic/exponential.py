"""Bounds of exp(x) by integers, so that `probability ratio <= exp(epsilon)` is a comparison of integers."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from privacy_stats.errors import ArgumentError

BITS = 128
SCALE = 1 << BITS

_GUARD = 64  # extra bits carried inside, so that the squarings still leave BITS good ones
_LARGEST = 128


@lru_cache(maxsize=4096)
def exp_bounds(x: Fraction) -> tuple[int, int]:
    """Return integers ``(lo, hi)`` with ``lo / 2**128 <= exp(x) <= hi / 2**128``.

    The Taylor series of ``exp(x / 2**k)``, ``x / 2**k < 2**-8``, is summed with quotients rounded down. A
    floor loses less than 1 unit and inherits less than half of what the term before lost, so every term
    is short by less than 2 units, and the tail adds less than 2. Both bounds are then squared ``k``
    times, one rounded down and one up. The latest few thousand results are remembered.

    Parameters
    ----------
    x : Fraction
        Exponent in [0, 128].

    Returns
    -------
    tuple of int
        Lower and upper bound in units of 2**-128; their relative distance is below 2**-115.

    Raises
    ------
    ArgumentError
        If `x` lies outside [0, 128].

    Examples
    --------
    >>> from fractions import Fraction
    >>> lo, hi = exp_bounds(Fraction(1))
    >>> f"{lo / 2**128:.15f}", lo < hi < lo + 2**12
    ('2.718281828459045', True)
    """
    if not 0 <= x <= _LARGEST:
        raise ArgumentError(f"x: exponent {x} is outside [0, {_LARGEST}]; use a smaller budget")
    # Halve until the argument is below 2**-8, sum the series, square as often.
    halvings = max(0, x.numerator.bit_length() - x.denominator.bit_length() + 9)
    numerator, denominator = x.numerator, x.denominator << halvings
    term = low = 1 << (BITS + _GUARD)
    order = 0
    while term:
        order += 1
        term = term * numerator // (denominator * order)
        low += term
    high = low + 2 * order + 2  # each floor lost less than 1, each term less than 2; the tail is below 2
    for _ in range(halvings):
        low = low * low >> (BITS + _GUARD)
        high = -(-high * high >> (BITS + _GUARD))
    return low >> _GUARD, -(-high >> _GUARD)


def tanh_half_upper(x: Fraction) -> Fraction:
    """Return a rational upper bound of ``tanh(x / 2) = (exp(x) - 1) / (exp(x) + 1)``.

    The quotient increases in ``exp(x)``, so the upper bound of the exponential gives the upper bound.

    Examples
    --------
    >>> from fractions import Fraction
    >>> f"{float(tanh_half_upper(Fraction(1))):.12f}"
    '0.462117157260'
    """
    _, high = exp_bounds(x)
    return Fraction(high - SCALE, high + SCALE)
