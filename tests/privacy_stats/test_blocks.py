"""Block mechanisms: messages obey the distance that their noise is made for, whatever the value and the
announcement."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

import privacy_stats as ps
from privacy_stats.mechanisms import (
    BlockMechanism,
    ClippedGaussian,
    DyadicTree,
    LadderGaussian,
    NormHistogram,
    mechanism_from_dict,
)
from privacy_stats.mechanisms.blocks import largest_radius, least_sigma
from privacy_stats.protocols.simulation import Totals, collect
from tests.privacy_stats.tapes import gaussian_pmf

RHO = Fraction(1, 3)
BILLIONTHS = 333_333_333
SPENT = Fraction(BILLIONTHS, 10**9)
CLIP = ((BILLIONTHS, 40.0, 1 << 12),)
ALL: list[BlockMechanism] = [
    LadderGaussian(1, 100.0, 2.0**-8, 6, 1 << 10, non_negative=True, one_hot=True),
    LadderGaussian(1, 100.0, 2.0**-8, 6, 1 << 10, non_negative=False, one_hot=True),
    LadderGaussian(3, 100.0, 2.0**-8, 6, 1 << 10, non_negative=True, one_hot=True),
    LadderGaussian(3, 100.0, 2.0**-8, 6, 1 << 10, non_negative=False, one_hot=True, centre=(5.0, -9.0, 1.0)),
    LadderGaussian(1, 100.0, 2.0**-8, 6, 1 << 10, non_negative=True, one_hot=False),
    LadderGaussian(3, 100.0, 2.0**-8, 6, 1 << 10, non_negative=True, one_hot=False),
    LadderGaussian(1, 100.0, 2.0**-8, 6, 1 << 10, non_negative=False, one_hot=False),
    LadderGaussian(2, 100.0, 2.0**-8, 6, 1 << 10, non_negative=False, one_hot=False),
    LadderGaussian(1, 100.0, 2.0**-8, 6, 1 << 10, non_negative=False, one_hot=False, joint=True),
    LadderGaussian(2, 100.0, 2.0**-8, 6, 1 << 10, non_negative=False, one_hot=False, joint=True),
    NormHistogram(1, 100.0, 1.0, 8, 1 << 10),
    NormHistogram(2, 100.0, 1.0, 8, 1 << 10, centre=(3.0, 4.0)),
    ClippedGaussian(1, 100.0, CLIP, non_negative=True),
    ClippedGaussian(3, 100.0, CLIP, non_negative=True),
    ClippedGaussian(3, 100.0, CLIP, centre=(1.0, 2.0, 3.0)),
    ClippedGaussian(1, 100.0, CLIP),
    DyadicTree(1, 100.0, 3, 2, 2.0**-6, 1 << 10),
    DyadicTree(3, 100.0, 2, 3, 2.0**-6, 1 << 10, seed=4),
]
coordinates = st.one_of(
    st.floats(-150, 150), st.floats(), st.sampled_from([0.0, -0.0, 100.0, -100.0, 40.0, 1e300, -1e300])
)


def message(mechanism: BlockMechanism, value: Any) -> Any:
    (channel,) = mechanism.channels("zcdp", SPENT)
    level = np.zeros(1, dtype=np.int32)
    return mechanism.messages(np.array([value]), level, [channel])[0].astype(object), channel  # type: ignore[list-item]


@pytest.mark.parametrize("mechanism", ALL, ids=repr)
@given(data=st.data())
@settings(max_examples=60)
def test_no_two_messages_are_further_apart_than_the_noise_allows(
    mechanism: BlockMechanism, data: st.DataObject
) -> None:
    vector = st.lists(coordinates, min_size=mechanism.dimension, max_size=mechanism.dimension)
    a, channel = message(mechanism, data.draw(vector))
    b, _ = message(mechanism, data.draw(vector))
    distance = int(((a - b) ** 2).sum())  # Python integers: exact
    assert distance <= channel.factor * channel.radius**2
    assert distance * SPENT.denominator <= 2 * SPENT.numerator * channel.sigma**2


sizes = st.one_of(st.floats(-99, 99).map(lambda e: 10.0**e), st.sampled_from([1e-99, 1.0, 1e99]))
signed = st.one_of(st.floats(), st.sampled_from([0.0, -0.0, 5e-324, 1e308, -1e308, 1e19, 1.0]), sizes)


@st.composite
def announcements(draw: st.DrawFn) -> BlockMechanism:
    """Everything that the grammar of announcements admits, most of it nonsense."""
    d, bound, unit = draw(st.integers(1, 3)), draw(sizes), draw(sizes)
    centre = tuple(draw(st.lists(st.floats(-1e99, 1e99), min_size=d, max_size=d)))
    non_negative = draw(st.booleans())
    around = () if non_negative or draw(st.booleans()) else centre
    sigma, blocks = 1 << draw(st.integers(0, 27)), draw(st.integers(2, 200))
    kind = draw(st.sampled_from([LadderGaussian, NormHistogram, ClippedGaussian, DyadicTree]))
    if kind is DyadicTree:
        return DyadicTree(d, bound, draw(st.integers(1, 5)), draw(st.integers(1, 64)), unit, sigma)
    if kind is ClippedGaussian:
        row = (BILLIONTHS, unit, draw(st.integers(1, 1 << 27)))
        return ClippedGaussian(d, bound, (row,), non_negative, around)
    if kind is NormHistogram:
        return NormHistogram(d, bound, unit, blocks, sigma, non_negative, around)
    one_hot = draw(st.booleans())
    joint = not one_hot and not non_negative and draw(st.booleans())
    return LadderGaussian(d, bound, unit, blocks, sigma, non_negative, one_hot, around, joint)


@given(announcements(), st.data())
@settings(max_examples=400)
def test_no_announcement_makes_messages_longer_than_the_noise_allows(
    mechanism: BlockMechanism, data: st.DataObject
) -> None:
    vector = st.lists(signed, min_size=mechanism.dimension, max_size=mechanism.dimension)
    try:
        a, channel = message(mechanism, data.draw(vector))
    except ps.PrivacyViolationError:
        return
    b, _ = message(mechanism, data.draw(vector))
    distance = int(((a - b) ** 2).sum())  # Python integers: exact
    assert distance * SPENT.denominator <= 2 * SPENT.numerator * channel.sigma**2


def test_what_an_announcement_scales_beyond_floats_becomes_zero_and_not_the_smallest_integer() -> None:
    # Values that overflow used to become -2**63, whose square wraps to 0 in 64 bits and passed the check.
    steep = ClippedGaussian(1, 1e20, ((BILLIONTHS, 1e-291, 1),))
    fine = LadderGaussian(2, 1e99, 1e-99, 2, 8)
    assert message(steep, [1e19])[0].tolist() == [[0]]
    assert message(fine, [1e90, 0.0])[0].tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("unit", [1e-90, 1e90])
def test_lengths_are_right_at_any_scale_of_the_values(unit: float) -> None:
    histogram = NormHistogram(2, 1e4 * unit, unit, 8, 1 << 10)
    ladder = LadderGaussian(2, 1e4 * unit, unit / 1024, 8, 1 << 10)
    assert message(histogram, [3 * unit, 4 * unit])[0].reshape(-1).nonzero()[0].tolist() == [3]
    plain = message(LadderGaussian(2, 1e4, 1 / 1024, 8, 1 << 10), [3.0, 4.0])[0]
    assert abs(message(ladder, [3 * unit, 4 * unit])[0] - plain).max() <= 1


def test_the_distance_is_attained_so_the_noise_is_not_too_large() -> None:
    for mechanism in ALL:
        if mechanism.centre or isinstance(mechanism, DyadicTree):  # rungs are rarely full at once
            continue
        d = mechanism.dimension
        first, last = np.zeros(d), np.zeros(d)
        first[0] = 1e9
        last[-1] = 1e9 if mechanism.non_negative and d > 1 else 0.0 if mechanism.non_negative else -1e9
        if isinstance(mechanism, NormHistogram) or (
            mechanism.non_negative and getattr(mechanism, "one_hot", 0)
        ):
            last = np.full(d, 0.05 * 2.0**-8 * 700)  # another block
            first[0] = 100.0
        if not mechanism.non_negative and d == 2:
            first, last = np.array([1e9, -1e9]), np.array([-1e9, 1e9])
        a, channel = message(mechanism, first)
        b, _ = message(mechanism, last)
        distance = float(((a - b) ** 2).sum())
        least = 0.2 if getattr(mechanism, "one_hot", False) else 0.9
        assert least * channel.factor * channel.radius**2 <= distance, mechanism


@given(st.integers(1, 10**15), st.integers(1, 1 << 24), st.integers(1, 400))
def test_radius_and_sigma_are_the_best_integers(billionths: int, sigma: int, factor: int) -> None:
    rho = Fraction(billionths, 10**9)
    radius = largest_radius(rho, sigma, factor)
    assert factor * radius**2 <= 2 * rho * sigma**2 < factor * (radius + 1) ** 2
    least = least_sigma(rho, factor * sigma**2)
    assert 2 * rho * (least - 1) ** 2 < factor * sigma**2 <= 2 * rho * least**2


@pytest.mark.parametrize("mechanism", ALL, ids=repr)
def test_block_mechanisms_survive_json_and_refuse_nonsense(mechanism: BlockMechanism) -> None:
    assert mechanism_from_dict(json.loads(json.dumps(mechanism.to_dict()))) == mechanism
    for change in ({"dimension": 0}, {"bound": float("nan")}, {"centre": [1.0] * 7}, {"seed": -1}):
        with pytest.raises(ps.DocumentError):
            mechanism_from_dict(mechanism.to_dict() | change)


def test_a_dishonest_announcement_never_lowers_the_noise_below_the_budget() -> None:
    huge = ClippedGaussian(1, 1e99, ((BILLIONTHS, 1e99, 1 << 24),))
    (channel,) = huge.channels("zcdp", SPENT)
    assert channel.inequality.holds
    with pytest.raises(ps.ArgumentError, match="no threshold was announced"):
        huge.channels("zcdp", Fraction(1, 2))
    with pytest.raises(ps.PrivacyViolationError):
        ClippedGaussian(1, 1.0, ((1, 1.0, 1 << 28),)).channels("zcdp", Fraction(1, 10**9))
    wide = ClippedGaussian(1 << 16, 1.0, ((BILLIONTHS, 1.0, 1 << 24),))  # squares would exceed 63 bits
    with pytest.raises(ps.PrivacyViolationError, match="do not answer"):
        wide.channels("zcdp", SPENT)
    with pytest.raises(ps.ArgumentError, match="step"):
        ClippedGaussian(1, 1.0, ((BILLIONTHS, 5e-324, 1 << 24),))
    with pytest.raises(ps.ArgumentError, match="pure budget"):
        ALL[0].channels("pure", SPENT)


def test_users_of_radius_zero_report_zeros_and_others_noise() -> None:
    budgets = ps.Budgets.zcdp(np.tile([0.001, 1.0], 50))
    rows = ((1_000_000, 0.0, 0), (1_000_000_000, 5.0, 1 << 12))
    round_ = ps.Round.of("s", ClippedGaussian(2, 9.0, rows), budgets)
    reports = ps.randomise(round_, np.ones((100, 2)), budgets)
    assert not reports.report[::2].any()
    assert reports.report[1::2].any(axis=1).all()
    assert json.loads(ps.answer(round_, [3.0, 3.0], 0.001, user=0))["report"] == [0, 0]


@pytest.mark.parametrize("mechanism", ALL, ids=repr)
def test_messages_are_added_up_as_they_are_sent(mechanism: BlockMechanism) -> None:
    channels = [*mechanism.channels("zcdp", SPENT)]
    values = 1 + np.abs(np.random.default_rng(0).normal(0, 60, (50, mechanism.dimension)))
    level = np.zeros(50, dtype=np.int32)
    messages = mechanism.messages(values, level, channels)  # type: ignore[arg-type]
    assert messages.any(axis=(1, 2)).all()  # nobody failed the check
    assert (mechanism.add_up(values, level, channels) == messages.sum(axis=0).reshape(-1)).all()  # type: ignore[arg-type]


def test_the_rotation_is_orthonormal_and_undone() -> None:
    tree = DyadicTree(5, 100.0, 2, 1, 0.1, 1 << 10, seed=3)
    x = np.random.default_rng(0).normal(0, 1, (20, 5))
    assert np.allclose((tree.rotate(x) ** 2).sum(axis=1), (x**2).sum(axis=1))
    assert np.allclose(tree.rotate_back(tree.rotate(x)), x)


@pytest.mark.parametrize("mechanism", ALL, ids=repr)
def test_real_reports_add_up_to_the_messages_and_their_noise(mechanism: BlockMechanism) -> None:
    # 8 standard deviations in at most 36 sums: false alarm below 1e-13.
    n = 400
    budgets = ps.Budgets.zcdp(np.full(n, float(SPENT)))
    round_ = ps.Round.of("s", mechanism, budgets)
    values = np.random.default_rng(0).normal(0, 60, (n, mechanism.dimension))
    values = values[:, 0] if mechanism.dimension == 1 else values
    totals = Totals.of(round_, values, budgets)
    real = collect(round_, values, budgets)
    assert not real.simulated
    gap = np.abs(np.array(real.sums) - totals.sums)
    assert (gap < 8 * np.sqrt(totals.variance)[:, None]).all()
    drawn = collect(round_, values, budgets, rng=ps.simulation_rng(1))
    assert drawn.simulated
    assert drawn.counts == real.counts
    assert (drawn.received == real.received).all()


def test_a_sum_of_discrete_gaussians_is_a_rounded_normal_number() -> None:
    # Exact convolution: total variation is below 1 / variance, and falls with it; in use the variance exceeds
    # 2**30.
    gaps = []
    for sigma, n in ((4, 4), (8, 4), (8, 16)):
        one = gaussian_pmf(np.arange(-40 * sigma, 40 * sigma + 1), sigma)
        law = one
        for _ in range(n - 1):
            law = np.convolve(law, one)
        half = len(law) // 2
        places = np.arange(-half, half + 1)
        deviation = sigma * np.sqrt(n)
        normal = ndtr((places + 0.5) / deviation) - ndtr((places - 0.5) / deviation)
        gaps.append(0.5 * np.abs(law - normal).sum())
        assert gaps[-1] < 1 / (sigma**2 * n)
    assert gaps[0] > gaps[1] > gaps[2]


def test_frames_count_block_reports_like_the_aggregator() -> None:
    pl = pytest.importorskip("polars")
    budgets = ps.Budgets.zcdp(np.tile([0.1, 1.0], 100))
    announced = ps.HistogramRadius(1e4).first_round(200, budgets.levels)
    reports = ps.randomise(announced.round_, np.linspace(-50, 90, 200), budgets)
    assert ps.aggregate_frame(announced.round_, pl.LazyFrame(reports.columns())) == announced.aggregate(
        reports
    )
    with pytest.raises(ps.ArgumentError, match="estimated by its protocol"):
        ps.unbiased_sum(announced.aggregate(reports))


def test_more_than_64_levels_are_counted_in_groups() -> None:
    levels = ps.Budgets.zcdp(np.geomspace(1e-3, 1, 300)).levels
    groups = NormHistogram(1, 1.0, 1e-3, 8, 1 << 10).groups(levels)
    assert list(groups) == sorted(groups)
    assert max(groups) == 63
    assert set(groups) == set(range(64))


def test_a_state_of_blocks_survives_json() -> None:
    budgets = ps.Budgets.zcdp(np.tile([0.1, 1.0], 10))
    round_ = ps.OneHotRadius(100.0).first_round(20, budgets.levels).round_
    state = collect(round_, np.arange(20.0), budgets)
    assert ps.State.from_dict(json.loads(json.dumps(state.to_dict()))) == state
    assert ps.merge([state]) == state
    with pytest.raises(ps.ArgumentError):
        dataclasses.replace(state, squares=((1,),))
