"""SCS, a first-order splitting solver, called on the conic data without a modelling layer.

The choice for large blocks; give it the moment form. Its dual variable lies exactly in the cone.
"""

from __future__ import annotations

import sys
import time
from contextlib import redirect_stdout

import numpy as np
import scs
from scipy import sparse

from sosgames.conic.problem import Cones, ConicPoint, ConicProblem
from sosgames.solvers.status import SolverAnswer, SolverOptions, SolverStatus

NAME = "scs"
TOLERANCE = 1e-6
MAX_ITERATIONS = 5_000

STATUSES = {
    scs.SOLVED: SolverStatus.SOLVED,
    scs.SOLVED_INACCURATE: SolverStatus.INACCURATE,
    scs.INFEASIBLE: SolverStatus.INFEASIBLE,
    scs.INFEASIBLE_INACCURATE: SolverStatus.INFEASIBLE,
    scs.UNBOUNDED: SolverStatus.UNBOUNDED,
    scs.UNBOUNDED_INACCURATE: SolverStatus.UNBOUNDED,
}


def _cones(cones: Cones) -> dict[str, int | list[int]]:
    return {
        "z": cones.zero,
        "l": cones.nonnegative,
        "q": list(cones.second_order),
        "s": list(cones.semidefinite),
    }


def solve(problem: ConicProblem, options: SolverOptions) -> SolverAnswer:
    """Solve by SCS; never raises for numerical trouble."""
    data = {"A": sparse.csc_matrix(problem.A), "b": np.array(problem.b), "c": np.array(problem.c)}
    tolerance = TOLERANCE if options.tolerance is None else options.tolerance
    limit = options.max_iterations or MAX_ITERATIONS
    start = time.perf_counter()
    try:
        with redirect_stdout(sys.stderr):  # SCS prints its errors even when it is told to be quiet
            solution = scs.SCS(
                data,
                _cones(problem.cones),
                verbose=False,
                eps_abs=tolerance,
                eps_rel=tolerance,
                max_iters=limit,
                time_limit_secs=0.0 if options.time_limit is None else max(options.time_limit, 1e-3),
            ).solve()
    except ValueError as error:  # SCS refuses its input by ValueError
        seconds = time.perf_counter() - start
        return SolverAnswer(SolverStatus.FAILED, None, NAME, seconds, 0, str(error)[:200])
    seconds = time.perf_counter() - start
    info = solution["info"]
    if info["status_val"] == scs.SIGINT:
        raise KeyboardInterrupt
    status = STATUSES.get(info["status_val"], SolverStatus.FAILED)
    if "max_iters" in info["status"]:
        status = SolverStatus.ITERATION_LIMIT
    elif "time_limit" in info["status"]:
        status = SolverStatus.TIME_LIMIT
    point = ConicPoint(solution["x"], solution["y"], solution["s"])
    return SolverAnswer(status, point, NAME, seconds, int(info["iter"]), str(info["status"]))
