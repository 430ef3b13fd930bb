"""Local minimisation over a strategy set, in the scaled coordinates of `FeasibleSet`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from sosgames.certificates.polynomials import Polynomial
from sosgames.equilibria.projections import FloatArray
from sosgames.witnesses.compiled import CompiledPolynomials
from sosgames.witnesses.descent import search_bounds
from sosgames.witnesses.feasible import FeasibleSet

Objective = Callable[[FloatArray], tuple[float, FloatArray]]
"""A value and its gradient."""
NEARLY = 1e-7
MAX_ITERATIONS = 100
TOLERANCE = 1e-13


@dataclass(frozen=True, slots=True)
class Region:
    """A set as intervals of its coordinates and conditions that no interval says."""

    bounds: tuple[tuple[float, float], ...]
    inequalities: CompiledPolynomials | None
    equations: CompiledPolynomials | None

    @classmethod
    def of(cls, feasible: FeasibleSet, degree: int) -> Region:
        """The region of a set; unbounded coordinates end where powers up to ``degree`` leave the range."""

        def compiled(polynomials: Sequence[Polynomial]) -> CompiledPolynomials | None:
            moved = [feasible.coordinates.to_coordinates(p) for p in polynomials]
            kept = [p for p in moved if p.degree > 1 or len(p.variables) > 1]
            return CompiledPolynomials([_unit(p) for p in kept], feasible.names) if kept else None

        bounds = tuple(search_bounds(feasible, degree))
        return cls(bounds, compiled(feasible.inequalities), compiled(feasible.equations))

    def minimised(
        self, objective: Objective, start: FloatArray, conditions: Sequence[dict[str, Any]] = ()
    ) -> FloatArray:
        """A local minimum by sequential quadratic programming, or the start where none is reached.

        ``start`` may have more entries than the region has coordinates; those are free.
        """
        if not len(start):  # a set of one point
            return start
        n, free = len(self.bounds), len(start) - len(self.bounds)
        own = [_condition(kind, p, n, free) for kind, p in self._curved if p is not None]
        arguments: dict[str, Any] = {
            "method": "SLSQP",
            "jac": True,
            "bounds": [*self.bounds, *[(None, None)] * free],
            "constraints": [*own, *conditions],
            "options": {"maxiter": MAX_ITERATIONS, "ftol": TOLERANCE},
        }
        result = minimize(objective, start, **arguments)
        end = np.asarray(result.x, dtype=np.float64)
        return end if self.contains(end[:n]) else start

    @property
    def _curved(self) -> tuple[tuple[str, CompiledPolynomials | None], ...]:
        return ("ineq", self.inequalities), ("eq", self.equations)

    def contains(self, t: FloatArray) -> bool:
        """Whether a point lies in the region but for rounding."""
        low, high = np.array(self.bounds).reshape(-1, 2).T
        inside = np.isfinite(t).all() and (low - NEARLY <= t).all() and (t <= high + NEARLY).all()
        for kind, polynomials in self._curved if inside else ():
            if polynomials is not None:
                values = polynomials.values(t[None, :])[0]
                inside &= (values >= -NEARLY).all() and (kind == "ineq" or (values <= NEARLY).all())
        return bool(inside)


def _unit(polynomial: Polynomial) -> Polynomial:
    return polynomial / max(abs(c) for c in polynomial.terms.values())


def _condition(kind: str, polynomials: CompiledPolynomials, n: int, free: int) -> dict[str, Any]:
    """A condition on the first n of n + free variables, as scipy takes it."""
    return {
        "type": kind,
        "fun": lambda v: polynomials.values(v[None, :n])[0],
        "jac": lambda v: np.pad(polynomials.gradients(v[:n]).T, ((0, 0), (0, free))),
    }
