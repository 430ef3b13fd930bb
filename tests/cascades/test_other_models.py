"""NetInf, ConNIe and Superposition against brute force and cvxpy."""

from __future__ import annotations

from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cascades as cs
from cascades.exposures import exposure_of, lags_of, timeline
from cascades.models.connie import HALF_A_FAILURE
from cascades.models.netinf import greedy


def small(seed: int, n: int = 6, n_cascades: int = 40) -> cs.Cascades:
    rng = np.random.default_rng(seed)
    truth = cs.designs.random_network(n, 2.0, rng=rng)
    return cs.simulate(truth, n_cascades=n_cascades, horizon=3.0, rng=rng)


def test_a_superposition_survives_saving_and_counts_what_nobody_explains(tmp_path: Path) -> None:
    data = cs.Cascades.from_records(
        [{"a": 0.0, "b": 0.5}, {"b": 0.0, "a": 0.7}, {"a": 0.0, "b": 3.0}], window=5.0, unit="day"
    )
    fit = cs.Superposition(transmission=cs.PowerLaw(delta=1.0)).fit(data)
    assert fit.n_unexplained == 2
    assert "2 activations have no possible sender; the log-likelihood is without them" in fit.summary()
    fit.save(tmp_path / "fit.json")
    assert cs.load_fit(tmp_path / "fit.json").to_dict() == fit.to_dict()
    with pytest.raises(cs.InputError, match="the document is not a superposition: no 'rank'"):
        cs.SuperpositionFit.from_dict({k: v for k, v in fit.to_dict().items() if k != "rank"})


