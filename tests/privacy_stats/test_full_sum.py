"""Limits of the full sum: the best thresholds, the folded quantile, and values that no limit misses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import ndtri

from privacy_stats.errors import ArgumentError
from privacy_stats.inference.full_sum import clipping_design, folded_quantile, ladder_limits


@pytest.mark.parametrize("coverage", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("ratio", [0.0, 0.01, 0.5, 2.0, 100.0])
def test_the_folded_quantile_is_that_of_the_noncentral_chi_square(ratio: float, coverage: float) -> None:
    wanted = math.sqrt(stats.ncx2.ppf(coverage, 1, ratio**2)) if ratio else float(ndtri(0.5 + coverage / 2))
    assert folded_quantile(ratio, coverage) == pytest.approx(wanted, rel=1e-6)


@settings(max_examples=60)
@given(
    st.lists(st.floats(1e-4, 10), min_size=1, max_size=5),
    st.lists(st.integers(0, 3000), min_size=5, max_size=5),
    st.integers(0, 2**32 - 1),
)
def test_no_other_thresholds_give_narrower_limits(rho: list[float], counts: list[int], seed: int) -> None:
    r, n, half, z = np.array(rho), np.array(counts[: len(rho)]), 60.0, float(ndtri(0.95))

    def cost(t: np.ndarray) -> float:
        return float(n @ (half - t) + z * math.sqrt(n @ (2 * t**2 / r)))

    design = clipping_design(r, n, half)
    best = cost(design.thresholds)
    assert best == pytest.approx(design.bias + z * design.deviation, rel=1e-9, abs=1e-9)
    rng = np.random.default_rng(seed)
    nearby = design.thresholds * np.exp(rng.normal(0, 0.1, (20, r.size)))
    for t in (*np.minimum(nearby, half), *(half * rng.random((20, r.size))), np.zeros(r.size)):
        assert best <= cost(t) * (1 + 1e-9) + 1e-9


def test_without_budget_the_limits_are_the_range() -> None:
    design = clipping_design([0.001], [10], 5.0)
    assert design.thresholds.tolist() == [0.0]
    assert design.half_width(0.95) == 50.0


def test_guaranteed_limits_hold_the_worst_values() -> None:
    # all at the upper end: the bias is at its bound; 20,000 sums, at most 5 % + 5.3 deviations miss
    rng = np.random.default_rng(1)
    for rho, counts in (([0.02, 1.0], [400, 100]), ([0.5, 0.5], [200, 100]), ([0.001, 0.01], [900, 900])):
        design = clipping_design(rho, counts, 60.0)
        noise = rng.normal(0, design.deviation, 20_000)
        missed = np.mean(np.abs(noise - design.bias) > design.half_width(0.95))
        assert abs(missed - 0.05) < 5.3 * math.sqrt(0.05 * 0.95 / 20_000)


def test_ladder_limits_hold_the_full_sum() -> None:
    rng = np.random.default_rng(2)
    deviation = np.array([2.0, 8.0, 40.0, 200.0])
    for prefix in ([900.0, 1000.0, 1000.0, 1000.0], [0.0, 0.0, 0.0, 0.0], [10.0, 400.0, 5000.0, 9000.0]):
        held = 0
        for _ in range(4000):
            low, high = ladder_limits(prefix + rng.normal(0, deviation), deviation.tolist(), 1e4, 0.95)
            held += low <= prefix[-1] <= high
        assert held >= stats.binom.ppf(1e-6, 4000, 0.95)


def test_what_makes_no_sense_is_refused() -> None:
    for bad in (
        lambda: clipping_design([], [], 1.0),
        lambda: clipping_design([1.0], [1, 2], 1.0),
        lambda: clipping_design([0.0], [1], 1.0),
        lambda: clipping_design([1.0], [-1], 1.0),
        lambda: clipping_design([1.0], [1], math.inf),
        lambda: clipping_design([1.0], [1], 1.0, coverage=1.0),
        lambda: folded_quantile(1.0, 0.0),
        lambda: ladder_limits([], [], 1.0, 0.9),
        lambda: ladder_limits([1.0], [1.0], 1.0, 1.0),
    ):
        with pytest.raises(ArgumentError):
            bad()
