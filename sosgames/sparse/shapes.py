"""The linear map of one clique, by its form alone: cliques of the same form share it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sosgames.sos.exponents import IntArray, monomials_up_to
from sosgames.sos.program import triangle_pairs

LocalPolynomial = tuple[tuple[int, tuple[int, ...]], ...]
"""Integer coefficients and dense exponents over the clique's own variables."""
LocalKey = tuple[int, int, tuple[int, ...]]
"""Rows a <= b and a monomial, by place in the clique."""


@dataclass(frozen=True, slots=True)
class LocalBlock:
    """The Gram matrix of one generator (0 is the constant 1): rows and exponents of its basis."""

    generator: int
    rows: IntArray
    exponents: IntArray

    @property
    def side(self) -> int:
        return len(self.rows)

    @property
    def n_entries(self) -> int:
        return self.side * (self.side + 1) // 2


@dataclass(frozen=True, slots=True)
class Shape:
    """Blocks of a clique and what their entries feed: triplets (column, place in ``keys``, integer).

    ``generators`` are the local polynomials after the constant 1, ``half`` is half the level.
    """

    n_variables: int
    half: int
    generators: tuple[LocalPolynomial, ...]
    blocks: tuple[LocalBlock, ...]
    keys: tuple[LocalKey, ...]
    columns: IntArray
    places: IntArray
    values: IntArray

    @property
    def n_columns(self) -> int:
        return sum(block.n_entries for block in self.blocks)


def clique_shape(n_rows: int, n_variables: int, half: int, generators: tuple[LocalPolynomial, ...]) -> Shape:
    """All rows times all monomials up to degree ``half``, less half the degree of a generator."""
    unit: LocalPolynomial = ((1, (0,) * n_variables),)
    place: dict[LocalKey, int] = {}
    blocks: list[LocalBlock] = []
    triplets: list[tuple[int, int, int]] = []
    offset = 0
    for number, polynomial in enumerate([unit, *generators]):
        degree = max(sum(exponents) for _, exponents in polynomial)
        if (left := half - (degree + 1) // 2) < 0:
            continue
        monomials = monomials_up_to(n_variables, left)
        rows = np.repeat(np.arange(n_rows), len(monomials))
        block = LocalBlock(number, rows, np.tile(monomials, (n_rows, 1)))
        blocks.append(block)
        triplets += _feed(block, polynomial, place, offset)
        offset += block.n_entries
    columns, places, values = np.array(triplets, dtype=np.int64).reshape(-1, 3).T
    return Shape(n_variables, half, generators, tuple(blocks), tuple(place), columns, places, values)


def _feed(
    block: LocalBlock, polynomial: LocalPolynomial, place: dict[LocalKey, int], offset: int
) -> list[tuple[int, int, int]]:
    """An entry between different elements of one row counts twice there."""
    triplets = []
    first, second = triangle_pairs(block.side)
    for column, (p, q) in enumerate(zip(first.tolist(), second.tolist(), strict=True), start=offset):
        a, b = int(block.rows[p]), int(block.rows[q])
        count = 2 if a == b and p != q else 1
        product = block.exponents[p] + block.exponents[q]
        for c, exponents in polynomial:
            key = (min(a, b), max(a, b), tuple((product + exponents).tolist()))
            triplets.append((column, place.setdefault(key, len(place)), c * count))
    return triplets


def local_polynomial(terms: Mapping[tuple[tuple[int, int], ...], int], n_variables: int) -> LocalPolynomial:
    """Sparse monomials over places in the clique become dense exponents."""
    found = []
    for monomial, c in terms.items():
        exponents = [0] * n_variables
        for place, exponent in monomial:
            exponents[place] = exponent
        found.append((int(c), tuple(exponents)))
    return tuple(sorted(found))
