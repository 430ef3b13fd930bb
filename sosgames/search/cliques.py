"""Lower bounds of large sparse matrices, clique by clique, and when to seek them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from math import comb
from typing import TYPE_CHECKING

from sosgames.certificates.matrices import PolyMatrix, Problem
from sosgames.conic import GramCone
from sosgames.errors import InputError, LimitError
from sosgames.results import Step, Stop, Verdict
from sosgames.search.forms import MatrixForm
from sosgames.search.limits import Deadline, Limits
from sosgames.search.repairs import attempts
from sosgames.solvers.registry import AUTO
from sosgames.sparse import Decomposition, decompose, find_sparse_witness, prove_sparsely

if TYPE_CHECKING:
    from sosgames.search.target import Target

RUNG = "cliques"
DENSE_SIDE = 120
"""Side of the largest Gram matrix without cliques, up to which no cliques are sought."""
CONSTANT_SIDE = 200
"""Side up to which a matrix without variables is eliminated exactly, whole."""
FALL_BACK_SIDE = 400
"""Up to this side the whole matrix is tried where its cliques did not decide."""
FEWER = 3
"""By how much the largest Gram matrix of a clique must be smaller than that of the whole."""
FEW_ENTRIES = 5_000
"""Gram entries up to which the bracket of a refuted game is still completed."""


def suitable_decomposition(
    matrix: PolyMatrix, problem: Problem, tangent: object, limits: Limits
) -> Decomposition | None:
    """The decomposition by cliques where it is asked for, or where the matrix is large and sparse.

    Raises
    ------
    InputError
        When it is asked for, and equations of the sets, a form or a cone rule it out.
    """
    if limits.form not in (AUTO, MatrixForm.name) or limits.cone != GramCone.SOS:
        if limits.structure == "cliques":
            raise InputError("structure: cliques go with form 'matrix' and cone 'sos'.")
        return None
    if limits.structure == "whole" or (limits.structure == "auto" and dense_side(matrix, 2) <= DENSE_SIDE):
        return None
    found = None if tangent is not None else decompose(matrix, problem)
    if limits.structure == "cliques":
        if found is None:
            raise InputError(
                "structure: cliques are not sought where equations restrict the strategies; write each"
                " probability simplex with one variable eliminated (Simplex)."
            )
        return found
    constant = all(entry.is_constant() for entry in matrix.entries.values())
    if found is None or (constant and matrix.side <= CONSTANT_SIDE):
        return None
    level = found.lowest_level
    sides, whole = found.size(level).sides, dense_side(matrix, level)
    is_smaller = FEWER * max(sides) <= whole and sum(side**2 for side in sides) <= whole**2
    return found if is_smaller else None


def climb_cliques(
    target: Target, found: Decomposition, limits: Limits, deadline: Deadline, *, refuted: bool
) -> Iterator[int]:
    """Raise the lower bound level by level; afterwards ``target.stop`` says why it ended."""
    target.stop = Stop.CLIQUES
    for level, pieces in attempts(found, limits, lambda: target.heavy):
        if deadline.passed:
            target.stop = Stop.TIME_LIMIT
            return
        yield level
        try:
            _bound_below(target, pieces, level, limits, deadline, refuted=refuted)
        except LimitError:
            target.stop = Stop.SIZE_LIMIT
            return
        if refuted or target.verdict is not Verdict.UNDECIDED:
            target.stop = Stop.NOT_NEEDED if refuted and target.verdict is Verdict.UNDECIDED else Stop.DECIDED
            return


def whole_is_affordable(target: Target, limits: Limits) -> bool:
    """Whether the matrix may be tried whole after its cliques."""
    return limits.structure == "auto" and dense_side(target.matrix, 2) <= FALL_BACK_SIDE


def _bound_below(
    target: Target, found: Decomposition, level: int, limits: Limits, deadline: Deadline, *, refuted: bool
) -> None:
    start = time.perf_counter()
    program = found.program(level, memory_limit=limits.memory_limit)
    level = max(found.level_of(k, level) for k in range(len(found.cliques)))
    if refuted and program.coefficients.shape[1] > FEW_ENTRIES:
        return
    above = None if target.upper is None else float(target.upper)
    proved = prove_sparsely(program, solver=limits.solver, time_limit=deadline.remaining, above=above)
    bound, target.heavy = proved.bound, proved.heavy
    if bound.part is not None and bound.mu is not None and (target.lower is None or bound.mu > target.lower):
        target.part, target.level = replace(bound.part, player=target.player), level
    if proved.point is not None and not target.is_closed(limits.gap):
        witness = find_sparse_witness(found, start=proved.point)
        if witness is not None and (target.upper is None or witness.value < target.upper):
            target.witness = witness
    seconds = time.perf_counter() - start
    numeric = None if bound.numeric_mu != bound.numeric_mu else bound.numeric_mu
    target.steps.append(
        Step(level, bound.mu, numeric, max(program.sides), program.n_equations, bound.solver, RUNG, seconds)
    )
    target.seconds += seconds


def dense_side(matrix: PolyMatrix, level: int) -> int:
    """The side of the largest Gram matrix without cliques, at a level."""
    names = {name for entry in matrix.entries.values() for name in entry.variables}
    return matrix.side * comb(len(names) + level // 2, level // 2)
