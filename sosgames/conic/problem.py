r"""A conic problem as every solver here takes it, and its answer.

.. math:: \min c'x \quad \text{subject to} \quad Ax + s = b, \; s \in K,

with K = {0}^zero x R_+^nonnegative x second-order cones {|(s_1, ..)| <= s_0} x PSD cones, in that order.
A positive semidefinite matrix S of side n is stored as its upper triangle row by row, off-diagonal entries
times sqrt(2), so that inner products agree.
The dual variable z lies in the dual cone and satisfies A'z + c = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Cones:
    """Numbers of equations and inequalities, sides of semidefinite and sizes of second-order cones."""

    zero: int = 0
    nonnegative: int = 0
    semidefinite: tuple[int, ...] = ()
    second_order: tuple[int, ...] = ()

    @property
    def n_rows(self) -> int:
        return self.before_semidefinite + sum(side * (side + 1) // 2 for side in self.semidefinite)

    @property
    def before_semidefinite(self) -> int:
        """Rows of all cones but the semidefinite ones."""
        return self.zero + self.nonnegative + sum(self.second_order)


@dataclass(frozen=True, slots=True)
class ConicProblem:
    """The data A, b, c and the cones; arrays are read-only."""

    A: sparse.csc_array[np.float64]
    b: FloatArray
    c: FloatArray
    cones: Cones

    def __post_init__(self) -> None:
        for array in (self.A.data, self.A.indices, self.A.indptr, self.b, self.c):
            array.setflags(write=False)

    @property
    def n_variables(self) -> int:
        return len(self.c)

    @property
    def n_nonzeros(self) -> int:
        return int(self.A.nnz)


@dataclass(frozen=True, slots=True)
class ConicPoint:
    """A primal and dual point: x, the dual variable z and the slack s, as a solver left them."""

    x: FloatArray
    z: FloatArray
    s: FloatArray

    @property
    def is_finite(self) -> bool:
        """Whether no entry is infinite or undefined."""
        return all(bool(np.isfinite(part).all()) for part in (self.x, self.z, self.s))


@lru_cache(maxsize=64)
def svec_scale(side: int) -> FloatArray:
    """The factor of each entry of the upper triangle, row by row: 1 on the diagonal, sqrt(2) off it."""
    p, q = np.triu_indices(side)
    factors = np.where(p == q, 1.0, np.sqrt(2.0))
    factors.setflags(write=False)
    return factors
