"""NetRate against an independent reading of the likelihood; what a change of unit or labels may change."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cascades as cs
from cascades.exposures import exposure_of, timeline

LAWS = [cs.Exponential(), cs.Rayleigh(), cs.PowerLaw(0.05), cs.Weibull(0.7)]
names = [type(law).__name__ for law in LAWS]


def terms(data: cs.Cascades, law: cs.Law, i: int, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Exposures D and rows of weights X for receiver i, straight from the definitions."""
    exposure, rows = np.zeros(data.n_nodes), []
    for c, (_, times) in enumerate(data):
        first = min(times.values())
        own = times.get(data.nodes[i])
        if own == first:
            continue
        row = np.zeros(data.n_nodes)
        for j, node in enumerate(data.nodes):
            if node not in times or j == i:
                continue
            t = times[node]
            if own is None:
                exposure[j] += law.cumulative(data.horizons[c] - t + width / 2)
            elif t < own or (width and t == own):
                early = law.cumulative(max(own - t - width / 2, 0.0))
                exposure[j] += early
                row[j] = law.cumulative(own - t + width / 2) - early if width else law.hazard(own - t)
        if own is not None:
            rows.append(row)
    return exposure, np.array(rows).reshape(-1, data.n_nodes)


def oracle(data: cs.Cascades, law: cs.Law, width: float, background: bool) -> float:
    """The largest log-likelihood, by Clarabel through cvxpy."""
    total = 0.0
    for i in range(data.n_nodes):
        exposure, rows = terms(data, law, i, width)
        usable = (rows.max(axis=0, initial=0.0) > 0) & (exposure > 0)
        if background:
            watched = [
                0.0 if times.get(data.nodes[i]) == data.first_times[c]
                else max(times.get(data.nodes[i], np.inf) - data.first_times[c] - width / 2, 0.0)
                if data.nodes[i] in times
                else data.horizons[c] - data.first_times[c] + width / 2
                for c, (_, times) in enumerate(data)
            ]  # fmt: skip
            exposure, rows = np.append(exposure, sum(watched)), np.c_[rows, np.full(len(rows), width or 1.0)]
            usable = np.append(usable, len(rows) > 0)
        rows = rows[:, usable]
        rows = rows[rows.max(axis=1, initial=0.0) > 0]
        if not len(rows):
            continue
        rates = cp.Variable(rows.shape[1], nonneg=True)
        u = rows @ rates
        gain = cp.log(1 - cp.exp(-u)) if width else cp.log(u)
        problem = cp.Problem(cp.Maximize(cp.sum(gain) - exposure[usable] @ rates))
        problem.solve(solver=cp.CLARABEL)
        total += float(problem.value)
    return total


def small(seed: int, law: cs.Law) -> cs.Cascades:
    rng = np.random.default_rng(seed)
    rates = rng.uniform(0.1, 1.0, (5, 5)) * (rng.random((5, 5)) < 0.5)
    np.fill_diagonal(rates, 0.0)
    net = cs.Network.from_matrix(rates)
    return cs.simulate(net, n_cascades=25, horizon=3.0, rng=rng, transmission=law)


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS, ids=names)
@pytest.mark.parametrize("background", [False, True])
def test_the_objective_is_that_of_clarabel_on_ten_problems(law: cs.Law, background: bool) -> None:
    for seed in range(10):
        data = small(seed, law)
        fit = cs.NetRate(law, background=background, ties="strict").fit(data)
        assert fit.kkt_residual <= 1e-6
        assert fit.log_likelihood == pytest.approx(oracle(data, law, 0.0, background), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("law", [cs.Exponential(), cs.Rayleigh(), cs.Weibull(0.7)], ids=["exp", "ray", "wei"])
def test_the_grouped_objective_is_that_of_clarabel(law: cs.Law) -> None:
    for seed in range(5):
        data = small(seed, law).round(0.5)
        for background in (False, True):
            fit = cs.NetRate(law, background=background, ties="grouped", resolution=0.5).fit(data)
            assert fit.width == 0.5
            assert fit.kkt_residual <= 1e-6
            assert fit.log_likelihood == pytest.approx(oracle(data, law, 0.5, background), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("law", LAWS, ids=names)
@pytest.mark.parametrize("width", [0.0, 0.5])
@pytest.mark.parametrize("background", [False, True])
def test_the_likelihood_of_the_table_fitted_is_the_one_reported(
    law: cs.Law, width: float, background: bool
) -> None:
    data = small(3, law).round(width) if width else small(3, law)
    model = cs.NetRate(
        law, background=background, ties="grouped" if width else "strict", resolution=width or None
    )
    fit = model.fit(data)
    again = fit.log_likelihood_on(data)
    possible = np.isfinite(again)
    if not fit.n_unexplained.any():
        assert possible.all()
        assert again.sum() == pytest.approx(fit.log_likelihood, rel=1e-9)


def test_exposure_in_the_fit_equals_activations_explained(medium: tuple[cs.Network, cs.Cascades]) -> None:
    """At the maximum a . D equals the number of events (Euler's identity for -log of a linear form)."""
    _, data = medium
    fit = cs.NetRate().fit(data)
    for i in range(0, data.n_nodes, 7):
        exposure, rows = terms(data, fit.law, i, 0.0)
        rates = fit.network.matrix.toarray()[:, i]
        assert exposure @ rates == pytest.approx(len(rows), rel=1e-6)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1e-6, 0.01, 3.0, 31556952.0]), st.sampled_from(range(4)))
