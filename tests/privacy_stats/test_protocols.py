"""The protocols: rounds, shares, refusals, and what they choose."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privacy_stats as ps
from privacy_stats.protocols.ladder_radius import block_deviations
from privacy_stats.protocols.octave_laws import NoisyShares, two_piece_shares
from privacy_stats.protocols.shapes import estimate_shares, expected_shape
from privacy_stats.protocols.simulation import Totals
from privacy_stats.protocols.sun_diameter import median
from privacy_stats.protocols.thresholds import Lengths, best_thresholds

N = 3000
BUDGETS = ps.Budgets.zcdp(np.tile([0.05, 0.3, 2.0], N // 3))
RNG = np.random.default_rng(5)
LENGTHS = np.abs(RNG.normal(0, 100, N))
PROTOCOLS: list[Any] = [
    kind(bound=1e6, dimension=d, non_negative=sign)
    for kind in (ps.SunRadius, ps.OneHotRadius, ps.HistogramRadius)
    for d in (1, 3)
    for sign in (False, True)
] + [
    ps.HullDiameter(ps.HistogramRadius(1e6, 2), rounds=2),
    ps.HullDiameter(ps.OneHotRadius(1e6), rounds=1),
    ps.SunDiameter(64.0),
    ps.SunDiameter(64.0, 3, resolution=16.0, joint=True),
]


def values_of(protocol: Any) -> Any:
    if protocol.dimension == 1:
        return LENGTHS
    return np.column_stack([LENGTHS / (k + 1) for k in range(protocol.dimension)])


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=repr)
def test_a_protocol_and_its_rounds_and_its_estimate_survive_json(protocol: Any) -> None:
    assert ps.protocol_from_dict(json.loads(json.dumps(protocol.to_dict()))) == protocol
    total = ps.estimate_sum(values_of(protocol), BUDGETS, protocol=protocol, rng=ps.simulation_rng(0))
    assert ps.SurveyEstimate.from_json(total.to_json()) == total
    assert len(total.states) == protocol.n_rounds
    assert sum(protocol.shares) <= 1
    assert protocol.estimate(total.states) == total
    for state in total.states:
        announced = ps.ProtocolRound(protocol, state.round_)
        assert ps.ProtocolRound.from_json(announced.to_json()) == announced


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=repr)
def test_a_protocol_spends_no_more_than_the_budget_and_each_round_once(protocol: Any) -> None:
    ledger = ps.Ledger(BUDGETS)
    values = values_of(protocol)
    total = ps.estimate_sum(values, BUDGETS, protocol=protocol, rng=ps.simulation_rng(0), ledger=ledger)
    assert all(0 <= ledger.remaining(u) < Fraction(1, 10**8) for u in range(3))
    with pytest.raises(ps.BudgetExhaustedError):
        ps.estimate_sum(values, BUDGETS, protocol=protocol, rng=ps.simulation_rng(0), ledger=ledger)
    with pytest.raises(ps.ArgumentError, match="all are done"):
        protocol.next_round(total.states)
    with pytest.raises(ps.ArgumentError, match="wanted one for each"):
        protocol.estimate(total.states * 2)


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=repr)
def test_devices_and_a_server_run_the_same_rounds(protocol: Any) -> None:
    n, values = 12, values_of(protocol)
    budgets = ps.Budgets.zcdp(BUDGETS.billionths[:n] / 1e9)
    ledgers = [ps.Ledger(ps.Budgets.zcdp([b / 1e9])) for b in budgets.billionths.tolist()]
    announced = protocol.first_round(n, budgets.levels, counts=budgets.counts)
    states = []
    while True:
        received = ps.ProtocolRound.from_json(announced.to_json())  # what a device gets
        lines = [
            received.randomise(values[u], float(budgets.billionths[u] / 1e9), user=u, ledger=ledgers[u])
            for u in range(n)
        ]
        states.append(announced.aggregate(lines))
        if announced.is_last:
            break
        announced = protocol.next_round(states)
    total = protocol.estimate(states)
    assert not total.simulated
    assert np.isfinite(total.value).all()
    with pytest.raises(ps.BudgetExhaustedError):
        received.randomise(values[0], float(budgets.billionths[0] / 1e9), user=0, ledger=ledgers[0])


def test_gaussian_protocols_refuse_pure_budgets() -> None:
    for protocol in PROTOCOLS:
        with pytest.raises(ps.ArgumentError, match="pure budget"):
            protocol.first_round(10, (Fraction(1),), kind="pure", counts=(10,))


@pytest.mark.parametrize(
    "change",
    [{"bound": 0.0}, {"dimension": 0}, {"non_negative": 1}, {"resolution": 2e6}, {"beta": 0.0}, {"beta": 1}],
)
def test_a_protocol_that_makes_no_sense_is_refused(change: dict[str, Any]) -> None:
    for kind in (ps.SunRadius, ps.OneHotRadius, ps.HistogramRadius):
        with pytest.raises(ps.ArgumentError):
            kind(**({"bound": 1e6} | change))


def test_our_protocols_beat_the_published_one_where_values_are_far_below_the_bound() -> None:
    # Errors over 20 runs differ by more than a factor of two here; seeded.
    truth = LENGTHS.sum()
    error = {}
    for kind in (ps.SunRadius, ps.OneHotRadius, ps.HistogramRadius):
        protocol = kind(bound=1e6, non_negative=True)
        runs = [
            float(ps.estimate_sum(LENGTHS, BUDGETS, protocol=protocol, rng=ps.simulation_rng(k)).value)
            - truth
            for k in range(20)
        ]
        error[kind.name] = float(np.sqrt(np.mean(np.square(runs)))) / truth
    assert error["histogram-radius"] < error["one-hot-radius"] < error["sun-radius"]


def test_medians_of_rotated_coordinates_find_the_values_when_budgets_are_ample() -> None:
    budgets = ps.Budgets.zcdp(np.full(20_000, 20.0))
    x = np.array([30.0, -50.0]) + np.random.default_rng(0).normal(0, 1, (20_000, 2))
    protocol = ps.SunDiameter(100.0, 2, resolution=0.5)
    found = ps.estimate_mean(x, budgets, protocol=protocol, rng=ps.simulation_rng(0))
    assert np.linalg.norm(np.array(found.details["centre"]) - [30, -50]) < 3
    assert np.linalg.norm(found.value - x.mean(axis=0)) < 0.5


def test_the_median_of_a_tree_is_where_half_the_users_lie_below() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        leaves = rng.integers(0, 5, 16) * rng.integers(0, 2, 16)
        if leaves.sum() == 0:
            continue
        levels = [leaves.reshape(2**k, -1).sum(axis=1) for k in range(1, 5)]
        at = int(median(np.concatenate(levels).astype(float), 4) * 16)
        assert leaves[at] > 0
        assert leaves[:at].sum() <= leaves.sum() / 2 <= leaves[: at + 1].sum()
    assert median(np.zeros(30), 4) == 0.5


def test_the_hull_protocol_chooses_its_rounds_from_public_facts() -> None:
    rich = ps.Budgets.zcdp(np.full(20_000, 1.0))
    poor = ps.Budgets.zcdp(np.full(20_000, 1e-3))
    hull = ps.HullDiameter(ps.HistogramRadius(bound=1e6))
    assert isinstance(hull.for_budgets(rich), ps.HullDiameter)
    assert hull.for_budgets(poor) == hull.inner.for_budgets(poor)
    announced = hull.first_round(20_000, poor.levels, counts=poor.counts)
    assert announced.protocol == hull.inner.for_budgets(poor)
    with pytest.raises(ps.ArgumentError, match="counts"):
        hull.first_round(20_000, rich.levels)
    with pytest.raises(ps.ArgumentError, match="not chosen yet"):
        hull.next_round(())


def test_the_histogram_takes_more_of_scarce_budgets_and_what_was_set_stays() -> None:
    protocol = ps.HistogramRadius(bound=1e6)  # 21 octaves: 58 / total, from 1/4 to 3/4
    shares = {}
    for rho in (1e-3, 5e-3, 1.0):
        budgets = ps.Budgets.zcdp(np.full(20_000, rho))
        chosen = protocol.for_budgets(budgets)
        assert isinstance(chosen, ps.HistogramRadius)
        shares[rho] = chosen.histogram_share
        announced = protocol.first_round(20_000, budgets.levels, counts=budgets.counts)
        assert announced.protocol == chosen
        assert announced.round_.share == chosen.histogram_share
        assert ps.ProtocolRound.from_json(announced.to_json()) == announced
        fixed = ps.HistogramRadius(bound=1e6, histogram_share=Fraction(1, 3))
        assert fixed.for_budgets(budgets) == fixed
    assert shares == {1e-3: Fraction(3, 4), 5e-3: Fraction(38, 64), 1.0: Fraction(1, 4)}
    blind = protocol.first_round(20_000, budgets.levels)
    assert blind.protocol == protocol
    assert blind.round_.share == Fraction(1, 4)
    with pytest.raises(ps.ArgumentError, match="counts: got 2, wanted the users of each of 1 levels"):
        protocol.first_round(20_000, budgets.levels, counts=[1, 2])
    with pytest.raises(ps.ArgumentError, match="or None"):
        ps.HistogramRadius(bound=1e6, histogram_share=Fraction(1))


@pytest.mark.parametrize("hull", [False, True])
def test_a_sum_without_negative_coordinates_is_estimated_by_none(hull: bool) -> None:
    values = np.zeros((2000, 8))
    values[:, 0] = 30.0
    budgets = ps.Budgets.zcdp(np.full(2000, 50.0 if hull else 0.05))
    protocol: ps.Protocol = ps.HistogramRadius(100.0, 8, True)
    if hull:
        protocol = ps.HullDiameter(ps.HistogramRadius(100.0, 8, True), rounds=1)
    found = ps.estimate_sum(values, budgets, protocol=protocol, rng=ps.simulation_rng(1))
    released = np.array(found.details["released"])
    assert released.min() < 0 <= found.value.min()
    assert np.array_equal(found.value, np.maximum(released, 0))
    truth = values.sum(axis=0)
    assert np.linalg.norm(found.value - truth) < np.linalg.norm(released - truth)
    low, high = found.interval(0.95)  # holds what the limits around the release hold of the possible sums
    reach = (high - low) / 2
    assert (low <= np.maximum(released - reach, 0)).all()
    assert (released + reach <= high + 1e-9).all()
    assert ps.SurveyEstimate.from_json(found.to_json()) == found


def test_auto_needs_a_public_bound_and_chooses_without_looking_at_values() -> None:
    with pytest.raises(ps.ArgumentError, match="public bound"):
        ps.estimate_sum(LENGTHS, BUDGETS, protocol="auto")
    found = ps.estimate_sum(LENGTHS, BUDGETS, protocol="auto", bound=1e6, rng=ps.simulation_rng(0))
    assert found.protocol == ps.choose_protocol(BUDGETS, bound=1e6).to_dict()
    rich = ps.Budgets.zcdp(np.full(50_000, 1.0))
    assert isinstance(ps.choose_protocol(rich, bound=1e6), ps.HullDiameter)


def test_oracles_are_marked_and_refuse_real_randomness() -> None:
    radius = ps.SunRadius(bound=1e6, non_negative=True)
    for oracle in (ps.OptimalUniformClip(1e6), ps.DropConservative(1e6), ps.OracleScaleRadius(radius)):
        found = ps.estimate_sum(LENGTHS, BUDGETS, protocol=oracle, rng=ps.simulation_rng(0))
        assert not found.private
        assert "NON-PRIVATE" in found.summary()
        assert "NON-PRIVATE" in repr(found)
    with pytest.raises(ps.ArgumentError, match="simulations only"):
        ps.estimate_sum(LENGTHS, BUDGETS, protocol=ps.DropConservative(1e6))


def test_dropping_careful_users_is_never_worse_than_one_clip_for_all() -> None:
    uniform = ps.estimate_sum(
        LENGTHS, BUDGETS, protocol=ps.OptimalUniformClip(1e6, 1, True), rng=ps.simulation_rng(0)
    )
    drop = ps.estimate_sum(
        LENGTHS, BUDGETS, protocol=ps.DropConservative(1e6, 1, True), rng=ps.simulation_rng(0)
    )
    rho = BUDGETS.billionths / 1e9

    def risk(found: ps.SurveyEstimate, least: float) -> float:
        kept = np.where(rho >= least, np.minimum(LENGTHS, found.details["threshold"]), 0.0)
        return float((kept.sum() - LENGTHS.sum()) ** 2 + found.standard_error**2)

    assert risk(drop, drop.details["least"]) <= risk(uniform, 0.0)


@given(st.integers(0, 10**6))
@settings(max_examples=40)
def test_no_other_thresholds_have_less_predicted_risk(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups, octaves = int(rng.integers(1, 5)), int(rng.integers(3, 15))
    shares = rng.dirichlet(np.full(octaves, 0.4), groups)
    budget, users = np.sort(rng.uniform(0.001, 2, groups)), rng.integers(1, 5000, groups).astype(float)
    lengths, cost = Lengths.of(shares, 1.0), float(rng.uniform(0.5, 200))
    tau, found = best_thresholds(lengths, budget, users, cost)

    def risk(other: Any) -> float:
        excess = [np.interp(t, lengths.grid, e) for t, e in zip(other, lengths.excess, strict=True)]
        below = np.maximum(lengths.grid[0] - other, 0.0)
        return float((users @ (np.array(excess) + below)) ** 2 + cost * (users / budget) @ other**2)

    assert risk(tau) == pytest.approx(found**2)
    for _ in range(30):
        other = tau * np.exp(rng.normal(0, rng.choice([0.05, 0.5, 2]), groups))
        assert risk(tau) <= 1.02 * risk(other)
    assert risk(tau) <= 1.02 * risk(np.zeros(groups))


def test_a_shape_is_found_that_moves_with_the_budget() -> None:
    budget = np.array([0.01, 0.1, 1.0])
    modes = 8.0 - 0.5 * np.log2(budget / 0.1)
    truth = two_piece_shares(modes, np.array([[1.0, 0.6]]), 16)[0]
    noisy = NoisyShares(truth, np.full(3, 1e-3), budget, np.full(3, 1000.0))
    assert np.abs(expected_shape(noisy) - truth).max() < 0.12
    assert np.abs(estimate_shares(noisy) - truth).max() < 0.02


def test_noise_invents_no_large_values() -> None:
    # An octave stands out by chance in one of 10^6 histograms; 40 seeded ones show none.
    rng = np.random.default_rng(0)
    truth = two_piece_shares(np.array([5.0, 5.0]), np.array([[1.0, 0.6]]), 25)[0]
    for _ in range(40):
        noisy = truth + rng.normal(0, 1, truth.shape) * np.array([[0.2], [0.02]])
        deviation, budget, users = np.array([0.2, 0.02]), np.array([0.01, 1.0]), np.full(2, 1e4)
        found = estimate_shares(NoisyShares(noisy, deviation, budget, users))
        assert found[:, 12:].sum() < 0.01
        assert np.allclose(found.sum(axis=1), 1)
        assert found @ np.exp2(np.arange(25)) == pytest.approx(np.full(2, 50), rel=1)  # no slope either


def test_clipping_both_parts_together_halves_the_noise_variance() -> None:
    budgets = ps.Budgets.zcdp(np.tile([50.0, 200.0], 2000))
    values = np.random.default_rng(0).normal([60.0, -40.0, 5.0], 1, (4000, 3))
    plain, joint = (ps.SunRadius(1e3, 3, joint=joint) for joint in (False, True))
    a, b = (p.first_round(4000, budgets.levels) for p in (plain, joint))
    states = [Totals.of(r.round_, values, budgets).draw(ps.simulation_rng(0)) for r in (a, b)]
    deviation = [block_deviations(state)[0] for state in states]
    assert deviation[0] ** 2 == pytest.approx(2 * deviation[1] ** 2, rel=1e-3)
    found = ps.repeat_estimates(values, budgets, protocol=joint, runs=5)
    assert np.abs(found.mean(axis=0) / values.sum(axis=0) - 1)[:2].max() < 0.2
    assert ps.ProtocolRound.from_json(b.to_json()) == b
    assert ps.SunDiameter(1e3, 3, joint=True).radius == joint
    with pytest.raises(ps.ArgumentError, match="joint"):
        ps.SunRadius(1e3, 3, joint=1)  # type: ignore[arg-type]
    with pytest.raises(ps.ArgumentError, match="joint"):
        ps.ProtocolRound(plain, b.round_)
