"""Which monomials stand beside which row in a Gram block: replaceable rules.

A rule gets the shape of the matrix M, the exponents of one generator g and the level d, and returns one
exponent array per row. The products of two basis monomials with g must stay within what the rule's bases
for g = 1 reach, so that the block of g = 1 can absorb every remainder of rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sosgames.sos.exponents import IntArray, monomials_up_to


@dataclass(frozen=True, slots=True)
class MatrixShape:
    """The sparsity of a polynomial matrix: ``entries[a, b]`` with a <= b holds the exponent rows of M_ab."""

    n_rows: int
    names: tuple[str, ...]
    entries: Mapping[tuple[int, int], IntArray]

    @property
    def degree(self) -> int:
        """The largest total degree of an entry."""
        return max((total_degree(e) for e in self.entries.values()), default=0)


class BasisRule(Protocol):
    """From the shape of M, a generator's exponents and a level to one exponent array per row."""

    def __call__(self, shape: MatrixShape, generator: IntArray, level: int) -> Sequence[IntArray]: ...


def total_degree(exponents: IntArray) -> int:
    """The largest total degree among exponent rows; 0 for none."""
    return int(exponents.sum(axis=1).max(initial=0))


def total_degree_bases(shape: MatrixShape, generator: IntArray, level: int) -> Sequence[IntArray]:
    """Every row gets all monomials of degree at most (level - deg g) / 2: the full matrix hierarchy."""
    half = (level - total_degree(generator)) // 2
    n_variables = len(shape.names)
    basis = monomials_up_to(n_variables, half) if half >= 0 else np.zeros((0, n_variables), dtype=np.int64)
    return [basis] * shape.n_rows


@dataclass(frozen=True, slots=True)
class MultiGradedBases:
    """Row a gets the monomials of degree at most h[a][p] in each group p of variables (a player's, say).

    h[a][p] is half the degree of M_aa in the group, rounded up, raised where an entry M_ab needs more than
    h[a] + h[b], plus half of what the level exceeds the lowest one by; the total degree stays at most
    (level - deg g) / 2.
    Smaller blocks than `total_degree_bases`, and possibly a weaker bound at the same level.
    """

    groups: tuple[tuple[str, ...], ...]

    def __call__(self, shape: MatrixShape, generator: IntArray, level: int) -> Sequence[IntArray]:
        columns = [_positions(shape.names, group) for group in self.groups]
        half = (level - total_degree(generator)) // 2
        surplus = max(level - (shape.degree + shape.degree % 2), 0) // 2
        limits = _half_degrees(shape, columns) + surplus
        limits -= np.array([-(-total_degree(generator[:, c]) // 2) for c in columns], dtype=np.int64)
        candidates = monomials_up_to(len(shape.names), max(half, 0))
        degrees = np.stack([candidates[:, c].sum(axis=1) for c in columns], axis=1)
        keep = [(degrees <= limit).all(axis=1) & (half >= 0) for limit in limits]
        return [candidates[mask] for mask in keep]


def _positions(names: Sequence[str], group: Iterable[str]) -> IntArray:
    wanted = frozenset(group)
    return np.array([i for i, name in enumerate(names) if name in wanted], dtype=np.int64)


def _half_degrees(shape: MatrixShape, columns: Sequence[IntArray]) -> IntArray:
    """Half the degrees of the diagonal, raised on both sides where an entry off it needs more together."""
    half = np.zeros((shape.n_rows, len(columns)), dtype=np.int64)
    for (a, b), exponents in sorted(shape.entries.items(), key=lambda item: item[0][0] != item[0][1]):
        degrees = np.array([total_degree(exponents[:, c]) for c in columns], dtype=np.int64)
        missing = np.maximum(degrees - half[a] - half[b], 0)
        for row in {a, b}:
            half[row] += -(-missing // 2)
    return half
