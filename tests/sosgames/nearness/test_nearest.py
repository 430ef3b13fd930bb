"""The nearest game has the property, lies where it says, and nothing with the property is nearer."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy.abc import x, y
from typer.testing import CliRunner

import sosgames as sg
from sosgames.cli.app import app
from sosgames.nearness.family import GameFamily
from sosgames.nearness.functionals import CompiledQuestion, Cut, combine
from sosgames.nearness.programs import questions


def chase() -> sg.Game:
    return sg.catalog("parrilo2006-21")


def couple(c: int) -> sg.Game:
    """M = [[2, -c], [-c, 2]]: monotone if and only if |c| <= 2."""
    return sg.Game(
        {"row": -(x**2) + c * x * y, "column": -(y**2) + c * x * y},
        {"row": sg.Box({x: (-1, 1)}), "column": sg.Box({y: (-1, 1)})},
    )


def test_wichardts_game_is_10_away_from_every_monotone_game_and_loses_its_product() -> None:
    near = sg.nearest(sg.catalog("wichardt2008"), "monotone", zero_sum=True)
    assert near.distance == near.distance_lower == 10
    changed = {(c.player, c.monomial): c.new for c in near.changes}
    assert changed == {("row", "x1*x2"): 0, ("column", "x1*x2"): 0}
    players = near.game.exact.players
    assert not players[0].utility + players[1].utility
    assert near.verify().kind == "nearest"


@pytest.mark.parametrize(("norm", "expected"), [("linf", 2 / 3), ("l1", 2.0), ("l2", 1.6**0.5)])
def test_a_quadratic_game_is_repaired_at_the_distance_that_algebra_gives(norm: str, expected: float) -> None:
    # with s more of both squares and t less of both products: 2 + 2s >= 4 - t, the least norm of (s, s, t, t)
    near = sg.nearest(couple(4), "monotone", norm=norm)
    assert float(near.distance_lower) <= expected + 1e-9
    assert expected - 1e-9 <= float(near.distance) <= expected * 1.0001
    assert near.distance - near.distance_lower <= Fraction(1, 1000)


def test_a_margin_is_kept_and_costs_distance() -> None:
    plain, wider = sg.nearest(couple(4)), sg.nearest(couple(4), margin="1/2")
    assert wider.certificate.mu == Fraction(1, 2)
    assert wider.distance > plain.distance
    assert sg.certify(wider.game, "monotone").lower >= Fraction(1, 2)


def test_fixed_coefficients_stay() -> None:
    near = sg.nearest(couple(4), fixed={"row": ["x**2"], "column": [y**2]})
    assert {c.monomial for c in near.changes} == {"x*y"}
    assert near.distance == near.distance_lower == 2


def test_a_game_that_has_the_property_is_its_own_nearest() -> None:
    near = sg.nearest(couple(1), "monotone")
    assert (near.distance, near.distance_lower, near.changes) == (0, 0, ())
    assert near.game == couple(1)


def test_a_game_of_degree_3_is_repaired_where_a_face_forces_its_coefficient() -> None:
    near = sg.nearest(sg.catalog("parrilo2006-32"), "concave", norm="l1")
    assert near.distance == near.distance_lower == 2
    assert [(c.player, c.monomial, c.new) for c in near.changes] == [("column", "x*y**2", 0)]


def test_the_gauge_pays_half_of_what_the_modulus_lacks() -> None:
    near = sg.nearest(chase(), "monotone", norm="gauge")
    assert near.distance == near.distance_lower == 1
    assert {c.monomial for c in near.changes} == {"x**2", "y**2"}


def test_probability_simplices_are_measured_along_their_tangent_space() -> None:
    game = sg.Game({"P": 3 * x**2 + y**2}, {"P": sg.ProbabilitySimplex([x, y])})
    near = sg.nearest(game, "concave")
    assert near.verify().property == "concave"
    assert near.distance - near.distance_lower <= Fraction(1, 1000)


def test_no_changeable_coefficient_is_a_proof_that_there_is_no_such_game() -> None:
    with pytest.raises(sg.InputError, match="no game that differs in these coefficients alone"):
        sg.nearest(sg.Game({"P": x**2 + x}, {"P": sg.Box({x: (0, 1)})}), fixed={"P": [x**2]})


@given(
    slopes=st.lists(st.integers(-3, 3), min_size=2, max_size=2),
    violation=st.integers(1, 9),
    norm=st.sampled_from(["linf", "l1", "l2"]),
)
def test_functionals_that_cancel_are_combined_without_a_division_by_zero(
    slopes: list[int], violation: int, norm: str
) -> None:
    family = GameFamily.free(couple(4).exact, [("row", (("x", 1),)), ("column", (("y", 1),))])
    compiled = CompiledQuestion(questions(family, "monotone")[0], family)
    row = np.array(slopes, dtype=float)
    cuts = [Cut(compiled, {}, (), float(violation), sign * row) for sign in (1, -1)]
    factors, changes = combine(cuts, norm)
    assert np.isfinite(factors).all()
    assert np.isfinite(changes).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"norm": "max"}, "norm is 'max'"),
        ({"margin": -1}, "margin is -1"),
        ({"monomials": "few"}, "monomials is 'few'"),
        ({"zero_sum": True}, "do not add up to 0"),
        ({"fixed": {"row": ["x + y"]}}, "one monomial at a time"),
        ({"property": "convex"}, "property is 'convex'"),
    ],
)
def test_a_wrong_argument_is_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(sg.InputError, match=message):
        sg.nearest(couple(4), **arguments)


def test_a_nearer_claim_is_refused_by_the_verifier() -> None:
    near = sg.nearest(couple(4))
    with pytest.raises(sg.CertificateError):
        sg.verify(replace(near.proof, distance=near.proof.distance / 2), couple(4))
    with pytest.raises(sg.CertificateError, match="distance_lower"):
        sg.verify(replace(near.proof, distance_lower=near.proof.distance * 2), couple(4))


def test_a_result_round_trips_says_what_changed_and_draws_it() -> None:
    near = sg.nearest(chase(), norm="l2")
    again = sg.NearestGame.from_dict(json.loads(json.dumps(near.to_dict())), chase().exact)
    assert again == near
    assert repr(near).startswith("<nearest monotone game: 1 <= distance <= 1 (l2)")
    assert "runner: x**2  1 -> 0" in near.summary()
    pytest.importorskip("matplotlib").use("Agg")
    assert [t.get_text() for t in near.plot().get_yticklabels()] == ["runner: x**2"]


def test_a_result_with_a_value_missing_or_wrong_is_refused() -> None:
    data = sg.nearest(chase()).to_dict()
    for change, message in (
        ({"proof": None}, "the proof is None"),
        ({"seconds": None}, "not a nearest game"),
        ({"constraints": 3}, "not a nearest game"),
    ):
        with pytest.raises((sg.InputError, sg.CertificateError), match=message):
            sg.NearestGame.from_dict({**data, **change}, chase().exact)
    with pytest.raises(sg.InputError, match="'proof' is missing"):
        sg.NearestGame.from_dict({}, chase().exact)


def test_the_shell_saves_the_game_and_a_proof_that_verify_accepts(tmp_path: Path) -> None:
    files = {name: str(tmp_path / name) for name in ("game.toml", "near.toml", "proof.json")}
    couple(4).save(files["game.toml"])
    command = [
        "nearest",
        files["game.toml"],
        "--save-game",
        files["near.toml"],
        "--save",
        files["proof.json"],
    ]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.stderr
    assert "nearest monotone game" in done.stdout
    checked = CliRunner().invoke(app, ["verify", files["proof.json"], files["game.toml"]])
    assert checked.exit_code == 0, checked.stderr
    assert sg.certify(sg.load(files["near.toml"]), "monotone").verdict is sg.Verdict.CERTIFIED


@pytest.mark.parametrize(("norm", "distance"), [("linf", 1), ("l1", 2), ("l2", 2**0.5)])
def test_a_game_that_stays_zero_sum_pays_for_both_players_and_the_bound_knows_it(
    norm: str, distance: float
) -> None:
    """The second player's coefficient, which alone would stay, follows the first one's."""
    bowl = sg.Game({"P": x**2, "Q": -(x**2)}, {"P": sg.Box({x: (-1, 1)}), "Q": sg.Box({y: (-1, 1)})})
    kept = sg.nearest(bowl, "concave", norm=norm, zero_sum=True)
    assert float(kept.distance) == pytest.approx(distance)
    assert float(kept.distance_lower) == pytest.approx(distance)
    assert "keeps the sum of all utilities" in kept.verify().text
    alone = sg.nearest(bowl, "concave", norm=norm)
    assert alone.distance == alone.distance_lower == 1


@pytest.mark.parametrize("norm", ["linf", "l1", "l2"])
def test_the_bracket_of_a_cubic_game_closes_by_cuts_at_points_between_the_corners(norm: str) -> None:
    game = sg.Game(
        {"row": -(x**2) + 4 * x * y - x**3 / 6 + x, "column": -(y**2) + 3 * x * y - x**2 * y},
        {"row": sg.Box({x: (-1, 1)}), "column": sg.Box({y: (-1, 1)})},
    )
    near = sg.nearest(game, "monotone", norm=norm)
    assert near.distance_lower <= near.distance <= near.distance_lower * Fraction(1001, 1000)
