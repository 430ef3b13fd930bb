r"""Minimising the change of a game until its matrices are semidefinite: a conic problem in moment form.

The changes are :math:`\delta = \delta_0 + N z`. For each question the identity reads
:math:`A(Q) + F f = d + D z` with positive semidefinite Q. The problem :math:`\min |\delta|` has the dual, in
moments y of each question and a functional g on the changes,

.. math:: \max \sum d'y + \delta_0'g \quad \text{s.t.} \quad -A^*(y) \succeq 0, \; F'y = 0, \;
          \sum D'y + N'g = 0, \; |g|_* \le 1,

which is solved; z is minus the dual variable of its third condition. Ties are broken by the smallest
euclidean change under a cap on the norm, times a weight w: then :math:`g = g_1 + g_2` with
:math:`|g_2|_2 \le w`, and :math:`cap \, |g_1|_*` is paid. The weight changes no solution; a first-order
solver needs a third of the iterations where it brings the euclidean change to the size of the other numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy import sparse

from sosgames.conic import (
    Cones,
    ConicPoint,
    ConicProblem,
    GramSolution,
    GramSystem,
    Scaling,
    margin_system,
    program_scaling,
)
from sosgames.conic.problem import FloatArray
from sosgames.nearness.family import GameFamily
from sosgames.nearness.programs import FamilyProgram

Sparse = sparse.csc_array


@dataclass(frozen=True, slots=True)
class FloatQuestion:
    """One question in floating point and scaled: ``A q + F f = right + slopes z``, Q at least ``floor``."""

    scaling: Scaling
    system: GramSystem
    right: FloatArray
    slopes: Sparse
    floor: float

    @classmethod
    def of(cls, question: FamilyProgram, family: GameFamily, margin: Fraction, floor: float) -> FloatQuestion:
        """The question about a family, with every Gram matrix at least ``floor`` times the identity."""
        unchanged = question.at(family.game, (Fraction(0),) * len(family.coefficients))
        scaling = program_scaling(unchanged)
        system = margin_system(unchanged, scaling, margin)
        effects = _effects(question, len(family.coefficients)) / float(scaling.size)
        offset, basis = float_family(family)
        right = system.b - floor * system.c + effects @ offset
        return cls(scaling, system, right, sparse.csc_array(effects @ basis), floor)

    def lifted(self, q: FloatArray, free: FloatArray) -> GramSolution:
        """Gram matrices (scaled triangles above the floor) and free entries, the floor put back."""
        grams = tuple(gram + self.floor * np.eye(len(gram)) for gram in self.system.grams(q))
        return GramSolution(grams, free, self.floor)


def _effects(question: FamilyProgram, n_coefficients: int) -> Sparse:
    triplets = [(i, k, float(v)) for k, column in question.columns.items() for i, v in column.items()]
    return _sparse(triplets, question.program.n_equations, n_coefficients)


def float_family(family: GameFamily) -> tuple[FloatArray, Sparse]:
    """Offset and basis of the changes."""
    triplets = [(k, j, float(v)) for k, row in enumerate(family.basis) for j, v in row.items()]
    return np.array(family.offset, dtype=np.float64), _sparse(triplets, len(family.offset), family.n_free)


def _sparse(triplets: Sequence[tuple[int, int, float]], n_rows: int, n_columns: int) -> Sparse:
    i, j, v = zip(*triplets, strict=True) if triplets else ((), (), ())
    return sparse.csc_array((np.array(v, dtype=np.float64), (i, j)), shape=(n_rows, n_columns))


@dataclass(frozen=True, slots=True)
class TieBreak:
    """Among the changes whose norm is at most ``cap``, the smallest ``weight`` times the euclidean norm."""

    cap: float
    weight: float


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of g: ``rows_g g + rows_w w <= bounds``, ``cost`` on w, and |g|_2 <= ``radius`` if any."""

    rows_g: Sparse
    rows_w: Sparse
    bounds: FloatArray
    cost: FloatArray
    radius: float | None = None


def _unit_ball(norm: str, n: int, radius: float = 1.0) -> _Part:
    """The functionals whose dual norm is at most 1; for "l2" at most ``radius``."""
    if norm == "l2":
        return _Part(_empty(0, n), _empty(0, 0), np.zeros(0), np.zeros(0), radius)
    if norm == "l1":
        return _Part(_both_signs(n), _empty(2 * n, 0), np.ones(2 * n), np.zeros(0))
    rows = sparse.csc_array(sparse.vstack([_both_signs(n), _empty(1, n)]))
    sizes = sparse.csc_array(np.vstack([-np.eye(n), -np.eye(n), np.ones((1, n))]))
    return _Part(rows, sizes, np.r_[np.zeros(2 * n), 1.0], np.zeros(n))