weights = st.lists(st.lists(st.floats(-2, 5), min_size=4, max_size=4), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(weights)
def test_the_lazy_order_is_the_greedy_order(rows: list[list[float]]) -> None:
    table = np.array(rows)
    n, m = table.shape
    pointers, events = np.arange(n + 1) * m, np.tile(np.arange(m), n)
    order, gains = greedy(pointers, events, table.ravel(), m, n)
    covered = np.zeros(m)
    for k, gain in zip(order, gains, strict=True):
        every = np.maximum(table - covered, 0.0).sum(axis=1)
        assert gain == pytest.approx(every.max())
        covered = np.maximum(covered, table[k])
    assert np.all(np.diff(gains) <= 1e-9)  # submodular
    assert np.maximum(table - covered, 0.0).sum() < 1e-9 or len(order) == n


def test_netinf_finds_the_edges_of_a_simulated_network(medium: tuple[cs.Network, cs.Cascades]) -> None:
    truth, data = medium
    fit = cs.NetInf(n_edges=truth.n_edges).fit(data)
    assert cs.metrics.f1(fit.network, truth) > 0.85
    assert fit.network.n_edges == truth.n_edges


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("penalty", [0.0, 2.0])
def test_connie_reaches_the_optimum_of_clarabel(seed: int, penalty: float) -> None:
    data, rate = small(seed), 0.7
    fit = cs.ConNIe(rate=rate, penalty=penalty).fit(data)
    assert fit.residual <= 1e-6
    line, matrix = timeline(data, cs.Exponential()), fit.network.matrix.toarray()
    for i in range(data.n_nodes):
        x = lags_of(line, i)
        if not x.n_events:
            continue
        inside = [{data.nodes.index(k) for k in times} for _, times in data]
        failures = np.array([sum(j in s and i not in s for s in inside) for j in x.senders]) + HALF_A_FAILURE
        density = np.zeros((x.n_events, len(x.senders)))
        columns = np.repeat(np.arange(len(x.senders)), np.diff(x.pointers))
        density[x.events, columns] = np.exp(-rate * line.scale * x.weights)
        a = cp.Variable(len(x.senders), nonneg=True)
        gain = cp.sum(cp.log(density @ a)) + failures @ cp.log(1 - a) - penalty * cp.sum(a)
        cp.Problem(cp.Maximize(gain)).solve(solver=cp.CLARABEL)
        ours = matrix[x.senders, i]
        value = np.log(density @ ours).sum() + failures @ np.log(1 - ours) - penalty * ours.sum()
        assert value == pytest.approx(float(gain.value), rel=1e-6, abs=1e-6)


def test_a_change_of_unit_leaves_netinf_and_connie_as_they_are() -> None:
    data = small(3)
    for model in (cs.NetInf(n_edges=8), cs.ConNIe()):
        first, second = model.fit(data).network, model.fit(data.rescale(3600.0)).network
        np.testing.assert_array_equal(first.senders, second.senders)
        np.testing.assert_allclose(first.weights, second.weights, rtol=1e-6)


def test_ranked_networks_survive_saving(tmp_path) -> None:
    for model in (cs.NetInf(n_edges=4), cs.ConNIe("rayleigh")):
        fit = model.fit(small(1))
        fit.save(tmp_path / "fit.json")
        assert cs.load_fit(tmp_path / "fit.json").to_dict() == fit.to_dict()
        assert "no standard errors" in fit.summary()


def superposition_oracle(data: cs.Cascades, support: cs.Network, penalty: float, nuclear: float) -> float:
    """The same convex problem in cvxpy, in internal units."""
    line, n = timeline(data, cs.Exponential()), data.n_nodes
    theta, psi = cp.Variable((n, n), nonneg=True), cp.Variable((n, n), nonneg=True)
    mask = support.matrix.toarray() > 0
    cost = penalty * cp.sum(theta) + nuclear * cp.normNuc(psi)
    constraints = [theta[~mask] == 0]
    for i in range(n):
        x = exposure_of(line, i, everyone=True)
        exposure = np.where(np.arange(n) == i, 0.0, x.exposures)
        never = np.flatnonzero((np.diff(x.pointers) == 0) & mask[:, i])
        constraints += [theta[j, i] == 0 for j in never]
        rates = theta[:, i] + psi[:, i]
        cost += exposure @ rates
        if x.n_events:
            table = np.zeros((x.n_events, n))
            table[x.events, np.repeat(np.arange(n), np.diff(x.pointers))] = x.weights
            cost -= cp.sum(cp.log(table @ rates))
    problem = cp.Problem(cp.Minimize(cost), constraints)
    problem.solve(solver=cp.CLARABEL)
    return float(problem.value)


@pytest.mark.slow
@pytest.mark.parametrize(("penalty", "nuclear"), [(0.5, 2.0), (2.0, 0.5), (0.0, 8.0)])
def test_superposition_reaches_the_optimum_of_clarabel(penalty: float, nuclear: float) -> None:
    for seed in range(2):
        rng = np.random.default_rng(seed)
        support = cs.designs.random_network(8, 2.0, rng=rng)
        data = small(seed, n=8, n_cascades=30)
        fit = cs.Superposition(support, penalty=penalty, nuclear=nuclear).fit(data)
        assert fit.objective == pytest.approx(superposition_oracle(data, support, penalty, nuclear), rel=2e-5)


def test_superposition_without_a_nuclear_part_is_netrate_on_the_support() -> None:
    data = small(5)
    every = cs.Network.from_matrix(np.ones((6, 6)) - np.eye(6))
    fit = cs.Superposition(every, nuclear=1e5).fit(data)
    rates = cs.NetRate().fit(data)
    assert fit.psi.n_edges == 0
    assert fit.log_likelihood == pytest.approx(rates.log_likelihood, rel=1e-5)
    assert "depends on the penalties" in fit.summary()
    assert fit.network.n_edges == fit.theta.n_edges


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda _: cs.NetInf(n_edges=0), cs.ArgumentError, "n_edges: got 0, wanted at least 1"),
        (lambda _: cs.NetInf(n_edges=3, outside=2.0), cs.ArgumentError, "outside: got 2.0"),
        (lambda d: cs.ConNIe(rate=-1.0).fit(d), cs.ArgumentError, "rate: got -1.0"),
        (lambda _: cs.ConNIe(penalty=-1.0), cs.ArgumentError, "penalty: got -1.0"),
        (lambda _: cs.Superposition(nuclear=-1.0), cs.ArgumentError, "nuclear: got -1.0"),
        (lambda d: cs.Superposition(max_bytes=10).fit(d), cs.SizeError, "the exposures need about"),
        (
            lambda d: cs.Superposition(cs.Network.from_edges([], nodes="ab")).fit(d),
            cs.ArgumentError,
            "support: its nodes differ",
        ),
    ],
)
def test_a_bad_argument_of_a_model_is_named(call, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(small(0))
