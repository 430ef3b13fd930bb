"""Exact points of X to start a search from: products of what each independent factor of X offers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice, product
from math import comb, prod

import flint
import numpy as np

from sosgames.certificates.polynomials import Polynomial
from sosgames.sos.bounds import Interval, linear_coefficients
from sosgames.sos.exponents import IntArray
from sosgames.witnesses.compiled import CompiledPolynomials, FloatArray
from sosgames.witnesses.feasible import Conditions, FeasibleSet, Point, holds, on_equations

MAX_VERTEX_SYSTEMS = 400
MAX_GRID = 243
MAX_OFFERED = 120
N_ALIKE = 3
"""Starting points that take the same of every factor (low ends, the centre) where the others are drawn."""
NEARLY = -1e-9


@dataclass(frozen=True, slots=True)
class StartingPoints:
    """Points of a product: ``choices[i, f]`` is what point i takes of factor f, ``scaled`` where it is."""

    feasible: FeasibleSet
    factors: tuple[tuple[Point, ...], ...]
    choices: IntArray
    scaled: FloatArray

    def __len__(self) -> int:
        return len(self.choices)

    def point(self, index: int) -> Point:
        """The exact point of that row."""
        free: Point = {}
        for offered, choice in zip(self.factors, self.choices[index].tolist(), strict=True):
            free |= offered[choice]
        return self.feasible.complete(free)


def starting_points(feasible: FeasibleSet, rng: np.random.Generator, limit: int) -> StartingPoints:
    """Up to ``limit`` exact points of X, all products or a random part of them.

    Factors are groups of variables that no constraint ties to others. Intervals offer both ends and the
    middle, polytopes their vertices, centroid and edge midpoints, other sets what survives of a grid and of
    rays from a known point. No points at all mean that some factor offered none.
    """
    groups = _factors(feasible)
    factors = tuple(tuple(_factor_points(feasible, names, rng)) for names in groups)
    choices = _choices([len(offered) for offered in factors], rng, limit)
    column = {name: i for i, name in enumerate(feasible.names)}
    scaled = np.zeros((len(choices), len(column)))
    for f, (names, offered) in enumerate(zip(groups, factors, strict=True)):
        rows = [[float(feasible.coordinates.outward[n](p)) for n in names] for p in offered]
        table = np.array(rows).reshape(len(offered), len(names))
        scaled[:, [column[n] for n in names]] = table[choices[:, f]]
    return StartingPoints(feasible, factors, choices, scaled)


def _choices(counts: Sequence[int], rng: np.random.Generator, limit: int) -> IntArray:
    if not all(counts):
        return np.zeros((0, len(counts)), dtype=np.int64)
    if prod(counts) <= limit:
        rows = list(product(*(range(count) for count in counts)))
        return np.array(rows, dtype=np.int64).reshape(len(rows), len(counts))
    alike = np.minimum(np.arange(max(counts))[:, None], np.array(counts) - 1)[:N_ALIKE]
    drawn = rng.integers(0, np.array(counts), (limit - len(alike), len(counts)))
    return np.concatenate([alike, drawn])


def _factors(feasible: FeasibleSet) -> list[tuple[str, ...]]:
    """Groups of free variables that share a constraint, directly or through solved variables."""
    groups: list[set[str]] = []
    solved = feasible.coordinates.solved
    for polynomial in [*feasible.inequalities, *feasible.equations]:
        names: set[str] = set()
        for name in polynomial.variables:
            names |= set(solved[name].value.variables) if name in solved else {name}
        touching = [group for group in groups if group & names]
        groups = [group for group in groups if not group & names] + [names.union(*touching)]
    grouped = set[str]().union(*groups)
    groups += [{name} for name in feasible.names if name not in grouped]
    order = {name: i for i, name in enumerate(feasible.names)}
    ordered = (tuple(sorted(group, key=lambda name: order[name])) for group in groups if group)
    return sorted(ordered, key=lambda names: order[names[0]])


def _factor_points(feasible: FeasibleSet, names: tuple[str, ...], rng: np.random.Generator) -> list[Point]:
    values = {name: solved.value for name, solved in feasible.coordinates.solved.items()}
    wanted = set(names)
    conditions = [
        (reduced, kind)
        for kind, polynomials in ((">=", feasible.inequalities), ("==", feasible.equations))
        for p in polynomials
        if (reduced := p.substitute({n: v for n, v in values.items() if n in p.variables})).variables & wanted
    ]
    faces = [p for p, kind in conditions if kind == ">=" and p.degree == 1]
    if len(names) == 1 and len(faces) == len(conditions):
        unit = feasible.coordinates.inward[names[0]].coefficient(((names[0], 1),))
        return _interval_points(names[0], feasible.intervals.get(names[0], (None, None)), unit)
    candidates: list[Point] = []
    if len(faces) == len(conditions):
        candidates = _with_midpoints([v for v in _vertices(faces, names) if holds(conditions, v)])
    if not candidates:
        candidates = _grid_points(feasible, conditions, names, rng)
        radii = {n: feasible.coordinates.inward[n].coefficient(((n, 1),)) for n in names}
        candidates += _rays(conditions, candidates[:1], radii, rng)
    return candidates


def _interval_points(name: str, interval: Interval, unit: Fraction) -> list[Point]:
    low, high = interval
    if low is not None and high is not None:
        values = [low, (low + high) / 2, high]
    elif low is None and high is None:
        values = [-unit, Fraction(0), unit]
    else:
        end, step = (low, unit) if low is not None else (high, -unit)
        values = [(end or Fraction(0)) + step * k for k in (0, 1, 2)]
    return [{name: value} for value in dict.fromkeys(values)]


def _vertices(faces: Sequence[Polynomial], names: Sequence[str]) -> list[Point]:
    """The points where as many faces as there are variables meet in one point, in exact arithmetic."""
    n = len(names)
    if comb(len(faces), n) > MAX_VERTEX_SYSTEMS:
        return []
    rows = []
    for face in faces:
        coefficients = linear_coefficients(face) or {}
        rows.append(
            ([_flint(coefficients.get(name, Fraction(0))) for name in names], _flint(-face.constant_term))
        )
    found = []
    for chosen in combinations(rows, n):
        matrix = flint.fmpq_mat(n, n, [v for row, _ in chosen for v in row])
        if matrix.det() != 0:
            solution = matrix.solve(flint.fmpq_mat(n, 1, [right for _, right in chosen]))
            values = [Fraction(int(v.p), int(v.q)) for v in solution.entries()]
            found.append(dict(zip(names, values, strict=True)))
    return [dict(items) for items in dict.fromkeys(tuple(v.items()) for v in found)]


def _flint(value: Fraction) -> flint.fmpq:
    return flint.fmpq(value.numerator, value.denominator)


def _with_midpoints(vertices: list[Point]) -> list[Point]:
    """Vertices, then their centroid, then the midpoints of pairs (for few vertices)."""
    if len(vertices) < 2:
        return vertices
    points = [*vertices, _mean(vertices)]
    if len(vertices) <= 8:
        points += [_mean(pair) for pair in combinations(vertices, 2)]
    return points


def _mean(points: Sequence[Point]) -> Point:
    return {name: sum((p[name] for p in points), Fraction(0)) / len(points) for name in points[0]}


def _grid_points(
    feasible: FeasibleSet, conditions: Conditions, names: Sequence[str], rng: np.random.Generator
) -> list[Point]:
    """Points of a grid in scaled coordinates that hold, or that one change per equation makes hold."""
    rows = _grid(len(names), rng)
    if all(kind == ">=" for _, kind in conditions):
        moved = [feasible.coordinates.to_coordinates(p) for p, _ in conditions]
        rows = rows[(CompiledPolynomials(moved, names).values(rows) >= NEARLY).all(axis=1)]
    inward = feasible.coordinates.inward
    candidates = (
        {n: inward[n]({n: Fraction(float(v))}) for n, v in zip(names, row, strict=True)} for row in rows
    )
    found = (on_equations(conditions, candidate, names) for candidate in candidates)
    return list(islice((point for point in found if point is not None), MAX_OFFERED))


def _grid(k: int, rng: np.random.Generator) -> FloatArray:
    """The centre, the axes, {-1, 0, 1}^k (or a random part of it), and random multiples of 1/64."""
    if 3**k <= MAX_GRID:
        regular = np.array(list(product((0, -1, 1), repeat=k)))
    else:
        regular = rng.integers(-1, 2, (MAX_GRID, k))
    axes = np.concatenate([np.zeros((1, k)), np.eye(k), -np.eye(k)])
    return np.concatenate([axes, regular, rng.integers(-64, 65, (MAX_GRID, k)) / 64])


def _rays(
    conditions: Conditions,
    centres: Sequence[Point],
    radii: Mapping[str, Fraction],
    rng: np.random.Generator,
    n_rays: int = 24,
) -> list[Point]:
    """From a feasible centre as far as feasible along random directions, by bisection in dyadic steps."""
    found = []
    for centre in centres:
        for _ in range(n_rays):
            steps = rng.integers(-16, 17, len(radii))
            direction = {n: r * Fraction(int(v), 16) for (n, r), v in zip(radii.items(), steps, strict=True)}
            low, high = Fraction(0), Fraction(2)
            for _ in range(12):
                middle = (low + high) / 2
                moved = {n: centre[n] + middle * d for n, d in direction.items()}
                low, high = (middle, high) if holds(conditions, moved) else (low, middle)
            if low:
                found.append({n: centre[n] + low * d for n, d in direction.items()})
    return found
