"""The printed numbers of Leon, Sakos, Sim and Varvitsiotis (2025) that this version reaches."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import sosgames as sg

PRINTED = tomllib.loads(Path(__file__).with_name("leon2025.toml").read_text(encoding="utf-8"))


def _game(example: dict[str, Any]) -> sg.Game:
    """The example's game; an opponent makes it zero-sum."""
    utilities, sets = {"P1": example["utility"]}, {"P1": sg.Box(example["box"])}
    if "opponent" in example:
        utilities["P2"] = f"-({example['utility']})"
        sets["P2"] = sg.Box(example["opponent"])
    return sg.Game(utilities, sets)


@pytest.mark.parametrize("example", ["example1", "example2"])
def test_the_printed_largest_eigenvalue_is_reproduced_exactly(example: str) -> None:
    printed = Fraction(PRINTED[example]["sos_2"])
    result = sg.certify(_game(PRINTED[example]), "monotone")
    assert (result.lower, result.upper) == (-printed, -printed)


def test_the_printed_equilibrium_of_the_taxi_driver_is_found_exactly() -> None:
    equilibrium = sg.solve(_game(PRINTED["example1"]))
    assert equilibrium.point == {"x": Fraction(PRINTED["example1"]["equilibrium"])}
    assert all(gap == 0 for gap in equilibrium.gaps.values())


def test_the_nearest_monotone_game_of_example_2_has_the_printed_distance_and_coefficient() -> None:
    printed = PRINTED["example2"]
    near = sg.nearest(_game(printed), "monotone", zero_sum=True)
    assert near.distance == near.distance_lower == Fraction(printed["nearest_distance"])
    product = (("x1", 1), ("x2", 1))
    coefficient = near.game.exact.player("P1").utility.coefficient(product)
    assert coefficient == Fraction(printed["nearest_x1_x2"])


@pytest.mark.slow
@pytest.mark.parametrize("break_ties", [True, False])
def test_the_nearest_monotone_game_of_example_5_has_the_printed_distance(break_ties: bool) -> None:
    printed = PRINTED["example5"]
    near = sg.nearest(sg.catalog(printed["catalogue"]), "monotone", break_ties=break_ties)
    distance = Fraction(printed["nearest_distance"])
    assert near.distance_lower == distance  # of every monotone game, not of one level
    assert distance <= near.distance <= distance + Fraction(1, 1000)
    # ties are broken: any nearest game changes by about 4.8 in the euclidean norm, the best one by 3.36
    assert (sum(change.size**2 for change in near.changes) < Fraction(7, 2) ** 2) is break_ties