def _capped(norm: str, n: int, cap: float) -> _Part:
    """Functionals at the price of ``cap`` times their dual norm."""
    sizes = -np.ones((2 * n, 1)) if norm == "l1" else np.vstack([-np.eye(n), -np.eye(n)])
    return _Part(_both_signs(n), sparse.csc_array(sizes), np.zeros(2 * n), np.full(sizes.shape[1], cap))


def _both_signs(n: int) -> Sparse:
    return sparse.csc_array(np.vstack([np.eye(n), -np.eye(n)]))


def _empty(n_rows: int, n_columns: int) -> Sparse:
    return sparse.csc_array((n_rows, n_columns))


def distance_problem(
    questions: Sequence[FloatQuestion], family: GameFamily, norm: str, tie_break: TieBreak | None = None
) -> ConicProblem:
    """The moment form of the smallest change, or of the smallest euclidean one among nearly smallest ones."""
    offset, basis = float_family(family)
    n = len(offset)
    parts = [_unit_ball(norm, n)]
    if tie_break is not None:
        parts = [_capped(norm, n, tie_break.cap), _unit_ball("l2", n, tie_break.weight)]
    systems = [q.system for q in questions]
    free = _diagonal([sparse.csc_array(s.F.T) for s in systems])
    grams = _diagonal([sparse.csc_array(s.A.T) for s in systems])
    functionals = [sparse.hstack([basis.T, _empty(basis.shape[1], len(p.cost))]) for p in parts]
    norms = _diagonal([sparse.csc_array(sparse.hstack([p.rows_g, p.rows_w])) for p in parts])
    balls = _diagonal([_ball_rows(p, n) for p in parts])
    slopes = sparse.hstack([*(q.slopes.T for q in questions), *functionals])
    n_moments = grams.shape[1]
    A = sparse.vstack(
        [_padded(free, 0, norms.shape[1]), slopes]
        + [_padded(rows, n_moments, 0) for rows in (norms, balls)]
        + [_padded(grams, 0, norms.shape[1])]
    )
    bounds = np.concatenate([p.bounds for p in parts])
    radii = [np.r_[p.radius, np.zeros(n)] for p in parts if p.radius is not None]
    zero = free.shape[0] + basis.shape[1]
    b = np.concatenate([np.zeros(zero), bounds, *radii, np.zeros(grams.shape[0])])
    c = np.concatenate([-q.right for q in questions] + [np.r_[-offset, p.cost] for p in parts])
    sides = tuple(side for s in systems for side in s.sides)
    return ConicProblem(sparse.csc_array(A), b, c, Cones(zero, len(bounds), sides, (n + 1,) * len(radii)))


def parameters(point: ConicPoint, questions: Sequence[FloatQuestion], family: GameFamily) -> FloatArray:
    """The free parameters z of the family at a solution."""
    start = sum(q.system.F.shape[1] for q in questions)
    return -point.z[start : start + family.n_free]


def gram_solutions(point: ConicPoint, questions: Sequence[FloatQuestion]) -> list[GramSolution]:
    """Each question's Gram matrices and free entries at a solution, the floor put back."""
    solutions = []
    entries = [q.system.A.shape[1] for q in questions]
    first, start = len(point.z) - sum(entries), 0
    for question, n_entries in zip(questions, entries, strict=True):
        stop = start + question.system.F.shape[1]
        solutions.append(question.lifted(point.z[first : first + n_entries], point.z[start:stop]))
        first, start = first + n_entries, stop
    return solutions


def _diagonal(blocks: Sequence[Sparse]) -> Sparse:
    return sparse.csc_array(sparse.block_diag(blocks)) if blocks else sparse.csc_array((0, 0))


def _padded(rows: Sparse, before: int, after: int) -> Sparse:
    n = rows.shape[0]
    return sparse.csc_array(
        sparse.hstack([sparse.csc_array((n, before)), rows, sparse.csc_array((n, after))])
    )


def _ball_rows(part: _Part, n: int) -> Sparse:
    """Rows whose slack is (radius, g), for a part that lies in the euclidean ball."""
    width = n + len(part.cost)
    if part.radius is None:
        return sparse.csc_array((0, width))
    identity = sparse.hstack([-sparse.eye_array(n), sparse.csc_array((n, len(part.cost)))])
    return sparse.csc_array(sparse.vstack([sparse.csc_array((1, width)), identity]))
