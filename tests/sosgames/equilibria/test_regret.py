"""Games that are not concave: best strategies and points of small regret, bounded by sums of squares."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from sympy.abc import a, b, x, y, z

import sosgames as sg
from sosgames.certificates.proofs import RegretProof
from sosgames.equilibria.exchange import ExchangeMethod
from sosgames.search import Limits

F = Fraction
TREES = Path(__file__).resolve().parents[3] / "docs" / "examples" / "games"
TINY = F(1, 10**6)


def test_the_best_of_two_hills_is_found_and_no_point_is_proved_to_be_higher() -> None:
    hills = sg.Game({"P": -((x**2 - 1) ** 2) + x / 4}, {"P": sg.Box({x: (-2, 2)})})
    found = sg.solve(hills)
    assert found.assurance is sg.Assurance.BEST_REPLIES
    assert found.regret is not None
    assert found.regret < F(1, 10**6)
    utility = hills.exact.players[0].utility
    highest = max(utility({"x": F(k, 1000)}) for k in range(-2000, 2001))
    assert found.payoffs["P"] + found.regret >= highest
    assert found.point["x"] > 0


def test_an_irrational_best_strategy_is_bounded_from_the_safe_side() -> None:
    found = sg.solve(sg.Game({"P": x - x**3}, {"P": sg.Box({x: (0, 1)})}))
    assert found.regret is not None
    assert 0 < found.regret < F(1, 10**7)
    bound = found.payoffs["P"] + found.regret
    assert bound**2 > F(4, 27)  # the largest value is 2 / (3 sqrt 3)


def test_a_best_strategy_on_a_set_of_two_pieces_is_found_and_proved() -> None:
    pieces = sg.Constraints([(x**2 - 1) * (4 - x**2) >= 0])
    found = sg.solve(sg.Game({"P": x**3 - 3 * x}, {"P": pieces}))
    # on [1, 2] up to 2 at x = 2; on [-2, -1] up to 2 at x = -1
    assert found.payoffs["P"] == 2
    assert found.regret is not None
    assert found.regret < TINY


def test_a_player_who_forgets_and_an_opponent_have_no_equilibrium_but_a_point_of_least_regret() -> None:
    """In Wichardt's game the regret 2/3 is the least there is, as far as an exact grid shows."""
    found = sg.solve(sg.load(TREES / "wichardt.efg"))
    assert found.regret == F(2, 3)
    assert found.verify().regrets == {"one": F(2, 3), "two": F(2, 3)}
    one, two = (player.utility for player in found.problem.players)
    names = found.problem.variables
    grid = [F(k, 12) for k in range(13)]
    pure = list(itertools.product((F(0), F(1)), repeat=2))
    for values in itertools.product(grid, repeat=3):
        at = dict(zip(names, values, strict=True))
        # multilinear: best replies are pure
        gain_one = max(one({**at, names[0]: p, names[1]: q}) for p, q in pure) - one(at)
        gain_two = max(two({**at, names[2]: p}) for p in (F(0), F(1))) - two(at)
        assert max(gain_one, gain_two) >= F(2, 3)


def test_partners_who_want_to_match_find_an_equilibrium_though_one_is_not_concave() -> None:
    matched = x * y * z + (1 - x) * (1 - y) * (1 - z)
    game = sg.Game(
        {"pair": matched, "other": matched},
        {"pair": sg.Box({x: (0, 1), y: (0, 1)}), "other": sg.Box({z: (0, 1)})},
    )
    assert sg.certify(game, "concave").verdict is sg.Verdict.REFUTED
    found = sg.solve(game)
    assert found.regret == 0
    assert found.summary().splitlines()[0] == "game: equilibrium"


@pytest.mark.parametrize("seed", range(4))
def test_no_deviation_in_a_random_game_gains_more_than_the_proved_regret(seed: int) -> None:
    rng = np.random.default_rng(seed)
    game = sg.random_game({"row": sg.Simplex([x, y]), "column": sg.Box({a: (-1, 1), b: (0, 2)})}, 3, rng=rng)
    found = sg.solve(game, starts=2)
    assert found.regrets is not None
    found.verify()
    for player in game.exact.players:
        here = player.utility(found.point)
        for _ in range(200):
            u = rng.dirichlet(np.ones(3)) if player.name == "row" else rng.random(2) * 2 - [1, 0]
            own = {v: F(float(w)) for v, w in zip(player.variables, u[:2], strict=True)}
            if player.name == "row" and sum(own.values()) > 1:
                continue
            assert player.utility({**found.point, **own}) - here <= found.regrets[player.name]


def test_a_level_that_is_too_low_proves_a_larger_regret_never_a_false_one() -> None:
    game = sg.load(TREES / "forgetful.efg")
    rough, exact = sg.solve(game, level=2), sg.solve(game)
    assert exact.regret == 0
    assert rough.regret is not None
    assert 0 < rough.regret < 1


