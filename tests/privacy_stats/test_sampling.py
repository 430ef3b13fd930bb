"""The samplers: exact on crafted bytes, equal in both versions, and distributed as their formula says.

Statistical tests use fixed seeds, so they do not fail by chance again once they pass; a new seed would raise
a false alarm with probability at most 1e-6 per test. Each also names what it would catch.
"""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_stats.randomness import simulation_rng
from privacy_stats.sampling import kernels, literal
from privacy_stats.sampling.driver import draw
from privacy_stats.sampling.literal import UNIT, ByteStream
from tests.privacy_stats.tapes import Tape, chi_square_p, gaussian_pmf, laplace_pmf

tapes = st.binary(min_size=0, max_size=60)


def digits(a: int, b: int, count: int = 20) -> list[int]:
    out = []
    for _ in range(count):
        digit, a = divmod(a * 256, b)
        out.append(digit)
    return out


def threshold_bytes(u: int) -> bytes:
    """The bytes that `threshold` reads as u: seven bits, then seven bytes."""
    return bytes([(u >> 56) << 1]) + (u & (2**56 - 1)).to_bytes(7, "big")


@given(st.integers(0, UNIT - 1), st.integers(0, UNIT - 1))
def test_a_threshold_compares_all_63_bits(u: int, t: int) -> None:
    assert literal.threshold(ByteStream(Tape(threshold_bytes(u))), t) == (u < t)


@given(st.integers(1, UNIT - 1))
def test_a_threshold_is_exact_at_its_edge(t: int) -> None:
    assert literal.threshold(ByteStream(Tape(threshold_bytes(t - 1))), t)
    assert not literal.threshold(ByteStream(Tape(threshold_bytes(t))), t)


@given(st.integers(1, 2**40), st.integers(0, 2**40), st.integers(0, 15), st.sampled_from([-1, 1]))
def test_a_ratio_compares_with_every_digit_of_the_quotient(b: int, a: int, at: int, change: int) -> None:
    a %= b + 1
    if a == b:
        return
    drawn = digits(a, b)
    drawn[at] += change
    if 0 <= drawn[at] <= 255 and any(digits(a, b)[at:]):
        assert literal.ratio(ByteStream(Tape(bytes(drawn))), a, b) == (change < 0)


@given(st.integers(1, 2**40), tapes)
def test_a_uniform_draw_stays_below_its_bound(n: int, tape: bytes) -> None:
    assert 0 <= literal.below(ByteStream(Tape(tape)), n) < n


def test_a_word_reads_63_bits() -> None:
    for u in (0, 12345, UNIT - 1):
        assert literal.word(ByteStream(Tape(threshold_bytes(u)))) == u


def run(kernel: Callable[..., None], seed: int, size: int, *arguments: Any) -> np.ndarray:
    out = np.zeros(size, dtype=np.int32)
    draw(kernel, simulation_rng(seed), size, 2.0, *arguments, out)
    return out


LEVELS = np.array([0, 1, 2] * 700, dtype=np.int32)
ZEROS = np.zeros(LEVELS.size, dtype=np.int32)


@pytest.mark.parametrize("scales", [[1, 2, 3], [255, 256, 257], [6554, 65536, 2**25]])
def test_compiled_noise_is_the_literal_noise_of_the_same_bytes(scales: list[int]) -> None:
    table = np.array(scales, dtype=np.int64)
    content = simulation_rng(1).bytes(400_000)
    for kernel, one in (
        (kernels.add_laplace, literal.discrete_laplace),
        (kernels.add_gaussian, literal.discrete_gaussian),
    ):
        stream = ByteStream(Tape(content))
        wanted = [one(stream, scales[level]) for level in LEVELS]
        out = np.zeros(LEVELS.size, dtype=np.int32)
        draw(kernel, Tape(content), out.size, 10.0, ZEROS, LEVELS, table, 1, out)
        assert out.tolist() == wanted


def test_where_a_chunk_of_bytes_ends_does_not_change_a_draw() -> None:
    tape = simulation_rng(5).bytes(400_000)
    table = np.array([3, 1000, 70_000], dtype=np.int64)
    draws = []
    for bytes_per_item in (0.01, 1.0, 200.0):
        out = np.zeros(LEVELS.size, dtype=np.int32)
        arguments = (ZEROS, LEVELS, table, 1, out)
        draw(kernels.add_gaussian, Tape(tape), out.size, bytes_per_item, *arguments)
        draws.append(out.tolist())
    assert draws[0] == draws[1] == draws[2]


@pytest.mark.parametrize("scale", [1, 2, 7, 50])
def test_laplace_draws_follow_the_exact_pmf(scale: int) -> None:
    # would catch: a wrong scale by 1 %, a doubled zero, a lost sign, a truncated tail
    n = 400_000
    level = np.zeros(n, dtype=np.int32)
    draws = run(kernels.add_laplace, 11, n, level, level, np.array([scale]), 1).astype(np.int64)
    cells = np.arange(draws.min(), draws.max() + 1)
    assert chi_square_p(draws, int(draws.min()), laplace_pmf(cells, scale)) > 1e-6


@pytest.mark.parametrize("sigma", [1, 2, 7, 50])
def test_gaussian_draws_follow_the_exact_pmf(sigma: int) -> None:
    # would catch: a wrong sigma by 1 %, a doubled zero, a seam at multiples of sigma
    n = 400_000
    level = np.zeros(n, dtype=np.int32)
    draws = run(kernels.add_gaussian, 12, n, level, level, np.array([sigma]), 1).astype(np.int64)
    cells = np.arange(draws.min(), draws.max() + 1)
    assert chi_square_p(draws, int(draws.min()), gaussian_pmf(cells, sigma)) > 1e-6


@pytest.mark.parametrize(("a", "b"), [(0, 5), (1, 3), (2, 3), (1, 1)])
def test_a_coin_of_probability_exp_minus_a_over_b_is_fair_to_it(a: int, b: int) -> None:
    stream = ByteStream(simulation_rng(13))
    n = 20_000
    heads = sum(literal.exp_minus(stream, a, b) for _ in range(n))
    p = np.exp(-a / b)
    assert abs(heads - n * p) <= 5 * np.sqrt(n * p * (1 - p))


@settings(deadline=None)
@given(st.floats(0, 2**20), tapes)
def test_random_rounding_goes_to_a_neighbour(x: float, tape: bytes) -> None:
    y = literal.round_randomly(ByteStream(Tape(tape)), x)
    assert y in (np.floor(x), np.floor(x) + 1)
    if x == np.floor(x):
        assert y == x


def test_random_rounding_has_the_right_mean() -> None:
    # exact: of all first bytes, the share that rounds up is the fraction, for fractions in 1/128
    for k in range(128):
        ups = [literal.round_randomly(ByteStream(Tape(bytes([b]))), 3 + k / 128) - 3 for b in range(256)]
        assert sum(ups) == 2 * k


def test_drawing_does_not_leak_memory() -> None:
    # a fault once found: compiled code that raises keeps its arguments alive for ever
    level = np.zeros(20_000, dtype=np.int32)
    out = np.zeros(20_000, dtype=np.int32)
    before = sys.getrefcount(out)
    draw(kernels.add_gaussian, simulation_rng(1), out.size, 0.1, level, level, np.array([50]), 1, out)
    gc.collect()
    assert sys.getrefcount(out) == before
    alive = weakref.ref(out)
    del out
    gc.collect()
    assert alive() is None
