"""From one notion of privacy to another, always rounded to the safe side.

Only one direction is exact: an epsilon-DP randomiser is rho-zCDP with ``rho = epsilon * tanh(epsilon / 2)``
(proved in docs/theory/privacy_stats; Bun and Steinke 2016 give the weaker ``epsilon**2 / 2``). The other
direction does not exist: no zCDP guarantee, however small rho, is a pure one.
"""

from __future__ import annotations

import math
from fractions import Fraction

from privacy_stats.arithmetic import tanh_half_upper
from privacy_stats.budgets.amounts import BILLION, LARGEST
from privacy_stats.errors import ArgumentError


def zcdp_of_pure(epsilon: Fraction) -> Fraction:
    """Return an upper bound of ``epsilon * tanh(epsilon / 2)``, the zCDP level of an epsilon-DP randomiser.

    Parameters
    ----------
    epsilon : Fraction
        Pure budget in (0, 50].

    Returns
    -------
    Fraction
        Exact rational upper bound, within 2**-110 relative of the value.

    Examples
    --------
    >>> from fractions import Fraction
    >>> f"{float(zcdp_of_pure(Fraction(1))):.6f}"
    '0.462117'
    """
    return epsilon * tanh_half_upper(epsilon)


def pure_within_zcdp(rho: Fraction) -> Fraction:
    """Return the largest epsilon, in billionths, whose randomisers are all rho-zCDP.

    It solves ``epsilon * tanh(epsilon / 2) <= rho``; the answer is checked with exact arithmetic, so a user
    with a zCDP budget may be given any epsilon-DP mechanism at it.

    Parameters
    ----------
    rho : Fraction
        zCDP budget, positive.

    Returns
    -------
    Fraction
        A whole number of billionths, at most 50.

    Raises
    ------
    ArgumentError
        If not even one billionth fits.

    Examples
    --------
    >>> from fractions import Fraction
    >>> f"{float(pure_within_zcdp(Fraction(1, 2))):.4f} {float(pure_within_zcdp(Fraction(2))):.4f}"
    '1.0436 2.3994'
    """
    guess = min(_float_guess(float(rho)) + 2, LARGEST["pure"])
    while guess > 0 and zcdp_of_pure(Fraction(guess, BILLION)) > rho:
        guess -= 1
    if guess == 0:
        raise ArgumentError(f"rho: no pure budget of at least 1e-9 fits within rho = {float(rho)}")
    return Fraction(guess, BILLION)


def _float_guess(rho: float) -> int:
    """Billionths of the epsilon with ``epsilon * tanh(epsilon / 2) = rho``, by bisection in floats."""
    low, high = 0.0, rho + 2 * math.sqrt(rho)  # at the upper end the product exceeds rho
    for _ in range(64):
        middle = (low + high) / 2
        if middle * math.tanh(middle / 2) <= rho:
            low = middle
        else:
            high = middle
    return int(low * BILLION)


def approximate_epsilon(rho: float, delta: float) -> float:
    """Return an epsilon such that every rho-zCDP mechanism is (epsilon, delta)-DP.

    ``epsilon = rho + 2 sqrt(rho ln(1 / delta))`` (Bun and Steinke 2016, Proposition 1.3), rounded up. A way
    to read a zCDP level, not a budget: what is granted and spent stays rho.

    Parameters
    ----------
    rho : float
        zCDP level, positive.
    delta : float
        In (0, 1).

    Returns
    -------
    float

    Raises
    ------
    ArgumentError
        If an argument is outside its range.

    Examples
    --------
    >>> round(approximate_epsilon(0.5, 1e-6), 3)
    5.757
    """
    if not (rho > 0 and math.isfinite(rho)):
        raise ArgumentError(f"rho: got {rho}, wanted a positive finite number")
    if not 0 < delta < 1:
        raise ArgumentError(f"delta: got {delta}, wanted a number in (0, 1)")
    return (rho + 2 * math.sqrt(rho * -math.log(delta))) * (1 + 1e-14)
