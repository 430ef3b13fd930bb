r"""The matrix-SOS program at one level, as arrays.

The identity sought is, for a symmetric polynomial matrix M with metric R on {g_j >= 0, h_k = 0},

.. math:: M(x) - \mu R = S_0(x) + \sum_j S_j(x) g_j(x) + \sum_k T_k(x) h_k(x),

with S_j = (I \otimes z_j)' Q_j (I \otimes z_j), Q_j positive semidefinite and T_k free (Scherer, Hol 2006).
Comparing coefficients gives one linear equation per key (a <= b, monomial):
``coefficients @ (Gram entries, free entries) = target - mu * metric``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sosgames.certificates.polynomials import Polynomial
from sosgames.sos.coordinates import AffineCoordinates
from sosgames.sos.exponents import IntArray
from sosgames.sos.generators import Description

ObjectArray = NDArray[Any]
"""Python integers of any size."""


@dataclass(frozen=True, slots=True)
class GramBlock:
    """One Gram matrix: the generator that it multiplies and its basis, element by element.

    ``rows[p]`` and ``exponents[p]`` are the matrix row and the monomial, in the program's coordinates, of
    element p; rows ascend.
    """

    generator: int
    rows: IntArray
    exponents: IntArray

    def __post_init__(self) -> None:
        for array in (self.rows, self.exponents):
            array.setflags(write=False)

    @property
    def side(self) -> int:
        return len(self.rows)

    @property
    def n_entries(self) -> int:
        """Entries of the triangle that determine the Gram matrix."""
        return self.side * (self.side + 1) // 2


@dataclass(frozen=True, slots=True)
class FreeEntries:
    """The unknown coefficients of the free multiplier T of an equation: entry (a, b) and monomial of each."""

    equation: int
    rows: IntArray
    columns: IntArray
    exponents: IntArray


@dataclass(frozen=True, slots=True)
class Keys:
    """One row per equation: the matrix entry (a <= b) and the monomial whose coefficient it compares."""

    rows: IntArray
    columns: IntArray
    exponents: IntArray

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class CoefficientMap:
    """Triplets (equation, column, value) with integer values, exact; several may share a place."""

    equations: IntArray
    columns: IntArray
    values: ObjectArray
    shape: tuple[int, int]

    def to_csc(self) -> sparse.csc_array[np.float64]:
        """The map in floating point."""
        values = self.values.astype(np.float64)
        return sparse.csc_array((values, (self.equations, self.columns)), shape=self.shape)

    def apply(self, entries: ObjectArray) -> ObjectArray:
        """The exact image of a vector of integers, as Python integers."""
        if self.values.dtype != object and entries.dtype != object:
            return self._apply_in_64_bits(entries)
        image = np.zeros(self.shape[0], dtype=object)
        np.add.at(image, self.equations, self.values.astype(object) * entries.astype(object)[self.columns])
        return image

    def _apply_in_64_bits(self, entries: IntArray) -> ObjectArray:
        largest = int(np.abs(self.values).max(initial=0)) * int(np.abs(entries).max(initial=0))
        if largest * max(len(self.values), 1) >= 2**62:
            return self.apply(entries.astype(object))
        image = np.zeros(self.shape[0], dtype=np.int64)
        np.add.at(image, self.equations, self.values * entries[self.columns])
        return image.astype(object)


@dataclass(frozen=True)
class SosProgram:
    """A matrix-SOS program: data, unknowns and the exact linear map between them.

    Attributes
    ----------
    variables
        All variables of the problem, in its order.
    entries
        The matrix that the program is about, in the user's variables.
    n_rows
        Side of the matrix that the program is about: of M, or of B'MB.
    tangent
        The matrix B, row by row, or None.
    modulus
        The only modulus that the program is for, or None for all.
    level
        Every product in the identity has degree at most this.
    coordinates
        Exact affine coordinates of the arrays.
    description
        Generators and equations in the user's variables.
    multiples
        For each generator index the factor w > 0 such that w g, written in the coordinates, has coprime
        integer coefficients; Gram blocks refer to w g.
    equation_multiples
        The same for each equation that is left in the coordinates.
    blocks, free
        The unknowns, in the order of the columns of ``coefficients``: the upper triangle of each block, row
        by row, then the free entries.
    keys, coefficients, target, metric, denominator
        The equations: ``coefficients @ entries = (target - mu * metric) / denominator``, all integers.
    """

    variables: tuple[str, ...]
    entries: Mapping[tuple[int, int], Polynomial]
    n_rows: int
    tangent: tuple[tuple[int, ...], ...] | None
    modulus: Fraction | None
    level: int
    coordinates: AffineCoordinates
    description: Description
    multiples: tuple[Fraction, ...]
    equation_multiples: Mapping[int, Fraction]
    blocks: tuple[GramBlock, ...]
    free: tuple[FreeEntries, ...]
    keys: Keys
    coefficients: CoefficientMap
    target: ObjectArray
    metric: ObjectArray
    denominator: int

    @property
    def sides(self) -> tuple[int, ...]:
        """Sides of the Gram blocks."""
        return tuple(block.side for block in self.blocks)

    @property
    def n_equations(self) -> int:
        return len(self.keys)

    @property
    def n_free(self) -> int:
        return sum(len(f.rows) for f in self.free)

    @cached_property
    def offsets(self) -> IntArray:
        """The first column of each block, then the first free column, then the number of columns."""
        counts = [block.n_entries for block in self.blocks]
        return np.cumsum([0, *counts, self.n_free])

    def __repr__(self) -> str:
        return (
            f"SosProgram(level {self.level}, {self.n_rows} rows, {len(self.coordinates.names)} variables,"
            f" blocks of sides {list(self.sides)}, {self.n_equations} equations)"
        )


@lru_cache(maxsize=64)
def triangle_pairs(side: int) -> tuple[IntArray, IntArray]:
    """Positions p <= q of the upper triangle, row by row: the order of a block's columns; read-only."""
    p, q = np.triu_indices(side)
    p.setflags(write=False)
    q.setflags(write=False)
    return p, q


def triangle_of(matrix: NDArray[Any]) -> NDArray[Any]:
    """The upper triangle of a symmetric matrix, row by row."""
    return matrix[triangle_pairs(matrix.shape[0])]


def symmetric_of(triangle: NDArray[Any], side: int) -> NDArray[Any]:
    """The symmetric matrix with this upper triangle."""
    matrix = np.zeros((side, side), dtype=triangle.dtype)
    p, q = triangle_pairs(side)
    matrix[p, q] = triangle
    matrix[q, p] = triangle
    return matrix


def split_columns(program: SosProgram, entries: NDArray[Any]) -> tuple[list[NDArray[Any]], NDArray[Any]]:
    """Gram matrices, block by block, and the free entries, from one vector over all columns."""
    offsets = program.offsets
    grams = [
        symmetric_of(entries[start : start + block.n_entries], block.side)
        for start, block in zip(offsets, program.blocks, strict=False)
    ]
    return grams, entries[offsets[len(program.blocks)] :]


def join_columns(grams: Sequence[NDArray[Any]], free: NDArray[Any]) -> NDArray[Any]:
    """The inverse of `split_columns`."""
    return np.concatenate([*(triangle_of(gram) for gram in grams), free])
