"""The entries of a polynomial matrix at rational points, exactly: integers over one denominator.

Searches evaluate hundreds of points; with a fraction reduced after every product they would spend most of
their time on greatest common divisors.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import lcm

import numpy as np

from sosgames.certificates.polynomials import Polynomial
from sosgames.sos.coefficients import Entry
from sosgames.sos.exponents import exponents_of, monomials_at


class ExactEntries:
    """Entries (a, b) of a matrix, their denominators cleared once.

    Parameters
    ----------
    entries
        The polynomials.

    Examples
    --------
    >>> x = Polynomial.variable("x")
    >>> ExactEntries({(0, 0): x**2 / 3, (0, 1): 1 - x}).at({"x": Fraction(1, 2)})
    ({(0, 0): 1, (0, 1): 6}, 12)
    """

    def __init__(self, entries: Mapping[Entry, Polynomial]) -> None:
        polynomials = list(entries.values())
        monomials = list(dict.fromkeys(m for p in polynomials for m in p.terms))
        position = {monomial: i for i, monomial in enumerate(monomials)}
        self._keys = list(entries)
        self._names = sorted({name for monomial in monomials for name, _ in monomial})
        self._exponents = exponents_of(monomials, self._names)
        self._denominator = lcm(*(c.denominator for p in polynomials for c in p.terms.values()))
        self._coefficients = np.zeros((len(monomials), len(polynomials)), dtype=object)
        for j, polynomial in enumerate(polynomials):
            for monomial, c in polynomial.terms.items():
                cleared = c.numerator * (self._denominator // c.denominator)
                self._coefficients[position[monomial], j] = cleared

    def at(self, point: Mapping[str, Fraction]) -> tuple[dict[Entry, int], int]:
        """The entries at a point that names every variable, times the denominator that comes with them.

        Cost: one integer product for each variable of each monomial and for each coefficient.
        """
        monomials, below = monomials_at([point[name] for name in self._names], self._exponents)
        values = (monomials @ self._coefficients).tolist()
        return dict(zip(self._keys, values, strict=True)), self._denominator * below
