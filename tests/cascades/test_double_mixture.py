"""The double mixture: derivatives against differences, EM's promise, recovery, invariance."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import cascades as cs
from cascades.exposures import timeline
from cascades.likelihood import account, log_likelihood_by_cascade
from cascades.mixture.layered import Layers, layered_expectation
from cascades.mixture.passes import expectation
from cascades.mixture.state import Edges, Parameters
from cascades.mixture.steps import update

LAWS = [cs.Exponential(), cs.Rayleigh()]
CLOCKS = [(law, 0.0) for law in LAWS]
CLOCKS += [
    (cs.PowerLaw(0.1), 0.0),
    (cs.Weibull(0.7), 0.0),
    (cs.Exponential(), 0.25),
    (cs.PowerLaw(0.1), 0.25),
]
NAMES = [f"{type(law).__name__}{' grouped' if width else ''}" for law, width in CLOCKS]


def setting(seed: int, law: cs.Law, tied: bool = False) -> tuple[cs.Cascades, Edges, Parameters, cs.Network]:
    rng = np.random.default_rng(seed)
    support = cs.designs.random_network(8, 2.0, rng=rng)
    psi = cs.designs.random_network(8, 3.0, rng=rng)
    data = cs.simulate(support, psi, 0.5, n_cascades=20, horizon=2.0, rng=rng, transmission=law)
    data = data.round(0.25) if tied else data
    u, v = rng.uniform(0.1, 1.0, (2, 8, 3))
    p = Parameters(rng.uniform(0.2, 1.0, support.n_edges), u, v, rng.uniform(0.2, 0.8, 8))
    return data, Edges.of(support), p, support


@pytest.mark.parametrize(("law", "width"), CLOCKS, ids=NAMES)
@pytest.mark.parametrize("tied", [False, True])
def test_the_sums_are_the_derivatives_of_the_likelihood(law: cs.Law, width: float, tied: bool) -> None:
    """d log L / d rate = expected transmissions / rate - exposure, for theta, u, v; central differences."""
    data, edges, p, _ = setting(4, law, tied or width > 0.0)
    line = timeline(data, law, width=width)

    def value(p: Parameters) -> float:
        return float(expectation(line, edges, p, np.arange(len(data))).log_likelihood[0])

    sums = expectation(line, edges, p, np.arange(len(data)))
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
            up, down = (value(p.changed(**{name: m})) for m in moved)
            assert (up - down) / (2 * step) == pytest.approx(score[k], rel=1e-4, abs=1e-4)


@pytest.mark.parametrize(("law", "width"), CLOCKS, ids=NAMES)
def test_three_passes_agree_running_sums_pairs_and_edges(law: cs.Law, width: float) -> None:
    """The same mixture by three algorithms: likelihood, posteriors and every statistic to 1e-9."""
    data, edges, p, support = setting(9, law, width > 0.0)
    line, every = timeline(data, law, width=width), np.arange(len(data))
    posterior = np.full(len(line.times), np.nan)
    sums = expectation(line, edges, p, every, posteriors=posterior)
    latent = p.u @ p.v.T
    np.fill_diagonal(latent, 0.0)
    theta = sp.csr_array((p.theta, (support.senders, support.receivers)), shape=latent.shape)
    layers = Layers.of([theta, sp.csr_array(latent)], np.stack([p.pi, 1.0 - p.pi], axis=1), whole=False)
    other = layered_expectation(line, layers, every)
    assert other.log_likelihood == pytest.approx(float(sums.log_likelihood[0]), rel=1e-9)
    assert other.unexplained[0] == sums.unexplained[0]
    np.testing.assert_allclose(other.posterior[:, 0], posterior, rtol=1e-9)
    np.testing.assert_allclose(other.shares[:, 0], sums.pi, rtol=1e-9)
    shape = latent.shape
    score = sp.csr_array((other.score[:, 1], (layers.senders, layers.receivers)), shape=shape).toarray()
    exposure = sp.csr_array((other.exposure[:, 1], (layers.senders, layers.receivers)), shape=shape).toarray()
    np.testing.assert_allclose(score @ p.v, sums.u, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(score.T @ p.u, sums.v, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(exposure.T @ p.u, sums.v_exposure, rtol=1e-9, atol=1e-9)
    on_support = sp.csr_array((other.score[:, 0], (layers.senders, layers.receivers)), shape=shape).toarray()
    np.testing.assert_allclose(
        on_support[support.senders, support.receivers] * p.theta, sums.theta, rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize(("law", "width"), [CLOCKS[0], CLOCKS[4]], ids=["exact", "grouped"])
@pytest.mark.parametrize("whole", [False, True], ids=["by node", "whole cascades"])
def test_edge_by_edge_sums_are_the_derivatives_too(law: cs.Law, width: float, whole: bool) -> None:
    """With a base rate: derivatives in rates and base, for both kinds of mixture; central differences."""
    data, _, p, support = setting(6, law, width > 0.0)
    line, every = timeline(data, law, width=width), np.arange(len(data))
    latent = p.u @ p.v.T
    np.fill_diagonal(latent, 0.0)
    rng = np.random.default_rng(0)
    base = rng.uniform(0.1, 0.3, (8, 2))
    shares = np.tile([0.3, 0.7], (8, 1))
    layers = Layers.of([support.matrix.tocsr(), sp.csr_array(latent)], shares, base=base, whole=whole)
    sums = layered_expectation(line, layers, every)
    for name, score in (
        ("rates", sums.score - sums.exposure),
        ("base", sums.base_score - sums.base_exposure),
    ):
        array = getattr(layers, name)
        for k in list(np.ndindex(array.shape))[::3]:
            moved = [array.copy(), array.copy()]
            moved[0][k] += 1e-6
            moved[1][k] -= 1e-6
            up, down = (
                layered_expectation(line, layers.changed(**{name: m}), every).log_likelihood for m in moved
            )
            assert (up - down) / 2e-6 == pytest.approx(score[k], rel=1e-4, abs=1e-4)


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
        sums = expectation(inner, edges, same, np.arange(len(possible)))
        n_events = int(
            possible.n_events - np.sum(possible.times == possible.first_times[possible.cascade_of])
        )
        expected = alone[np.isfinite(alone)].sum() + n_events * np.log(inner.scale)
        assert sums.log_likelihood[0] == pytest.approx(expected, rel=1e-9)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(CLOCKS))
def test_em_steps_never_lower_the_likelihood(seed: int, clock: tuple[cs.Law, float]) -> None:
    law, width = clock
    data, edges, p, _ = setting(seed, law, width > 0.0)
    line, last = timeline(data, law, width=width), -np.inf
    for step in range(12):
        sums = expectation(line, edges, p, np.arange(len(data)))
        now = float(sums.log_likelihood[0])
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
    other = cs.Cascades.from_records([{"x": 0.0, "y": 1.0}], window=2.0)
    with pytest.raises(cs.ArgumentError, match="support: its nodes differ"):
        cs.DoubleMixture(support).fit(other, rng=np.random.default_rng(0))
    with pytest.raises(cs.ArgumentError, match="rank: got 0, wanted at least 1"):
        cs.DoubleMixture(support, rank=0)
