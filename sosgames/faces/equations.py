r"""Exact solutions of sparse linear equations near a floating-point one.

Most equations of a face have an unknown of their own: they are peeled off one after the other, each solved
for such an unknown once all others are known. What is left over is a small dense core, solved by exact
elimination on the columns and rows that pivoted QR factorisations choose. An inconsistent system has no
solution here, however small its residual in floating point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import flint
import numpy as np
from scipy import sparse
from scipy.linalg import qr

from sosgames.conic.problem import FloatArray
from sosgames.faces.face import IntMap
from sosgames.sos.program import ObjectArray

MAX_CORE = 1_500
"""Equations, or unknowns where these are fewer, of the dense core."""
MAX_CORE_ENTRIES = 4_000_000
RANK_TOLERANCE = 1e-9

Pivot = tuple[int, int]
"""An equation and the column that it is solved for."""


@dataclass(frozen=True, slots=True)
class Solution:
    """Integers u with ``E u = scale * right``."""

    values: ObjectArray
    scale: int


def solve_near(E: IntMap, right: ObjectArray, start: ObjectArray, scale: int) -> Solution | None:
    """The solution of ``E u = scale * right`` near the integers ``start``, at a multiple of the scale.

    None when there is none, or when the core is too large.

    Cost: linear in the non-zeros for what is peeled; cubic, with growing integers, for the core.
    """
    by_row = sparse.csr_array(E)
    missing = right * scale - _product(by_row, start)
    pivots, core = _peel(E, by_row)
    correction: dict[int, flint.fmpq] = {}
    if len(core):
        found = _solve_core(by_row, core, missing)
        if found is None:
            return None
        correction = found
    for equation, column in reversed(pivots):
        rest = flint.fmpq(int(missing[equation]))
        own = 0
        for k in range(by_row.indptr[equation], by_row.indptr[equation + 1]):
            j, value = int(by_row.indices[k]), int(by_row.data[k])
            if j == column:
                own = value
            elif j in correction:
                rest -= value * correction[j]
        correction[column] = rest / own
    common = _common_denominator(correction.values())
    values = start.astype(object) * common
    for column, delta in correction.items():
        values[column] += int((delta * common).p)
    return Solution(values, scale * common)


def _product(E: sparse.csr_array[np.int64], values: ObjectArray) -> ObjectArray:
    image = np.zeros(E.shape[0], dtype=object)
    rows = sparse.coo_array(E)
    np.add.at(image, rows.row, rows.data.astype(object) * values[rows.col])
    return image


def _peel(by_column: IntMap, by_row: sparse.csr_array[np.int64]) -> tuple[list[Pivot], list[int]]:
    """Pivots in the order of peeling, and the equations that are left."""
    counts = np.diff(by_column.indptr).astype(np.int64)
    alive = np.ones(by_row.shape[0], dtype=bool)
    queue = np.flatnonzero(counts == 1).tolist()
    pivots: list[Pivot] = []
    while queue:
        column = queue.pop()
        if counts[column] != 1:
            continue
        rows = by_column.indices[by_column.indptr[column] : by_column.indptr[column + 1]]
        equation = int(rows[alive[rows]][0])
        pivots.append((equation, int(column)))
        alive[equation] = False
        touched = by_row.indices[by_row.indptr[equation] : by_row.indptr[equation + 1]]
        counts[touched] -= 1
        queue += touched[counts[touched] == 1].tolist()
    return pivots, np.flatnonzero(alive).tolist()


def _solve_core(
    by_row: sparse.csr_array[np.int64], core: Sequence[int], missing: ObjectArray
) -> dict[int, flint.fmpq] | None:
    rows = sparse.csc_array(by_row[core])
    used = np.flatnonzero(np.diff(rows.indptr))
    if min(rows.shape[0], len(used)) > MAX_CORE or rows.shape[0] * len(used) > MAX_CORE_ENTRIES:
        return None
    dense = rows[:, used].toarray()
    columns = _pivots(dense)
    chosen = _order(dense[:, columns].T)[: len(columns)]  # scaled otherwise, its rank may look otherwise
    right = [int(missing[core[i]]) for i in chosen]
    if not len(columns):
        return None if any(missing[core]) else {}
    square = flint.fmpz_mat(dense[np.ix_(chosen, columns)].tolist())
    try:
        solved = square.solve(flint.fmpz_mat(len(right), 1, right))
    except ZeroDivisionError:  # the rank was guessed wrong
        return None
    denominator = _common_denominator(solved.entries())
    numerators = np.array([int((v * denominator).p) for v in solved.entries()], dtype=object)
    image = dense[:, columns].astype(object) @ numerators
    if any(image != missing[core] * denominator):
        return None
    return {int(used[c]): v for c, v in zip(columns, solved.entries(), strict=True)}


def _pivots(matrix: np.ndarray) -> list[int]:
    """Columns that span the range, by a pivoted QR factorisation; their number is its numerical rank."""
    order, sizes = _factored(matrix)
    return order[: int((sizes > RANK_TOLERANCE * max(sizes[:1], default=0.0)).sum())]


def _order(matrix: np.ndarray) -> list[int]:
    """All columns, the most independent ones first."""
    return _factored(matrix)[0]


def _factored(matrix: np.ndarray) -> tuple[list[int], FloatArray]:
    if not matrix.size:
        return [], np.zeros(0)
    floats = matrix.astype(np.float64)
    floats /= np.maximum(np.abs(floats).max(axis=1, keepdims=True), 1.0)
    _, triangle, order = qr(floats, mode="economic", pivoting=True, check_finite=False)
    return order.tolist(), np.abs(np.diag(triangle))


def _common_denominator(values: object) -> int:
    common = flint.fmpz(1)
    for value in values:  # type: ignore[attr-defined]
        common = common.lcm(value.q)
    return int(common)
