"""SCS, a first-order splitting solver, called on the conic data without a modelling layer.

The choice for large blocks; give it the moment form. Its dual variable lies exactly in the cone.
"""

from __future__ import annotations

import sys
import time
from contextlib import redirect_stdout
from dataclasses import replace
from typing import Any

import numpy as np
import scs
from scipy import sparse

from sosgames.conic.problem import Cones, ConicPoint, ConicProblem
from sosgames.solvers.status import SolverAnswer, SolverOptions, SolverStatus

NAME = "scs"
TOLERANCE = 1e-6
MAX_ITERATIONS = 5_000
SCALE = 0.1
"""SCS's own default."""
WATCHED_ITERATIONS = 50
"""Between two looks of a watch; SCS goes on from where it was."""

STATUSES = {
    scs.SOLVED: SolverStatus.SOLVED,
    scs.SOLVED_INACCURATE: SolverStatus.INACCURATE,
    scs.INFEASIBLE: SolverStatus.INFEASIBLE,
    scs.INFEASIBLE_INACCURATE: SolverStatus.INFEASIBLE,
    scs.UNBOUNDED: SolverStatus.UNBOUNDED,
    scs.UNBOUNDED_INACCURATE: SolverStatus.UNBOUNDED,
}


def solve(problem: ConicProblem, options: SolverOptions) -> SolverAnswer:
    """Solve by SCS; never raises for numerical trouble."""
    start = time.perf_counter()
    try:
        with redirect_stdout(sys.stderr):  # SCS prints its errors even when it is told to be quiet
            return _watched(problem, options, start)
    except ValueError as error:  # SCS refuses its input by ValueError
        seconds = time.perf_counter() - start
        return SolverAnswer(SolverStatus.FAILED, None, NAME, seconds, 0, str(error)[:200])


def _watched(problem: ConicProblem, options: SolverOptions, start: float) -> SolverAnswer:
    """All iterations at once; with a watch some at a time, until it, SCS or a limit ends them."""
    limit = options.max_iterations or MAX_ITERATIONS
    solver = _solver(problem, options, limit if options.watch is None else min(WATCHED_ITERATIONS, limit))
    iterations, spent = 0, 0.0
    while True:
        answer = _answer(solver.solve(warm_start=iterations > 0), start, iterations)
        if answer.status is not SolverStatus.ITERATION_LIMIT or answer.iterations >= limit:
            return answer
        if options.watch is not None and answer.point is not None and options.watch(answer.point):
            return replace(answer, status=SolverStatus.STOPPED)
        if options.time_limit is not None and 2 * answer.seconds - spent > options.time_limit:
            return replace(answer, status=SolverStatus.TIME_LIMIT)  # as many iterations again would pass it
        iterations, spent = answer.iterations, answer.seconds


def _solver(problem: ConicProblem, options: SolverOptions, max_iterations: int) -> Any:
    data = {"A": sparse.csc_matrix(problem.A), "b": np.array(problem.b), "c": np.array(problem.c)}
    tolerance = TOLERANCE if options.tolerance is None else options.tolerance
    return scs.SCS(
        data,
        _cones(problem.cones),
        verbose=False,
        eps_abs=tolerance,
        eps_rel=tolerance,
        max_iters=max_iterations,
        scale=SCALE if options.scale is None else options.scale,
        time_limit_secs=0.0 if options.time_limit is None else max(options.time_limit, 1e-3),
    )


def _cones(cones: Cones) -> dict[str, int | list[int]]:
    return {
        "z": cones.zero,
        "l": cones.nonnegative,
        "q": list(cones.second_order),
        "s": list(cones.semidefinite),
    }


def _answer(solution: dict[str, Any], start: float, iterations: int) -> SolverAnswer:
    """What SCS returned, after this many iterations before."""
    info = solution["info"]
    if info["status_val"] == scs.SIGINT:
        raise KeyboardInterrupt
    status = STATUSES.get(info["status_val"], SolverStatus.FAILED)
    if "max_iters" in info["status"]:
        status = SolverStatus.ITERATION_LIMIT
    elif "time_limit" in info["status"]:
        status = SolverStatus.TIME_LIMIT
    point = ConicPoint(solution["x"], solution["y"], solution["s"])
    seconds = time.perf_counter() - start
    return SolverAnswer(status, point, NAME, seconds, iterations + int(info["iter"]), str(info["status"]))
