"""The set X as a search sees it: exact membership and scaled coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod

import flint
import numpy as np

from sosgames.certificates.polynomials import Polynomial
from sosgames.sos.bounds import Interval, feasible_intervals
from sosgames.sos.coordinates import AffineCoordinates, affine_coordinates
from sosgames.sos.generators import ConstraintLike
from sosgames.sos.odd_roots import odd_root
from sosgames.sos.scales import natural_units
from sosgames.witnesses.compiled import FloatArray

MAX_ROOT_DEGREE = 12
"""Of an equation in one variable whose rational roots are sought."""

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
        measures = ((point[name], *self.coordinates.centre_and_radius(name)) for name in self.names)
        return np.array([float((x - centre) / radius) for x, centre, radius in measures])

    def unscaled(self, t: FloatArray) -> Point:
        """The exact point at floating-point coordinates; not rounded and not checked."""
        exact = {name: Fraction(float(value)) for name, value in zip(self.names, t, strict=True)}
        measures = ((name, *self.coordinates.centre_and_radius(name)) for name in self.names)
        return self.complete({name: centre + radius * exact[name] for name, centre, radius in measures})


def feasible_set(
    variables: Sequence[str], constraints: Iterable[ConstraintLike], entries: Iterable[Polynomial] = ()
) -> FeasibleSet:
    """The set of a problem, odd powers reduced.

    Variables without an interval are measured in units in which the ``entries`` of the matrix are balanced.
    """
    inequalities, equations = [], []
    for constraint in constraints:
        if constraint.kind == "==":
            equations.append(constraint.polynomial)
        else:
            reduced = odd_root(constraint.polynomial)
            inequalities.append(constraint.polynomial if reduced is None else reduced[0])
    affine = [(k, p) for k, p in enumerate(equations) if p.degree == 1]
    intervals = feasible_intervals(inequalities, [p for _, p in affine])
    free = [name for name in variables if None in intervals.get(name, (None, None))]
    coordinates = affine_coordinates(variables, affine, intervals, natural_units(entries, free))
    left = [p for p in equations if coordinates.to_coordinates(p)]
    return FeasibleSet(tuple(variables), tuple(inequalities), tuple(left), intervals, coordinates)


def holds(conditions: Conditions, point: Mapping[str, Fraction]) -> bool:
    return all(p(point) == 0 if kind == "==" else p(point) >= 0 for p, kind in conditions)


def on_equations(conditions: Conditions, point: Point, names: Sequence[str]) -> Point | None:
    """The point, or one that satisfies the conditions: each equation solved for one of its variables.

    None when no such change of one variable per equation is enough.
    """
    if holds(conditions, point):
        return point
    for p, kind in conditions:
        if kind == "==" and p(point):
            solvable = (name for name in names if 0 < p.degree_in([name]) <= MAX_ROOT_DEGREE)
            moved = (point | {name: root} for name in solvable for root in _roots(p, point, name))
            point = next((m for m in moved if holds(conditions, m)), point)
    return point if holds(conditions, point) else None


def _roots(equation: Polynomial, point: Point, name: str) -> list[Fraction]:
    """The rational roots in one variable, the others as at the point; the nearest first."""
    coefficients = [Fraction(0)] * (equation.degree_in([name]) + 1)
    for monomial, c in equation.terms.items():
        exponents = dict(monomial)
        power = exponents.pop(name, 0)
        coefficients[power] += c * prod((point[n] ** e for n, e in exponents.items()), start=Fraction(1))
    scale = lcm(*(c.denominator for c in coefficients))
    _, factors = flint.fmpz_poly([int(c * scale) for c in coefficients]).factor()
    roots = [Fraction(-int(f[0]), int(f[1])) for f, _ in factors if f.degree() == 1]
    return sorted(roots, key=lambda root: abs(root - point[name]))
