"""Bounds of exp(x) by integers, so that `probability ratio <= exp(epsilon)` is a comparison of integers."""

from __future__ import annotations

from fractions import Fraction

from privacy_stats.errors import ArgumentError

BITS = 128
SCALE = 1 << BITS

_GUARD = 64  # extra bits carried inside, so that the squarings still leave BITS good ones
_LARGEST = 128


def exp_bounds(x: Fraction) -> tuple[int, int]:
    """Return integers ``(lo, hi)`` with ``lo / 2**128 <= exp(x) <= hi / 2**128``.

    The Taylor series of ``exp(x / 2**k)``, ``x / 2**k <= 1/2``, is summed once with every quotient rounded
    down and once with every quotient rounded up; the tail after the last term is less than twice the first
    term left out. Both sums are then squared ``k`` times with the same rounding.

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
    halvings = max(0, x.numerator.bit_length() - x.denominator.bit_length() + 2)
    one = 1 << (BITS + _GUARD)
    numerator, denominator = x.numerator, x.denominator << halvings
    low_sum, low_term = one, one
    high_sum, high_term = one, one
    order = 0
    while high_term > 1:
        order += 1
        low_term = low_term * numerator // (denominator * order)
        high_term = -(-high_term * numerator // (denominator * order))
        low_sum += low_term
        high_sum += high_term
        if numerator == 0:
            return SCALE, SCALE
    high_sum += 2 * high_term  # the tail: terms at least halve
    for _ in range(halvings):
        low_sum = low_sum * low_sum >> (BITS + _GUARD)
        high_sum = -(-high_sum * high_sum >> (BITS + _GUARD))
    return low_sum >> _GUARD, -(-high_sum >> _GUARD)


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
