"""Averages over laws of length: against sums over all paths, and where straight lines mislead."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import privacy_stats as ps
from privacy_stats.protocols import wandering_laws
from privacy_stats.protocols.octave_laws import NoisyShares, OctaveLaws, combined
from privacy_stats.protocols.shapes import expected_shape
from privacy_stats.protocols.straight_laws import SLOPES, straight_average
from privacy_stats.protocols.wandering_laws import RATES, wandering_averages


def small_case() -> tuple[OctaveLaws, NoisyShares]:
    """Three groups and two octaves: 4 modes, 36 pairs of widths, 64 paths of the mode."""
    share = np.array([[0.6, 0.4], [0.2, 0.9], [-0.3, 1.1]])
    noisy = NoisyShares(
        share, np.array([0.9, 0.5, 0.3]), np.array([0.01, 0.03, 0.5]), np.array([30.0, 20, 10])
    )
    return OctaveLaws.given(noisy), noisy


def test_the_likelihood_is_that_of_independent_normal_shares() -> None:
    laws, noisy = small_case()
    misfit = ((noisy.share[:, None, None] - laws.table) ** 2).sum(axis=3) / (
        2 * noisy.deviation[:, None, None] ** 2
    )
    constant = laws.likelihood + misfit
    assert np.ptp(constant, axis=(1, 2)) == pytest.approx(np.zeros(3), abs=1e-9)


def test_an_average_over_walks_is_the_sum_over_all_paths() -> None:
    laws, noisy = small_case()
    pairs, modes = laws.length.shape
    prior = 0.01
    gaps = np.diff(np.log2(noisy.budget))
    for rate, found in zip(RATES, wandering_averages(laws, noisy, prior), strict=True):
        steps = wandering_laws._transitions(gaps, *rate, modes)
        weight, total = np.zeros((3, pairs, modes)), 0.0
        for path in itertools.product(range(modes), repeat=3):
            chance = prior * steps[0, path[0], path[1]] * steps[1, path[1], path[2]]
            theta = noisy.users @ laws.length[:, path].T
            part = chance * np.exp(laws.likelihood[range(3), :, path].sum(axis=0)) / theta**2
            total += part.sum()
            for g, mode in enumerate(path):
                weight[g, :, mode] += part
        assert found.log_weight == pytest.approx(math.log(total), abs=0.06)
        assert np.abs(found.weight - weight / total).max() < 0.005


def test_an_average_over_lines_is_the_sum_over_all_slopes_and_modes() -> None:
    laws, noisy = small_case()
    prior = np.full(len(SLOPES), 0.04)
    found = straight_average(laws, noisy, prior)
    relative = np.log2(noisy.budget) - noisy.weight @ np.log2(noisy.budget)
    pairs, modes = laws.length.shape
    weight = np.zeros((3, pairs, modes))
    for slope, mode in itertools.product(SLOPES, range(modes)):
        path = np.clip(mode + np.rint(slope * relative / 0.5).astype(int), 0, modes - 1)
        theta = noisy.users @ laws.length[:, path].T
        part = 0.04 * np.exp(laws.likelihood[range(3), :, path].sum(axis=0)) / theta**2
        for g in range(3):
            weight[g, :, path[g]] += part
    total = weight[0].sum()
    assert found.log_weight == pytest.approx(math.log(total))
    assert np.abs(found.weight - weight / total).max() < 1e-5


def test_families_count_by_their_weights() -> None:
    laws, noisy = small_case()
    averages = list(wandering_averages(laws, noisy, 0.1))
    assert np.allclose(combined(averages).sum(axis=(1, 2)), 1)
    heavier = [averages[0]._replace(log_weight=900.0), *averages[1:]]
    assert np.allclose(combined(heavier), averages[0].weight)


def test_steps_of_a_walk_have_the_mean_and_variance_of_two_poisson_processes() -> None:
    gaps = np.array([0.1, 1.0, 3.0])
    steps = wandering_laws._transitions(gaps, 0.5, 2.0, 80)
    assert np.allclose(steps.sum(axis=2), 1)
    move = np.arange(80) - 40.0
    mean = steps[:, 40] @ move
    assert np.allclose(mean, 1.5 * gaps)
    assert np.allclose(steps[:, 40] @ move**2 - mean**2, 2.5 * gaps)


def test_blocks_of_t_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    laws, noisy = small_case()
    whole = combined(list(wandering_averages(laws, noisy, 0.1)))
    monkeypatch.setattr(wandering_laws, "_NUMBERS", 1)
    assert np.allclose(combined(list(wandering_averages(laws, noisy, 0.1))), whole)


def bent(groups: int = 30) -> NoisyShares:
    """Lengths rise by two octaves per halved budget among generous users, and stay among careful ones."""
    budget = np.geomspace(0.001, 2, groups)
    place = np.clip(np.rint(-2 * np.log2(budget / 2)), 0, 5).astype(int)
    deviation = 1 / np.sqrt(250 * budget)
    share = np.eye(20)[place] + deviation[:, None] * np.random.default_rng(1).normal(size=(groups, 20))
    return NoisyShares(share, deviation, budget, np.full(groups, 1000.0))


def test_lengths_of_the_careful_are_not_extrapolated_along_a_line() -> None:
    # The line through the generous groups reaches octave 19 among the careful; lengths end at octave 5.
    noisy = bent()
    found = expected_shape(noisy)
    mean = found @ np.arange(20)
    assert mean[:15].max() < 8
    line = OctaveLaws.given(noisy)
    alone = line.shares(straight_average(line, noisy, np.full(len(SLOPES), 0.04)).weight)
    assert (alone @ np.arange(20))[:5].min() > 10


def test_a_lone_group_has_nowhere_to_wander() -> None:
    noisy = NoisyShares(np.array([[0.1, 0.8, 0.1]]), np.array([0.05]), np.array([1.0]), np.array([100.0]))
    laws = OctaveLaws.given(noisy)
    walks = list(wandering_averages(laws, noisy, 0.1))
    line = straight_average(laws, noisy, np.where(SLOPES == 0, 0.1, 1e-300))
    for walk in walks:
        assert walk.log_weight == pytest.approx(line.log_weight, abs=0.06)
        assert np.abs(walk.weight - line.weight).max() < 0.005


@pytest.mark.slow
def test_budgets_that_fall_with_the_rank_of_the_value_leave_the_estimate_usable() -> None:
    rng = np.random.default_rng(3)
    values = np.sort(np.rint(np.abs(rng.standard_t(2.5, 20_000) * 20)))
    budgets = ps.Budgets.zcdp(np.repeat(np.geomspace(2, 0.001, 50), 400))
    found = ps.repeat_estimates(values, budgets, protocol=ps.HistogramRadius(1e5, non_negative=True), runs=5)
    assert np.abs(found / values.sum() - 1).max() < 0.6
