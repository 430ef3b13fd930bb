"""Every mechanism keeps its budget exactly, undoes its bias, and draws what it claims to draw."""

from __future__ import annotations

import dataclasses
import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_stats.budgets import BILLION, LARGEST, zcdp_of_pure
from privacy_stats.errors import ArgumentError, DocumentError, PrivacyViolationError
from privacy_stats.mechanisms import (
    Gaussian,
    Hybrid,
    Laplace,
    Mechanism,
    OneBit,
    Piecewise,
    RandomisedResponse,
    VectorGaussian,
    mechanism_from_dict,
)
from privacy_stats.mechanisms.one_bit import answer_bit, draw_bits
from privacy_stats.mechanisms.piecewise import answer_cell, draw_cells
from privacy_stats.mechanisms.vector_gaussian import shorten, shorten_one
from privacy_stats.randomness import simulation_rng
from privacy_stats.sampling import kernels
from privacy_stats.sampling.driver import draw
from privacy_stats.sampling.literal import UNIT, ByteStream
from tests.privacy_stats.tapes import Tape, chi_square_p, exp_below

EPSILONS = ["0.000001", "0.01", "0.1", "0.5", "0.61", "1", "1.29", "2", "4", "10", "20", "50"]
epsilons = st.integers(1000, LARGEST["pure"]).map(lambda b: Fraction(b, BILLION))
ALL: list[Mechanism] = [
    OneBit(-2, 5),
    Piecewise(-2, 5),
    Hybrid(-2, 5),
    Laplace(-2, 5),
    Gaussian(-2, 5),
    VectorGaussian(3, 2.0),
    VectorGaussian(2, 2.0, non_negative=True),
    RandomisedResponse(5),
]
SCALARS = ALL[:5]


def kind_of(mechanism: Mechanism) -> Any:
    return mechanism.kinds[0]


@pytest.mark.parametrize("text", EPSILONS)
@pytest.mark.parametrize("steps", [2, 8])
def test_one_bit_keeps_its_budget_for_every_pair_of_inputs(text: str, steps: int) -> None:
    (channel,) = OneBit(0, 1, steps).channels("pure", Fraction(text))
    ones = [channel.probability(p) for p in range(steps + 1)]
    bound = exp_below(Fraction(text))
    assert max(ones) <= bound * min(ones)
    assert max(1 - p for p in ones) <= bound * min(1 - p for p in ones)


@pytest.mark.parametrize("text", EPSILONS)
@pytest.mark.parametrize("steps", [2, 8])
def test_piecewise_keeps_its_budget_for_every_pair_of_inputs_and_every_cell(text: str, steps: int) -> None:
    (channel,) = Piecewise(0, 1, steps).channels("pure", Fraction(text))
    bound = exp_below(Fraction(text))
    table = [[channel.weight(p, c) for c in range(channel.cells)] for p in range(steps + 1)]
    assert all(sum(row) == UNIT for row in table)
    assert all(max(column) <= bound * min(column) for column in zip(*table, strict=True))


@pytest.mark.parametrize("text", EPSILONS)
@pytest.mark.parametrize("k", [2, 3, 50])
def test_randomised_response_keeps_its_budget_for_every_pair_of_inputs(text: str, k: int) -> None:
    (channel,) = RandomisedResponse(k).channels("pure", Fraction(text))
    assert sum(channel.probability(0, r) for r in range(k)) == 1
    assert channel.probability(0, 0) <= exp_below(Fraction(text)) * channel.probability(1, 0)


@settings(max_examples=200)
@given(epsilons)
def test_every_pure_channel_satisfies_its_integer_inequality(epsilon: Fraction) -> None:
    for mechanism in (OneBit(0, 1), Piecewise(0, 1), Hybrid(0, 1), Laplace(0, 1, 32), RandomisedResponse(7)):
        for channel in mechanism.channels("pure", epsilon):
            assert channel.inequality.holds


