"""Huge and tiny numbers, unbounded and degenerate sets end in a true answer, never in a fault."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import pytest

import sosgames as sg
from sosgames.results import Stop

UNIT = sg.Box({"x": (-1, 1)})


def certify(utility: str, strategies: Any, **limits: Any) -> sg.Certification:
    """Of one player, for concavity; the result must also survive its own words and JSON."""
    result = sg.certify(sg.Game({"P": utility}, {"P": strategies}), "concave", **limits)
    assert result.summary()
    assert json.dumps(result.to_dict(), allow_nan=False)
    result.verify()
    return result


@pytest.mark.parametrize(
    ("utility", "strategies"),
    [
        ("6/7*x**3 + 4/7*x**4", sg.Space(["x"])),
        ("x**30", sg.Space(["x"])),
        ("x**200", sg.Space(["x"])),
        ("x**6 - y**4*x**2", sg.Space(["x", "y"])),
        ("x**6", sg.Constraints(["x >= 1e12"])),
        ("x**4 + x*y", sg.Constraints(["y <= x", "x >= 0"])),
    ],
)
def test_what_is_unbounded_below_on_an_unbounded_set_is_refuted(
    utility: str, strategies: sg.Space | sg.Constraints
) -> None:
    result = certify(utility, strategies, time_limit=10.0)
    assert result.verdict is sg.Verdict.REFUTED
    assert result.upper is not None
    assert -(10**80) < result.upper < 0


@pytest.mark.parametrize(
    ("utility", "strategies"),
    [
        ("-1e400*x**2", UNIT),
        ("-1e400*x**4 - x**2", UNIT),
        ("-x**4 - x**2", sg.Box({"x": (-(10**200), 10**200)})),
        ("-x**4 - x**2", sg.Ball(["x"], [10**300], 10**600)),
    ],
)
def test_numbers_beyond_floating_point_leave_the_question_open_and_say_so(
    utility: str, strategies: sg.Box | sg.Ball
) -> None:
    result = certify(utility, strategies)
    assert result.verdict is sg.Verdict.UNDECIDED
    assert result.brackets[0].stop is Stop.OUT_OF_RANGE
    assert "rescale" in result.summary()


def test_numbers_below_floating_point_are_decided_exactly() -> None:
    result = certify("-1e-400*x**4 - 1e-400*x**2", UNIT)
    assert result.strict
    assert result.lower is not None
    assert result.lower <= Fraction(2, 10**400)
    assert "e-400..." in result.summary()
    refuted = certify("-x**4/12 + 1e-30*x**2", UNIT)
    assert (refuted.verdict, refuted.upper) == (sg.Verdict.REFUTED, Fraction(-2, 10**30))


@pytest.mark.parametrize("own", ["-a**2", "-a**4"])
@pytest.mark.parametrize("weights", [{"A": "1e-300", "B": 10**300}, {"A": 10**1000, "B": 1}])
def test_weights_far_apart_never_end_in_a_fault(own: str, weights: Mapping[str, Any]) -> None:
    sets = {"A": sg.Box({"a": (0, 1)}), "B": sg.Box({"b": (0, 1)})}
    game = sg.Game({"A": f"{own} - a*b", "B": "-b**2"}, sets)
    result = sg.certify(game, "monotone", weights=weights)
    assert result.verdict is sg.Verdict.UNDECIDED
    assert "rescale" in result.summary()


def test_a_player_whose_set_is_one_point_leaves_the_directions_of_the_others() -> None:
    sets = {"A": sg.ProbabilitySimplex(["x"]), "B": sg.Box({"y": (0, 1)})}
    result = sg.certify(sg.Game({"A": "x**4 - x**2", "B": "x*y"}, sets), "monotone")
    assert (result.verdict, result.lower, result.upper) == (sg.Verdict.CERTIFIED, 0, 0)
    strict = sg.certify(sg.Game({"A": "x**4", "B": "x*y - y**2 - y**4"}, sets), "monotone")
    assert (strict.upper, strict.strict) == (2, True)


def test_a_constant_matrix_that_is_not_positive_stays_open_where_no_point_is_known() -> None:
    result = certify("x**2", sg.Constraints(["x**2 == 2"]))
    assert (result.verdict, result.lower, result.upper) == (sg.Verdict.UNDECIDED, -2, None)
    assert result.brackets[0].stop is Stop.NO_POINT
    assert "X may be empty" in result.summary()


def test_a_wrong_solver_is_refused_even_where_none_is_needed() -> None:
    with pytest.raises(sg.SolverError, match="'nosuch' is not known"):
        certify("-x**2", UNIT, solver="nosuch")


def test_a_summary_of_many_variables_shows_the_first_and_counts_the_rest() -> None:
    names = [f"x{i}" for i in range(40)]
    result = certify(" + ".join(f"{name}**2" for name in names), sg.Box(dict.fromkeys(names, (0, 1))))
    assert " and 28 more along (x0: 1)" in result.summary()
    assert result.witness is not None
    assert len(result.witness.x) == 40


@pytest.mark.parametrize("call", [sg.solve, sg.nearest, lambda game: sg.certify(game, weights="free")])
def test_numbers_beyond_floating_point_are_refused_in_a_sentence(call: Callable[[sg.Game], object]) -> None:
    huge = 10**400
    game = sg.Game(
        {"P": f"-{huge}*x**2 + x*y", "Q": f"{huge}*x*y - y**2"},
        {"P": sg.Box({"x": (0, 1)}), "Q": sg.Box({"y": (0, 1)})},
    )
    with pytest.raises(sg.LimitError, match="rescale"):
        call(game)
