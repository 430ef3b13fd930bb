"""Monomials as rows of integer arrays, and as single integers that add when monomials multiply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sosgames.certificates.polynomials import Monomial

IntArray = NDArray[np.int64]
AnyArray = NDArray[Any]


def monomials_up_to(n_variables: int, degree: int) -> IntArray:
    """All exponent rows of total degree at most ``degree``, graded, shape (C(n + degree, degree), n).

    >>> monomials_up_to(2, 1).tolist()
    [[0, 0], [1, 0], [0, 1]]
    """
    rows = [
        np.bincount(choice, minlength=n_variables) if choice else np.zeros(n_variables, dtype=np.int64)
        for total in range(degree + 1)
        for choice in combinations_with_replacement(range(n_variables), total)
    ]
    return np.array(rows, dtype=np.int64).reshape(len(rows), n_variables)


def exponents_of(monomials: Iterable[Monomial], names: Sequence[str]) -> IntArray:
    """The exponent rows of monomials over the variables ``names``."""
    position = {name: i for i, name in enumerate(names)}
    listed = list(monomials)
    rows = np.zeros((len(listed), len(names)), dtype=np.int64)
    for row, monomial in zip(rows, listed, strict=True):
        for name, exponent in monomial:
            row[position[name]] = exponent
    return rows


def monomial_of(exponents: Sequence[int] | IntArray, names: Sequence[str]) -> Monomial:
    """The monomial of one exponent row."""
    return tuple(sorted((name, int(e)) for name, e in zip(names, exponents, strict=True) if e))


def monomials_at(values: Sequence[Fraction], exponents: IntArray) -> tuple[AnyArray, int]:
    """The monomials of the exponent rows at rational values: integers, and the denominator of all of them.

    >>> monomials_at([Fraction(1, 2), Fraction(3)], np.array([[0, 0], [2, 0], [1, 1]]))
    (array([4, 1, 6], dtype=object), 4)
    """
    below = lcm(*(value.denominator for value in values))
    degrees = exponents.sum(axis=1)
    degree = int(degrees.max(initial=0))
    products = _powers(below, degree)[degree - degrees]  # each monomial times below**degree
    for value, powers in zip(values, exponents.T, strict=True):
        if powers.any():
            above = value.numerator * (below // value.denominator)
            products = products * _powers(above, int(powers.max()))[powers]
    return products, below**degree


def _powers(base: int, degree: int) -> AnyArray:
    return np.array([base**k for k in range(degree + 1)], dtype=object)


class MonomialCode:
    """Codes of monomials with exponents at most ``max_exponent``: mixed-radix integers, additive and exact.

    64-bit integers where they suffice, otherwise Python integers in an object array.
    """

    __slots__ = ("radix", "size", "weights")

    def __init__(self, n_variables: int, max_exponent: int, n_prefixes: int = 1) -> None:
        self.radix = max_exponent + 1
        self.size = self.radix**n_variables
        fits = self.size * n_prefixes < 2**62
        weights = [self.radix**i for i in range(n_variables)]
        self.weights: AnyArray = np.array(weights, dtype=np.int64 if fits else object)

    def codes(self, exponents: IntArray) -> AnyArray:
        """The code of each exponent row, shape (n,)."""
        if self.weights.dtype == object:
            products = exponents.astype(object) * self.weights[None, :]
            return np.asarray(products.sum(axis=1), dtype=object)
        return np.asarray(exponents @ self.weights)

    def prefixed(self, prefixes: IntArray, codes: AnyArray) -> AnyArray:
        """Codes with a small number in front, below ``n_prefixes``."""
        return np.asarray(prefixes.astype(self.weights.dtype) * self.size + codes)


def parities(exponents: IntArray, n_further_bits: int = 0) -> AnyArray:
    """Each row's exponents modulo 2 as the bits of one integer, with room for further bits above them."""
    n = exponents.shape[1]
    weights = [1 << i for i in range(n)]
    if n + n_further_bits < 62:
        return np.asarray((exponents & 1) @ np.array(weights, dtype=np.int64))
    return np.asarray(
        ((exponents & 1).astype(object) * np.array(weights, dtype=object)).sum(axis=1), dtype=object
    )
