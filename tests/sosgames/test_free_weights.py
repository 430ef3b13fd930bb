"""Free weights: found, printed, proved there; refuted for all weights at once; at their bound said so."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy
from sympy.abc import x, y

import sosgames as sg
from sosgames.results import Certification, Stop

ROOT = sympy.sqrt(sympy.Rational(2, 5))


def _game(p: sympy.Expr, q: sympy.Expr) -> sg.Game:
    return sg.Game({"P": p, "Q": q}, {"P": sg.Box({x: (-1, 1)}), "Q": sg.Box({y: (-1, 1)})})


def test_weights_are_found_for_a_game_that_equal_weights_refute() -> None:
    game = _game(-(x**2) / 2 + 4 * x * y, x * y / 10 - y**2 / 2)
    assert sg.certify(game).verdict is sg.Verdict.REFUTED
    result = sg.certify(game, weights="free")
    assert result.strict is True
    assert result.weights == {"P": 1, "Q": 40}
    assert float(result.lower) == pytest.approx(float(1 - ROOT), abs=1e-5)
    assert float(result.upper) == pytest.approx(float(1 - ROOT), abs=1e-4)
    assert "P 1, Q 40" in result.summary()
    assert len(result.verify()) == 2


def test_variables_in_the_matrix_are_no_obstacle() -> None:
    game = _game(-(x**4) - x**2 / 2 + 4 * x * y, x * y / 10 - y**2 / 2 - y**4)
    result = sg.certify(game, weights="free")
    assert result.strict is True
    assert float(result.lower) == pytest.approx(float(1 - ROOT), abs=1e-3)


def test_mutual_temptation_refutes_all_weights_at_once() -> None:
    """M_r has the diagonal (r1, r2) and -(4 r1 + r2) / 2 beside it: at best 1 - sqrt(4) = -1 as 4 r1 = r2."""
    result = sg.certify(_game(-(x**2) / 2 + 4 * x * y, x * y - y**2 / 2), weights="free")
    assert result.verdict is sg.Verdict.REFUTED
    assert result.upper_proof.weights == "free"
    assert -1 <= result.upper < Fraction(-9, 10)
    for ratio in (Fraction(1, 100), Fraction(1), Fraction(4), Fraction(100)):
        fixed = sg.certify(result.problem, weights={"P": 1, "Q": ratio})
        assert fixed.verdict is sg.Verdict.REFUTED


def test_a_refutation_of_all_weights_is_not_accepted_below_its_value() -> None:
    result = sg.certify(_game(-(x**2) / 2 + 4 * x * y, x * y - y**2 / 2), weights="free")
    bolder = replace(result.upper_proof, value=Fraction(-2))
    with pytest.raises(sg.CertificateError):
        sg.verify(bolder, result.problem)


def test_one_players_own_counterexample_is_enough() -> None:
    result = sg.certify(_game(x**2 + 4 * x * y, -(y**2)), weights="free")
    assert result.verdict is sg.Verdict.REFUTED
    assert result.upper <= -2


def test_a_zero_sum_game_keeps_equal_weights() -> None:
    result = sg.certify(_game(x**2 * y - 2 * x**2, -(x**2) * y + 2 * x**2), weights="free")
    assert result.verdict is sg.Verdict.CERTIFIED
    assert result.lower == result.upper == 0


def test_a_weight_at_its_bound_is_said_to_be_there() -> None:
    result = sg.certify(_game(-(x**2) / 2 + 4 * x * y, 0 * y), weights="free")
    assert result.verdict is sg.Verdict.UNDECIDED
    assert result.bounded_weights == ("P",)
    assert result.brackets[0].stop is Stop.WEIGHT_BOUND
    assert "weight at its bound: P" in result.summary()
    assert Certification.from_dict(result.to_dict(), result.problem) == result


@pytest.mark.parametrize(("prop", "weights"), [("concave", "free"), ("monotone", "freedom")])
def test_free_weights_go_with_monotone_only(prop: str, weights: str) -> None:
    with pytest.raises(sg.InputError):
        sg.certify(_game(-(x**2), -(y**2)), prop, weights=weights)  # type: ignore[arg-type]