@given(st.integers(1, 10**12).map(lambda b: Fraction(b, BILLION)))
def test_every_gaussian_channel_satisfies_its_integer_inequality_and_is_the_least(rho: Fraction) -> None:
    for mechanism in (Gaussian(0, 1, 1024), VectorGaussian(9, 1.0, radius=1024)):
        (channel,) = mechanism.channels("zcdp", rho)
        assert channel.inequality.holds
        if channel.sigma > 1:
            assert not dataclasses.replace(channel, sigma=channel.sigma - 1).inequality.holds


@given(st.integers(10**4, 10**11).map(lambda b: Fraction(b, BILLION)))
def test_a_pure_channel_for_a_zcdp_budget_stays_within_it(rho: Fraction) -> None:
    for mechanism in (OneBit(0, 1), Piecewise(0, 1)):
        (channel,) = mechanism.channels("zcdp", rho)
        assert zcdp_of_pure(channel.epsilon) <= rho


@given(epsilons, st.floats(0, 8), st.binary(min_size=8, max_size=8))
def test_one_bit_between_two_positions_stays_between_their_thresholds(
    epsilon: Fraction, place: float, tape: bytes
) -> None:
    # the uniform number is read from the tape; the bit must agree with both neighbours where they agree
    (channel,) = OneBit(0, 1, 8).channels("pure", epsilon)
    low, high = math.floor(place), math.ceil(place)
    bits = [answer_bit(channel, p, ByteStream(Tape(tape))) for p in (low, place, high)]
    assert bits == sorted(bits)


def test_little_of_the_budget_is_lost_to_integers() -> None:
    for text in EPSILONS[1:10]:
        eps = Fraction(text)
        one = OneBit(0, 1).channels("pure", eps)[0]
        p, q = one.probability(2**16), one.probability(0)
        piece = Piecewise(0, 1).channels("pure", eps)[0]
        assert math.log(p / q) == pytest.approx(float(eps), rel=1e-6)
        assert math.log((piece.low + piece.extra) / piece.low) == pytest.approx(float(eps), rel=1e-6)
        assert piece.left_over < UNIT * 1e-6


def test_a_channel_that_breaks_its_promise_is_refused() -> None:
    one = OneBit(0, 1, 8).channels("pure", Fraction(1))[0]
    piece = Piecewise(0, 1, 8).channels("pure", Fraction(1))[0]
    response = RandomisedResponse(3).channels("pure", Fraction(1))[0]
    laplace = Laplace(0, 1, 8).channels("pure", Fraction(1))[0]
    gaussian = Gaussian(0, 1, 8).channels("zcdp", Fraction(1))[0]
    for broken in (
        dataclasses.replace(one, slope=one.slope + 1),
        dataclasses.replace(piece, extra=piece.extra + 2),
        dataclasses.replace(response, other=response.other - 1),
        dataclasses.replace(laplace, scale=laplace.scale - 1),
        dataclasses.replace(gaussian, sigma=gaussian.sigma - 1),
    ):
        with pytest.raises(PrivacyViolationError, match="fails"):
            broken.check()


def test_gaussian_noise_refuses_pure_budgets() -> None:
    for mechanism in (Gaussian(0, 1), VectorGaussian(2, 1.0)):
        with pytest.raises(ArgumentError, match="never meets a pure budget"):
            mechanism.channels("pure", Fraction(1))


@pytest.mark.parametrize("text", ["0.1", "0.61", "1", "4", "10"])
def test_piecewise_moments_are_those_of_its_weights(text: str) -> None:
    (channel,) = Piecewise(0, 1, 8).channels("pure", Fraction(text))
    for p in range(9):
        weights = [Fraction(channel.weight(p, c), UNIT) for c in range(channel.cells)]
        mean = sum(w * c for c, w in enumerate(weights))
        square = sum(w * c * c for c, w in enumerate(weights))
        assert channel.moments(p) == (mean, square)
        offset, scale = channel.unbias
        assert offset + scale * float(mean) == pytest.approx(p / 8, abs=1e-12)
        assert float(square - mean**2) * scale**2 <= channel.noise_variance


