"""Clarabel, an interior-point solver, called on the conic data without a modelling layer.

Accurate on blocks of side up to about 60. It can panic on singular input with an exception that is no
`Exception`; that is a failed solve here.
"""

from __future__ import annotations

import time
from itertools import groupby
from typing import Any

import clarabel
import numpy as np
from scipy import sparse

from sosgames.conic.problem import ConicPoint, ConicProblem, FloatArray
from sosgames.solvers.status import SolverAnswer, SolverOptions, SolverStatus
from sosgames.sos.exponents import IntArray

NAME = "clarabel"
TOLERANCE = 1e-8
MAX_ITERATIONS = 200
MANY_BLOCKS = 500
"""Semidefinite blocks from which on a supernodal factorisation is asked for: faster on meshes."""

STATUSES = {
    "Solved": SolverStatus.SOLVED,
    "AlmostSolved": SolverStatus.INACCURATE,
    "InsufficientProgress": SolverStatus.INACCURATE,
    "PrimalInfeasible": SolverStatus.INFEASIBLE,
    "AlmostPrimalInfeasible": SolverStatus.INFEASIBLE,
    "DualInfeasible": SolverStatus.UNBOUNDED,
    "AlmostDualInfeasible": SolverStatus.UNBOUNDED,
    "MaxIterations": SolverStatus.ITERATION_LIMIT,
    "MaxTime": SolverStatus.TIME_LIMIT,
    "CallbackTerminated": SolverStatus.TIME_LIMIT,
    "NumericalError": SolverStatus.FAILED,
    "Unsolved": SolverStatus.FAILED,
}


def solve(problem: ConicProblem, options: SolverOptions) -> SolverAnswer:
    """Solve by Clarabel; never raises for numerical trouble."""
    order = _row_order(problem)
    A = sparse.csc_matrix(sparse.csr_array(problem.A)[order])
    P = sparse.csc_matrix((problem.n_variables, problem.n_variables))
    start = time.perf_counter()
    try:
        solver = clarabel.DefaultSolver(
            P, problem.c, A, problem.b[order], _cones(problem), _settings(problem, options)
        )
        solution = solver.solve()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as panic:  # pyo3's PanicException does not derive from Exception
        seconds = time.perf_counter() - start
        return SolverAnswer(SolverStatus.FAILED, None, NAME, seconds, 0, f"panic: {panic}"[:200])
    seconds = time.perf_counter() - start
    status = STATUSES.get(str(solution.status), SolverStatus.FAILED)
    z, s = (_undo(np.array(v), order) for v in (solution.z, solution.s))
    point = ConicPoint(np.array(solution.x), z, s)
    return SolverAnswer(status, point, NAME, seconds, int(solution.iterations), str(solution.status))


def _cones(problem: ConicProblem) -> list[Any]:
    cones: list[Any] = []
    if problem.cones.zero:
        cones.append(clarabel.ZeroConeT(problem.cones.zero))
    if problem.cones.nonnegative:
        cones.append(clarabel.NonnegativeConeT(problem.cones.nonnegative))
    cones += [clarabel.SecondOrderConeT(size) for size in problem.cones.second_order]
    for side, group in groupby(problem.cones.semidefinite):
        n = len(list(group))
        cones += [clarabel.NonnegativeConeT(n)] if side == 1 else [clarabel.PSDTriangleConeT(side)] * n
    return cones


def _settings(problem: ConicProblem, options: SolverOptions) -> Any:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    if len(problem.cones.semidefinite) >= MANY_BLOCKS:
        settings.direct_solve_method = "faer"
    tolerance = TOLERANCE if options.tolerance is None else options.tolerance
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    settings.max_iter = options.max_iterations or MAX_ITERATIONS
    if options.time_limit is not None:
        settings.time_limit = max(options.time_limit, 1e-3)
    return settings


def _row_order(problem: ConicProblem) -> IntArray:
    """Our row for each of Clarabel's: it stores the upper triangle column by column, we row by row."""
    start = problem.cones.before_semidefinite
    order = [np.arange(start)]
    known = {side: np.lexsort(np.triu_indices(side)) for side in set(problem.cones.semidefinite)}
    for side in problem.cones.semidefinite:
        order.append(start + known[side])
        start += len(known[side])
    return np.concatenate(order)


def _undo(values: FloatArray, order: IntArray) -> FloatArray:
    restored = np.empty_like(values)
    restored[order] = values
    return restored
