"""What must hold of every answer, whatever the game: properties over random games and matrices."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sosgames as sg
from sosgames.certificates.games import ExactGame
from sosgames.certificates.matrices import modulus_matrix
from sosgames.results import Certification
from sosgames.witnesses.feasible import feasible_set
from sosgames.witnesses.starts import starting_points
from tests.sosgames.strategies import games, matrices

SEARCHES = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
FORMS = st.sampled_from(["auto", "matrix", "schmuedgen", "scalar"])
CONES = st.sampled_from(["sos", "sdsos", "dsos"])


def _agree(first: Certification, second: Certification, factor: Fraction = Fraction(1)) -> bool:
    """Whether no bound of one excludes a bound of the other, moduli multiplied by the factor."""
    return not (
        (first.lower is not None and second.upper is not None and first.lower * factor > second.upper)
        or (second.lower is not None and first.upper is not None and second.lower > first.upper * factor)
    )


@pytest.mark.slow
@SEARCHES
@given(games(), st.sampled_from(["concave", "monotone"]), FORMS, CONES)
def test_both_ends_of_a_bracket_are_proved_and_in_order(
    game: ExactGame, prop: str, form: str, cone: str
) -> None:
    result = sg.certify(game, prop, form=form, cone=cone, max_level=6, time_limit=20)
    result.verify()
    if result.lower is not None and result.upper is not None:
        assert result.lower <= result.upper
    again = Certification.from_dict(result.to_dict(), result.problem)
    assert (again.verdict, again.lower, again.upper) == (result.verdict, result.lower, result.upper)


@pytest.mark.slow
@SEARCHES
@given(games(), FORMS)
def test_no_exact_point_of_the_set_has_a_smaller_value_than_the_lower_bound(
    game: ExactGame, form: str
) -> None:
    """The oracle: the matrix at exact points, in exact arithmetic, in the directions of its rows."""
    result = sg.certify(game, "concave", form=form, max_level=6, time_limit=20)
    for bracket in result.brackets:
        matrix = modulus_matrix(game, "concave", player=bracket.player)
        rows = len(matrix.rows)
        feasible = feasible_set(game.variables, game.constraints)
        if bracket.lower is None or any(c.kind == "==" for c in game.constraints):
            continue
        points = starting_points(feasible, np.random.default_rng(1), 30)
        for i in range(len(points)):
            point = points.point(i)
            if not feasible.contains(point):
                continue
            for a in range(rows):
                direction = tuple(Fraction(int(a == b)) for b in range(rows))
                assert matrix.form(point, direction) >= bracket.lower * matrix.norm(direction)


@pytest.mark.slow
@SEARCHES
@given(games(), st.sampled_from([Fraction(1, 10**6), Fraction(3, 7), Fraction(10**6)]))
def test_larger_units_of_utility_contradict_nothing(game: ExactGame, factor: Fraction) -> None:
    players = tuple(replace(player, utility=factor * player.utility) for player in game.players)
    results = [sg.certify(g, max_level=4, time_limit=20) for g in (game, ExactGame(players))]
    assert _agree(*results, factor)


@pytest.mark.slow
@SEARCHES
@given(games())
def test_the_order_of_the_players_contradicts_nothing(game: ExactGame) -> None:
    reordered = ExactGame(tuple(reversed(game.players)))
    assert _agree(*(sg.certify(g, max_level=4, time_limit=20) for g in (game, reordered)))


@pytest.mark.slow
@SEARCHES
@given(matrices())
def test_forms_and_cones_contradict_one_another_nowhere(problem: object) -> None:
    means = [{"form": "matrix"}, {"form": "schmuedgen"}, {"form": "scalar"}, {"cone": "dsos"}]
    results = [sg.certify(problem, "matrix", max_level=6, time_limit=20, **m) for m in means]  # type: ignore[arg-type]
    assert all(_agree(first, second) for first in results for second in results)
