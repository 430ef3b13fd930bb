"""Exact intervals that contain the feasible set, by propagation through its linear constraints and balls.

They steer scaling and grids and prove nothing: a wrong or missing interval costs accuracy, never truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import isqrt

from sosgames.certificates.polynomials import Polynomial

Interval = tuple[Fraction | None, Fraction | None]


def linear_coefficients(polynomial: Polynomial) -> dict[str, Fraction] | None:
    """The coefficients of a polynomial of degree at most 1, or None when its degree is higher."""
    if polynomial.degree > 1:
        return None
    return {monomial[0][0]: c for monomial, c in polynomial.terms.items() if monomial}


def feasible_intervals(
    inequalities: Iterable[Polynomial], equations: Iterable[Polynomial], *, n_rounds: int = 4
) -> dict[str, Interval]:
    """For each variable an interval that contains its feasible values; None stands for no bound.

    ``inequalities`` are polynomials that are >= 0 on the set, ``equations`` those that vanish on it.
    Univariate linear faces, sums of bounded variables (simplices) and axis-parallel ellipsoids are used.
    """
    faces = list(inequalities)
    for equation in equations:
        faces += [equation, -equation]
    intervals: dict[str, Interval] = {}
    for face in faces:
        if linear_coefficients(face) is None:
            _tighten_by_ellipsoid(face, intervals)
    linear = [(face, c) for face in faces if (c := linear_coefficients(face))]
    for _ in range(n_rounds):
        before = dict(intervals)
        for face, coefficients in linear:
            _tighten_by_face(face.constant_term, coefficients, intervals)
        if intervals == before:
            break
    return intervals


def _tighten_by_face(
    constant: Fraction, coefficients: Mapping[str, Fraction], intervals: dict[str, Interval]
) -> None:
    """From c + sum_v a_v v >= 0: a_v v >= -c - sum over the others of their largest value."""
    largest = {name: _largest(a, intervals.get(name, (None, None))) for name, a in coefficients.items()}
    open_names = [name for name, value in largest.items() if value is None]
    if len(open_names) > 1:
        return
    total = sum((value for value in largest.values() if value is not None), constant)
    for name, a in coefficients.items():
        if open_names and name != open_names[0]:
            continue
        bound = -(total - (largest[name] or 0)) / a
        _intersect(intervals, name, (bound, None) if a > 0 else (None, bound))


def _largest(a: Fraction, interval: Interval) -> Fraction | None:
    end = interval[1] if a > 0 else interval[0]
    return None if end is None else a * end


def _tighten_by_ellipsoid(face: Polynomial, intervals: dict[str, Interval]) -> None:
    """From r - sum_v a_v (v - c_v)^2 >= 0 with a_v > 0: |v - c_v| <= sqrt(r / a_v), rounded outwards."""
    squares = {m[0][0]: -c for m, c in face.terms.items() if len(m) == 1 and m[0][1] == 2}
    linear = {m[0][0]: c for m, c in face.terms.items() if len(m) == 1 and m[0][1] == 1}
    covered = len(squares) + len(linear) + (1 if face.constant_term else 0)
    if face.degree != 2 or covered != len(face.terms) or not set(linear) <= set(squares):
        return
    if any(a <= 0 for a in squares.values()):
        return
    centre = {name: linear.get(name, Fraction(0)) / (2 * a) for name, a in squares.items()}
    radius_squared = face.constant_term + sum((a * centre[n] ** 2 for n, a in squares.items()), Fraction(0))
    for name, a in squares.items():
        radius = square_root_above(max(radius_squared / a, Fraction(0)))
        _intersect(intervals, name, (centre[name] - radius, centre[name] + radius))


def square_root_above(value: Fraction) -> Fraction:
    """A rational at least the square root, exact for squares of rationals, else within about 1e-6 of it.

    >>> square_root_above(Fraction(9, 4)), float(square_root_above(Fraction(2))) < 1.41422
    (Fraction(3, 2), True)
    """
    p, q = value.numerator, value.denominator
    if isqrt(p) ** 2 == p and isqrt(q) ** 2 == q:
        return Fraction(isqrt(p), isqrt(q))
    # sqrt(p / q) = sqrt(p q) / q, with 2^20 more than the leading bit of the answer
    return Fraction(isqrt(p * q << 40) + 1, q << 20)


def _intersect(intervals: dict[str, Interval], name: str, new: Interval) -> None:
    low, high = intervals.get(name, (None, None))
    if new[0] is not None:
        low = new[0] if low is None else max(low, new[0])
    if new[1] is not None:
        high = new[1] if high is None else min(high, new[1])
    intervals[name] = (low, high)
