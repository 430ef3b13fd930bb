"""Points where no player gains to first order, in floating point: candidates for equilibria."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sosgames.equilibria.extragradient import extragradient
from sosgames.equilibria.inequality import VariationalInequality
from sosgames.equilibria.newton import newton
from sosgames.equilibria.projections import FloatArray

TOLERANCE = 1e-14
ROUNDS = 10
"""Extragradient gets 16, 32, 64, ... steps before each attempt of Newton's method."""
FEW_ROUNDS = 5
"""As many where nothing says that extragradient converges: there other starts are the better hope."""
FAR = 1e9
"""A point that has moved so far, in units of its start, is on its way to infinity."""


def first_order_points(
    inequality: VariationalInequality, starts: int, *, monotone: bool
) -> Iterator[FloatArray]:
    """What extragradient and Newton's method reach from several starts; of a monotone game from one."""
    rounds = ROUNDS if monotone else FEW_ROUNDS
    for start in starting_points(inequality, 1 if monotone else starts):
        with np.errstate(over="ignore", invalid="ignore"):  # where the field drives a point to infinity
            reached = _approach(inequality, start, rounds)
        yield reached


def starting_points(inequality: VariationalInequality, count: int) -> Iterator[FloatArray]:
    """The middle of X, then seeded random points that are projected onto X."""
    middle = inequality.feasible.middle()
    yield inequality.feasible.project(middle)
    rng = np.random.default_rng(0)
    for spread in 2.0 ** (np.arange(1, count) % 4):
        yield inequality.feasible.project(middle + spread * rng.normal(size=len(middle)))


def _approach(inequality: VariationalInequality, start: FloatArray, rounds: int) -> FloatArray:
    """Extragradient and Newton in turn until the natural residual vanishes or patience ends."""
    size = max(1.0, float(np.abs(start).max()))
    x, tolerance = start, TOLERANCE * size
    for k in range(rounds):
        x = newton(inequality, x, tolerance)
        if inequality.error(x) <= tolerance:
            break
        moved = extragradient(inequality, x, 16 * 2**k, tolerance)
        if not np.abs(moved).max() <= FAR * size:
            break
        x = moved
    return x
