"""Rational points of a strategy set near a floating-point one, from simple fractions to full precision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from sosgames.certificates.games import ExactGame
from sosgames.certificates.gaps import square_root_above
from sosgames.certificates.sets import Ball, Box, ProbabilitySimplex, Simplex, StrategySet
from sosgames.equilibria.projections import FloatArray

Point = dict[str, Fraction]

DENOMINATORS = (1, 2, 3, 4, 6, 8, 12, 24, 100, 1000, 10**4, 10**5, 10**6, 10**7)


def rational_points(game: ExactGame, x: FloatArray) -> Iterator[Point]:
    """Points exactly in X: coordinates by denominators up to each bound, then as exact binary fractions."""
    given = [Fraction(float(value)) for value in x]
    seen = set()
    for bound in (*DENOMINATORS, None):
        values = given if bound is None else [value.limit_denominator(bound) for value in given]
        point = _point_of(game, values)
        if point is not None and (key := tuple(point.values())) not in seen:
            seen.add(key)
            yield point


def _point_of(game: ExactGame, values: Sequence[Fraction]) -> Point | None:
    point = dict(zip(game.variables, values, strict=True))
    for player in game.players:
        for part in player.strategies:
            moved = _moved_inside(part, [point[name] for name in part.variables])
            point.update(zip(part.variables, moved, strict=True))
    return point if all(c.holds(point) for c in game.constraints) else None


def _moved_inside(part: StrategySet, values: list[Fraction]) -> list[Fraction]:
    """A point of the set next to the one given; exactly the one given if that lies in the set."""
    match part:
        case Box():
            return [min(max(v, low), high) for v, (low, high) in zip(values, part.bounds, strict=True)]
        case Simplex() | ProbabilitySimplex():
            positive = [max(v, Fraction(0)) for v in values]
            excess = sum(positive) - 1
            if excess > 0 or isinstance(part, ProbabilitySimplex):
                largest = positive.index(max(positive))
                positive[largest] -= excess
            return positive
        case Ball():
            offsets = [v - c for v, c in zip(values, part.center, strict=True)]
            length_squared = sum(offset**2 for offset in offsets)
            if length_squared <= part.radius_squared:
                return values
            if not part.radius_squared:
                return list(part.center)
            shrink = part.radius_squared / square_root_above(part.radius_squared * length_squared)
            return [c + shrink * offset for c, offset in zip(part.center, offsets, strict=True)]
        case _:
            return values
