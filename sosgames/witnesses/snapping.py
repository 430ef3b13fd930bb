"""Exact points of X, and exact vectors, near floating-point ones: small denominators first."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import gcd

import numpy as np

from sosgames.certificates.polynomials import Polynomial
from sosgames.witnesses.compiled import FloatArray
from sosgames.witnesses.feasible import FeasibleSet, Point, on_equations

DENOMINATORS = (1, 2, 3, 4, 6, 8, 12, 64, 1_000, 10**6)
AT_BOUND = 1e-6
PULLS = tuple(Fraction(1, 2**k) for k in range(24, 1, -2))


def snapped_points(feasible: FeasibleSet, t: FloatArray, anchor: Point | None) -> Iterator[Point]:
    """Exact points of X near scaled coordinates t, from coarse to fine, without repetition.

    Each variable is rounded to a multiple of 1/q in its own units and in those of its interval, put on an
    end of the interval that it nearly touches, and kept inside. Where a curved or oblique constraint then
    fails, the point is pulled towards ``anchor``, a point of X.
    """
    exact = feasible.unscaled(t)
    tried: set[tuple[Fraction, ...]] = set()
    found: set[tuple[Fraction, ...]] = set()
    for q in DENOMINATORS:
        for in_own_units in (True, False):
            free = {
                name: _snap(feasible, name, exact[name], float(value), q, in_own_units)
                for name, value in zip(feasible.names, t, strict=True)
            }
            if (rounded := tuple(free.values())) in tried:
                continue
            tried.add(rounded)
            point = _made_feasible(feasible, feasible.complete(free), anchor)
            if point is not None and (key := tuple(point.values())) not in found:
                found.add(key)
                yield point


def _snap(feasible: FeasibleSet, name: str, x: Fraction, t: float, q: int, in_own_units: bool) -> Fraction:
    low, high = feasible.intervals.get(name, (None, None))
    if low is not None and high is not None:
        if t < -1 + AT_BOUND:
            return low
        if t > 1 - AT_BOUND:
            return high
    if in_own_units:
        value = Fraction(round(x * q), q)
    else:
        centre, radius = feasible.coordinates.centre_and_radius(name)
        value = centre + radius * Fraction(round(t * q), q)
    value = value if low is None else max(value, low)
    return value if high is None else min(value, high)


def _made_feasible(feasible: FeasibleSet, point: Point, anchor: Point | None) -> Point | None:
    if feasible.contains(point):
        return point
    if feasible.equations:
        conditions = [(g, ">=") for g in feasible.inequalities] + [(h, "==") for h in feasible.equations]
        if (moved := on_equations(conditions, point, feasible.names)) is not None:
            return moved
        if anchor is not None and len(feasible.equations) == 1 and feasible.equations[0].degree == 2:
            chord = _end_of_chord(feasible.equations[0], anchor, point)
            return chord if chord is not None and feasible.contains(chord) else None
    if anchor is None:
        return None
    pulled = ({n: v + s * (anchor[n] - v) for n, v in point.items()} for s in PULLS)
    return next((p for p in pulled if feasible.contains(p)), None)


def _end_of_chord(quadric: Polynomial, start: Point, towards: Point) -> Point | None:
    """Where the line from a rational point of a quadric meets it again: rational, and near a goal near it."""
    step = {n: v - start[n] for n, v in towards.items()}
    slope = sum((quadric.derivative(n)(start) * d for n, d in step.items()), Fraction(0))
    curvature = quadric(towards) - slope - quadric(start)
    return {n: start[n] - slope / curvature * d for n, d in step.items()} if curvature else None


def snapped_vectors(y: FloatArray) -> Iterator[tuple[Fraction, ...]]:
    """Exact non-zero vectors near y (its largest entry made 1), from coarse to fine, without repetition."""
    for vector, largest in whole_vectors(y):
        yield tuple(Fraction(v, largest) for v in vector)


def whole_vectors(y: FloatArray) -> Iterator[tuple[tuple[int, ...], int]]:
    """The same as coprime integers, and the positive one that stands for the largest entry of y."""
    place = int(np.argmax(np.abs(y)))
    scaled = (y / y[place]).tolist()
    seen: set[tuple[int, ...]] = set()
    for q in (*DENOMINATORS, 10**9):
        whole = [round(v * q) for v in scaled]
        divisor = gcd(*whole)
        vector = tuple(v // divisor for v in whole)
        if vector not in seen:
            seen.add(vector)
            yield vector, vector[place]