@pytest.mark.parametrize("text", EPSILONS[:-2])
def test_one_bit_is_unbiased_at_every_position(text: str) -> None:
    (channel,) = OneBit(3, 4, 8).channels("pure", Fraction(text))
    offset, scale = channel.unbias
    for p in range(9):
        assert offset + scale * float(channel.probability(p)) == pytest.approx(3 + p / 8, abs=1e-9 * scale)


def test_variances_are_the_published_ones() -> None:
    got = {
        (m.name, e): m(-1, 1).channels("pure", Fraction(e))[0].noise_variance
        for m in (Laplace, OneBit, Piecewise)
        for e in (1, 4)
    }
    assert got["laplace", 1] == pytest.approx(8.0, abs=0.01)
    assert got["one-bit", 1] == pytest.approx(4.68, abs=0.01)
    assert got["piecewise", 1] == pytest.approx(5.22, abs=0.01)
    assert got["laplace", 4] == pytest.approx(0.50, abs=0.01)
    assert got["one-bit", 4] == pytest.approx(1.08, abs=0.01)
    assert got["piecewise", 4] == pytest.approx(0.24, abs=0.01)


def tape() -> Tape:
    return Tape(simulation_rng(21).bytes(40_000))


def test_compiled_reports_are_the_literal_reports_of_the_same_bytes() -> None:
    level = np.arange(2000, dtype=np.int32) % 3
    epsilons = [Fraction(text) for text in ("0.1", "1", "6")]
    values = np.linspace(-1, 2, level.size)
    stream = ByteStream(tape())
    grid = OneBit(0, 1).grid
    position = grid.place_all(values, tape())
    assert position.tolist() == [grid.place(v, stream) for v in values]

    bits = [OneBit(0, 1).channels("pure", e)[0] for e in epsilons]
    stream = ByteStream(tape())
    wanted = [answer_bit(bits[k], grid.scaled(v), stream) for k, v in zip(level, values, strict=True)]
    assert draw_bits(grid, values, level, bits, tape()).tolist() == wanted

    pieces = [Piecewise(0, 1).channels("pure", e)[0] for e in epsilons]
    stream = ByteStream(tape())
    wanted = [answer_cell(pieces[k], p, stream) for k, p in zip(level, position.tolist(), strict=True)]
    assert draw_cells(position, level, pieces, tape()).tolist() == wanted

    response = RandomisedResponse(5)
    channels = [response.channels("pure", e) for e in epsilons]
    stream = ByteStream(tape())
    categories = level * 2
    answers = [response.answer(int(c), channels[k], stream) for k, c in zip(level, categories, strict=True)]
    _, drawn = response.randomise(categories, level, channels, tape())
    assert drawn.tolist() == [report for _, (report,) in answers]


def estimates(mechanism: Mechanism, values: Any, level: str, seed: int = 3) -> np.ndarray:
    """Unbiased estimates of all users' values at one level, from the compiled path."""
    channels = mechanism.channels(kind_of(mechanism), Fraction(level))
    users = np.zeros(len(values), dtype=np.int32)
    arm, reports = mechanism.randomise(np.asarray(values), users, [channels], simulation_rng(seed))
    offset, scale = np.array([c.unbias for c in channels]).T
    if reports.ndim == 1:
        return offset[arm] + scale[arm] * reports
    return offset[0] + scale[0] * reports


@pytest.mark.parametrize("level", ["0.05", "0.7", "5"])
@pytest.mark.parametrize("mechanism", SCALARS, ids=lambda m: m.name)
@pytest.mark.parametrize("value", [-2.0, 1.234, 5.0])
def test_estimates_are_unbiased_with_at_most_the_stated_variance(
    mechanism: Mechanism, level: str, value: float
) -> None:
    # 5.3 standard errors: false alarm 1.2e-7 per new seed; would catch a bias of 0.012 noise deviations
    n = 200_000
    got = estimates(mechanism, np.full(n, value), level)
    channels = mechanism.channels(kind_of(mechanism), Fraction(level))
    variance = max(c.noise_variance for c in channels)
    assert abs(got.mean() - value) <= 5.3 * math.sqrt(variance / n)
    assert got.var() <= variance * (1 + 5.3 * math.sqrt(5 / n)) + 1e-12