def test_a_trees_strategy_is_told_by_information_sets_and_sums_to_one() -> None:
    found = sg.solve(sg.load(TREES / "three_exits.efg"))
    (behaviour,) = found.behaviour
    assert behaviour.probabilities == (("go on", F(8, 9)), ("leave", F(1, 9)))
    assert found.payoffs == {"driver": F(256, 243)}
    assert found.regret == 0
    assert "driver, information set 1 'at an exit': go on 8/9, leave 1/9" in found.summary()
    for told in sg.solve(sg.load(TREES / "forgetful.efg")).behaviour:
        assert sum(p for _, p in told.probabilities) == 1
    assert sg.solve(sg.load(TREES / "three_exits.efg").exact).behaviour == ()


def test_a_result_round_trips_through_json_with_its_tree() -> None:
    game = sg.load(TREES / "three_exits.efg")
    found = sg.solve(game)
    again = sg.Equilibrium.from_dict(json.loads(json.dumps(found.to_dict())), game)
    assert again == found
    assert again.behaviour == found.behaviour
    assert again.verify().kind == "regret"


def test_a_proof_does_not_hold_for_a_tree_with_other_information_sets(tmp_path: Path) -> None:
    """A driver who tells the exits apart gets home for sure: the bound of the absent-minded one is false."""
    text = (TREES / "driver.efg").read_text(encoding="utf-8")
    knows = text.replace(
        'p "" 1 1 "at an exit" { "go on" "leave" } 0\nt', 'p "" 1 2 "second" { "go on" "leave" } 0\nt'
    )
    assert knows != text
    (tmp_path / "knows.efg").write_text(knows, encoding="utf-8")
    absent = sg.load(TREES / "driver.efg")
    (tmp_path / "paid.efg").write_text(text.replace("{ 1 }", "{ 2 }"), encoding="utf-8")
    certificate = sg.certify_matrix(
        [["4/3 - 4*driver_go_on + 3*driver_go_on**2"]], sg.Box({"driver_go_on": (0, 1)})
    )
    bounded = RegretProof({"driver_go_on": F(2, 3)}, {"driver": F(0)}, {"driver": certificate.lower_proof})
    assert sg.verify(bounded, absent).regrets == {"driver": 0}
    with pytest.raises(sg.CertificateError, match="each variable"):
        sg.verify(bounded, sg.load(tmp_path / "knows.efg"))
    with pytest.raises(sg.CertificateError, match="identity fails"):
        sg.verify(bounded, sg.load(tmp_path / "paid.efg"))


def test_a_claim_of_less_regret_than_a_deviation_gains_is_refused_for_every_player() -> None:
    found = sg.solve(sg.catalog("wichardt2008"))
    assert isinstance(found.proof, RegretProof)
    for player, regret in found.proof.regrets.items():
        lied = replace(found.proof, regrets={**found.proof.regrets, player: regret - F(1, 10**30)})
        with pytest.raises(sg.CertificateError, match="proves more"):
            sg.verify(lied, found.problem)


def test_the_exchange_method_does_not_end_at_a_worse_point_than_it_starts_from() -> None:
    method = ExchangeMethod(sg.catalog("chasnov2020").exact)
    rng = np.random.default_rng(0)
    for _ in range(3):
        start = method.random_start(rng)
        end, regret = method.improved(start)
        assert regret <= method.regret(start) + 1e-9
        assert regret == pytest.approx(method.regret(end), abs=1e-9)


def test_the_picture_shows_no_gain_above_the_regret() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    found = sg.solve(sg.catalog("wichardt2008"))
    for line in found.plot().lines:
        assert np.max(line.get_ydata()) <= float(found.regret or 0) + 1e-9


def test_a_player_with_one_strategy_has_no_regret_and_takes_part_nevertheless() -> None:
    sets = {"P": sg.ProbabilitySimplex([x]), "Q": sg.Box({y: (-1, 2)}), "R": sg.Ball([z], radius_squared=1)}
    found = sg.solve(sg.Game({"P": -x * y, "Q": x * y**2, "R": z * y}, sets))
    assert found.point == {"x": 1, "y": 2, "z": 1}
    assert found.regrets == {"P": 0, "Q": 0, "R": 0}
    everyone = sg.solve(
        sg.Game(
            {"P": x**2 * y, "Q": -x * y**2},
            {"P": sg.ProbabilitySimplex([x]), "Q": sg.ProbabilitySimplex([y])},
        )
    )
    assert everyone.point == {"x": 1, "y": 1}
    assert everyone.regret == 0


def test_little_time_costs_proofs_but_never_the_point() -> None:
    game = sg.catalog("wichardt2008")
    found = sg.solve(game, time_limit=1e-6)
    assert set(found.point) == set(game.exact.variables)
    found.verify()
    assert found.regret is None or found.regret >= sg.solve(game).regret


def test_a_search_within_a_deadline_gets_its_share_and_no_limit_stays_none() -> None:
    hour = Limits(time_limit=3600)
    share = hour.within(hour.deadline(), 0.5).time_limit
    assert share is not None
    assert 0 < share <= 1800
    assert Limits().within(Limits().deadline(), 0.5).time_limit is None
