"""The double mixture: derivatives against differences, EM's promise, recovery, invariance."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cascades as cs
from cascades.exposures import timeline
from cascades.likelihood import account, log_likelihood_by_cascade
from cascades.mixture.passes import expectation
from cascades.mixture.state import Edges, Parameters
from cascades.mixture.steps import update

LAWS = [cs.Exponential(), cs.Rayleigh()]


def setting(seed: int, law: cs.Law, tied: bool = False) -> tuple[cs.Cascades, Edges, Parameters, cs.Network]:
    rng = np.random.default_rng(seed)
    support = cs.designs.random_network(8, 2.0, rng=rng)
    psi = cs.designs.random_network(8, 3.0, rng=rng)
    data = cs.simulate(support, psi, 0.5, n_cascades=20, horizon=2.0, rng=rng, transmission=law)
    data = data.round(0.25) if tied else data
    u, v = rng.uniform(0.1, 1.0, (2, 8, 3))
    p = Parameters(rng.uniform(0.2, 1.0, support.n_edges), u, v, rng.uniform(0.2, 0.8, 8))
    return data, Edges.of(support), p, support


def value(data: cs.Cascades, law: cs.Law, edges: Edges, p: Parameters) -> float:
    return float(expectation(timeline(data, law), edges, p, np.arange(len(data)))[0].log_likelihood[0])


@pytest.mark.parametrize("law", LAWS, ids=["exponential", "rayleigh"])
@pytest.mark.parametrize("tied", [False, True])
def test_the_sums_are_the_derivatives_of_the_likelihood(law: cs.Law, tied: bool) -> None:
    """d log L / d rate = expected transmissions / rate - exposure, for theta, u, v; central differences."""
    data, edges, p, _ = setting(4, law, tied)
    sums, _ = expectation(timeline(data, law), edges, p, np.arange(len(data)))
    scores = {
        "theta": sums.theta / p.theta - sums.theta_exposure,
        "u": sums.u - sums.u_exposure,
        "v": sums.v - sums.v_exposure,
        "pi": (sums.pi - p.pi * sums.touched) / (p.pi * (1 - p.pi)),
    }
    step = 1e-6
    for name, score in scores.items():
        base = getattr(p, name)
        for k in np.ndindex(base.shape):
            moved = [base.copy(), base.copy()]
            moved[0][k] += step
            moved[1][k] -= step
            up, down = (value(data, law, edges, p.changed(**{name: m})) for m in moved)
            assert (up - down) / (2 * step) == pytest.approx(score[k], rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("law", LAWS, ids=["exponential", "rayleigh"])
def test_with_one_network_certain_the_likelihood_is_that_of_the_single_network(law: cs.Law) -> None:
    data, edges, p, support = setting(7, law)
    line = timeline(data, law)
    latent = p.u @ p.v.T
    np.fill_diagonal(latent, 0.0)
    rates = p.theta.copy()
    theta = cs.Network(support.nodes, support.senders, support.receivers, rates)
    for network, certain in ((theta, 1.0), (cs.Network.from_matrix(latent, nodes=support.nodes), 0.0)):
        scaled = cs.Network(
            network.nodes, network.senders, network.receivers, network.weights * law.rate_factor(line.scale)
        )
        alone = log_likelihood_by_cascade(account(scaled, data, law), data)
        possible = data.select(np.flatnonzero(np.isfinite(alone)))
        inner = timeline(possible, law)
        ratio = law.rate_factor(line.scale) / law.rate_factor(inner.scale)
        same = p.changed(theta=p.theta * ratio, u=p.u * ratio, pi=np.full(8, certain))
        sums, _ = expectation(inner, edges, same, np.arange(len(possible)))
        n_events = int(
            possible.n_events - np.sum(possible.times == possible.first_times[possible.cascade_of])
        )
        expected = alone[np.isfinite(alone)].sum() + n_events * np.log(inner.scale)
        assert sums.log_likelihood[0] == pytest.approx(expected, rel=1e-9)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(range(2)))
def test_em_steps_never_lower_the_likelihood(seed: int, k: int) -> None:
    data, edges, p, _ = setting(seed, LAWS[k])
    line, last = timeline(data, LAWS[k]), -np.inf
    for step in range(12):
        sums, _ = expectation(line, edges, p, np.arange(len(data)))
        now = float(sums.log_likelihood[0])
        assert sums.unexplained[0] == 0
        assert now >= last - 1e-9 * abs(now)
        last = now
        p = update(p, sums, factor="uv"[step % 2], eta=1.0, free_pi=True)


@pytest.fixture(scope="module")
def fitted() -> tuple[cs.designs.Design, cs.Cascades, cs.MixtureFit]:
    rng = np.random.default_rng(2)
    design = cs.designs.b1("community", n_nodes=60, rank=3, rng=rng)
    data = cs.simulate(design.theta, design.psi, design.pi, n_cascades=1200, horizon=10.0, rng=rng)
    return design, data, cs.DoubleMixture(design.support, rank=5).fit(data, rng=rng)


@pytest.mark.slow
def test_two_simulated_networks_are_recovered(fitted) -> None:
    design, data, fit = fitted
    assert cs.metrics.f1(fit.psi, design.psi) > 0.9
    assert cs.metrics.mean_relative_error(fit.theta, design.theta) < 0.2
    assert cs.metrics.mean_relative_error(fit.psi, design.psi) < 0.2
    assert np.mean(np.abs(fit.pi - design.pi) / design.pi) < 0.15
    assert fit.n_unexplained < 0.001 * data.n_events
    assert "not a certificate" in fit.summary()


@pytest.mark.slow
def test_responsibilities_say_which_network_carried_an_activation(fitted) -> None:
    """They lie in [0, 1], sources have none, and most activations are told apart."""
    _, data, fit = fitted
    q = fit.responsibilities(data)
    sources = data.times == data.first_times[data.cascade_of]
    assert np.isnan(q[sources]).all()
    inside = q[~np.isnan(q)]
    assert ((inside >= 0) & (inside <= 1)).all()
    assert np.mean((inside < 0.1) | (inside > 0.9)) > 0.5  # most activations are told apart


def test_a_mixture_survives_saving(fitted, tmp_path) -> None:
    fit = fitted[2]
    fit.save(tmp_path / "fit.json")
    again = cs.load_fit(tmp_path / "fit.json")
    assert isinstance(again, cs.MixtureFit)
    assert again.to_dict() == fit.to_dict()
    assert fit.to_networkx("psi").number_of_edges() == fit.psi.n_edges


def test_threads_and_units_change_nothing_that_matters() -> None:
    rng = np.random.default_rng(5)
    design = cs.designs.b1("community", n_nodes=30, rank=2, rng=rng)
    data = cs.simulate(design.theta, design.psi, design.pi, n_cascades=200, horizon=10.0, rng=rng)
    model = cs.DoubleMixture(design.support, rank=3, passes=15)
    alone = model.fit(data, rng=np.random.default_rng(1))
    with ThreadPoolExecutor(2) as pool:
        together = model.fit(data, rng=np.random.default_rng(1), executor=pool)
    slower = model.fit(data.rescale(3600.0), rng=np.random.default_rng(1))
    np.testing.assert_allclose(together.pi, alone.pi, atol=1e-6)
    np.testing.assert_allclose(slower.pi, alone.pi, atol=1e-6)
    np.testing.assert_allclose(
        slower.theta.matrix.toarray() * 3600.0, alone.theta.matrix.toarray(), rtol=1e-4, atol=1e-8
    )


def test_what_the_double_mixture_cannot_take_is_refused_with_the_remedy() -> None:
    support = cs.Network.from_edges([("a", "b")], nodes="abc")
    tied = cs.Cascades.from_records([{"a": 0.0, "b": 1.0, "c": 1.0}], window=2.0)
    with pytest.raises(cs.ArgumentError, match="67 % of activations are tied"):
        cs.DoubleMixture(support).fit(tied, rng=np.random.default_rng(0))
    with pytest.raises(cs.ArgumentError, match="takes 'exponential' or 'rayleigh'"):
        cs.DoubleMixture(support, cs.PowerLaw(1.0))
    other = cs.Cascades.from_records([{"x": 0.0, "y": 1.0}], window=2.0)
    with pytest.raises(cs.ArgumentError, match="support: its nodes differ"):
        cs.DoubleMixture(support).fit(other, rng=np.random.default_rng(0))
    with pytest.raises(cs.ArgumentError, match="rank and passes"):
        cs.DoubleMixture(support, rank=0)
