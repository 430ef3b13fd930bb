"""Any semidefinite solver that the user's cvxpy can call, MOSEK among them.

cvxpy is used for its solver interfaces only: it gets the sparse data as they are, so that modelling costs
some 20 ms and not minutes.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import cvxpy
import numpy as np
from scipy import sparse

from sosgames.conic.modelling import to_cvxpy
from sosgames.conic.problem import Cones, ConicPoint, ConicProblem, FloatArray, svec_scale
from sosgames.solvers.status import SolverAnswer, SolverOptions, SolverStatus

SEMIDEFINITE = ("MOSEK", "COPT", "CVXOPT", "SDPA", "CUCLARABEL")
"""Solvers that cvxpy can hand semidefinite cones to, besides the two that are called directly here."""

STATUSES = {
    cvxpy.OPTIMAL: SolverStatus.SOLVED,
    cvxpy.OPTIMAL_INACCURATE: SolverStatus.INACCURATE,
    cvxpy.INFEASIBLE: SolverStatus.INFEASIBLE,
    cvxpy.INFEASIBLE_INACCURATE: SolverStatus.INFEASIBLE,
    cvxpy.UNBOUNDED: SolverStatus.UNBOUNDED,
    cvxpy.UNBOUNDED_INACCURATE: SolverStatus.UNBOUNDED,
    cvxpy.USER_LIMIT: SolverStatus.TIME_LIMIT,
}
TIME_PARAMETERS: dict[str, Any] = {
    "MOSEK": lambda seconds: {"mosek_params": {"MSK_DPAR_OPTIMIZER_MAX_TIME": seconds}},
    "COPT": lambda seconds: {"TimeLimit": seconds},
    "CLARABEL": lambda seconds: {"time_limit": seconds},
    "SCS": lambda seconds: {"time_limit_secs": seconds},
}
ITERATION_PARAMETERS = {"CLARABEL": "max_iter", "SCS": "max_iters"}
DIRECT = ("CLARABEL", "SCS")
"""Solvers that this package calls without cvxpy, unless the model is the user's."""


def solve_with(name: str, problem: ConicProblem, options: SolverOptions) -> SolverAnswer:
    """Solve by the cvxpy solver ``name``; never raises for numerical trouble."""
    model, x = to_cvxpy(problem)
    start = time.perf_counter()
    status, detail = _solve(model, name, options)
    seconds = time.perf_counter() - start
    point = None if x.value is None else _point(problem, model, x)
    iterations = int(getattr(model.solver_stats, "num_iters", None) or 0)
    return SolverAnswer(status, point, name, seconds, iterations, detail)


def solve_model(model: cvxpy.Problem, name: str, options: SolverOptions) -> SolverStatus:
    """Solve a model that the user had a hand in; values are left in its variables.

    ``name`` is that of a solver that cvxpy can call here.
    """
    status, _ = _solve(model, name.upper(), options)
    return status


def _solve(model: cvxpy.Problem, name: str, options: SolverOptions) -> tuple[SolverStatus, str]:
    """The status and what the solver said; never raises for numerical trouble."""
    extra: dict[str, Any] = {}
    if options.time_limit and name in TIME_PARAMETERS:
        extra |= TIME_PARAMETERS[name](options.time_limit)
    if options.max_iterations and name in ITERATION_PARAMETERS:
        extra |= {ITERATION_PARAMETERS[name]: options.max_iterations}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.solve(solver=name, **extra)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # every solver has exceptions of its own, and Clarabel's panics are none
        return SolverStatus.FAILED, _sentence(error)
    return STATUSES.get(model.status, SolverStatus.FAILED), str(model.status)


def unavailable_because(name: str) -> str | None:
    """Why the cvxpy solver cannot be used here, or None when it can; solves a problem of side 2 to know."""
    if name not in cvxpy.installed_solvers():
        return "not installed"
    A = sparse.csc_array(np.array([[0.0], [-np.sqrt(2.0)], [0.0]]))
    tiny = ConicProblem(
        A, np.array([1.0, 0.0, 1.0]), np.array([1.0]), Cones(semidefinite=(2,))
    )  # [[1, x], [x, 1]] >= 0
    answer = solve_with(name, tiny, SolverOptions())
    if answer.point is not None and abs(answer.point.x[0] + 1.0) < 1e-3:
        return None
    return f"its test solve failed ({answer.detail})"


def _point(problem: ConicProblem, model: cvxpy.Problem, x: cvxpy.Variable) -> ConicPoint:
    value = np.asarray(x.value, dtype=float)
    first = 2 + len(problem.cones.second_order)
    plain = [np.atleast_1d(c.dual_value).astype(float) for c in model.constraints[:2]]
    cones = [np.hstack([np.ravel(d) for d in c.dual_value]) for c in model.constraints[2:first]]
    duals = [np.asarray(c.dual_value, dtype=float) for c in model.constraints[first:]]
    packed = [_pack((d + d.T) / 2) for d in duals]
    return ConicPoint(value, np.concatenate([*plain, *cones, *packed]), problem.b - problem.A @ value)


def _pack(matrix: FloatArray) -> FloatArray:
    return matrix[np.triu_indices(len(matrix))] * svec_scale(len(matrix))


def _sentence(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 160 else text[:157] + "..."
