"""Where the double mixture starts, what keeps rates alive, and what happens when a layer dies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import cascades as cs
from cascades.exposures import Timeline, timeline
from cascades.mixture.passes import expectation
from cascades.mixture.rescue import died_in, searched_with_care
from cascades.mixture.restarts import restarted
from cascades.mixture.search import TINY, Plan, Search
from cascades.mixture.start import common_rate, start_rates, tiny_start
from cascades.mixture.state import Edges, Parameters
from cascades.mixture.steps import awaken, update
from tests.cascades.truths import small_design, truth_of


def searcher(n_cascades: int = 200, **how: object) -> tuple[Search, cs.designs.Design, Parameters]:
    """Return a search of the small design, and the truth in internal units."""
    design, data = small_design(n_cascades=n_cascades)
    line = timeline(data, cs.Exponential())
    truth = truth_of(design, cs.Exponential(), factors=True).inner(design.support, line.scale)
    plan = Plan(rank=3, **how)  # type: ignore[arg-type]
    return Search(line, Edges.of(design.support), plan, None, lambda _: None), design, truth


def test_the_common_rate_is_activations_over_exposure() -> None:
    """One edge, a -> b: two lags of 1 and 3, and one cascade watched for 4 in vain: 2 / 8."""
    records = [{"a": 0.0, "b": 1.0}, {"a": 0.0, "b": 3.0}, {"a": 0.0}]
    data = cs.Cascades.from_records(records, window=4.0)
    edges = Edges.of(cs.Network.from_edges([("a", "b")], nodes=data.nodes))
    line = timeline(data, cs.Exponential())
    assert common_rate(line, edges, 7.0) / line.scale == pytest.approx(2.0 / 8.0)
    mean, lower = start_rates(line, edges, 100.0)
    assert mean == pytest.approx(np.sqrt(100.0 * lower))
    nothing = Edges.of(cs.Network.from_edges([], nodes=data.nodes))
    assert common_rate(line, nothing, 7.0) == 7.0


def test_the_start_of_higher_likelihood_goes_on() -> None:
    """Theta at a hopeless rate beside theta at the mean of both guesses; the order does not matter."""
    search, _, _ = searcher(passes=40)
    draws, every = np.random.default_rng(0), np.arange(200)
    good, bad = (tiny_start(search.edges, 20, 3, rate, TINY, draws) for rate in (10.0, 1e9))
    for starts in ([good, bad], [bad, good]):
        best = search.best_start(starts, every)
        other = search.best_start([bad], every)
        assert search.value(search.expectation(best, every)) > search.value(search.expectation(other, every))
    assert "went on from start 2 of 2" in search.log[-3]


def test_a_rate_that_died_away_neither_overflows_nor_stays_dead() -> None:
    """A rate of 1e-300 that the next cascades need: its step is finite, and woken it recovers."""
    search, _, truth = searcher()
    every = np.arange(200)
    at = expectation(search.line, search.edges, truth, every)
    edge = int(np.argmax(at.theta))
    theta = truth.theta.copy()
    theta[edge] = 1e-300
    p = truth.changed(theta=theta)
    stepped = update(p, search.expectation(p, every), factor="u", eta=1.8, free_pi=True)
    assert np.isfinite(stepped.theta).all()
    p = awaken(p)
    assert p.theta[edge] == pytest.approx(1e-3 * np.median(theta))
    for k in range(60):
        p = update(p, search.expectation(p, every), factor="uv"[k % 2], eta=1.0, free_pi=True)
    assert p.theta[edge] == pytest.approx(truth.theta[edge], rel=0.5)


def test_activations_that_become_impossible_count_against_a_model() -> None:
    """Without theta the bare log-likelihood rises, because what it explained is left out; the value falls."""
    search, _, truth = searcher(n_cascades=400)
    every = np.arange(400)
    whole = search.expectation(truth, every)
    bare = search.expectation(truth.changed(theta=np.zeros_like(truth.theta)), every)
    assert bare.unexplained[0] > 100
    assert search.value(whole) == whole.log_likelihood[0]
    assert search.value(bare) < search.value(whole)
    assert search.value(bare) < bare.log_likelihood[0]


def test_a_layer_that_carries_nothing_is_called_dead() -> None:
    search, _, truth = searcher()
    every = np.arange(200)

    def verdict(p: Parameters) -> str:
        return died_in(p, search.expectation(p, every))

    assert verdict(truth) == ""
    assert verdict(truth.changed(theta=np.zeros_like(truth.theta))) == "theta"
    assert verdict(truth.changed(u=np.zeros_like(truth.u))) == "psi"


@pytest.mark.parametrize("second_is_better", [True, False])
def test_after_a_death_the_start_that_predicts_better_is_kept(second_is_better: bool) -> None:
    """The truth stands in for the better fit, a theta of nearly nothing for the worse; the log says which."""
    design, data = small_design(n_cascades=200)
    truth = truth_of(design, cs.Exponential(), factors=True)
    faint = cs.Network(
        data.nodes, truth.theta.senders, truth.theta.receivers, np.full(truth.theta.n_edges, 1e-6)
    )
    poor = replace(truth, theta=faint)
    seen: list[tuple[int, float]] = []

    def search(part: cs.Cascades, line: Timeline, tiny: float, *_: object) -> tuple[cs.MixtureFit, str]:
        seen.append((len(part), tiny))
        assert line.n_nodes == part.n_nodes
        better = (tiny != TINY) == second_is_better
        return (truth if better else poor), "theta" if tiny == TINY else ""

    line = timeline(data, cs.Exponential())
    fit = searched_with_care(data, line, search, None, np.random.default_rng(0))
    assert fit.theta.to_dict() == truth.theta.to_dict()
    assert any("theta died out, so another start was tried" in s for s in fit.steps)
    other = seen[2][1]
    assert other < TINY
    trials = [(200, TINY), (160, TINY), (160, other)]
    assert seen == trials + ([(200, other)] if second_is_better else [])


def test_a_fit_in_which_nothing_died_is_left_alone() -> None:
    design, data = small_design(n_cascades=60)
    fit = cs.DoubleMixture(design.support, rank=3, passes=20).fit(data, rng=np.random.default_rng(0))
    assert not any("died out" in s for s in fit.steps)
    assert any("went on from start" in s for s in fit.steps)


def test_a_receiver_in_the_wrong_maximum_is_started_again() -> None:
    """Theta took psi's fast edge a -> r, 20 below what the other maximum reaches; its start leads there."""
    rng, nodes = np.random.default_rng(1), list("abcr")
    theta = cs.Network.from_edges({("a", "r"): 0.15, ("a", "b"): 1.0, ("a", "c"): 1.0}, nodes=nodes)
    psi = cs.Network.from_edges({("a", "r"): 2.0, ("b", "r"): 1.5}, nodes=nodes)
    data = cs.simulate(theta, psi, np.full(4, 0.5), n_cascades=300, horizon=3.0, rng=rng)
    line = timeline(data, cs.Exponential())
    mine = theta.receivers == 3
    u, v = np.zeros((2, 4, 2))
    u[0, 0], u[1, 1], v[3] = 0.05 * line.scale, 1.5 * line.scale, 1.0
    trapped = Parameters(np.where(mine, 2.0, 1.0) * line.scale, u, v, np.full(4, 0.5))
    again, n_moved = restarted(line, theta, trapped, (5.0, 1.0), lambda _: None)
    assert n_moved == 1
    assert float(again.theta[mine][0]) < 0.5 * float(trapped.theta[mine][0])
    np.testing.assert_array_equal(again.theta[~mine], trapped.theta[~mine])
    np.testing.assert_array_equal(again.v[:3], trapped.v[:3])
    np.testing.assert_allclose((again.u @ again.v[3])[:2] / line.scale, [2.0, 1.5], rtol=0.4)
    search = Search(line, Edges.of(theta), Plan(rank=2), None, lambda _: None)
    ends = [search.refine(p)[1] for p in (trapped, again)]
    assert float(ends[1].log_likelihood[0]) > float(ends[0].log_likelihood[0]) + 10.0


def test_receivers_in_their_best_maximum_stay() -> None:
    search, design, truth = searcher(n_cascades=400)
    rates = start_rates(search.line, search.edges, 10.0)
    p, _ = search.refine(truth)
    same, n_moved = restarted(search.line, design.support, p, rates, search.tell)
    assert n_moved == 0
    np.testing.assert_array_equal(same.theta, p.theta)
    np.testing.assert_array_equal(same.pi, p.pi)
    np.testing.assert_array_equal(same.v, p.v)


def test_the_first_cascades_of_a_timeline_keep_its_units() -> None:
    design, data = small_design(n_cascades=50)
    line = timeline(data, cs.Exponential())
    few = line.first(20)
    some = timeline(data.select(np.arange(20)), cs.Exponential())
    assert few.scale == line.scale
    np.testing.assert_allclose(few.times * few.scale, some.times * some.scale)
    np.testing.assert_array_equal(few.by_node.events, some.by_node.events)
    np.testing.assert_allclose(few.totals * few.scale, some.totals * some.scale)
    assert few.n_nodes == len(design.pi)
