"""The set X as a search sees it: exact membership and scaled coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sosgames.certificates.polynomials import Polynomial
from sosgames.sos.bounds import Interval, feasible_intervals
from sosgames.sos.coordinates import AffineCoordinates, affine_coordinates
from sosgames.sos.generators import ConstraintLike
from sosgames.sos.odd_roots import odd_root
from sosgames.witnesses.compiled import FloatArray

Point = dict[str, Fraction]
Conditions = Sequence[tuple[Polynomial, str]]
"""Polynomials with ">=" or "=="."""


@dataclass(frozen=True, slots=True)
class FeasibleSet:
    """X by its inequalities and equations, with the coordinates t in which it is about [-1, 1]^n.

    ``inequalities`` and ``equations`` are in the user's variables, affine equations left out: they are solved
    exactly by ``coordinates``.
    """

    variables: tuple[str, ...]
    inequalities: tuple[Polynomial, ...]
    equations: tuple[Polynomial, ...]
    intervals: Mapping[str, Interval]
    coordinates: AffineCoordinates

    @property
    def is_plainly_empty(self) -> bool:
        """Whether some variable's lower bound exceeds its upper bound."""
        ends = self.intervals.values()
        return any(low is not None and high is not None and low > high for low, high in ends)

    @property
    def names(self) -> tuple[str, ...]:
        """The free coordinates, named after the variables that they stand for."""
        return self.coordinates.names

    def complete(self, free: Mapping[str, Fraction]) -> Point:
        """The point with these values of the free variables; the others follow from the affine equations."""
        point = dict(free)
        for name, solved in self.coordinates.solved.items():
            point[name] = solved.value(free)
        return {name: point[name] for name in self.variables}

    def contains(self, point: Mapping[str, Fraction]) -> bool:
        """Exact membership of a completed point."""
        return all(g(point) >= 0 for g in self.inequalities) and not any(h(point) for h in self.equations)

    def scaled(self, point: Mapping[str, Fraction]) -> FloatArray:
        """The coordinates t of a point."""
        return np.array([float(self.coordinates.outward[name](point)) for name in self.names])

    def unscaled(self, t: FloatArray) -> Point:
        """The exact point at floating-point coordinates; not rounded and not checked."""
        exact = {name: Fraction(float(value)) for name, value in zip(self.names, t, strict=True)}
        return self.complete({name: self.coordinates.inward[name](exact) for name in self.names})


def feasible_set(variables: Sequence[str], constraints: Iterable[ConstraintLike]) -> FeasibleSet:
    """The set of a problem, odd powers reduced."""
    inequalities, equations = [], []
    for constraint in constraints:
        if constraint.kind == "==":
            equations.append(constraint.polynomial)
        else:
            reduced = odd_root(constraint.polynomial)
            inequalities.append(constraint.polynomial if reduced is None else reduced[0])
    affine = [(k, p) for k, p in enumerate(equations) if p.degree == 1]
    intervals = feasible_intervals(inequalities, [p for _, p in affine])
    coordinates = affine_coordinates(variables, affine, intervals)
    left = [p for p in equations if coordinates.to_coordinates(p)]
    return FeasibleSet(tuple(variables), tuple(inequalities), tuple(left), intervals, coordinates)


def holds(conditions: Conditions, point: Mapping[str, Fraction]) -> bool:
    return all(p(point) == 0 if kind == "==" else p(point) >= 0 for p, kind in conditions)


def on_equations(conditions: Conditions, point: Point, names: Sequence[str]) -> Point | None:
    """The point, or one near it that satisfies the conditions: equations solved for a linear variable.

    None when no such change of one variable per equation is enough.
    """
    if holds(conditions, point):
        return point
    for p, kind in conditions:
        if kind == "==" and p(point):
            moved = (_solved_for(p, point, name) for name in names if p.degree_in([name]) == 1)
            point = next((m for m in moved if m is not None and holds(conditions, m)), point)
    return point if holds(conditions, point) else None


def _solved_for(equation: Polynomial, point: Point, name: str) -> Point | None:
    slope = equation.derivative(name)(point)
    return point | {name: point[name] - equation(point) / slope} if slope else None