@pytest.mark.parametrize("mechanism", SCALARS, ids=lambda m: m.name)
def test_the_device_draws_from_the_same_distribution_as_the_array_path(mechanism: Mechanism) -> None:
    # two-sample comparison of means and mean squares, 5.3 standard errors each
    n = 6000
    channels = mechanism.channels(kind_of(mechanism), Fraction(2))
    unbias = [c.unbias for c in channels]
    stream = ByteStream(simulation_rng(9))
    one = np.array(
        [
            unbias[arm][0] + unbias[arm][1] * r
            for arm, (r,) in (mechanism.answer(1.5, channels, stream) for _ in range(n))
        ]
    )
    many = estimates(mechanism, np.full(200_000, 1.5), "2")
    for power in (1, 2):
        a, b = one**power, many**power
        assert abs(a.mean() - b.mean()) <= 5.3 * math.hypot(a.std() / n**0.5, b.std() / b.size**0.5)


def test_piecewise_cells_follow_their_exact_weights() -> None:
    # would catch: end bins that are rounded or clipped, a window shifted by one
    mechanism = Piecewise(0, 1, 8)
    for text in ("0.5", "3"):
        (channel,) = mechanism.channels("pure", Fraction(text))
        for p in (0, 3, 8):
            position = np.full(300_000, p, dtype=np.int32)
            cells = draw_cells(position, np.zeros_like(position), [channel], simulation_rng(p))
            pmf = np.array([channel.weight(p, c) / UNIT for c in range(channel.cells)])
            assert chi_square_p(cells.astype(np.int64), 0, pmf) > 1e-6


def test_categories_follow_their_exact_weights() -> None:
    mechanism = RandomisedResponse(4)
    (channel,) = channels = mechanism.channels("pure", Fraction(1))
    zeros = np.zeros(300_000, dtype=np.int32)
    _, drawn = mechanism.randomise(zeros + 2, zeros, [channels], simulation_rng(4))
    pmf = np.array([float(channel.probability(2, r)) for r in range(4)])
    assert chi_square_p(drawn.astype(np.int64), 0, pmf) > 1e-6


@pytest.mark.parametrize(
    ("odd", "position"),
    [
        (math.nan, 4),
        (math.inf, 8),
        (-math.inf, 0),
        (1e300, 8),
        (-1e300, 0),
        (-0.0, 0),
        (5e-324, 0),
        (2.0, 8),
        (True, 8),
        (10**300, 8),
    ],
)
def test_every_odd_number_has_one_rule(odd: float, position: int) -> None:
    grid = OneBit(0, 1, 8).grid
    assert grid.place(odd, ByteStream(Tape(b"\x80" * 9))) == position
    assert grid.place_all(np.array([float(odd)]), Tape(b"\x80" * 9)).tolist() == [position]


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        ([3.0, 4.0], [0.6, 0.8]),
        ([math.nan, 0.5], [0.0, 0.5]),
        ([math.inf, 7.0], [1.0, 0.0]),
        ([-math.inf, math.inf], [-math.sqrt(0.5), math.sqrt(0.5)]),
        ([1e308, 1e308], [math.sqrt(0.5), math.sqrt(0.5)]),
        ([5e-324, 0.0], [5e-324, 0.0]),
        ([0.0, -0.0], [0.0, 0.0]),
    ],
)
def test_every_odd_vector_has_one_rule(row: list[float], rule: list[float]) -> None:
    assert shorten_one(row, 1.0, False) == pytest.approx(rule, abs=1e-15)
    assert shorten(np.array([row]), 1.0, False)[0].tolist() == pytest.approx(rule, abs=1e-15)
    assert shorten_one(row, 1.0, True) == pytest.approx(
        shorten(np.array([row]), 1.0, True)[0].tolist(), abs=1e-15
    )


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=40),
    st.sampled_from([1e-200, 0.3, 1.0, 1e200]),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_a_rounded_vector_stays_in_the_ball_that_its_noise_is_made_for(
    row: list[float], bound: float, non_negative: bool, seed: int
) -> None:
    # Noise is replaced by none, so that the integer vector itself is seen.
    mechanism = VectorGaussian(len(row), bound, non_negative, radius=64)
    scaled = shorten(np.array([row]), bound, non_negative) * mechanism.factor
    out = np.empty(len(row), dtype=np.int32)
    draw(kernels.round_all, simulation_rng(seed), out.size, 2.0, scaled.reshape(-1), out)
    assert (out.astype(np.int64) ** 2).sum() <= 64**2
    assert not (non_negative and (out < 0).any())


