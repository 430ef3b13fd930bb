r"""Units for variables that no interval measures: powers of ten that bring a matrix's coefficients together.

Coefficients of one entry may lie orders of magnitude apart only because a variable is in an unlucky unit.
With :math:`x_i = 10^{s_i} t_i` the coefficient of :math:`x^e` is multiplied by :math:`10^{e's}`; the s sought
make the logarithms of the coefficients within each entry as equal as least squares can. Exact and undone
exactly, like every change of coordinates here: the proof's basis is in the user's variables.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fractions import Fraction
from math import log10

import numpy as np

from sosgames.certificates.polynomials import Polynomial
from sosgames.sos.exponents import exponents_of

WIDE = 6.0
"""Orders of magnitude between coefficients of one entry from which units are changed."""


def natural_units(polynomials: Iterable[Polynomial], names: Collection[str]) -> dict[str, Fraction]:
    """A power of ten for each of the variables ``names``; 1 unless coefficients lie far apart.

    >>> x = Polynomial.variable("x")
    >>> natural_units([10**8 * x**4 - 2 * x**2 + Fraction(1, 10**8)], ["x"])
    {'x': Fraction(1, 10000)}
    """
    units = dict.fromkeys(names, Fraction(1))
    listed = [p for p in polynomials if p.terms]
    logarithms = [np.array([_magnitude(c) for c in p.terms.values()]) for p in listed]
    if not units or max((float(np.ptp(values)) for values in logarithms), default=0.0) < WIDE:
        return units
    ordered = list(units)
    exponents = [exponents_of([_over(m, units) for m in p.terms], ordered) for p in listed]
    # the mean of each entry is free, so only differences within an entry count
    left = np.concatenate([e - e.mean(axis=0) for e in exponents])
    right = np.concatenate([values - values.mean() for values in logarithms])
    shifts = np.linalg.lstsq(left, -right, rcond=None)[0]
    return {name: Fraction(10) ** round(float(shift)) for name, shift in zip(ordered, shifts, strict=True)}


def _magnitude(value: Fraction) -> float:
    return log10(abs(value.numerator)) - log10(value.denominator)


def _over(monomial: tuple[tuple[str, int], ...], names: Collection[str]) -> tuple[tuple[str, int], ...]:
    return tuple((name, exponent) for name, exponent in monomial if name in names)
