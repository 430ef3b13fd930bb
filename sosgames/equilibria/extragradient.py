"""Projected extragradient: converges for every monotone field, strictly or not, from any point."""

from __future__ import annotations

import numpy as np

from sosgames.equilibria.inequality import VariationalInequality
from sosgames.equilibria.projections import FloatArray

CONTRACTION = 0.9
GROWTH = 1.2
SMALLEST_STEP = 1e-12


def extragradient(
    problem: VariationalInequality, start: FloatArray, iterations: int, tolerance: float
) -> FloatArray:
    r"""The point after some steps :math:`x \mapsto P(x + s v(P(x + s v(x))))`.

    The step s adapts so that :math:`s |v(x) - v(y)| \le 0.9 |x - y|` (Korpelevich 1976; Khobotov 1987).

    Parameters
    ----------
    problem
        Field and set.
    start
        A point of the set, shape (n,).
    iterations
        At most so many steps.
    tolerance
        Stop once the natural residual is at most this.
    """
    x, step, project = start, problem.step, problem.feasible.project
    for _ in range(iterations):
        v = problem.field(x)
        y = project(x + step * v)
        while step > SMALLEST_STEP and _too_long(problem, x, v, y, step):
            step *= 0.6
            y = project(x + step * v)
        x = project(x + step * problem.field(y))
        if problem.error(x) <= tolerance:
            break
        step *= GROWTH
    return x


def _too_long(
    problem: VariationalInequality, x: FloatArray, v: FloatArray, y: FloatArray, step: float
) -> bool:
    change = float(np.linalg.norm(v - problem.field(y)))
    return not step * change <= CONTRACTION * float(np.linalg.norm(x - y))
