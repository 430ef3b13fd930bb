"""Exact proofs that a symmetric matrix is positive semidefinite, in integers.

A symmetric integer matrix travels as its lower triangle: row ``i`` holds the entries ``(i, 0), ..., (i, i)``.
Both tests answer ``None`` when the proof holds, and otherwise a sentence that says where it fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from operator import mul

Triangle = Sequence[Sequence[int]]


def semidefinite_failure(gram: Triangle) -> str | None:
    r"""Why ``gram`` is not positive semidefinite, or None when it is.

    Symmetric elimination without fractions (Bareiss): the pivot of step k is the leading principal minor of
    the rows kept so far, so its sign is the sign of the k-th pivot of :math:`LDL^T`. A zero pivot is allowed
    only when the rest of its row is zero; the row is then left out.

    Cost: cubic in the side, with integers that grow to side times the bits of an entry.

    >>> semidefinite_failure([[1], [1, 1]]) is None
    True
    >>> semidefinite_failure([[0], [1, 5]])
    'pivot 1 is zero but its row is not'
    >>> semidefinite_failure([[1], [2, 3]])
    'pivot 2 is negative'
    """
    rows = [list(row) for row in gram]
    previous = 1
    for k, top in enumerate(rows):
        pivot, below = top[k], rows[k + 1 :]
        if pivot < 0:
            return f"pivot {k + 1} is negative"
        if pivot == 0:
            if any(row[k] for row in below):
                return f"pivot {k + 1} is zero but its row is not"
            continue
        for i, row in enumerate(below, k + 1):
            factor = row[k]
            for j in range(k + 1, i + 1):
                row[j] = (pivot * row[j] - factor * rows[j][k]) // previous  # exact: Bareiss 1968
        previous = pivot
    return None


def congruence_failure(gram: Triangle, factor: Triangle) -> str | None:
    r"""Why ``factor`` does not prove ``gram`` positive definite, or None when it does.

    With P (``factor``) lower triangular with a non-zero diagonal, and :math:`H = P G P^T` strictly
    diagonally dominant with a positive diagonal, H is positive definite (Gershgorin) and so is G.

    Cost: side cubed over two integer products; no number grows beyond three factors.

    >>> congruence_failure([[2], [1, 2]], [[1], [0, 1]]) is None
    True
    >>> congruence_failure([[1], [1, 1]], [[1], [0, 1]])
    "row 1 of PGP' is not strictly diagonally dominant"
    """
    full = _symmetric_rows(gram)
    excess: list[int] = []  # diagonal entry minus the absolute values beside it
    for i, row in enumerate(factor):
        if row[i] == 0:
            return f"the diagonal of P is zero in row {i + 1}"
        left = [sum(map(mul, row, column)) for column in full[: i + 1]]  # row i of PG, as far as it is used
        *beside, diagonal = [sum(map(mul, other, left)) for other in factor[: i + 1]]
        for j, entry in enumerate(beside):
            excess[j] -= abs(entry)
        excess.append(diagonal - sum(map(abs, beside)))
    for i, value in enumerate(excess):
        if value <= 0:
            return f"row {i + 1} of PGP' is not strictly diagonally dominant"
    return None


def integer_triangle(matrix: Sequence[Sequence[Fraction]]) -> list[list[int]]:
    """The lower triangle of a symmetric rational matrix, times the common denominator of its entries."""
    scale = lcm(*(entry.denominator for row in matrix for entry in row))
    return [
        [entry.numerator * (scale // entry.denominator) for entry in row[: i + 1]]
        for i, row in enumerate(matrix)
    ]


def _symmetric_rows(gram: Triangle) -> list[list[int]]:
    side = len(gram)
    return [[*gram[i], *(gram[j][i] for j in range(i + 1, side))] for i in range(side)]
