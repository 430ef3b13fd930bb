"""Equilibria: known points are found, gaps bound gains, and claims are no stronger than proofs."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sympy.abc import a, b, c, x, y, z

import sosgames as sg
from sosgames.certificates.games import ExactGame
from sosgames.certificates.sets import Box
from tests.sosgames.families import potential_game


def prisoners() -> sg.Game:
    """A 2 x 2 game with a dominant second action, in the probability of the first."""
    return sg.Game(
        {"row": -2 * x - 2 * y + x * y, "column": -2 * y - 2 * x + x * y},
        {"row": sg.Box({x: (0, 1)}), "column": sg.Box({y: (0, 1)})},
    )


def test_the_planted_equilibrium_of_a_strictly_monotone_quartic_game_is_found_exactly() -> None:
    rng = random.Random(5)
    for n in (2, 3):
        known = potential_game(rng, n, Fraction(1, 2))
        assert isinstance(known.problem, ExactGame)
        found = sg.solve(known.problem)
        # every utility is centred at the same point c, where each gradient vanishes
        for player in known.problem.players:
            assert all(player.utility.derivative(v)(found.point) == 0 for v in player.variables)
        assert found.distance_bound == 0
        assert found.assurance is sg.Assurance.UNIQUE


def test_an_irrational_equilibrium_lies_within_the_proved_distance() -> None:
    game = sg.Game({"P": 2 * x - x**3 / 3 - x**2}, {"P": sg.Box({x: (0, 2)})})
    found = sg.solve(game)  # x**2 + 2x = 2
    assert found.distance_bound is not None
    assert 0 < found.distance_bound < Fraction(1, 10**6)
    assert abs(float(found.point["x"]) - (np.sqrt(3) - 1)) <= float(found.distance_bound) + 1e-15


def test_rock_paper_scissors_on_probability_simplices_is_played_uniformly() -> None:
    payoff = a * (z - y) + b * (x - z) + c * (y - x)
    game = sg.Game(
        {"row": payoff, "column": -payoff},
        {"row": sg.ProbabilitySimplex([a, b, c]), "column": sg.ProbabilitySimplex([x, y, z])},
    )
    found = sg.solve(game)
    assert set(found.point.values()) == {Fraction(1, 3)}
    assert found.regret == 0
    assert found.distance_bound is None  # monotone, not strictly: there could be others


def test_a_solution_on_the_boundary_of_a_ball_is_bounded_from_the_safe_side() -> None:
    game = sg.Game({"P": x + 2 * y - (x**2 + y**2) / 4}, {"P": sg.Ball([x, y])})
    found = sg.solve(game)
    assert found.distance_bound is not None
    assert max(found.gaps.values()) < Fraction(1, 10**12)
    error = np.hypot(float(found.point["x"]) - 1 / np.sqrt(5), float(found.point["y"]) - 2 / np.sqrt(5))
    assert error <= float(found.distance_bound)


def test_a_dominant_corner_is_found_and_no_grid_deviation_gains_more_than_the_gap() -> None:
    found = sg.solve(prisoners())
    assert dict(found.point) == {"x": 0, "y": 0}
    game = potential_game(random.Random(11), 3, Fraction(0)).problem
    assert isinstance(game, ExactGame)
    found = sg.solve(game)
    for player in game.players:
        (box,) = player.strategies
        assert isinstance(box, Box)
        ((low, high),) = box.bounds
        here = player.utility(found.point)
        for k in range(33):
            there = {**found.point, player.variables[0]: low + (high - low) * Fraction(k, 32)}
            assert player.utility(there) - here <= found.gaps[player.name]


def test_an_inexact_point_of_a_strict_game_has_its_equilibrium_within_the_distance() -> None:
    # the distance rests on the gap, twice the regret here: a bound by the regret would be false
    game = sg.Game({"P": -(x**2) / 2}, {"P": sg.Box({x: (-1, 1)})})
    exact = sg.solve(game)
    off = {"x": Fraction(1, 2)}
    gap = Fraction(3, 4)  # slope -1/2, best reply -1: (-1/2)(-1 - 1/2)
    claim = replace(exact.proof, point=off, gaps={"P": gap}, distance_squared=gap)
    assert sg.verify(claim, game).text
    with pytest.raises(sg.CertificateError, match="distance_squared"):
        sg.verify(replace(claim, distance_squared=Fraction(1, 8)), game)  # the true regret over mu


def test_a_game_that_is_concave_only_gets_a_regret_and_no_distance() -> None:
    game = sg.Game(
        {"row": -(x**2) / 2 + 3 * x * y, "column": -(y**2) / 2 + 3 * x * y},
        {"row": sg.Box({x: (-1, 1)}), "column": sg.Box({y: (-1, 1)})},
    )
    found = sg.solve(game)
    assert found.assurance is sg.Assurance.REGRET
    assert found.certificate is not None
    assert found.certificate.property == "concave"
    assert found.regret == 0
    assert found.distance_bound is None


def test_a_game_without_certificate_and_bounds_claims_nothing_about_deviations() -> None:
    game = sg.Game({"P": x**2}, {"P": sg.Space([x])})
    found = sg.solve(game)
    assert found.assurance is sg.Assurance.FIRST_ORDER
    assert found.regret is None
    assert found.certificate is None
    assert "first order only" in found.summary()
    assert "equilibrium" not in found.summary().splitlines()[0]


def test_weights_prove_uniqueness_where_equal_weights_do_not() -> None:
    game = sg.Game(
        {"P1": -(x**2) / 20 + 2 * x * y, "P2": -(y**2) / 2 - x * y / 25},
        {"P1": sg.Box({x: (-1, 1)}), "P2": sg.Box({y: (-1, 1)})},
    )
    assert sg.solve(game).distance_bound is None
    weighted = sg.solve(game, weights={"P1": 1, "P2": 40})
    assert weighted.distance_bound == 0
    assert "weight" in weighted.verify().text
    searched = sg.solve(game, weights="free")
    assert searched.distance_bound == 0
    assert set(searched.certificate.weights) == {"P1", "P2"}


def test_a_given_certificate_is_checked_before_it_is_used() -> None:
    game = prisoners()
    certificate = sg.certify(game, "concave").lower_proof
    assert sg.solve(game, certificate=certificate).certificate == certificate
    steeper = sg.Game({"P": x**2}, {"P": sg.Box({x: (0, 1)})})
    with pytest.raises(sg.CertificateError):
        sg.solve(steeper, certificate=certificate)


def test_gaps_over_a_set_without_closed_form_are_known_where_gradients_vanish_and_refused_elsewhere() -> None:
    disc = sg.Constraints([1 - x**2 - y**2 >= 0])
    inside = sg.solve(sg.Game({"P": -((x - y) ** 2) - y**2}, {"P": disc}))
    assert inside.is_exact
    game = sg.Game({"P": x - x**2 / 8 - y**2}, {"P": disc})
    found = sg.solve(game)  # at the boundary: the best replies have a bound, gaps have no closed form
    assert found.assurance is sg.Assurance.BEST_REPLIES
    assert dict(found.point) == {"x": 1, "y": 0}
    assert not found.gaps
    assert found.regret is not None
    assert found.regret < Fraction(1, 10**6)


def test_a_point_of_an_unbounded_game_that_no_player_can_keep_is_refused_in_a_sentence() -> None:
    half_plane = sg.Constraints([x + y >= 1])
    with pytest.raises(sg.InputError, match="not known in closed form"):
        sg.solve(sg.Game({"P": x**3 + y}, {"P": half_plane}))


def test_an_unbounded_quadratic_game_is_solved_by_exact_fractions() -> None:
    game = sg.Game(
        {"P": -(x**2) + x * y / 3 + x, "Q": -(y**2) - x * y + y / 7}, {"P": sg.Space([x]), "Q": sg.Space([y])}
    )
    found = sg.solve(game)
    assert found.is_exact
    assert found.distance_bound == 0


def test_an_equilibrium_round_trips_through_json_and_says_what_it_is() -> None:
    game = prisoners()
    found = sg.solve(game)
    again = sg.Equilibrium.from_dict(json.loads(json.dumps(found.to_dict())), game.exact)
    assert again == found
    assert again.verify().kind == "equilibrium"
    assert repr(found).startswith("<solution: equilibrium, REGRET")
    assert "no player gains more" in found.summary()


def test_an_equilibrium_of_another_game_or_with_values_missing_is_refused() -> None:
    game = prisoners()
    data = sg.solve(game).to_dict()
    other = sg.Game({"P": "-x**2"}, {"P": sg.Box({"x": (0, 1)})})
    with pytest.raises(sg.InputError, match="its variables or players are not those of the game"):
        sg.Equilibrium.from_dict(data, other)
    with pytest.raises(sg.InputError, match="'seconds' is missing"):
        sg.Equilibrium.from_dict({"proof": data["proof"]}, game)
    with pytest.raises(sg.InputError, match="which claims something else"):
        sg.Equilibrium.from_dict({**data, "proof": sg.certify(other, "concave").lower_proof.to_dict()}, other)


def test_the_picture_shows_no_gain_above_the_gap() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    game = sg.Game(
        {"row": -(x**2) + x * y, "column": -(a**2) - b**2 + a * x},
        {"row": (sg.Box({x: (-1, 1)}), sg.Space([y])), "column": sg.Simplex([a, b])},
    )
    found = sg.solve(game)
    for line in found.plot().lines:
        assert np.max(line.get_ydata()) <= float(max(found.gaps.values())) + 1e-9


@pytest.mark.parametrize("argument", [{"starts": 0}, {"weights": {"row": 1}}, {"level": 3}])
def test_a_wrong_argument_is_named(argument: dict[str, object]) -> None:
    with pytest.raises(sg.InputError, match=next(iter(argument))):
        sg.solve(prisoners(), **argument)  # type: ignore[arg-type]