def test_a_change_of_unit_changes_rates_by_the_law_and_edges_not_at_all(
    seed: int, factor: float, k: int
) -> None:
    data = small(seed, LAWS[k])
    law = LAWS[k]
    fit = cs.NetRate(law, penalty=0.3, debias=False).fit(data)
    other = cs.NetRate(law.rescaled(factor), penalty=0.3, debias=False).fit(data.rescale(factor))
    expected = fit.network.matrix.toarray() * law.rate_factor(factor)
    np.testing.assert_allclose(
        other.network.matrix.toarray(), expected, rtol=1e-4, atol=1e-9 * expected.max()
    )


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_order_of_cascades_and_nodes_and_the_zero_of_time_change_nothing(seed: int, grouped: bool) -> None:
    data = small(seed, cs.Exponential())
    data = data.round(0.5) if grouped else data
    rng = np.random.default_rng(seed)
    nodes = [f"n{k}" for k in rng.permutation(data.n_nodes)]
    label = dict(zip(data.nodes, sorted(nodes), strict=True))
    records = {f"c{name}": {label[k]: t + 100.0 for k, t in times.items()} for name, times in data}
    keys = [list(records)[k] for k in rng.permutation(len(records))]
    ends = {f"c{name}": 100.0 + end for name, end in zip(data.names, data.horizons, strict=True)}
    moved = cs.Cascades.from_records({k: records[k] for k in keys}, horizon=ends, nodes=nodes, never=None)
    model = cs.NetRate(ties="grouped" if grouped else "strict", resolution=0.5 if grouped else None)
    first = {(label[j], label[i]): w for j, i, w in model.fit(data).network.edges()}
    second = {(j, i): w for j, i, w in model.fit(moved).network.edges()}
    for pair in first.keys() | second.keys():
        assert first.get(pair, 0.0) == pytest.approx(second.get(pair, 0.0), rel=1e-4, abs=1e-6)


def test_rates_of_a_long_simulation_are_those_simulated(medium: tuple[cs.Network, cs.Cascades]) -> None:
    truth, data = medium
    fit = cs.NetRate().fit(data)
    assert cs.metrics.f1_at(fit.network, truth) > 0.95
    assert cs.metrics.mean_relative_error(fit.network, truth) < 0.15


def test_threads_give_the_same_fit(medium: tuple[cs.Network, cs.Cascades]) -> None:
    _, data = medium
    alone = cs.NetRate().fit(data)
    with ThreadPoolExecutor(2) as pool:
        together = cs.NetRate().fit(data, executor=pool)
    assert alone.to_dict() == together.to_dict()


def test_a_penalty_removes_edges_and_debiasing_raises_the_likelihood(
    medium: tuple[cs.Network, cs.Cascades],
) -> None:
    data = medium[1].select(range(150))
    plain = cs.NetRate().fit(data)
    biased = cs.NetRate(penalty=3.0, debias=False).fit(data)
    refit = cs.NetRate(penalty=3.0).fit(data)
    assert refit.network.n_edges <= biased.network.n_edges < plain.network.n_edges
    assert biased.log_likelihood < refit.log_likelihood < plain.log_likelihood


def test_a_fit_survives_saving(tmp_path, medium: tuple[cs.Network, cs.Cascades]) -> None:
    fit = cs.NetRate(background=True).fit(medium[1])
    fit.save(tmp_path / "fit.json")
    assert cs.load_fit(tmp_path / "fit.json").to_dict() == fit.to_dict()
    assert fit.to_networkx().number_of_edges() == fit.network.n_edges
    with pytest.raises(cs.InputError, match="cannot read"):
        cs.load_fit(tmp_path / "none.json")


