"""A result says what the bracket says, in words, as JSON and as a picture."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy.abc import x, y

import sosgames as sg
from sosgames.results import Certification, is_strict, verdict_of

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
    import matplotlib

    matplotlib.use("agg")
    axes = sg.certify(couple, "monotone").plot()
    assert len(axes.get_lines()) >= 2
    assert axes.get_xlabel() == "level of the hierarchy"


def test_nothing_is_said_about_equilibria_on_sets_that_may_not_be_convex() -> None:
    game = sg.Game({"P": -(x**2)}, {"P": sg.Constraints([x**2 >= 1, x**2 <= 4])})
    summary = sg.certify(game, "concave").summary()
    assert "not known to be convex" in summary
    assert "exists" not in summary
