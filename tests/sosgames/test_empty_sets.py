"""Empty sets: the contradiction is found, and the proof holds for exactly these conditions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sosgames as sg
from sosgames.certificates.games import ExactGame
from sosgames.certificates.sets import StrategySet
from sosgames.results import Stop
from tests.sosgames.certificates.second_checker import ModulusChecker

EMPTY: dict[str, tuple[str, tuple[StrategySet, ...]]] = {
    # a utility that is convex somewhere, and a set without a point
    "two bounds": ("x**2", (sg.Constraints(["x >= 1", "x <= 0"]),)),
    "bounds that nearly meet": ("x**4", (sg.Constraints(["3*x >= 1", "x <= 0.333333333333"]),)),
    "a box and a bound": ("x**3", (sg.Box({"x": (-1, 1)}), sg.Constraints(["x/7 - 2 >= 0"]))),
    "a ball and a half-plane": (
        "x**3*y + y**2",
        (sg.Ball(["x", "y"], [0, 0], 1), sg.Constraints(["x + y >= 3/2"])),
    ),
    "a negative square": ("x**3", (sg.Constraints(["-1 - x**2 >= 0"]),)),
    "an equation without a real solution": ("x**4", (sg.Constraints(["x**2 == -1"]),)),
    "a hyperbola and a triangle": (
        "x**3*y + y**2",
        (sg.Constraints(["x*y >= 1", "x + y <= 1", "x >= 0", "y >= 0"]),),
    ),
    "two parabolas": ("x**2*y**2", (sg.Constraints(["y >= x**2 + 1", "y <= -x**2"]),)),
}


def game_on(utility: str, sets: tuple[StrategySet, ...]) -> ExactGame:
    return sg.Game({"a": utility}, {"a": sets}).exact


@pytest.mark.parametrize("name", EMPTY)
def test_on_an_empty_set_everything_is_certified_and_the_reason_is_said(name: str) -> None:
    game = game_on(*EMPTY[name])
    for prop in ("concave", "monotone"):
        result = sg.certify(game, prop)
        assert (result.verdict, result.lower, result.upper) == (sg.Verdict.CERTIFIED, 0, None)
        assert result.brackets[0].stop is Stop.EMPTY
        assert result.brackets[0].rung == "empty"
        assert "X is empty" in result.summary()
        result.verify()


@pytest.mark.parametrize("name", EMPTY)
def test_a_second_checker_confirms_the_proof_and_refuses_it_for_the_set_without_a_contradiction(
    name: str,
) -> None:
    utility, sets = EMPTY[name]
    proof = sg.certify(game_on(utility, sets), "concave").lower_proof
    assert ModulusChecker(game_on(utility, sets)).proves(proof.to_dict())
    texts = [
        f"{constraint.polynomial} + 100 {constraint.kind} 0" for s in sets for constraint in s.constraints
    ]
    wider = game_on(utility, (sg.Constraints(texts),))
    assert not ModulusChecker(wider).proves(proof.to_dict())
    with pytest.raises(sg.CertificateError):
        sg.verify(proof, wider)


def test_a_contradiction_anywhere_in_the_game_is_enough() -> None:
    sets = {"a": sg.Box({"x": (-1, 1)}), "b": sg.Constraints(["y**2 <= -1"])}
    result = sg.certify(sg.Game({"a": "x**4 + x**2*y", "b": "y"}, sets), "concave")
    assert result.verdict is sg.Verdict.CERTIFIED
    assert [bracket.stop for bracket in result.brackets] == [Stop.EMPTY, Stop.EMPTY]


def test_along_affine_equations_the_proof_is_about_tangent_directions() -> None:
    sets = (sg.ProbabilitySimplex(["x", "y"]), sg.Constraints(["x*y >= 1"]))
    result = sg.certify(game_on("x**3*y + y**2", sets), "monotone")
    assert result.verdict is sg.Verdict.CERTIFIED
    result.verify()


def test_a_set_whose_points_are_irrational_is_not_called_empty() -> None:
    result = sg.certify(game_on("x**4", (sg.Constraints(["x**2 == 2"]),)))
    assert (result.verdict, result.brackets[0].stop) == (sg.Verdict.UNDECIDED, Stop.NO_POINT)


@settings(max_examples=30, deadline=None)
@given(
    st.fractions(-3, 3, max_denominator=6),
    st.fractions(-3, 3, max_denominator=6),
    st.integers(1, 9),
    st.integers(1, 9),
)
def test_two_bounds_contradict_each_other_only_if_they_do(
    low: Fraction, high: Fraction, first: int, second: int
) -> None:
    bounds = sg.Constraints([f"{first}*x >= {first * low}", f"{second * high} >= {second}*x"])
    result = sg.certify(game_on("x**2", (bounds,)), "concave")
    assert result.verdict is (sg.Verdict.CERTIFIED if low > high else sg.Verdict.REFUTED)


def test_a_set_whose_scales_lie_far_apart_leaves_the_question_open() -> None:
    # Not empty, but its points have y >= 10^9; the first-order solver ends with numbers that are not finite.
    sets = (sg.Constraints(["x*y >= 1", "x <= 1/1000000000", "x >= 0"]),)
    result = sg.certify_matrix([["x*y", "y"], ["y", "x**2"]], sets)
    assert result.verdict is not sg.Verdict.CERTIFIED  # the determinant is (x y) x^2 - y^2 < 0
