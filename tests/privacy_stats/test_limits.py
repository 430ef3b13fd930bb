"""Which target has limits, which has none and why, and that limits hold what they name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot
import numpy as np
import pytest
from scipy import stats

import privacy_stats as ps
from privacy_stats.inference import ladder_limits
from privacy_stats.protocols.simulation import Totals

RNG = ps.simulation_rng
LEVELS = np.tile([0.02, 0.2, 2.0], 400)
BUDGETS = ps.Budgets.zcdp(LEVELS)
MINUTES = np.random.default_rng([1, 1]).gamma(3.0, 11.0, LEVELS.size).clip(0, 120)


def study(
    protocol: ps.Protocol, values: Any = MINUTES, seed: int = 0, budgets: Any = BUDGETS
) -> ps.SurveyEstimate:
    return ps.estimate_sum(values, budgets, protocol=protocol, rng=RNG(seed))


def test_each_target_has_limits_or_a_reason() -> None:
    hybrid = study(ps.HybridMean(0, 120))
    assert hybrid.interval(target="full", value_range=(0, 120)) == pytest.approx(hybrid.interval())
    one_hot = study(ps.OneHotRadius(1e4, non_negative=True))
    with pytest.raises(ps.ArgumentError, match="chose from the same reports"):
        one_hot.interval()
    low, high = one_hot.interval(target="full", value_range=(0, 120))
    assert low < MINUTES.sum() < high
    histogram = study(ps.HistogramRadius(1e4, non_negative=True))
    assert histogram.interval()[0] < histogram.value
    with pytest.raises(ps.ArgumentError, match="nothing bounds what this protocol clips away"):
        histogram.interval(target="full", value_range=(0, 120))
    sun = study(ps.SunRadius(1e4, non_negative=True))
    for target in ("clipped", "full"):
        with pytest.raises(ps.ArgumentError, match="interval"):
            sun.interval(target=target, value_range=(0, 120))  # type: ignore[arg-type]


def test_the_full_sum_needs_a_declared_range_that_the_protocol_covers() -> None:
    hybrid = study(ps.HybridMean(0, 120))
    with pytest.raises(ps.ArgumentError, match="known to hold every value"):
        hybrid.interval(target="full")
    with pytest.raises(ps.ArgumentError, match=r"bounds clipping on \[0, 120\] only"):
        hybrid.interval(target="full", value_range=(0, 121))
    for bad in ((1.0, 0.0), (0.0, float("inf"))):
        with pytest.raises(ps.ArgumentError, match="two finite ends"):
            hybrid.interval(target="full", value_range=bad)
    for options in ({"coverage": 1.0}, {"target": "population"}):
        with pytest.raises(ps.ArgumentError):
            hybrid.interval(**options)  # type: ignore[arg-type]
    one_hot = study(ps.OneHotRadius(100.0, non_negative=True))
    with pytest.raises(ps.ArgumentError, match="only"):
        one_hot.interval(target="full", value_range=(0, 120))
    vectors = ps.estimate_sum(
        np.ones((9, 2)), ps.Budgets.zcdp([1.0] * 9), protocol=ps.NaiveGaussian(2.0, 2), rng=RNG(0)
    )
    with pytest.raises(ps.ArgumentError, match="not for vectors"):
        vectors.interval(target="full", value_range=(0, 1))
    assert vectors.interval()[0].shape == (2,)


def test_an_oracle_has_no_interval() -> None:
    found = ps.OptimalUniformClip(1e3).estimate(MINUTES, BUDGETS, RNG(0))
    with pytest.raises(ps.ArgumentError, match="oracle"):
        found.interval()


def test_an_estimate_draws_two_nested_bands(tmp_path: Path) -> None:
    mpl.use("agg")
    axes = study(ps.HybridMean(0, 120)).plot()
    outer, inner = (lines.get_segments()[0] for lines in axes.collections)
    assert outer[0][1] < inner[0][1] < inner[1][1] < outer[1][1]
    axes.figure.savefig(tmp_path / "bands.svg")
    mpl.pyplot.close(axes.figure)


def test_limits_of_the_mean_are_those_of_the_sum_per_report() -> None:
    for protocol in (ps.GuaranteedSum(0, 120), ps.OneHotRadius(1e4, non_negative=True)):
        total = study(protocol)
        mean = total.as_mean()
        for a, b in zip(
            total.interval(target="full", value_range=(0, 120)),
            mean.interval(target="full", value_range=(0, 120)),
            strict=True,
        ):
            assert b * LEVELS.size == pytest.approx(a, rel=1e-12)


@pytest.mark.parametrize("worst", [0.0, 120.0, "split", "minutes"])
def test_guaranteed_limits_hold_whatever_the_values_are(worst: Any) -> None:
    values = {"split": np.where(LEVELS < 1, 120.0, 0.0), "minutes": MINUTES}.get(
        worst, np.full(LEVELS.size, worst)
    )
    held = 0
    for seed in range(300):
        low, high = study(ps.GuaranteedSum(0, 120), values, seed).interval(target="full")
        held += low <= values.sum() <= high
    assert held >= stats.binom.ppf(1e-6, 300, 0.95)


def test_limits_of_the_ladder_hold_the_full_sum() -> None:
    held = 0
    for seed in range(300):
        found = study(ps.OneHotRadius(1e4, non_negative=True), seed=seed)
        low, high = found.interval(target="full", value_range=(0, 120))
        held += low <= MINUTES.sum() <= high
    assert held >= stats.binom.ppf(1e-6, 300, 0.95)


@pytest.mark.parametrize("least", [1e-9, 3e-4, 0.7])
def test_limits_of_the_ladder_count_what_truncation_takes(least: float) -> None:
    # without noise: the last prefix sum never exceeds the sum, and misses it by no more than what is stated
    budgets = ps.Budgets.zcdp(np.tile([least, 1000.0], 50))
    protocol = ps.OneHotRadius(1000.0, non_negative=True)
    totals = Totals.of(protocol.first_round(100, budgets.levels).round_, np.full(100, 1000.0), budgets)
    ladder = protocol.estimate(totals.draw(RNG(0))).details["ladder"]
    mechanism = totals.round_.mechanism
    kept = float(totals.sums[0] @ np.exp2(np.arange(mechanism.blocks))) * mechanism.unit
    assert 0 < 100_000 - kept <= ladder["lost"]
    low, high = ladder_limits([kept], [0.0], 1e9, 0.95, lost=ladder["lost"])
    assert low <= 100_000 <= high


def test_guaranteed_thresholds_follow_the_budget_and_the_bias_is_what_they_can_take() -> None:
    found = study(ps.GuaranteedSum(0, 120))
    reach = np.array(found.details["thresholds"])
    assert (np.diff(reach) >= 0).all()
    assert reach[-1] == pytest.approx(60, rel=1e-6)
    assert found.details["bias"] == pytest.approx(400 * (60 - reach).sum(), rel=1e-4, abs=1)
    low, high = found.interval(target="full")
    assert float(high - low) <= LEVELS.size * 120  # never wider than knowing the range alone


def test_nothing_is_asked_where_the_range_says_more() -> None:
    budgets = ps.Budgets.zcdp([1e-6] * 50)
    found = study(ps.GuaranteedSum(0, 10), np.full(50, 7.0), budgets=budgets)
    assert found.interval(target="full") == (0, 500)


def test_the_guaranteed_protocol_runs_as_a_round_and_round_trips() -> None:
    protocol = ps.GuaranteedSum(-5, 20)
    announced = protocol.first_round(1200, BUDGETS.levels, counts=BUDGETS.counts)
    assert ps.ProtocolRound.from_json(announced.to_json()) == announced
    lines = [announced.randomise(4.0, rho, user=user) for user, rho in enumerate(LEVELS[:30])]
    state = announced.aggregate(lines)
    found = protocol.estimate(state)
    assert ps.SurveyEstimate.from_dict(json.loads(found.to_json())) == found
    with pytest.raises(ps.ArgumentError, match="counts"):
        protocol.first_round(1200, BUDGETS.levels)
    with pytest.raises(ps.ArgumentError, match="pure budget"):
        protocol.first_round(3, ps.Budgets.pure([1.0]).levels, kind="pure", counts=[3])
    for bad in ((1.0, 1.0), (0.0, float("nan")), (0.0, 1.0, 1.0)):
        with pytest.raises(ps.ArgumentError):
            ps.GuaranteedSum(*bad)
