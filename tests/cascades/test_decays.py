"""The power law as a sum of exponentials: its error, its pass against sums written out, and what fits say."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import cascades as cs
from cascades.exposures import Timeline, timeline
from cascades.mixture import search
from cascades.mixture.decays import Decays, decays_for, power_law_decays
from cascades.mixture.passes import expectation
from cascades.mixture.state import Edges, Parameters, Sums
from cascades.mixture.steps import update
from tests.cascades.test_double_mixture import setting
from tests.cascades.truths import truth_of

DELTA = 0.25
LAW = cs.PowerLaw(DELTA)
Curve = Callable[[np.ndarray], np.ndarray]


def exponentials(line: Timeline) -> Decays:
    return power_law_decays(line.law.parameter, float(line.horizons.max()))


def curves(d: Decays) -> tuple[Curve, Curve, Curve]:
    """Return hazard, exposure and squared hazard of the sum of exponentials as functions of lags."""
    rates = d.rate * 2.0 ** np.arange(len(d.hazard))

    def left(lags: np.ndarray) -> np.ndarray:
        return np.exp(-np.outer(np.maximum(lags - d.delta, 0.0), rates))

    return (
        lambda lags: np.where(lags > d.delta, left(lags) @ d.hazard, 0.0),
        lambda lags: (1.0 - left(lags)) @ d.exposure,
        lambda lags: np.where(lags > d.delta, left(lags) @ d.square, 0.0),
    )


def written_out(line: Timeline, support: cs.Network, p: Parameters, d: Decays) -> Sums:
    """The sums of a pass, node by node and pair by pair: theta's power law exact, psi's by exponentials."""
    hazard, exposure, square = curves(d)
    sums, psi = Sums.zeros(line.n_nodes, p.u.shape[1], len(p.theta)), p.u @ p.v.T
    for c, horizon in enumerate(line.horizons):
        part = slice(line.starts[c], line.starts[c + 1])
        when = np.full(line.n_nodes, np.inf)
        when[line.members[part]] = line.times[part]
        for i in np.flatnonzero(when > 0.0):
            active = np.isfinite(when[i])
            lags = np.maximum((when[i] if active else horizon) - when, 0.0)
            into = np.flatnonzero(support.receivers == i)
            late = lags[support.senders[into]]
            x, e = np.where(late > d.delta, 1.0 / np.maximum(late, d.delta), 0.0), exposure(lags)
            reach = np.log(np.maximum(late, d.delta) / d.delta)
            h, b = hazard(lags), float(e @ psi[:, i])
            a, rate = float(p.theta[into] @ reach), float(h @ psi[:, i])
            known = float(p.theta[into] @ x)
            mine = p.pi[i] * np.exp(-a) * (known if active else 1.0)
            other = (1.0 - p.pi[i]) * np.exp(-b) * (rate if active else 1.0)
            if mine + other == 0.0:
                sums.unexplained[0] += 1
                continue
            sums.log_likelihood[0] += np.log(mine + other)
            if not active and a + b == 0.0:
                continue
            q = mine / (mine + other)
            sums.pi[i] += q
            sums.touched[i] += 1
            sums.theta_exposure[into] += q * reach
            sums.u_exposure[:] += (1.0 - q) * np.outer(e, p.v[i])
            sums.v_exposure[i] += (1.0 - q) * (e @ p.u)
            if active and known > 0.0:
                sums.theta[into] += q / known * x * p.theta[into]
            if active and rate > 0.0:
                share = (1.0 - q) / rate
                sums.u[:] += share * np.outer(h, p.v[i])
                sums.u_squares[:] += np.outer(square(lags), (share * p.v[i]) ** 2)
                sums.v[i] += share * (h @ p.u)
                sums.v_squares[i] += (share * (h @ p.u)) ** 2
    for name in ("u", "v"):
        for suffix in ("", "_exposure", "_squares"):
            getattr(sums, name + suffix)[getattr(p, name) == 0.0] = 0.0  # only entries are tallied
    return sums


def on_a_grid() -> tuple[cs.Cascades, Edges, Parameters, cs.Network]:
    """Ties, several sources, lags of exactly delta, horizons sooner than delta after an activation."""
    _, edges, p, support = setting(3, LAW)
    rng, records = np.random.default_rng(3), []
    for _ in range(60):
        nodes = rng.permutation(8)[: rng.integers(1, 9)]
        times = rng.integers(0, 17, len(nodes)) / 8.0
        times[0] = 0.0
        records.append(dict(zip((support.nodes[k] for k in nodes), times, strict=True)))
    data = cs.Cascades.from_records(records, window=2.0, nodes=support.nodes)
    u, v = p.u.copy(), p.v.copy()
    u[0], v[1], u[2, 1], v[3, :2] = 0.0, 0.0, 0.0, 0.0
    return data, edges, p.changed(u=u, v=v), support


def assert_same(one: Sums, other: Sums, *, rtol: float, atol: float) -> None:
    for name in Sums.__slots__:
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol, atol, err_msg=name)


@pytest.mark.parametrize("span", [1.1, 2.0, 10.0, 300.0, 1e6])
def test_the_stated_error_holds_at_lags_that_were_not_fitted(span: float) -> None:
    """Hazard and exposure within the error, the square within its own; weights >= 0; few terms."""
    rng, delta = np.random.default_rng(0), 0.3
    d = power_law_decays(delta, span * delta)
    lags = delta * span ** np.append(rng.uniform(1e-4, 1.0, 5000), 1.0)
    hazard, exposure, square = curves(d)
    assert d.error < 2e-5
    assert d.square_error < 2e-4
    assert len(d.hazard) <= np.log2(span) + 8
    assert min(d.hazard.min(), d.exposure.min(), d.square.min()) >= 0.0
    slack = 1.01
    np.testing.assert_allclose(hazard(lags) * lags, 1.0, rtol=0, atol=slack * d.error + 1e-12)
    np.testing.assert_allclose(
        exposure(lags) / np.log(lags / delta), 1.0, rtol=0, atol=slack * d.error + 1e-10
    )
    np.testing.assert_allclose(square(lags) * lags**2, 1.0, rtol=0, atol=slack * d.square_error + 1e-12)


def test_the_note_rounds_the_error_up() -> None:
    d = power_law_decays(1.0, 100.0)
    stated = float(d.words().split("within ")[1].split(" %")[0])
    assert d.error <= stated / 100 < 10 * d.error
    assert f"as {len(d.hazard)} exponentials" in d.words()


@pytest.mark.parametrize("tied", [False, True], ids=["free", "ties, lags of delta"])
def test_a_pass_by_fading_sums_is_the_one_written_out(tied: bool) -> None:
    """Every statistic to 1e-9."""
    data, edges, p, support = on_a_grid() if tied else setting(9, LAW)
    line = timeline(data, LAW)
    if tied:
        parts = np.split(line.times, line.starts[1:-1])
        exactly = (np.isclose(np.subtract.outer(t, t), DELTA / line.scale) for t in parts)
        assert sum(np.sum(found) for found in exactly) > 20
    d = exponentials(line)
    sums = expectation(line, edges, p, np.arange(len(data)), decays=d)
    assert_same(sums, written_out(line, support, p, d), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("tied", [False, True], ids=["free", "ties, lags of delta"])
def test_a_pass_by_fading_sums_is_the_exact_one_within_its_error(tied: bool) -> None:
    data, edges, p, _ = on_a_grid() if tied else setting(9, LAW)
    line, every = timeline(data, LAW), np.arange(len(data))
    d = exponentials(line)
    sums, exact = expectation(line, edges, p, every, decays=d), expectation(line, edges, p, every)
    np.testing.assert_array_equal(sums.touched, exact.touched)
    np.testing.assert_array_equal(sums.unexplained, exact.unexplained)
    assert_same(sums, exact, rtol=3e-4, atol=1e-9)
    n_activations = len(line.members) - len(data)
    bound = n_activations * d.error + d.error * float((exact.u_exposure * p.u).sum())
    assert abs(float(sums.log_likelihood[0] - exact.log_likelihood[0])) < 1.01 * bound


@pytest.mark.parametrize("seed", range(5))
def test_em_by_fading_sums_never_loses(seed: int) -> None:
    """The sum of exponentials is a hazard of its own: EM climbs its likelihood."""
    data, edges, p, _ = setting(seed, LAW)
    line, last = timeline(data, LAW), -np.inf
    d = exponentials(line)
    for step in range(12):
        sums = expectation(line, edges, p, np.arange(len(data)), decays=d)
        now = float(sums.log_likelihood[0])
        assert now >= last - 1e-9 * abs(now)
        last, p = now, update(p, sums, factor="uv"[step % 2], eta=1.0, free_pi=True)


def test_sums_are_used_for_exact_power_law_times_in_large_cascades_only(monkeypatch) -> None:
    monkeypatch.setattr("cascades.mixture.decays.PAYS", 0.1)
    data = setting(0, LAW)[0]
    assert decays_for(timeline(data, LAW)) is not None
    assert decays_for(timeline(data, LAW, width=0.1)) is None
    assert decays_for(timeline(data, cs.Exponential())) is None
    assert decays_for(timeline(data, cs.PowerLaw(100.0))) is None
    monkeypatch.setattr("cascades.mixture.decays.PAYS", 4.0)
    assert decays_for(timeline(data, LAW)) is None


def test_a_fit_by_fading_sums_is_the_exact_one(monkeypatch) -> None:
    """N = 100, from the truth: the same estimates to 1e-4; the log-likelihood is the exact law's."""
    rng, law = np.random.default_rng(0), cs.PowerLaw(1.0)
    design = cs.designs.b2("power-law", n_nodes=100, rng=rng)
    data = cs.simulate(
        design.theta, design.psi, design.pi, n_cascades=200, horizon=10.0, rng=rng, transmission=law
    )
    truth, model = truth_of(design, law, factors=True), cs.DoubleMixture(design.support, law, passes=30)
    fits = []
    for found in (exponentials, lambda _: None):
        monkeypatch.setattr(search, "decays_for", found)
        fits.append(model.fit(data, rng=rng, start=truth, quiet=True))
    by_sums, exact = fits
    assert any("exponentials during the search" in note for note in by_sums.notes)
    assert not any("exponentials" in note for note in exact.notes)
    for name in ("theta", "psi"):
        np.testing.assert_allclose(
            by_sums.network(name).matrix.toarray(), exact.network(name).matrix.toarray(), rtol=1e-4, atol=1e-6
        )
    np.testing.assert_allclose(by_sums.pi, exact.pi, rtol=1e-4)
    assert by_sums.log_likelihood == pytest.approx(exact.log_likelihood, rel=1e-7)
    own = by_sums.log_likelihood_on(data)
    assert by_sums.log_likelihood == pytest.approx(float(own[np.isfinite(own)].sum()), rel=1e-9)
