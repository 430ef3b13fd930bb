"""A result says what the bracket says, in words, as JSON and as a picture."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import matplotlib
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from sympy.abc import x, y

import sosgames as sg
from sosgames.results import Certification, is_strict, verdict_of
from sosgames.results.bracket import Stop

matplotlib.use("agg")

BOUND = st.none() | st.fractions()


@pytest.fixture(scope="module")
def couple() -> sg.Game:
    return sg.Game(
        {"row": -(x**4) - x**2 + x * y, "column": -2 * x * y - 3 * y**2 + x**2 * y},
        {"row": sg.Box({x: (-1, 1)}), "column": sg.Box({y: (-1, 1)})},
        name="couple",
    )


@given(lower=BOUND, upper=BOUND)
def test_the_verdict_follows_from_the_bracket(lower: Fraction | None, upper: Fraction | None) -> None:
    verdict = verdict_of(lower, upper)
    assert (verdict is sg.Verdict.CERTIFIED) == (lower is not None and lower >= 0)
    if verdict is sg.Verdict.REFUTED:
        assert upper < 0
    if is_strict(lower, upper) and upper is not None and upper >= lower:
        assert upper > 0


@pytest.mark.parametrize("prop", ["concave", "monotone"])
def test_a_result_comes_back_from_json_and_its_proofs_still_hold(couple: sg.Game, prop: str) -> None:
    result = sg.certify(couple, prop)
    again = Certification.from_dict(json.loads(json.dumps(result.to_dict())), couple.exact)
    assert again == result
    assert len(again.verify()) == 2


def test_a_result_that_says_other_things_than_its_proofs_is_refused(couple: sg.Game) -> None:
    """The proofs of another property hold as well, and would otherwise carry any words."""
    data = sg.certify(couple, "monotone").to_dict()
    bracket = data["brackets"][0]
    for change, message in (
        ({"property": "concave"}, "about another property"),
        ({"weights": {"row": [2, 1], "column": [1, 1]}}, "about other weights"),
        ({"brackets": [{**bracket, "lower": [9, 1]}]}, "a lower bound is not the one"),
        ({"brackets": [{**bracket, "upper": [9, 1]}]}, "the upper bound is not the one"),
        ({"brackets": [{**bracket, "upper": [1, 0]}]}, "not a result of certify"),
        ({"brackets": None}, "not a result of certify"),
        ({"seconds": "soon"}, "not a result of certify"),
    ):
        with pytest.raises(sg.InputError, match=message):
            Certification.from_dict({**data, **change}, couple.exact)
    with pytest.raises(sg.InputError, match="'brackets' is missing"):
        Certification.from_dict({k: v for k, v in data.items() if k != "brackets"}, couple.exact)


def test_a_summary_states_the_claim_the_bracket_and_the_consequence(couple: sg.Game) -> None:
    text = sg.certify(couple, "monotone").summary()
    assert "couple" in text
    assert "CERTIFIED strict" in text
    assert "<= mu* <=" in text
    assert "unique" in text
    assert repr(sg.certify(couple, "monotone")).count("\n") == 0


def test_a_refutation_names_its_point_and_direction() -> None:
    game = sg.Game({"P": x**2}, {"P": sg.Box({x: (0, 1)})})
    result = sg.certify(game, "concave")
    assert "at x =" in result.summary()
    assert result.certificate is result.upper_proof


def test_a_plot_draws_the_levels_and_the_upper_bound(couple: sg.Game) -> None:
    axes = sg.certify(couple, "monotone").plot()
    assert len(axes.get_lines()) >= 2
    assert axes.get_xlabel() == "level of the hierarchy"


def test_nothing_is_said_about_equilibria_on_sets_that_may_not_be_convex() -> None:
    game = sg.Game({"P": -(x**2)}, {"P": sg.Constraints([x**2 >= 1, x**2 <= 4])})
    summary = sg.certify(game, "concave").summary()
    assert "not known to be convex" in summary
    assert "exists" not in summary


def test_a_map_of_eigenvalues_marks_the_witness_and_refuses_unknown_variables() -> None:
    game = sg.Game({"P": x**4 - x * y, "Q": y**3 - x**2 * y}, {"P": sg.Box({x: (-1, 1)}), "Q": sg.Ball([y])})
    result = sg.certify(game)
    axes = result.plot_map(x, "y")
    star = axes.get_lines()[-1].get_xydata()[0]
    assert tuple(star) == (float(result.witness.x["x"]), float(result.witness.x["y"]))
    assert result.plot_map("y", "x").get_xlabel() == "y"
    with pytest.raises(sg.InputError, match="two of the variables x, y"):
        result.plot_map("x", "z")


def test_a_map_on_probabilities_uses_directions_along_the_simplex_only() -> None:
    z = sympy.Symbol("z")
    game = sg.Game({"P": -(x**2) - x * y + z**3}, {"P": sg.ProbabilitySimplex([x, y, z])})
    result = sg.certify(game, "concave")
    colours = result.plot_map(x, y, across=(0, 1), up=(0, 1)).collections[0].get_array()
    assert colours.min() < 0


def test_an_upper_bound_that_the_verifier_refused_is_not_called_a_missing_point(couple: sg.Game) -> None:
    """A claim without an upper bound says why: nobody knows a point of X, or the proof of one was refused."""
    result = sg.certify(couple, "concave")
    for stop, words in ((Stop.NO_POINT, "X may be empty"), (Stop.REFUSED, "the verifier refused the proof")):
        brackets = tuple(replace(b, upper=None, stop=stop) for b in result.brackets)
        text = replace(result, brackets=brackets, upper_proof=None).summary()
        assert words in text
        assert "the claim holds for every x in X" in text
