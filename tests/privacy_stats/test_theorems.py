"""Every stated error bound, over 1,000 runs.

A bound that holds with probability 1 - beta = 0.99 fails at most Binomial(1000, 0.01) times; more than 34
failures have probability below 1e-8.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import chdtri, ndtri

import privacy_stats as ps
from privacy_stats.mechanisms import ClippedGaussian, LadderGaussian
from privacy_stats.protocols.ladder_radius import steps
from privacy_stats.protocols.simulation import Totals, collect

RUNS, BETA, MOST = 1000, 0.01, 34
N = 600
RHO = np.tile([0.05, 0.3, 2.0], N // 3)
BUDGETS = ps.Budgets.zcdp(RHO)
DATA = np.random.default_rng(11)


def lengths(d: int) -> Any:
    x = np.exp(DATA.normal(3, 1, (N, 1))) * np.abs(DATA.normal(0, 1, (N, d)))
    return x[:, 0] if d == 1 else x


def norms(x: Any) -> Any:
    return np.sqrt((x.reshape(N, -1) ** 2).sum(axis=1))


def ladder_facts(round_: ps.Round, x: Any) -> tuple[Any, Any, Any]:
    """Thresholds (n, K), noise sd per block, and what truncation may take away per block."""
    mechanism = round_.mechanism
    assert isinstance(mechanism, LadderGaussian)
    radius = np.array([round_.channels(k)[0].radius for k in range(3)])[round_.levels_of(BUDGETS)]  # type: ignore[attr-defined]
    step = steps(mechanism)
    return (
        np.outer(radius, step),
        step * mechanism.sigma * math.sqrt(N),
        N * step * math.sqrt(x.size / N),
    )


def test_the_allowance_for_failures_is_what_it_says() -> None:
    assert stats.binom.sf(MOST, RUNS, BETA) < 1e-8


@pytest.mark.parametrize("d", [1, 3])
def test_the_radius_protocol_is_within_its_bound(d: int) -> None:
    x, protocol = lengths(d), ps.SunRadius(1e4, d, True, beta=BETA)
    announced = protocol.first_round(N, BUDGETS.levels)
    tau, deviation, loss = ladder_facts(announced.round_, x)
    truth = x.reshape(N, -1).sum(axis=0)
    numbers = len(deviation) * d
    margin = math.sqrt(2 * math.log(2 * numbers / BETA))
    clipped = np.minimum(1, tau / norms(x)[:, None])
    bias = [
        np.linalg.norm(truth - (clipped[:, [i]] * x.reshape(N, -1)).sum(axis=0)) for i in range(tau.shape[1])
    ]
    bound = (np.array(bias) + loss + 2 * margin * deviation * math.sqrt(d)).min()
    totals, rng = Totals.of(announced.round_, x, BUDGETS), ps.simulation_rng(1)
    errors = [np.linalg.norm(protocol.estimate(totals.draw(rng)).value - truth) for _ in range(RUNS)]
    assert (np.array(errors) > bound).sum() <= MOST
    assert max(errors) > bound / 40  # the bound is not empty


def test_the_one_hot_protocol_is_within_its_bound_for_numbers() -> None:
    x, protocol = lengths(1), ps.OneHotRadius(1e4, 1, True, beta=BETA)
    announced = protocol.first_round(N, BUDGETS.levels)
    tau, deviation, loss = ladder_facts(announced.round_, x)
    z = -float(ndtri(BETA / (2 * len(deviation))))
    above = np.where(x[:, None] > tau, x[:, None], 0.0).sum(axis=0)
    bound = 4 * (above + loss + 2.25 * z * np.sqrt(np.cumsum(deviation**2))).min()
    totals, rng = Totals.of(announced.round_, x, BUDGETS), ps.simulation_rng(2)
    errors = [abs(float(protocol.estimate(totals.draw(rng)).value) - x.sum()) for _ in range(RUNS)]
    assert (np.array(errors) > bound).sum() <= MOST


def test_the_one_hot_protocol_is_within_its_bound_for_vectors() -> None:
    x, protocol = lengths(3), ps.OneHotRadius(1e4, 3, True, beta=BETA)
    announced = protocol.first_round(N, BUDGETS.levels)
    tau, deviation, loss = ladder_facts(announced.round_, x)
    first = (norms(x)[:, None] <= tau).argmax(axis=1)
    theta = np.array([np.linalg.norm(x[first == k].sum(axis=0)) for k in range(tau.shape[1])])
    reach = math.sqrt(float(chdtri(3, BETA / len(deviation)))) * deviation
    grid = np.array([(first == k).sum() for k in range(tau.shape[1])]) @ steps(announced.round_.mechanism)  # type: ignore[arg-type]
    bound = np.minimum(4 * theta, 2.25 * reach).sum() + math.sqrt(3) * grid
    totals, rng = Totals.of(announced.round_, x, BUDGETS), ps.simulation_rng(3)
    errors = [np.linalg.norm(protocol.estimate(totals.draw(rng)).value - x.sum(axis=0)) for _ in range(RUNS)]
    assert (np.array(errors) > bound).sum() <= MOST
    assert loss.min() > 0


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.slow
def test_the_histogram_protocol_is_within_its_bound_whatever_it_announces(d: int) -> None:
    x, protocol = lengths(d), ps.HistogramRadius(1e4, d, True, beta=BETA)
    announced = protocol.first_round(N, BUDGETS.levels)
    first, rng = Totals.of(announced.round_, x, BUDGETS), ps.simulation_rng(4)
    quantile = math.sqrt(float(chdtri(d, BETA)))
    misses = 0
    for _ in range(RUNS):
        states = [first.draw(rng)]
        second = protocol.next_round(states)
        states.append(collect(second.round_, x, BUDGETS, rng=rng))
        found = protocol.estimate(states)
        tau = np.array(found.details["thresholds"])[second.round_.levels_of(BUDGETS)]
        mechanism = second.round_.mechanism
        assert isinstance(mechanism, ClippedGaussian)
        step = max(reach / radius for _, reach, radius in mechanism.thresholds if radius)
        bias = np.maximum(norms(x) - tau, 0).sum() + N * step * math.sqrt(d)
        bound = bias + quantile * float(found.standard_error.max())
        misses += bool(np.linalg.norm(found.value - x.reshape(N, -1).sum(axis=0)) > bound)
    assert misses <= MOST


@pytest.mark.parametrize(("spread", "d"), [(1.0, 1), (300.0, 1), (5.0, 2)])
def test_the_centre_ends_within_its_bound_of_the_hull(spread: float, d: int) -> None:
    n = 4000
    budgets = ps.Budgets.zcdp(np.tile([1.0, 3.0], n // 2))
    x = 700.0 + spread * np.linspace(-0.5, 0.5, n)[:, None] * np.ones(d) / math.sqrt(d)
    protocol = ps.HullDiameter(ps.OneHotRadius(1e3, d, beta=BETA), rounds=3)
    values = x[:, 0] if d == 1 else x
    gamma = protocol.contraction(float(budgets.billionths.sum()) / 1e9)
    assert gamma < 0.5
    announced = protocol.first_round(n, budgets.levels, counts=budgets.counts)
    opening, rng, misses = Totals.of(announced.round_, values, budgets), ps.simulation_rng(5), 0
    for _ in range(RUNS):
        state = opening.draw(rng)
        for _ in range(2):
            following = protocol.next_round(state).round_
            state = collect(following, values, budgets, rng=rng)
        centre, reach = protocol.moved(state)
        along = np.clip(float(np.mean(centre)) - 700.0, -spread / 2 / math.sqrt(d), spread / 2 / math.sqrt(d))
        distance = float(np.linalg.norm(np.array(centre) - 700.0 - along))
        misses += distance > max(reach / 2, spread / (1 - gamma))
    assert misses <= MOST