@pytest.mark.parametrize("non_negative", [False, True])
def test_vectors_are_estimated_without_bias(non_negative: bool) -> None:
    x = np.array([0.5, 0.0, 1.2] if non_negative else [0.5, -1.0, 0.7])
    mechanism = VectorGaussian(3, 2.0, non_negative)
    n = 100_000
    got = estimates(mechanism, np.tile(x, (n, 1)), "1")
    variance = mechanism.channels("zcdp", Fraction(1))[0].noise_variance
    assert np.abs(got.mean(axis=0) - x).max() <= 5.5 * math.sqrt(variance / n)
    assert got.var(axis=0) == pytest.approx(variance, rel=0.03)


@pytest.mark.parametrize("mechanism", ALL, ids=lambda m: m.name)
def test_a_mechanism_round_trips_through_json(mechanism: Mechanism) -> None:
    document = mechanism.to_dict()
    assert mechanism_from_dict(json.loads(json.dumps(document))) == mechanism
    for bad in (
        document | {"extra": 1},
        document | {"name": "magic"},
        {"name": document["name"]},
        document | {key: None for key in document if key != "name"},
        [],
    ):
        with pytest.raises(DocumentError, match="mechanism"):
            mechanism_from_dict(bad)


@pytest.mark.parametrize(
    "make",
    [
        lambda: OneBit(1, 1),
        lambda: OneBit(1, 0),
        lambda: OneBit(math.nan, 1),
        lambda: OneBit(0, math.inf),
        lambda: OneBit(-1.7e308, 1.7e308),
        lambda: OneBit(0, 5e-324),
        lambda: Piecewise(0, 1, 3),
        lambda: Piecewise(0, 1, 2**21),
        lambda: Laplace(0, 1, True),
        lambda: RandomisedResponse(1),
        lambda: VectorGaussian(0, 1.0),
        lambda: VectorGaussian(4, math.nan),
        lambda: VectorGaussian(100, 1.0, radius=39),
        lambda: VectorGaussian(4, 1.0, non_negative=1),  # type: ignore[arg-type]
        lambda: OneBit(0, 1, 2**20).channels("pure", Fraction(1, 10**15)),
        lambda: Piecewise(0, 1, 2**20).channels("pure", Fraction(1, 10**15)),
        lambda: RandomisedResponse(65536).channels("pure", Fraction(1, 10**15)),
        lambda: Laplace(0, 1).channels("pure", Fraction(1, 10**5)),
        lambda: Gaussian(0, 1).channels("zcdp", Fraction(1, BILLION)),
    ],
)
def test_what_makes_no_sense_is_refused(make: Any) -> None:
    with pytest.raises(ArgumentError):
        make()


@pytest.mark.parametrize("value", [-1, 5, 1.5, math.nan, math.inf])
def test_a_number_that_is_no_category_is_refused_on_the_client(value: float) -> None:
    mechanism = RandomisedResponse(5)
    channels = mechanism.channels("pure", Fraction(1))
    with pytest.raises(ArgumentError, match="wanted a category"):
        mechanism.answer(value, channels, ByteStream(tape()))
    with pytest.raises(ArgumentError, match="in row 1"):
        mechanism.randomise(np.array([0, value]), np.zeros(2, dtype=np.int32), [channels], tape())
