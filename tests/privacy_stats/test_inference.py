"""Moments, standard errors and limits of means: exact identities first, then what repeated surveys show."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import privacy_stats as ps
from privacy_stats.inference import (
    Moments,
    bernstein_reach,
    bernstein_scale,
    heterogeneity,
    moments,
    stratified_mean,
    weighted_mean,
)
from privacy_stats.mechanisms.on_grid import GridMechanism

RNG = ps.simulation_rng
SCALARS: list[GridMechanism] = [
    ps.OneBit(-1, 3),
    ps.Piecewise(-1, 3),
    ps.Hybrid(-1, 3),
    ps.Laplace(-1, 3),
    ps.Gaussian(-1, 3),
]


def survey(mechanism: GridMechanism, values: Any, levels: Any, seed: int = 0) -> tuple[ps.State, Any]:
    """Return the state of a simulated survey, and every user's unbiased estimate."""
    budgets = (ps.Budgets.pure if "pure" in mechanism.kinds else ps.Budgets.zcdp)(levels)
    round_ = ps.Round.of("test", mechanism, budgets)
    reports = ps.randomise(round_, values, budgets, rng=RNG(seed))
    level, arm = np.divmod(reports.stratum, mechanism.arms)
    unbias = np.array([[c.unbias for c in round_.channels(k)] for k in range(len(round_.levels))])
    offset, scale = unbias[level, arm].T
    return ps.aggregate(round_, reports, allow_simulated=True), offset + scale * reports.report


def groups_of(samples: list[Any]) -> Moments:
    """Moments of plain samples, without noise."""
    rows = [(len(x), np.mean(x), np.var(x, ddof=1), 0.0, 1.0, 1.0, 0.0) for x in samples]
    return Moments(tuple(str(k) for k in range(len(samples))), *np.array(rows).T)


@pytest.mark.parametrize("mechanism", SCALARS, ids=lambda m: m.name)
def test_moments_are_those_of_the_single_estimates(mechanism: GridMechanism) -> None:
    levels = np.repeat([0.5, 1.0, 4.0], [300, 200, 100])
    state, y = survey(mechanism, np.linspace(-1, 3, 600), levels)
    found = moments(state)
    assert found.label == ("0.5", "1", "4")
    for k, level in enumerate((0.5, 1.0, 4.0)):
        mine = y[levels == level]
        assert found.count[k] == mine.size
        assert found.mean[k] == pytest.approx(mine.mean(), rel=1e-9)
        assert found.variance[k] == pytest.approx(mine.var(ddof=1), rel=1e-9)
    assert (found.noise <= found.worst * (1 + 1e-12)).all()
    assert (found.worst <= found.bound).all()


def test_joined_groups_are_the_groups_of_joined_users() -> None:
    rng = np.random.default_rng(0)
    samples = [rng.normal(k, 1 + k, n) for k, n in enumerate((5, 40, 3, 3, 60, 2))]
    joined = groups_of(samples).coarsened(30)
    assert joined.label == ("0..1", "2..5")
    whole = groups_of([np.concatenate(samples[:2]), np.concatenate(samples[2:])])
    for name in ("count", "mean", "variance"):
        assert getattr(joined, name) == pytest.approx(getattr(whole, name), rel=1e-12)
    assert len(groups_of(samples[:1]).coarsened(30)) == 1
    assert groups_of(samples).coarsened(1).label == tuple("012345")


@pytest.mark.parametrize("text", ["0.3", "1", "4"])
@pytest.mark.parametrize("mechanism", SCALARS[:2], ids=lambda m: m.name)
def test_the_noise_profile_bounds_the_variance_at_every_position(mechanism: Any, text: str) -> None:
    small = type(mechanism)(-1, 3, 16)
    (channel,) = small.channels("pure", Fraction(text))
    middle, base, bend = channel.noise_profile
    for position in range(17):
        if mechanism.name == "one-bit":
            p = float(channel.probability(position))
            variance = p * (1 - p) * channel.unbias[1] ** 2
        else:
            mean, square = channel.moments(position)
            variance = float(square - mean**2) * channel.unbias[1] ** 2
        x = -1 + position / 4
        at = base + bend * (x - middle) ** 2
        assert variance <= at * (1 + 1e-9)
        assert at <= variance + small.grid.rounding_variance + 1e-9
        assert at <= channel.noise_variance * (1 + 1e-9)


def test_the_noise_is_read_off_the_reports() -> None:
    # all values in the middle: Piecewise has its least noise there, and one bit its largest
    for mechanism in SCALARS[:2]:
        for value in (1.0, 3.0):
            state, y = survey(mechanism, np.full(200_000, value), np.full(200_000, 2.0))
            assert moments(state).noise[0] == pytest.approx(y.var(), rel=0.02)
            error = float(ps.unbiased_mean(state).standard_error)
            assert error == pytest.approx(y.std() / 200_000**0.5, rel=0.01)


