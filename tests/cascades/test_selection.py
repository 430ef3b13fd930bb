"""Uncertainty and selection: coverage, error rates, residuals, held-out scores."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, kstest

import cascades as cs
from cascades.exposures import exposure_of, timeline
from cascades.optimisation.descent import predictor
from cascades.selection.false_discovery import adjusted_p_values

FALSE_ALARM = 1e-6


def expected_transmissions(truth: cs.Network, data: cs.Cascades, law: cs.Law) -> dict[tuple[int, int], float]:
    """Expected number of activations that each true edge caused, given the times."""
    line, rates = timeline(data, law), truth.matrix.toarray()
    expected = {}
    for i in range(truth.n_nodes):
        x = exposure_of(line, i)
        own = rates[x.senders, i] / law.rate_factor(line.scale)
        u = predictor(x.pointers, x.events, x.weights, own, x.n_events)
        for k in np.flatnonzero(own):
            part = slice(x.pointers[k], x.pointers[k + 1])
            expected[int(x.senders[k]), i] = float(np.sum(x.weights[part] * own[k] / u[x.events[part]]))
    return expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "degree", "horizon"),
    [(cs.Exponential(), 4.0, 2.0), (cs.Rayleigh(), 2.0, 2.5), (cs.PowerLaw(0.2), 2.0, 3.0)],
    ids=["exponential", "rayleigh", "power law"],
)
def test_intervals_cover_true_rates_93_to_97_times_in_100(law: cs.Law, degree: float, horizon: float) -> None:
    """True edges with at least 30 expected transmissions; seeds fixed, about 1000 edges a design."""
    covered, total = 0, 0
    for seed in range(40):
        if total >= 1000:
            break
        rng = np.random.default_rng(1000 + seed)
        truth = cs.designs.random_network(30, degree, rng=rng)
        data = cs.simulate(truth, n_cascades=1500, horizon=horizon, rng=rng, transmission=law)
        estimates = {(e.sender, e.receiver): e for e in cs.NetRate(law).fit(data).edges()}
        matrix = truth.matrix.toarray()
        for (j, i), expected in expected_transmissions(truth, data, law).items():
            if expected >= 30:
                total += 1
                found = estimates.get((j, i))
                covered += found is not None and found.lower <= matrix[j, i] <= found.upper
    assert 0.93 <= covered / total <= 0.97


def with_spontaneous(seed: int) -> tuple[cs.Network, cs.Cascades]:
    rng = np.random.default_rng(seed)
    truth = cs.designs.random_network(25, 2.0, rng=rng)
    return truth, cs.simulate(truth, n_cascades=800, horizon=3.0, rng=rng, background=0.01)


@pytest.mark.slow
def test_false_discoveries_stay_near_the_stated_rate_with_spontaneous_activations() -> None:
    """Eight networks with spontaneous activations; at a true rate of 10 % the bound fails once in 10^6."""
    false, kept, missed, true = 0, 0, 0, 0
    for seed in range(8):
        truth, data = with_spontaneous(seed)
        chosen = cs.edge_tests(cs.NetRate(background=True), data).select(fdr=0.05)
        hits = round(cs.metrics.precision(chosen, truth) * chosen.n_edges)
        false, kept = false + chosen.n_edges - hits, kept + chosen.n_edges
        missed, true = missed + truth.n_edges - hits, true + truth.n_edges
    assert false <= binom.isf(FALSE_ALARM, kept, 0.10)
    assert missed / true < 0.1


def test_selected_sets_are_nested_and_a_background_saves_precision() -> None:
    truth, data = with_spontaneous(3)
    tests = cs.edge_tests(cs.NetRate(background=True), data)
    sets = [set(tests.select(fdr=q).edges()) for q in (0.001, 0.01, 0.05, 0.2, 1.0)]
    assert all(a <= b for a, b in pairwise(sets))
    assert cs.metrics.f1(tests.select(), truth) > cs.metrics.f1(cs.NetRate().fit(data).network, truth)
    assert "edges kept at a false-discovery rate of 5 %" in tests.summary()


def test_removal_statistics_sum_to_the_likelihood_lost_by_removing_every_sender() -> None:
    """Nested models telescope: the last one has the background alone, whose likelihood is closed form."""
    _, data = with_spontaneous(1)
    fit = cs.NetRate(background=True).fit(data)
    tests = cs.edge_tests(cs.NetRate(background=True), data)
    empty = cs.Network.from_edges([], nodes=data.nodes)
    bare = replace(
        fit, network=empty, standard_errors=np.zeros(0), background=_rates_of_a_constant_hazard(data)
    )
    lost = fit.log_likelihood - bare.log_likelihood_on(data).sum()
    assert tests.statistics.sum() == pytest.approx(2 * lost, rel=1e-6)


def _rates_of_a_constant_hazard(data: cs.Cascades) -> np.ndarray:
    """Activations after the source over the time at risk, per node."""
    events, risk = np.zeros(data.n_nodes), np.zeros(data.n_nodes)
    for c, (_, times) in enumerate(data):
        begin = min(times.values())
        for i, node in enumerate(data.nodes):
            if times.get(node) != begin:
                risk[i] += times.get(node, data.horizons[c]) - begin
                events[i] += node in times
    return events / risk


def test_p_values_of_absent_edges_are_small_as_rarely_as_they_say() -> None:
    """Eight networks, 4 500 absent pairs: at most 8 % below 0.05 and 2 % below 0.01 (5 and 1 are nominal)."""
    values, absent = [], 0
    for seed in range(8):
        truth, data = with_spontaneous(seed)
        tests = cs.edge_tests(cs.NetRate(background=True), data)
        net = tests.fit.network
        values.append(tests.p_values[truth.matrix.toarray()[net.senders, net.receivers] == 0])
        absent += tests.n_candidates - truth.n_edges
    p = np.concatenate(values)
    assert np.sum(p < 0.05) / absent < 0.08
    assert np.sum(p < 0.01) / absent < 0.02


def test_edge_tests_on_threads_are_the_same() -> None:
    _, data = with_spontaneous(2)
    alone = cs.edge_tests(cs.NetRate(background=True), data)
    with ThreadPoolExecutor(2) as pool:
        together = cs.edge_tests(cs.NetRate(background=True), data, executor=pool)
    np.testing.assert_array_equal(alone.statistics, together.statistics)


def test_the_parametric_bootstrap_separates_a_true_edge_from_none() -> None:
    net = cs.Network.from_edges({("a", "b"): 0.3, ("b", "c"): 0.3, ("a", "c"): 0.3}, nodes="abcd")
    rng = np.random.default_rng(4)
    data = cs.simulate(net, n_cascades=200, horizon=3.0, rng=rng, background=0.05)
    model = cs.NetRate(background=True)
    assert cs.bootstrap_p_value(model, data, "a", "c", n_replicates=39, rng=rng) == pytest.approx(1 / 40)
    assert cs.bootstrap_p_value(model, data, "d", "a", n_replicates=39, rng=rng) > 0.05
    grouped = cs.NetRate(background=True, ties="grouped", resolution=0.25)
    assert cs.bootstrap_p_value(grouped, data.round(0.25), "a", "c", n_replicates=39, rng=rng) < 0.06


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.integers(0, 30))
@settings(max_examples=100, deadline=None)
def test_adjusted_p_values_select_what_benjamini_and_hochberg_select(values: list[float], more: int) -> None:
    p, n = np.array(values), len(values) + more
    ordered = np.sort(p)
    for q in (0.01, 0.05, 0.3):
        passing = np.flatnonzero(ordered <= q * np.arange(1, len(p) + 1) / n)
        threshold = ordered[passing[-1]] if len(passing) else -1.0
        margin = np.abs(adjusted_p_values(p, n) - q) > 1e-12
        np.testing.assert_array_equal((adjusted_p_values(p, n) <= q)[margin], (p <= threshold)[margin])


def test_residuals_of_the_true_network_are_unit_exponentials() -> None:
    """Every node is activated for sure here, so no censoring: Kolmogorov-Smirnov, false-alarm rate 1e-6."""
    net = cs.Network.from_matrix(np.ones((4, 4)) - np.eye(4))
    data = cs.simulate(net, n_cascades=3000, horizon=1e9, rng=np.random.default_rng(0))
    fit = cs.NetRate().fit(data)
    found = cs.residuals(fit, data)
    assert found.activated.all()
    assert kstest(found.values, "expon").pvalue > FALSE_ALARM
    np.testing.assert_allclose(found.observed, found.expected, rtol=1e-6)


def test_residuals_tell_a_wrong_law_from_the_right_one(medium: tuple[cs.Network, cs.Cascades]) -> None:
    _, data = medium
    right, wrong = (cs.residuals(cs.NetRate(law).fit(data), data) for law in ("exponential", "rayleigh"))
    assert right.deviation < 0.02 < 0.05 < wrong.deviation


def test_grouped_residuals_are_near_the_diagonal(medium: tuple[cs.Network, cs.Cascades]) -> None:
    data = medium[1].round(0.25)
    found = cs.residuals(cs.NetRate().fit(data), data, rng=np.random.default_rng(0))
    assert found.deviation < 0.03


def test_held_out_likelihood_prefers_the_law_that_made_the_data(
    medium: tuple[cs.Network, cs.Cascades],
) -> None:
    _, data = medium
    models = {law: cs.NetRate(law, background=True) for law in ("exponential", "rayleigh")}
    scores = cs.held_out(models, data, rng=np.random.default_rng(0))
    assert scores.best == "exponential"
    assert "exponential: " in scores.summary()


def test_held_out_says_when_a_model_declares_cascades_impossible() -> None:
    _, data = with_spontaneous(5)
    scores = cs.held_out({"plain": cs.NetRate()}, data, rng=np.random.default_rng(0))
    assert scores.n_impossible[0] > 0
    assert "impossible under it; background=True" in scores.summary()


def test_bootstrap_intervals_agree_with_standard_errors(medium: tuple[cs.Network, cs.Cascades]) -> None:
    truth, data = medium
    fit = cs.NetRate().fit(data)
    strongest = fit.edges()[0]
    with ThreadPoolExecutor(2) as pool:
        sample = cs.bootstrap(
            cs.NetRate(), data, n_replicates=60, rng=np.random.default_rng(0), executor=pool
        )
    low, high = sample.interval(strongest.sender, strongest.receiver)
    assert (high - low) / (strongest.upper - strongest.lower) == pytest.approx(1.0, abs=0.4)
    assert cs.metrics.f1_at(sample.frequencies, truth) > 0.95


def test_ties_the_grouped_likelihood_beats_strict_order_and_jitter() -> None:
    """Grid 1.0, half a typical lag: F1 of the m strongest edges and of the returned set."""
    rng = np.random.default_rng(0)
    cs.designs.random_network(64, 3.0, rng=rng)
    truth = cs.designs.random_network(64, 2.0, rng=rng)
    data = cs.simulate(truth, n_cascades=2000, horizon=5.0, rng=rng).round(1.0)
    grouped = cs.NetRate().fit(data)
    strict = cs.NetRate(ties="strict").fit(data)
    jittered = cs.NetRate(ties="strict").fit(data.jitter(1.0, rng=rng))
    assert grouped.width == 1.0
    assert cs.metrics.f1_at(grouped.network, truth) >= 0.90
    assert cs.metrics.f1(cs.edge_tests(cs.NetRate(), data).select(), truth) >= 0.85
    for other in (strict, jittered):
        assert cs.metrics.f1_at(other.network, truth) < cs.metrics.f1_at(grouped.network, truth)
        assert cs.metrics.f1(other.network, truth) < cs.metrics.f1(grouped.network, truth)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: cs.edge_tests(cs.NetRate(penalty=1.0), d), "likelihood ratios need penalty=0"),
        (lambda d: cs.bootstrap_p_value(cs.NetRate(), d, "zed", 0, rng=None), "'zed' or 0 is not a node"),
        (lambda d: cs.held_out({}, d, rng=np.random.default_rng(0)), "models: none given"),
        (lambda d: cs.held_out({"a": cs.NetRate()}, d, n_folds=1, rng=None), "n_folds: got 1"),
        (lambda d: cs.bootstrap(cs.NetRate(), d, n_replicates=1, rng=None), "n_replicates: got 1"),
        (lambda d: cs.NetRate().fit(d).edges(level=95), "level: got 95"),
        (lambda d: cs.NetRate().fit(d).edge(0, 0), "0 -> 0 is not an edge of this fit"),
        (
            lambda d: (
                cs.NetRate().fit(d).log_likelihood_on(cs.Cascades.from_records([{"a": 0.0}], window=1.0))
            ),
            "its nodes differ from the network's",
        ),
    ],
)
def test_a_bad_argument_of_selection_is_named(
    call, message: str, medium: tuple[cs.Network, cs.Cascades]
) -> None:
    with pytest.raises(cs.ArgumentError, match=message):
        call(medium[1].select(range(100)))
