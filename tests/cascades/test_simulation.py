"""The simulator draws from the laws it says, and metrics mean what they say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, kstest

import cascades as cs

FALSE_ALARM = 1e-6


@pytest.mark.parametrize("law", [cs.Exponential(), cs.Rayleigh(), cs.PowerLaw(0.2), cs.Weibull(0.6)])
def test_lags_over_one_edge_follow_the_law(law: cs.Law) -> None:
    """Cumulative hazards at simulated lags are exponential; false-alarm rate 1e-6."""
    net = cs.Network.from_edges({("a", "b"): 0.7}, nodes="ab")
    rng = np.random.default_rng(1)
    data = cs.simulate(
        net, n_cascades=4000, horizon=1e12, rng=rng, transmission=law, sources=np.zeros(4000, int)
    )
    lags = data.times[1::2]
    assert kstest(0.7 * law.cumulative(lags), "expon").pvalue > FALSE_ALARM


def test_the_first_of_two_senders_wins_as_often_as_its_rate_says() -> None:
    net = cs.Network.from_edges({("s", "a"): 3.0, ("s", "b"): 1.0, ("a", "b"): 1e-9}, nodes="sab")
    rng = np.random.default_rng(2)
    data = cs.simulate(net, n_cascades=4000, horizon=1e6, rng=rng, sources=np.zeros(4000, int))
    a_first = int(np.sum(data.members[1::3] == 1))
    assert binom.sf(a_first - 1, 4000, 0.75) > FALSE_ALARM / 2
    assert binom.cdf(a_first, 4000, 0.75) > FALSE_ALARM / 2


def test_in_a_mixture_each_node_is_reached_by_the_network_it_drew() -> None:
    theta = cs.Network.from_edges({("s", "a"): 50.0}, nodes=["s", "a"])
    psi = cs.Network.from_edges({}, nodes=["s", "a"])
    rng = np.random.default_rng(3)
    data = cs.simulate(
        theta, psi, [0.5, 0.3], n_cascades=3000, horizon=10.0, rng=rng, sources=np.zeros(3000, int)
    )
    reached = data.n_events - 3000
    assert binom.sf(reached - 1, 3000, 0.3) > FALSE_ALARM / 2
    assert binom.cdf(reached, 3000, 0.3) > FALSE_ALARM / 2


def test_the_seed_alone_decides() -> None:
    net = cs.designs.random_network(20, 3.0, rng=np.random.default_rng(0))
    draws = [
        cs.simulate(net, n_cascades=50, horizon=2.0, rng=np.random.default_rng(5)).to_dict() for _ in "ab"
    ]
    assert draws[0] == draws[1]


def test_a_chain_is_activated_in_order_within_the_horizon() -> None:
    net = cs.Network.from_edges({("a", "b"): 1.0, ("b", "c"): 1.0}, nodes="abc")
    data = cs.simulate(
        net, n_cascades=200, horizon=1.0, rng=np.random.default_rng(0), sources=np.zeros(200, int)
    )
    assert data.times.max() <= 1.0
    assert all(list(times) == ["a", "b", "c"][: len(times)] for _, times in data)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"horizon": 0.0}, "horizon: got 0.0, wanted finite times above 0"),
        ({"sources": [7]}, r"sources: wanted 1 node indices in 0..1"),
        ({"pi": 0.5}, "psi and pi come together"),
    ],
)
def test_a_bad_argument_of_the_simulator_is_named(change: dict, message: str) -> None:
    net = cs.Network.from_edges({("a", "b"): 1.0}, nodes="ab")
    with pytest.raises(cs.ArgumentError, match=message):
        cs.simulate(net, **{"n_cascades": 1, "horizon": 1.0, "rng": np.random.default_rng(0), **change})


def test_f1_is_the_harmonic_mean_of_precision_and_recall() -> None:
    rng = np.random.default_rng(0)
    first, second = (cs.designs.random_network(9, 2.7, rng=rng) for _ in "ab")
    p, r = cs.metrics.precision(first, second), cs.metrics.recall(first, second)
    assert cs.metrics.f1(first, second) == pytest.approx(2 * p * r / (p + r))


def test_a_perfect_ranking_has_average_precision_one_and_errors_are_relative() -> None:
    truth = cs.Network.from_matrix([[0.0, 2.0, 0.0], [4.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    guess = cs.Network.from_matrix([[0.0, 1.0, 0.0], [4.0, 0.0, 0.5], [0.0, 0.0, 0.0]])
    assert cs.metrics.average_precision(guess, truth) == 1.0
    assert cs.metrics.mean_relative_error(guess, truth) == 0.25
    assert cs.metrics.relative_l1_error(guess, truth) == 0.25
    assert cs.metrics.f1_at(guess, truth) == 1.0


def test_networks_over_different_nodes_are_not_compared() -> None:
    with pytest.raises(cs.ArgumentError, match="different nodes"):
        cs.metrics.f1(cs.Network.from_edges([], nodes="ab"), cs.Network.from_edges([], nodes="ba"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cs.Network.from_matrix([[0.0, 1.0]]), "wanted a square one"),
        (lambda: cs.Network.from_matrix([[0.0]], nodes="ab"), "got 2 labels for 1 rows"),
        (lambda: cs.Network.from_edges([("a", "x")], nodes="ab"), "unknown node in 'a' -> 'x'"),
        (lambda: cs.Network.from_matrix([[-1.0]]), "weights: wanted finite numbers of at least 0"),
    ],
)
def test_a_bad_network_is_refused(call, message: str) -> None:
    with pytest.raises(cs.ArgumentError, match=message):
        call()


def test_a_network_round_trips_through_dictionaries() -> None:
    net = cs.Network.from_edges({("a", "b"): 1.5, ("b", "a"): 0.25}, nodes="ab")
    assert cs.Network.from_dict(net.to_dict()).to_dict() == net.to_dict()


@pytest.mark.parametrize("kind", ["random", "community", "scale-free"])
def test_design_b1_has_the_published_shape(kind: str) -> None:
    design = cs.designs.b1(kind, rng=np.random.default_rng(0))  # type: ignore[arg-type]
    theta, psi = design.theta.matrix.toarray(), design.psi.matrix.toarray()
    assert ((theta > 0) == (design.support.matrix.toarray() > 0)).all()
    assert 1.0 <= design.theta.weights.min() <= design.theta.weights.max() <= 5.0
    assert (theta + psi).sum(axis=0).min() > 0
    assert (theta + psi).sum(axis=1).min() > 0
    assert 0.02 < design.psi.n_edges / 200**2 < 0.08
    with pytest.raises(cs.ArgumentError, match="kind: got 'ring'"):
        cs.designs.b1("ring", rng=np.random.default_rng(0))  # type: ignore[arg-type]


def test_a_network_in_which_somebody_passes_on_to_themselves_is_refused() -> None:
    for build in (
        lambda: cs.Network.from_edges([("a", "b"), ("b", "b")], nodes="ab"),
        lambda: cs.Network.from_matrix([[0.0, 1.0], [0.0, 0.5]], nodes="ab"),
    ):
        with pytest.raises(cs.ArgumentError, match="'b' -> 'b'; nobody passes on to themselves"):
            build()
    assert cs.Network.from_matrix([[0.0, 1.0], [0.0, 0.0]], nodes="ab").n_edges == 1


def test_a_random_network_says_which_of_its_numbers_is_wrong() -> None:
    rng = np.random.default_rng(0)
    for call, message in (
        (lambda: cs.designs.random_network(1, 1.0, rng=rng), "n_nodes: got 1, wanted at least 2"),
        (lambda: cs.designs.random_network(5, 9.0, rng=rng), "degree: got 9.0, wanted a number from 0 to"),
        (lambda: cs.designs.random_network(5, 1.0, rng=rng, low=2.0), "low, high: got 2.0 and 1.0"),
    ):
        with pytest.raises(cs.ArgumentError, match=message):
            call()