def test_an_activation_that_nothing_can_explain_is_counted_and_left_out() -> None:
    data = cs.Cascades.from_records([{"a": 0.0, "b": 0.5}, {"a": 0.0, "b": 3.0}], window=5.0)
    fit = cs.NetRate(cs.PowerLaw(delta=1.0)).fit(data)
    assert fit.n_unexplained.tolist() == [0, 1]
    assert "1 activations have no possible sender" in fit.summary()
    assert "so it is not comparable with that of a fit that explains more or fewer" in fit.summary()
    assert fit.edge("a", "b").rate == pytest.approx(1 / np.log(3.0))


@pytest.mark.parametrize("factor", [1.0, 1 / 3, 0.1, 7.3, 86400.0, 1 / 365.25])
def test_a_lag_of_exactly_delta_passes_nothing_on_in_any_unit(factor: float) -> None:
    rng = np.random.default_rng(2)
    records = [{int(i): float(t) for i, t in enumerate(rng.integers(0, 9, 5))} for _ in range(40)]
    times = [{i: factor * t for i, t in r.items()} for r in records]
    data = cs.Cascades.from_records(times, nodes=range(5), horizon=factor * 11.0, never=None)
    line = timeline(data, cs.PowerLaw(delta=factor))
    for i in range(5):
        lags = [[r[i] - r[j] for j in range(5)] for r in records if r[i] > min(r.values())]
        possible = [max(row) > 1.0 for row in lags]
        assert exposure_of(line, i).n_events == sum(possible)
        assert exposure_of(line, i).n_unexplained == len(possible) - sum(possible)


def test_epoch_seconds_give_the_network_of_the_same_times_in_years(
    medium: tuple[cs.Network, cs.Cascades],
) -> None:
    _, data = medium
    years = cs.NetRate().fit(data)
    seconds = cs.NetRate().fit(data.rescale(31556952.0))
    assert seconds.kkt_residual <= 1e-6
    assert seconds.network.n_edges == pytest.approx(years.network.n_edges, abs=1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cs.NetRate("poisson"), "transmission: got 'poisson', wanted 'exponential'"),
        (lambda: cs.NetRate("power-law"), r"needs a parameter; give cascades.PowerLaw\(delta=...\)"),
        (lambda: cs.NetRate(penalty=-1.0), "penalty: got -1.0"),
        (lambda: cs.PowerLaw(0.0), "delta: got 0.0, wanted a finite number above 0"),
        (lambda: cs.Weibull(float("nan")), "shape: got nan"),
        (
            lambda: cs.NetRate().fit(cs.Cascades.from_records([{"a": 1.0, "b": 1.0}], window=1.0)),
            "no cascade has one activation after another",
        ),
        (
            lambda: cs.NetRate(resolution=1.0, ties="grouped").fit(
                cs.Cascades.from_records([{"a": 0.0, "b": 1.5}], window=2.0)
            ),
            "cascade 0, node 'b': 1.5 is not a whole number of steps of 1",
        ),
        (
            lambda: cs.NetRate(resolution=-1.0).fit(
                cs.Cascades.from_records([{"a": 0.0, "b": 1.5}], window=2.0)
            ),
            "resolution: got -1.0, wanted a finite number above 0",
        ),
        (
            lambda: cs.NetRate().fit(
                cs.Cascades.from_records([{"a": 0.0, "b": 0.5, "c": 0.5, "d": 0.7123}], window=2.0)
            ),
            "resolution: 50 % of activations are tied but the times lie on no common grid",
        ),
    ],
)
def test_a_bad_argument_is_named_with_the_remedy(call, message: str) -> None:
    with pytest.raises(cs.CascadesError, match=message):
        call()


def test_a_resolution_that_exact_times_do_not_use_is_said() -> None:
    data = cs.Cascades.from_records([{"a": 0.0, "b": 1.5}, {"b": 0.0, "a": 0.25}], window=2.0)
    for ties in ("auto", "strict"):
        fit = cs.NetRate(resolution=0.25, ties=ties).fit(data)  # type: ignore[arg-type]
        assert fit.width == 0.0
        assert any("resolution 0.25 was not used" in note for note in fit.notes)
    assert not any("resolution" in note for note in cs.NetRate().fit(data).notes)
