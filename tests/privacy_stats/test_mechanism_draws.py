"""Every mechanism undoes its bias and draws what it claims to draw."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privacy_stats.mechanisms import (
    Laplace,
    Mechanism,
    OneBit,
    Piecewise,
    RandomisedResponse,
    VectorGaussian,
)
from privacy_stats.mechanisms.one_bit import answer_bit, draw_bits
from privacy_stats.mechanisms.piecewise import answer_cell, draw_cells
from privacy_stats.randomness import simulation_rng
from privacy_stats.sampling.literal import UNIT, ByteStream
from tests.privacy_stats.tapes import MECHANISMS, chi_square_p, long_tape

EPSILONS = ["0.000001", "0.01", "0.1", "0.5", "0.61", "1", "1.29", "2", "4", "10", "20", "50"]
SCALARS = MECHANISMS[:5]


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


def test_compiled_reports_are_the_literal_reports_of_the_same_bytes() -> None:
    level = np.arange(2000, dtype=np.int32) % 3
    epsilons = [Fraction(text) for text in ("0.1", "1", "6")]
    values = np.linspace(-1, 2, level.size)
    stream = ByteStream(long_tape())
    grid = OneBit(0, 1).grid
    position = grid.place_all(values, long_tape())
    assert position.tolist() == [grid.place(v, stream) for v in values]

    bits = [OneBit(0, 1).channels("pure", e)[0] for e in epsilons]
    stream = ByteStream(long_tape())
    wanted = [answer_bit(bits[k], grid.scaled(v), stream) for k, v in zip(level, values, strict=True)]
    assert draw_bits(grid, values, level, bits, long_tape()).tolist() == wanted

    pieces = [Piecewise(0, 1).channels("pure", e)[0] for e in epsilons]
    stream = ByteStream(long_tape())
    wanted = [answer_cell(pieces[k], p, stream) for k, p in zip(level, position.tolist(), strict=True)]
    assert draw_cells(position, level, pieces, long_tape()).tolist() == wanted

    response = RandomisedResponse(5)
    channels = [response.channels("pure", e) for e in epsilons]
    stream = ByteStream(long_tape())
    categories = level * 2
    answers = [response.answer(int(c), channels[k], stream) for k, c in zip(level, categories, strict=True)]
    _, drawn = response.randomise(categories, level, channels, long_tape())
    assert drawn.tolist() == [report for _, (report,) in answers]


def estimates(mechanism: Mechanism, values: Any, level: str, seed: int = 3) -> np.ndarray:
    """Unbiased estimates of all users' values at one level, from the compiled path."""
    channels = mechanism.channels(mechanism.kinds[0], Fraction(level))
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
    channels = mechanism.channels(mechanism.kinds[0], Fraction(level))
    variance = max(c.noise_variance for c in channels)
    assert abs(got.mean() - value) <= 5.3 * math.sqrt(variance / n)
    assert got.var() <= variance * (1 + 5.3 * math.sqrt(5 / n)) + 1e-12


@pytest.mark.parametrize("mechanism", SCALARS, ids=lambda m: m.name)
def test_the_device_draws_from_the_same_distribution_as_the_array_path(mechanism: Mechanism) -> None:
    # two-sample comparison of means and mean squares, 5.3 standard errors each
    n = 6000
    channels = mechanism.channels(mechanism.kinds[0], Fraction(2))
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


@pytest.mark.parametrize("non_negative", [False, True])
def test_vectors_are_estimated_without_bias(non_negative: bool) -> None:
    x = np.array([0.5, 0.0, 1.2] if non_negative else [0.5, -1.0, 0.7])
    mechanism = VectorGaussian(3, 2.0, non_negative)
    n = 100_000
    got = estimates(mechanism, np.tile(x, (n, 1)), "1")
    variance = mechanism.channels("zcdp", Fraction(1))[0].noise_variance
    assert np.abs(got.mean(axis=0) - x).max() <= 5.5 * math.sqrt(variance / n)
    assert got.var(axis=0) == pytest.approx(variance, rel=0.03)
