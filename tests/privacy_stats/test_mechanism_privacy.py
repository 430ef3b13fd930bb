"""Every mechanism keeps its budget exactly: for each pair of inputs, in integers."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_stats.budgets import BILLION, LARGEST, zcdp_of_pure
from privacy_stats.errors import ArgumentError, PrivacyViolationError
from privacy_stats.mechanisms import (
    Gaussian,
    Hybrid,
    Laplace,
    OneBit,
    Piecewise,
    RandomisedResponse,
    VectorGaussian,
)
from privacy_stats.mechanisms.one_bit import answer_bit
from privacy_stats.mechanisms.vector_gaussian import shorten
from privacy_stats.randomness import simulation_rng
from privacy_stats.sampling import kernels
from privacy_stats.sampling.driver import draw
from privacy_stats.sampling.literal import UNIT, ByteStream
from tests.privacy_stats.tapes import Tape, exp_below

EPSILONS = ["0.000001", "0.01", "0.1", "0.5", "0.61", "1", "1.29", "2", "4", "10", "20", "50"]
epsilons = st.integers(1000, LARGEST["pure"]).map(lambda b: Fraction(b, BILLION))


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


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=40),
    st.sampled_from([1e-99, 0.3, 1.0, 1e99]),
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