def test_hc3_is_that_of_the_definition() -> None:
    rng = np.random.default_rng(1)
    samples = [rng.normal(2, s, n) for s, n in ((1.0, 7), (3.0, 9))]
    groups = groups_of(samples)
    groups = Moments(groups.label, groups.count, groups.mean, groups.variance, groups.variance, *[[1, 9]] * 3)
    found = weighted_mean(groups)
    # no spread beyond the noise, so the weights are 1 and 1/9
    weight = np.repeat([1.0, 1 / 9], [7, 9])
    y = np.concatenate(samples)
    value = (weight * y).sum() / weight.sum()
    leverage = weight / weight.sum()
    variance = ((weight * (y - value) / (1 - leverage)) ** 2).sum() / weight.sum() ** 2
    assert found.value == pytest.approx(value, rel=1e-12)
    assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-12)
    assert found.shares.sum() == pytest.approx(1, rel=1e-12)


def test_one_group_is_the_textbook_t_interval_but_for_hc3() -> None:
    y = np.random.default_rng(2).normal(0, 1, 40)
    found = weighted_mean(groups_of([y]))
    assert found.degrees == pytest.approx(39)
    assert found.standard_error == pytest.approx(y.std(ddof=1) / 40**0.5 * (40 / 39) ** 0.5, rel=1e-12)


def test_stratified_variance_is_the_textbook_one() -> None:
    rng = np.random.default_rng(3)
    samples = [rng.normal(k, 1, n) for k, n in enumerate((30, 70))]
    groups = groups_of(samples)
    known = stratified_mean(groups, [0.5, 0.5])
    assert known.value == pytest.approx((samples[0].mean() + samples[1].mean()) / 2)
    wanted = sum(0.25 * x.var(ddof=1) / x.size for x in samples)
    assert known.standard_error == pytest.approx(math.sqrt(wanted))
    free = stratified_mean(groups)
    assert free.value == pytest.approx(np.concatenate(samples).mean())
    # for shares of the sample it is close to the variance of a plain mean
    assert free.standard_error == pytest.approx(np.concatenate(samples).std(ddof=1) / 10, rel=0.02)


