"""Documents and states from anybody: what does not fit is refused in a sentence, never by a crash."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privacy_stats as ps
from privacy_stats.mechanisms import mechanism_from_dict
from privacy_stats.protocols.simulation import Totals, collect

ZCDP = ps.Budgets.zcdp(np.tile([0.1, 1.0], 10))
PURE = ps.Budgets.pure(np.tile([0.1, 1.0], 10))
VALUES = np.linspace(0, 9, 20)
PROTOCOLS: list[ps.Protocol] = [
    ps.SunRadius(100.0),
    ps.OneHotRadius(100.0, non_negative=True),
    ps.HistogramRadius(100.0, histogram_share=Fraction(1, 4)),
    ps.HullDiameter(ps.OneHotRadius(100.0), rounds=1),
    ps.NaiveGaussian(100.0),
    ps.HybridMean(0.0, 100.0),
    ps.GuaranteedSum(0.0, 100.0),
]
ODD: list[Any] = [None, True, -1, 0, 10**400, -(10**400), 2**63, 1e308, float("nan"), float("inf"), -0.0]
ODD += ["", "x", "1/0", "\ud800", [], {}, [10**400], [[]], {"name": "sun-radius"}]


def played(protocol: ps.Protocol) -> list[ps.State]:
    budgets = PURE if protocol.name == "hybrid-mean" else ZCDP
    states: list[ps.State] = []
    announced = protocol.first_round(20, budgets.levels, kind=budgets.kind, counts=budgets.counts)
    while True:
        states.append(announced.aggregate(ps.randomise(announced.round_, VALUES, budgets)))
        if announced.is_last:
            return states
        announced = protocol.next_round(states)


def survivors(document: Any, read: Callable[[Any], Any]) -> list[Any]:
    """Read the document with every entry replaced by every odd value; nothing but our errors may leave."""
    found = []

    def visit(place: Any) -> None:
        for key in list(place) if isinstance(place, dict) else range(min(3, len(place))):
            kept = place[key]
            for odd in ODD:
                place[key] = odd
                with contextlib.suppress(ps.PrivacyStatsError):
                    found.append(read(copy.deepcopy(document)))
            place[key] = kept
            if isinstance(kept, (dict, list)):
                visit(kept)

    visit(document)
    return found


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda p: p.name)
def test_every_odd_entry_of_an_announcement_or_state_is_refused_or_harmless(protocol: ps.Protocol) -> None:
    states = played(protocol)
    for state in states:
        announced = ps.ProtocolRound(protocol, state.round_)
        for sound in survivors(announced.to_dict(), ps.ProtocolRound.from_dict):
            ps.ProtocolRound.from_json(sound.to_json())
    for sound in survivors(states[-1].to_dict(), ps.State.from_dict):
        try:
            protocol.estimate([*states[:-1], sound]).summary()
        except ps.PrivacyStatsError:
            continue


def test_every_odd_entry_of_a_result_is_refused_or_harmless() -> None:
    (state,) = played(ps.HybridMean(0.0, 100.0))
    mean = ps.population_mean(state)
    plan = ps.plan(PURE, mechanism=ps.OneBit(0, 100), half_width=2)
    for found, kind in ((mean, ps.PopulationMean), (plan, ps.Plan)):
        for sound in survivors(found.to_dict(), kind.from_dict):  # type: ignore[attr-defined]
            sound.summary()
    (ladder,) = played(PROTOCOLS[1])
    for result in (ps.HybridMean(0.0, 100.0).estimate(state), PROTOCOLS[1].estimate(ladder)):
        for sound in survivors(result.to_dict(), ps.SurveyEstimate.from_dict):
            sound.summary()
            with contextlib.suppress(ps.PrivacyStatsError):
                sound.interval(target="full", value_range=(0.0, 100.0))
    survivors(ps.Ledger(PURE).to_dict(), ps.Ledger.from_dict)
    with pytest.raises(ps.DocumentError):
        ps.Budgets.from_dict({"kind": {}, "billionths": [1]})


@pytest.mark.parametrize("size", [10**400, 1e150, 1e-150])
def test_numbers_whose_squares_leave_floating_point_are_refused_as_ranges(size: float) -> None:
    for document in (
        {"name": "piecewise", "lower": 0, "upper": size, "steps": 16},
        {"name": "vector-gaussian", "dimension": 2, "bound": size, "non_negative": False, "radius": 1024},
    ):
        with pytest.raises(ps.DocumentError):
            mechanism_from_dict(document)


def test_levels_that_are_not_exact_are_refused() -> None:
    for protocol in PROTOCOLS:
        for levels in ([0.5, 1.0], [], [Fraction(-1)]):
            with pytest.raises(ps.ArgumentError):
                protocol.first_round(20, levels, counts=[10] * len(levels))  # type: ignore[arg-type]


@pytest.mark.parametrize("protocol", [p for p in PROTOCOLS if p.n_rounds > 1], ids=lambda p: p.name)
def test_a_budget_too_small_to_be_shared_is_refused(protocol: ps.Protocol) -> None:
    with pytest.raises(ps.ArgumentError, match="below one billionth"):
        protocol.first_round(1, [Fraction(1, 10**9)], counts=[1])


def test_states_of_another_protocol_or_survey_are_refused() -> None:
    (sun,) = played(ps.SunRadius(100.0))
    for other in (
        ps.SunRadius(50.0),
        ps.SunRadius(100.0, 2),
        ps.SunRadius(100.0, non_negative=True),
        ps.OneHotRadius(100.0),
        ps.NaiveGaussian(100.0),
    ):
        with pytest.raises(ps.ArgumentError, match="does not belong"):
            other.estimate(sun)
    (naive,) = played(ps.NaiveGaussian(100.0))
    with pytest.raises(ps.ArgumentError, match="does not belong"):
        ps.NaiveGaussian(50.0).estimate(naive)
    protocol = ps.HistogramRadius(100.0)
    first, second = played(protocol)
    elsewhere = protocol.first_round(20, ZCDP.levels, counts=ZCDP.counts, survey="elsewhere")
    other_state = elsewhere.aggregate(ps.randomise(elsewhere.round_, VALUES, ZCDP))
    with pytest.raises(ps.ArgumentError, match="another survey"):
        protocol.estimate([other_state, second])
    assert protocol.estimate([first, second]).n_reports == 20


@given(st.integers(1, 63), st.floats(0.2, 5.0))
@settings(max_examples=10)
def test_the_centre_is_exact_where_many_levels_share_a_group(crowded: int, spread: float) -> None:
    # Nearly all users have the highest budget of their group; weights by level would miss by up to 5 %.
    # Tolerance of 8 standard deviations per example: false alarm below 1e-13.
    levels = np.geomspace(1.0, 10.0**spread, 300)
    budgets = ps.Budgets.zcdp(np.concatenate([levels, np.full(20_000, levels[crowded * 300 // 64])]))
    values = np.full(len(budgets), 700.0)
    protocol = ps.HullDiameter(ps.SunRadius(1000.0), rounds=1)
    announced = protocol.first_round(len(budgets), budgets.levels, counts=budgets.counts)
    state = collect(announced.round_, values, budgets, rng=ps.simulation_rng(0))
    (centre,), reach = protocol.moved(state)
    assert abs(centre - 700.0) < max(8 * reach / (2 * 3.29), 1e-3)
    assert Totals.of(announced.round_, values, budgets).sums.any()
