"""Every game of the catalogue says where it comes from, and what it says to be true is not contradicted."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import sosgames as sg
from sosgames.certificates.gaps import first_order_gap
from sosgames.literature import Entry

ENTRIES = sg.catalog()
DECIDED_FAST = [entry for entry in ENTRIES if entry.slug not in ("ahmadi2009", "leon2025-example5")]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.slug)
def test_an_entry_has_title_source_and_known_truth_and_its_game_carries_them(entry: Entry) -> None:
    assert {entry.truth["concave"], entry.truth["monotone"]} <= {"strict", "merely", "no"}
    game = sg.catalog(entry.slug)
    assert (game.exact.name, game.exact.source) == (entry.title, entry.source)
    assert entry.slug in repr(ENTRIES)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.slug)
def test_a_known_equilibrium_has_gap_0(entry: Entry) -> None:
    if "equilibrium" not in entry.truth:
        pytest.skip("no equilibrium is recorded")
    game = sg.catalog(entry.slug).exact
    point = {name: Fraction(value) for name, value in entry.truth["equilibrium"].items()}
    assert all(first_order_gap(player, point) == 0 for player in game.players)


@pytest.mark.slow
@pytest.mark.parametrize("entry", DECIDED_FAST, ids=lambda e: e.slug)
def test_no_proof_contradicts_the_recorded_truth(entry: Entry) -> None:
    game = sg.catalog(entry.slug)
    result = sg.certify(game, "monotone", time_limit=10)
    truth = entry.truth["monotone"]
    assert result.upper is not None
    assert (result.verdict is sg.Verdict.REFUTED) == (truth == "no")
    assert (result.strict is True) == (truth == "strict")
    if "modulus" in entry.truth:
        modulus = Fraction(entry.truth["modulus"])
        assert modulus <= result.upper
        assert result.lower is None or result.lower <= modulus
        assert result.upper - modulus < Fraction(1, 1000)


def test_an_unknown_name_is_answered_with_the_names() -> None:
    with pytest.raises(sg.InputError, match=r"no game 'wichard'; the games are .*wichardt2008"):
        sg.catalog("wichard")


def test_random_games_have_the_sizes_and_the_form_that_was_asked_for() -> None:
    triangles = {"row": sg.Simplex(["x1", "x2"]), "column": sg.Simplex(["y1", "y2"])}
    by_player = sg.random_game(triangles, (6, 2), rng=np.random.default_rng(0))
    assert [len(p.utility.terms) for p in by_player.exact.players] == [168, 168]
    total = sg.random_game(triangles, 4, rng=np.random.default_rng(0))
    assert [len(p.utility.terms) for p in total.exact.players] == [70, 70]
    assert all(
        abs(c) <= 1 and (c * 2**13).denominator == 1 for c in total.exact.players[0].utility.terms.values()
    )
    intervals = {"row": sg.Box({"x": (0, 1)}), "column": sg.Box({"y": (0, 1)})}
    zero_sum = sg.random_game(intervals, (4, 1), rng=np.random.default_rng(0), zero_sum=True).exact
    assert not zero_sum.players[0].utility + zero_sum.players[1].utility
    assert len(zero_sum.players[0].utility.terms) == 10
    assert sg.random_game(triangles, 4, rng=np.random.default_rng(0)) == total


def test_degrees_that_do_not_match_the_players_are_refused() -> None:
    one = {"row": sg.Box({"x": (0, 1)})}
    with pytest.raises(sg.InputError, match="3 numbers for 1 players"):
        sg.random_game(one, (1, 2, 3), rng=np.random.default_rng(0))
    with pytest.raises(sg.InputError, match="zero_sum"):
        sg.random_game(one, 2, rng=np.random.default_rng(0), zero_sum=True)
