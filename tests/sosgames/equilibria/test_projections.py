"""Projections are nearest points, their slopes are derivatives, and rational neighbours lie in the set."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sosgames.certificates.games import ExactGame, ExactPlayer
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import Ball, Box, ProbabilitySimplex, Simplex, Space, StrategySet
from sosgames.equilibria.projections import ProductSet
from sosgames.equilibria.snapping import rational_points

NAMES = ("a", "b", "c")
SETS: list[StrategySet] = [
    Box({"a": (0, 1), "b": ("-1/3", 2), "c": (5, 5)}),
    Simplex(NAMES),
    ProbabilitySimplex(NAMES),
    Ball(NAMES, center=(1, 0, "-1/2"), radius_squared=2),
    Ball(NAMES, center=("1/3", 0, 0), radius_squared=0),
    Space(NAMES),
]
points = st.lists(st.floats(-4, 4), min_size=3, max_size=3).map(np.array)
every_set = pytest.mark.parametrize("part", SETS, ids=lambda part: repr(part)[:24])


@every_set
@given(z=points, other=points)
def test_no_point_of_the_set_lies_beyond_the_projection(
    part: StrategySet, z: np.ndarray, other: np.ndarray
) -> None:
    product = ProductSet.of([part], NAMES)
    nearest, member = product.project(z), product.project(other)
    assert (z - nearest) @ (member - nearest) <= 1e-9
    assert product.project(nearest) == pytest.approx(nearest, abs=1e-12)


@every_set
@given(z=points, direction=points)
@settings(max_examples=50)
def test_the_slope_is_the_derivative_of_the_projection(
    part: StrategySet, z: np.ndarray, direction: np.ndarray
) -> None:
    product = ProductSet.of([part], NAMES)
    step = 1e-6
    ahead, behind = product.project(z + step * direction), product.project(z - step * direction)
    smooth = np.array_equal(
        product.slope(z + step * direction) != 0, product.slope(z - step * direction) != 0
    )
    if smooth:  # at a kink the slope is one-sided
        assert product.slope(z) @ direction == pytest.approx((ahead - behind) / (2 * step), abs=1e-4)


@every_set
@given(z=points)
def test_rational_neighbours_lie_exactly_in_the_set_and_end_at_full_precision(
    part: StrategySet, z: np.ndarray
) -> None:
    game = ExactGame((ExactPlayer("P", NAMES, Polynomial.variable("a"), (part,)),))
    nearest = ProductSet.of([part], NAMES).project(z)
    neighbours = list(rational_points(game, nearest))
    assert all(c.holds(point) for point in neighbours for c in game.constraints)
    last = [float(neighbours[-1][name]) for name in NAMES]
    assert last == pytest.approx(nearest, abs=1e-9)


def test_a_simple_fraction_is_found_from_its_floating_point_value() -> None:
    game = ExactGame((ExactPlayer("P", NAMES, Polynomial.variable("a"), (Simplex(NAMES),)),))
    neighbours = list(rational_points(game, np.array([1 / 3, 1 / 7, 11 / 21])))
    assert {"a": Fraction(1, 3), "b": Fraction(1, 7), "c": Fraction(11, 21)} in neighbours
