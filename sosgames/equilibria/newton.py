"""Semismooth Newton on the natural residual: a few steps finish what extragradient has begun."""

from __future__ import annotations

import numpy as np

from sosgames.equilibria.inequality import VariationalInequality
from sosgames.equilibria.projections import FloatArray

MAX_STEPS = 60
HALVINGS = 8


def newton(problem: VariationalInequality, start: FloatArray, tolerance: float) -> FloatArray:
    """The point where Newton's method on x - P(x + step v(x)) = 0 ends; never worse than the start.

    Quadratic near a solution with a regular Jacobian, and finite where v is affine and X polyhedral (Qi and
    Sun 1993). Singular systems take the shortest least-squares step; steps that do not help are halved.
    """
    x, error = start, problem.error(start)
    for _ in range(MAX_STEPS):
        if error <= tolerance:
            break
        moved, error_there = _step(problem, x, error)
        if error_there >= error:
            break
        x, error = moved, error_there
    return x


def _step(problem: VariationalInequality, x: FloatArray, error: float) -> tuple[FloatArray, float]:
    z = x + problem.step * problem.field(x)
    identity = np.eye(len(x))
    slope = identity - problem.feasible.slope(z) @ (identity + problem.step * problem.jacobian(x))
    direction = np.linalg.lstsq(slope, -problem.residual(x), rcond=1e-12)[0]
    length = 1.0
    for _ in range(HALVINGS):
        moved = problem.feasible.project(x + length * direction)
        error_there = problem.error(moved)
        if error_there < error:
            return moved, error_there
        length /= 2
    return x, error