@given(st.lists(st.integers(2, 40), min_size=2, max_size=5), st.integers(0, 2**32 - 1))
def test_welchs_test_is_that_of_its_definition(sizes: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    samples = [rng.normal(rng.uniform(), rng.uniform(0.5, 2), n) for n in sizes]
    p = heterogeneity(groups_of(samples)).p_value
    if len(samples) == 2:  # Welch's t test, squared
        assert p == pytest.approx(stats.ttest_ind(*samples, equal_var=False).pvalue, rel=1e-6, abs=1e-12)
    assert 0 <= p <= 1


def test_equal_groups_look_equal_and_a_lone_user_says_nothing() -> None:
    ones = np.ones(2)
    lone = Moments(("a", "b"), [1, 50], [0.0, 9.0], [0.0, 1.0], ones, ones, ones, ones)  # type: ignore[arg-type]
    assert heterogeneity(lone).p_value == 1.0
    rng = np.random.default_rng(4)
    values = [
        heterogeneity(groups_of([rng.normal(0, s, 40) for s in (1, 2, 5)])).p_value for _ in range(2000)
    ]
    # uniform p-values: counts below 0.05 and 0.5 within 5.3 standard deviations
    for level in (0.05, 0.5):
        share = np.mean(np.array(values) < level)
        assert abs(share - level) < 5.3 * math.sqrt(level * (1 - level) / 2000) + 0.01


def test_bernstein_covers_sums_of_every_kind_of_noise() -> None:
    for mechanism in SCALARS:
        (channel, *_) = mechanism.channels(mechanism.kinds[0], Fraction(1))
        _, base, bend = channel.noise_profile
        reach = bernstein_reach(5 * (base + (1 + bend) * 4), bernstein_scale(channel, 4.0), 0.99)
        people = np.random.default_rng(5).choice([-1.0, 3.0], (5, 20_000))
        if mechanism.arms == 1:
            sums = np.zeros(20_000)
            for row, values in enumerate(people):
                sums += survey(mechanism, values, np.ones(20_000), row)[1]
            outside = np.mean(np.abs(sums - 5 * 1.0) > reach)
            assert outside < 0.01


def test_limits_that_make_no_sense_are_refused() -> None:
    state, _ = survey(SCALARS[0], np.zeros(50), np.ones(50))
    found = ps.population_mean(state)
    for bad in (
        lambda: found.interval(1.0),
        lambda: found.interval(method="magic"),  # type: ignore[arg-type]
        lambda: bernstein_reach(1, 1, 0),
        lambda: ps.population_mean(state, weights="equal"),  # type: ignore[arg-type]
        lambda: ps.population_mean(state, shares={"1": 1.0}),
        lambda: ps.population_mean(state, weights="stratified", shares={"2": 1.0}),
        lambda: stratified_mean(groups_of([np.arange(3.0)]), [0.5]),
        lambda: Moments((), *[[]] * 7),  # type: ignore[arg-type]
        lambda: Moments(("a",), *[[math.nan]] * 7),  # type: ignore[arg-type]
    ):
        with pytest.raises(ps.ArgumentError):
            bad()


def test_vectors_categories_and_empty_states_have_no_mean_of_one_number() -> None:
    round_ = ps.Round.of("x", ps.RandomisedResponse(3), ps.Budgets.pure([1.0]))
    with pytest.raises(ps.ArgumentError, match="no mean of one number"):
        moments(ps.State.empty(round_))
    round_ = ps.Round.of("x", ps.OneBit(0, 1), ps.Budgets.pure([1.0]))
    with pytest.raises(ps.ArgumentError, match="no reports"):
        moments(ps.State.empty(round_))


def test_few_reports_of_a_level_count_with_the_worst_noise() -> None:
    # Two reports per level in 200 levels: what two bits show, cut at the worst, is half the noise on average.
    budgets = ps.Budgets.pure(np.repeat(np.linspace(0.5, 1.0, 200), 2))
    mechanism = ps.OneBit(0, 10)
    found = ps.estimate_sum(
        np.full(400, 5.0), budgets, protocol=ps.DuchiMean(0, 10), rng=ps.simulation_rng(0)
    )
    worst = sum(2 * mechanism.channels("pure", level)[0].noise_variance for level in budgets.levels)
    assert found.standard_error == pytest.approx(math.sqrt(worst))


def test_a_selected_sample_has_no_weighted_interval_and_the_stratified_one_holds() -> None:
    # the trap: those with large values are careful, so precision weights mostly see small values
    rng = np.random.default_rng(6)
    levels = rng.choice([0.5, 4.0], 20_000, p=[0.7, 0.3])
    values = np.where(levels < 1, rng.beta(8, 2, 20_000), rng.beta(2, 6, 20_000))
    state, _ = survey(ps.OneBit(0, 1), values, levels)
    trapped = ps.population_mean(state)
    truth = 0.7 * 0.8 + 0.3 * 0.25
    assert trapped.value < truth - 0.2
    assert trapped.heterogeneity < 1e-9
    with pytest.raises(ps.ArgumentError, match="weights='stratified'"):
        trapped.interval()
    assert "NO INTERVAL" in trapped.summary()
    plain = ps.population_mean(state, weights="stratified")
    assert abs(plain.value - truth) < 5.3 * plain.standard_error
    low, high = plain.interval(1 - 1e-7)
    assert low < truth < high
    known = ps.population_mean(state, weights="stratified", shares={"0.5": 0.7, "4": 0.3})
    assert abs(known.value - truth) < 5.3 * known.standard_error


def test_few_reports_fall_back_to_a_bound_that_always_holds() -> None:
    state, _ = survey(ps.OneBit(0, 1), np.full(20, 0.5), np.ones(20))
    found = ps.population_mean(state)
    assert found.interval() == found.interval(method="bernstein")
    assert "few reports" in found.summary()
    inner, outer = found.interval(method="t"), found.interval()
    assert outer[0] < inner[0] < inner[1] < outer[1]


def test_bernsteins_limits_need_weights_that_reports_do_not_influence() -> None:
    state, _ = survey(ps.Hybrid(0, 1), np.full(100, 0.5), np.repeat([0.5, 2.0], 50))
    with pytest.raises(ps.ArgumentError, match="reports do not influence"):
        ps.population_mean(state).interval(method="bernstein")
    low, high = ps.population_mean(state, weights="stratified").interval(method="bernstein")
    assert low < 0.5 < high


@pytest.mark.parametrize("mechanism", SCALARS, ids=lambda m: m.name)
def test_intervals_of_the_population_mean_cover_as_often_as_they_say(mechanism: GridMechanism) -> None:
    # 400 surveys of 200 users; fails with probability below 1e-6 if coverage is between 0.93 and 0.97
    rng = np.random.default_rng(7)
    hits = 0
    for seed in range(400):
        values, levels = 4 * rng.beta(2, 3, 200) - 1, rng.choice([0.5, 1.0, 2.0], 200)
        found = ps.population_mean(survey(mechanism, values, levels, seed)[0])
        if not found.differs:  # one survey in a thousand is refused by chance, and counts as a miss
            low, high = found.interval(0.95)
            hits += low <= 0.6 <= high
    assert stats.binom.ppf(1e-6, 400, 0.93) <= hits <= stats.binom.ppf(1 - 1e-6, 400, 0.97)


def test_a_population_mean_round_trips_and_draws(tmp_path: Any) -> None:
    state, _ = survey(ps.Hybrid(-1, 3), np.zeros(500), np.repeat([0.5, 2.0], 250))
    found = ps.population_mean(state)
    assert ps.PopulationMean.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    assert "SIMULATED" in found.summary()
    for change in ({"format": "x"}, {"version": 2}, {"means": [1.0]}, {"weights": "x"}, {"value": "y"}):
        with pytest.raises(ps.DocumentError):
            ps.PopulationMean.from_dict(found.to_dict() | change)
    mpl.use("agg")
    for draw, patches in ((found.plot, 0), (found.plot_weights, 4)):
        axes = draw()
        assert len(axes.patches) == patches
        axes.figure.savefig(tmp_path / "weights.svg")
        mpl.pyplot.close(axes.figure)
    assert 0 < found.noise_error < 1.1 * found.standard_error  # all values are equal: noise is all there is
