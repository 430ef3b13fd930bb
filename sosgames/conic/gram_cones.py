r"""Cones inside the positive semidefinite one, for Gram matrices: linear and second-order programs.

Diagonally dominant matrices with a non-negative diagonal are the sums of non-negative multiples of
:math:`e_p e_p'` and :math:`(e_p \pm e_q)(e_p \pm e_q)'`; scaled diagonally dominant ones are the sums of
positive semidefinite matrices that live on two rows (Ahmadi and Majumdar 2019). Polynomials with such Gram
matrices are called DSOS and SDSOS. The bounds are weaker; the Gram matrices are proved like any others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from scipy import sparse

from sosgames.conic.forms import GramSolution
from sosgames.conic.problem import svec_scale
from sosgames.conic.systems import GramSystem
from sosgames.sos.exponents import IntArray
from sosgames.sos.program import triangle_pairs


class GramCone(StrEnum):
    """Where Gram matrices are sought: all semidefinite ones, or two that need no semidefinite solver."""

    SOS = "sos"
    SDSOS = "sdsos"
    DSOS = "dsos"


@dataclass(frozen=True, slots=True)
class Assembly:
    """How Gram matrices are made of small ones: scaled triangles ``L u``, u those of the small matrices."""

    system: GramSystem
    L: sparse.csc_array[np.float64]

    def __call__(self, solution: GramSolution) -> GramSolution:
        """The Gram matrices of a solution in small ones."""
        triangles = [gram[np.triu_indices(len(gram))] * svec_scale(len(gram)) for gram in solution.grams]
        q = np.asarray(self.L @ np.concatenate([np.zeros(0), *triangles]))
        return replace(solution, grams=tuple(self.system.grams(q)))


def restricted(system: GramSystem, cone: GramCone) -> tuple[GramSystem, Assembly]:
    """The system with Gram matrices from the smaller cone, and the way back.

    The number of small matrices is about half the square of each side (SDSOS) or the square (DSOS).
    """
    pieces = {GramCone.SOS: _whole, GramCone.SDSOS: _on_two_rows, GramCone.DSOS: _of_rank_one}[cone]
    maps, sides = zip(*(pieces(side) for side in system.sides), strict=True)
    L = sparse.csc_array(sparse.block_diag(maps, format="csc"))
    inner = replace(system, A=sparse.csc_array(system.A @ L), sides=tuple(s for part in sides for s in part))
    return inner, Assembly(system, L)


Pieces = tuple["sparse.csc_array[np.float64]", tuple[int, ...]]


def _whole(side: int) -> Pieces:
    n = side * (side + 1) // 2
    return sparse.csc_array(sparse.eye_array(n)), (side,)


def _on_two_rows(side: int) -> Pieces:
    """One matrix of side 2 for every pair of rows."""
    if side == 1:
        return _whole(1)
    place = _places(side)
    p, q = np.triu_indices(side, 1)
    rows = np.stack([place[p, p], place[p, q], place[q, q]], axis=1).reshape(-1)
    n = len(rows)
    shape = (side * (side + 1) // 2, n)
    return sparse.csc_array((np.ones(n), (rows, np.arange(n))), shape=shape), (2,) * len(p)


def _of_rank_one(side: int) -> Pieces:
    """One multiple for every row, and two for every pair of rows."""
    place = _places(side)
    single = np.diag(place)
    p, q = np.triu_indices(side, 1)
    k = side + np.arange(2 * len(p))
    first, second = np.repeat(p, 2), np.repeat(q, 2)
    signs = np.tile([1.0, -1.0], len(p)) * np.sqrt(2.0)
    rows = np.concatenate([single, place[first, first], place[second, second], place[first, second]])
    columns = np.concatenate([np.arange(side), k, k, k])
    values = np.concatenate([np.ones(side + 2 * len(k)), signs])
    n = side + len(k)
    return sparse.csc_array((values, (rows, columns)), shape=(side * (side + 1) // 2, n)), (1,) * n


def _places(side: int) -> IntArray:
    """The place of each entry (p, q), p <= q, in the triangle."""
    p, q = triangle_pairs(side)
    place = np.zeros((side, side), dtype=np.int64)
    place[p, q] = np.arange(len(p))
    return place
