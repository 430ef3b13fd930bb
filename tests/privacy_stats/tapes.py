"""Sources of bytes for tests: a tape that is played once, and helpers shared by several files."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from privacy_stats.mechanisms import (
    Gaussian,
    Hybrid,
    Laplace,
    Mechanism,
    OneBit,
    Piecewise,
    RandomisedResponse,
    VectorGaussian,
)
from privacy_stats.randomness import simulation_rng

MECHANISMS: list[Mechanism] = [
    OneBit(-2, 5),
    Piecewise(-2, 5),
    Hybrid(-2, 5),
    Laplace(-2, 5),
    Gaussian(-2, 5),
    VectorGaussian(3, 2.0),
    VectorGaussian(2, 2.0, non_negative=True),
    RandomisedResponse(5),
]


@dataclass
class Tape:
    """Plays given bytes in order, then zeros; counts what was asked for."""

    content: bytes
    at: int = 0
    simulated: bool = field(default=True)

    def bytes(self, size: int, /) -> bytes:
        piece = self.content[self.at : self.at + size]
        self.at += size
        return piece + bytes(size - len(piece))


def long_tape() -> Tape:
    """The same 40,000 random bytes at every call."""
    return Tape(simulation_rng(21).bytes(40_000))


def exp_below(x: Fraction) -> Fraction:
    """A lower bound of exp(x) by plain partial sums, independent of the package."""
    term = total = Fraction(1)
    for k in range(1, 300):
        term = Fraction(math.floor(term * x / k * 2**400), 2**400)
        total += term
    return total


def laplace_pmf(z: NDArray[np.int64], scale: int) -> NDArray[np.float64]:
    q = math.exp(-1 / scale)
    return (1 - q) / (1 + q) * np.exp(-np.abs(z) / scale)


def gaussian_pmf(z: NDArray[np.int64], sigma: int) -> NDArray[np.float64]:
    reach = np.arange(-40 * sigma, 40 * sigma + 1)
    return np.exp(-(z**2) / (2 * sigma**2)) / np.exp(-(reach**2) / (2 * sigma**2)).sum()


def chi_square_p(draws: NDArray[np.int64], low: int, pmf: NDArray[np.float64]) -> float:
    """p-value of draws against an exact pmf on low, low + 1, ...; rare cells are pooled into one."""
    counts = np.bincount(draws - low, minlength=pmf.size).astype(float)
    assert counts.size == pmf.size
    expected = pmf * draws.size
    rare = expected < 40
    observed = np.append(counts[~rare], counts[rare].sum())
    wanted = np.append(expected[~rare], expected[rare].sum() + max(0.0, (1 - pmf.sum())) * draws.size)
    if wanted[-1] < 5:
        observed = np.append(observed[:-2], observed[-2:].sum())
        wanted = np.append(wanted[:-2], wanted[-2:].sum())
    statistic = ((observed - wanted) ** 2 / wanted).sum()
    return float(stats.chi2.sf(statistic, wanted.size - 1))
