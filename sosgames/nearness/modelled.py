"""The distance problem with the user's constraints: a cvxpy model in the Gram matrices and the changes."""

from __future__ import annotations

from collections.abc import Sequence

import cvxpy
import numpy as np

from sosgames.conic import GramSolution
from sosgames.conic.modelling import unpacking
from sosgames.nearness.candidate import Candidate
from sosgames.nearness.constraints import OwnConstraints
from sosgames.nearness.distances import FloatQuestion, TieBreak, float_family
from sosgames.nearness.family import GameFamily
from sosgames.solvers.cvxpy_bridge import solve_model
from sosgames.solvers.registry import model_solver
from sosgames.solvers.status import SolverOptions, SolverStatus

NORMS = {"linf": cvxpy.norm_inf, "l1": cvxpy.norm1, "l2": cvxpy.norm2}


def solve_with_constraints(
    questions: Sequence[FloatQuestion],
    family: GameFamily,
    own: OwnConstraints,
    norm: str,
    tie_break: TieBreak | None,
    solver: str,
    options: SolverOptions,
) -> tuple[Candidate | None, SolverStatus]:
    """The smallest change (or the smallest euclidean one) that the constraints leave, by a cvxpy solver."""
    z = cvxpy.Variable(family.n_free)
    offset, basis = float_family(family)
    changes = offset + basis @ z
    unknowns = [_Unknowns(question) for question in questions]
    constraints = [c for q in unknowns for c in q.constraints(z)] + own.model(changes)
    size = NORMS[norm](changes)
    if tie_break is not None:
        constraints.append(size <= tie_break.cap)
    goal = size if tie_break is None else cvxpy.norm2(changes)
    status = solve_model(cvxpy.Problem(cvxpy.Minimize(goal), constraints), solver, options)
    if not status.has_point or z.value is None or not np.isfinite(z.value).all():
        return None, status
    return Candidate(np.array(z.value), [q.solution() for q in unknowns], float(size.value)), status


def contradict(own: OwnConstraints, family: GameFamily, solver: str, options: SolverOptions) -> bool:
    """Whether the solver finds no coefficients at all that keep the constraints; numerical."""
    z = cvxpy.Variable(family.n_free)
    offset, basis = float_family(family)
    model = cvxpy.Problem(cvxpy.Minimize(cvxpy.norm2(z)), own.model(offset + basis @ z))
    return solve_model(model, model_solver(solver, ()), options) is SolverStatus.INFEASIBLE


class _Unknowns:
    """The Gram matrices (less their floor) and free entries of one question, as cvxpy variables."""

    def __init__(self, question: FloatQuestion) -> None:
        self.question = question
        self.q = cvxpy.Variable(question.system.A.shape[1])
        self.free = cvxpy.Variable(question.system.F.shape[1]) if question.system.F.shape[1] else None

    def constraints(self, z: cvxpy.Variable) -> list[cvxpy.Constraint]:
        system = self.question.system
        left = system.A @ self.q - self.question.slopes @ z
        if self.free is not None:
            left = left + system.F @ self.free
        constraints: list[cvxpy.Constraint] = [left == self.question.right]
        start = 0
        for side in system.sides:
            stop = start + side * (side + 1) // 2
            matrix = cvxpy.reshape(unpacking(side) @ self.q[start:stop], (side, side), order="C")
            constraints.append(matrix >> 0)
            start = stop
        return constraints

    def solution(self) -> GramSolution:
        free = np.zeros(0) if self.free is None else np.array(self.free.value)
        return self.question.lifted(np.array(self.q.value), free)
