"""Solvers behind one seam: Clarabel and SCS directly, any other through cvxpy."""

from sosgames.solvers.registry import SolverRow, choose_solver, find_solver, solve_system, solver_table
from sosgames.solvers.status import SolverAnswer, SolverOptions, SolverStatus

__all__ = [
    "SolverAnswer",
    "SolverOptions",
    "SolverRow",
    "SolverStatus",
    "choose_solver",
    "find_solver",
    "solve_system",
    "solver_table",
]
