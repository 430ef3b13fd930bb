"""Local minimisation of the smallest eigenvalue over X, in floating point: a source of candidates only."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize

from sosgames.certificates.polynomials import Polynomial
from sosgames.witnesses.compiled import CompiledMatrix, CompiledPolynomials, FloatArray
from sosgames.witnesses.feasible import FeasibleSet

MAX_ITERATIONS = 60
MAX_VARIABLES_WITH_CONSTRAINTS = 60
FAR = 1e4
LARGEST_EXPONENT = 60
"""Unbounded coordinates stay within ``FAR``, and their powers below 10 to this exponent."""


def descend(matrix: CompiledMatrix, feasible: FeasibleSet, start: FloatArray) -> FloatArray:
    """Scaled coordinates of a local minimum of lambda_min near ``start`` (the start where nothing is gained).

    The gradient of lambda_min is that of y'M(x)y at the minimising y. Boxes go to L-BFGS-B; other sets, up to
    60 variables, to sequential quadratic programming.
    """
    if not len(start):
        return start
    bounds = search_bounds(feasible, matrix.degree)
    curved = [p for p in feasible.inequalities if not (p.degree == 1 and len(p.variables) == 1)]
    constrained = bool(curved or feasible.equations or feasible.coordinates.solved)
    if constrained and len(start) > MAX_VARIABLES_WITH_CONSTRAINTS:
        return start

    def objective(t: FloatArray) -> tuple[float, FloatArray]:
        value, y = matrix.smallest_pair(t)
        return value, matrix.gradient(t, y)

    arguments: dict[str, Any] = {"bounds": bounds, "options": {"maxiter": MAX_ITERATIONS}}
    if constrained:
        arguments["constraints"] = [*_constraints(feasible, "ineq"), *_constraints(feasible, "eq")]
    arguments["method"] = "SLSQP" if constrained else "L-BFGS-B"
    arguments["jac"] = True
    result = minimize(objective, start, **arguments)
    end = np.asarray(result.x, dtype=float)
    return end if np.isfinite(end).all() else start


def search_bounds(feasible: FeasibleSet, degree: int) -> list[tuple[float, float]]:
    """Where to search: the intervals, and where they are unbounded as far as powers stay in range."""
    far = min(FAR, 10.0 ** (LARGEST_EXPONENT / max(degree, 1)))
    bounds: list[tuple[float, float]] = []
    for name in feasible.names:
        ends = feasible.intervals.get(name, (None, None))
        scale = feasible.coordinates.outward[name]
        low, high = (None if end is None else float(scale({name: end})) for end in ends)
        first = low if low is not None else -far if high is None else min(-far, high - far)
        last = high if high is not None else far if low is None else max(far, low + far)
        bounds.append((first, last))
    return bounds


def _constraints(feasible: FeasibleSet, kind: str) -> list[dict[str, object]]:
    polynomials = feasible.inequalities if kind == "ineq" else feasible.equations
    moved = [_unit(feasible.coordinates.to_coordinates(p)) for p in polynomials]
    moved = [p for p in moved if not p.is_constant()]
    if not moved:
        return []
    compiled = CompiledPolynomials(moved, feasible.names)
    return [
        {
            "type": kind,
            "fun": lambda t: compiled.values(t[None, :])[0],
            "jac": lambda t: compiled.gradients(t).T,
        }
    ]


def _unit(polynomial: Polynomial) -> Polynomial:
    """The polynomial over its largest coefficient."""
    largest = max((abs(c) for c in polynomial.terms.values()), default=None)
    return polynomial if largest is None else polynomial / largest
