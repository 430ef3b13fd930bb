"""Solvers behind one seam: Clarabel and SCS directly, any other through cvxpy."""

from sosgames.solvers.registry import SolverRow, find_solver, solve_system, solver_table, solvers_for
from sosgames.solvers.status import SolverAnswer, SolverOptions, SolverStatus

__all__ = [
    "SolverAnswer",
    "SolverOptions",
    "SolverRow",
    "SolverStatus",
    "find_solver",
    "solve_system",
    "solver_table",
    "solvers_for",
]
