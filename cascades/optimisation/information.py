"""Observed information of the rates above zero, and the standard errors it gives."""

from __future__ import annotations

import numba
import numpy as np

from cascades.tables.types import Floats, Integers


@numba.njit(cache=True, nogil=True)
def information(
    pointers: Integers, events: Integers, weights: Floats, curvature: Floats, active: Integers
) -> Floats:
    """Return sum_e curvature_e x_ej x_ek over the columns `active`; O(events * active^2)."""
    rows = np.zeros(len(curvature) + 1, dtype=np.int64)
    for k in active:
        for e in range(pointers[k], pointers[k + 1]):
            rows[events[e] + 1] += 1
    rows = np.cumsum(rows)
    column = np.empty(rows[-1], dtype=np.int64)
    value = np.empty(rows[-1])
    cursor = rows[:-1].copy()
    for a in range(len(active)):
        for e in range(pointers[active[a]], pointers[active[a] + 1]):
            place = cursor[events[e]]
            column[place], value[place] = a, weights[e]
            cursor[events[e]] += 1
    matrix = np.zeros((len(active), len(active)))
    for row in range(len(curvature)):
        for p in range(rows[row], rows[row + 1]):
            for q in range(rows[row], p + 1):
                matrix[column[p], column[q]] += curvature[row] * value[p] * value[q]
    for a in range(len(active)):
        for b in range(a):
            matrix[b, a] = matrix[a, b]
    return matrix


def standard_errors(matrix: Floats) -> Floats:
    """Return the square roots of the inverse's diagonal; nan where the information is singular.

    The matrix is scaled to unit diagonal first, so that rates of very different size do not matter.
    """
    scale = np.sqrt(np.diag(matrix))
    if not len(scale) or np.any(scale == 0):
        return np.full(len(scale), np.nan)
    values, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
    determined = values > 1e-10 * values[-1]
    variances = (vectors[:, determined] ** 2) @ (1.0 / values[determined])
    lost = (vectors[:, ~determined] ** 2).sum(axis=1) > 1e-8
    errors: Floats = np.where(lost, np.nan, np.sqrt(variances)) / scale
    return errors
