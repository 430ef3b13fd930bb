r"""Kernel vectors from exact zeros: what a point where M(x*) - mu R is singular says about every Gram matrix.

If :math:`y'(M(x^*) - \mu R)y = 0` at a point of X, then

.. math:: 0 = \sum_j g_j(x^*) \, (z_j(x^*) \otimes y)' G_j (z_j(x^*) \otimes y)

with no negative summand, so in every block with :math:`g_j(x^*) > 0` the vector
:math:`z_j(x^*) \otimes y` lies in the kernel of :math:`G_j`. Exact, and no certificate is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd

import flint
import numpy as np

from sosgames.faces.face import Face
from sosgames.sos.exact import ExactEntries
from sosgames.sos.exponents import monomials_at
from sosgames.sos.program import GramBlock, SosProgram

Point = Mapping[str, Fraction]
Kernel = list[list[int]]


def zero_kernels(program: SosProgram, mu: Fraction, points: Iterable[Point]) -> list[Kernel]:
    """For each block the kernel vectors that the singular ones among the points of X give."""
    kernels: list[Kernel] = [[] for _ in program.blocks]
    entries = ExactEntries(program.entries)
    for point in points:
        directions = null_directions(program, entries, mu, point)
        if not directions:
            continue
        t = [program.coordinates.outward[name](point) for name in program.coordinates.names]
        for block, kernel in zip(program.blocks, kernels, strict=True):
            if program.description.polynomial(block.generator)(point) > 0:
                kernel += [_evaluated(block, t, y) for y in directions]
    return [_independent(kernel) for kernel in kernels]


def null_directions(
    program: SosProgram, entries: ExactEntries, mu: Fraction, point: Point
) -> list[list[int]]:
    """A basis of the null space of the program's matrix minus mu times its metric, exactly, at a point."""
    n = program.n_rows
    values, denominator = entries.at(point)
    matrix = [[0] * n for _ in range(n)]
    for (a, b), value in values.items():
        matrix[a][b] = value * mu.denominator * program.denominator
    for e in np.flatnonzero(program.keys.exponents.sum(axis=1) == 0):
        a, b = int(program.keys.rows[e]), int(program.keys.columns[e])
        matrix[a][b] -= mu.numerator * denominator * int(program.metric[e])
    basis, nullity = flint.fmpz_mat(
        [[matrix[min(a, b)][max(a, b)] for b in range(n)] for a in range(n)]
    ).nullspace()
    return [[int(basis[i, j]) for i in range(n)] for j in range(nullity)]


def on_face(face: Face, kernels: Sequence[Kernel]) -> list[Kernel]:
    """The kernel vectors k of the Gram matrices as kernel vectors V'k of the matrices H."""
    return [
        _independent([[int(v) for v in V.astype(object).T @ np.array(k, dtype=object)] for k in kernel])
        for V, kernel in zip(face.vectors, kernels, strict=True)
    ]


def _evaluated(block: GramBlock, t: Sequence[Fraction], y: Sequence[int]) -> list[int]:
    """The vector y_a t^e over the block's basis, as coprime integers."""
    values = (monomials_at(t, block.exponents)[0] * np.array(y, dtype=object)[block.rows]).tolist()
    divisor = gcd(*values) or 1
    return [v // divisor for v in values]


def _independent(kernel: Kernel) -> Kernel:
    """Independent integer vectors with the same span."""
    kernel = [k for k in kernel if any(k)]
    if not kernel:
        return []
    reduced, _, rank = flint.fmpz_mat(kernel).rref()
    return [[int(v) for v in row] for row in reduced.tolist()[:rank]]
