"""Chi-square tests of draws against the exact probabilities, and how small a fault they can see."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from privacy_stats.budgets import BILLION, Kind, parse_amount
from privacy_stats.errors import ArgumentError
from privacy_stats.mechanisms import (
    Channel,
    GaussianChannel,
    LaplaceChannel,
    Mechanism,
    OneBitChannel,
    PiecewiseChannel,
    RandomisedResponse,
    RandomisedResponseChannel,
    VectorGaussian,
)
from privacy_stats.randomness import Randomness, SystemRandomness
from privacy_stats.sampling.literal import UNIT

_BINS = 256
_FEWEST = 50.0


@dataclass(frozen=True, slots=True)
class FitResult:
    """Outcome of a chi-square test: statistic, degrees of freedom, p-value, number of draws."""

    statistic: float
    degrees: int
    p_value: float
    draws: int


def goodness_of_fit(
    mechanism: Mechanism,
    kind: Kind,
    level: float | str,
    *,
    n_draws: int = 400_000,
    rng: Randomness | None = None,
) -> FitResult:
    """Compare draws at the upper end of the range with the exact distribution of the channel.

    Cells with fewer than 50 expected draws are pooled, and wide alphabets are cut into at most 256 bins of
    about equal probability. A hybrid mechanism is tested arm by arm and the statistics are added.

    Parameters
    ----------
    mechanism, kind, level
        What to test.
    n_draws : int
        Number of draws, at least 10,000.
    rng : Randomness, optional
        By default the operating system's generator.

    Returns
    -------
    FitResult
        A p-value below 1e-6 is a fault, but for a false alarm of that probability.

    Raises
    ------
    ArgumentError
        If `n_draws` is too small.

    Examples
    --------
    >>> from privacy_stats.mechanisms import Laplace
    >>> from privacy_stats.randomness import simulation_rng
    >>> goodness_of_fit(Laplace(0, 1), "pure", 1, n_draws=100_000, rng=simulation_rng(1)).p_value > 1e-6
    True
    """
    if n_draws < 10_000:
        raise ArgumentError(f"n_draws: got {n_draws}, wanted at least 10000")
    channels = mechanism.channels(kind, Fraction(parse_amount(level, kind), BILLION))
    source = SystemRandomness() if rng is None else rng
    value, position = _upper_end(mechanism)
    values = np.broadcast_to(value, (n_draws, *value.shape))
    arm, report = mechanism.randomise(values, np.zeros(n_draws, dtype=np.int32), [channels], source)
    drawn = report[:, -1] if report.ndim == 2 else report
    statistic, degrees = 0.0, 0
    for k, channel in enumerate(channels):
        mine = drawn[arm == k]
        if mine.size >= 10_000:
            part = compare(mine, *exact_pmf(channel, position))
            statistic, degrees = statistic + part[0], degrees + part[1]
    p_value = float(stats.chi2.sf(statistic, degrees)) if degrees else 1.0  # one cell: nothing to compare
    return FitResult(statistic, degrees, p_value, n_draws)


def _upper_end(mechanism: Mechanism) -> tuple[NDArray[np.float64], int]:
    """Return an input and the exact grid position that its last number is drawn around."""
    if isinstance(mechanism, RandomisedResponse):
        return np.array(0.0), 0
    if isinstance(mechanism, VectorGaussian):
        return np.zeros(mechanism.dimension), 0
    grid: Any = mechanism
    return np.array(grid.upper), grid.steps


def exact_pmf(channel: Channel, position: int) -> tuple[int, NDArray[np.float64]]:
    """Return the smallest report of note and the probabilities from there on, at a grid position."""
    match channel:
        case OneBitChannel():
            one = float(channel.probability(position))
            return 0, np.array([1 - one, one])
        case PiecewiseChannel():
            pmf = np.full(channel.cells, channel.low, dtype=np.float64)
            pmf[position : position + channel.window] += channel.extra
            pmf[channel.cells // 2] += channel.left_over
            return 0, pmf / UNIT
        case RandomisedResponseChannel():
            chances = [float(channel.probability(position, c)) for c in range(channel.categories)]
            return 0, np.array(chances)
        case LaplaceChannel():
            reach = min(40 * channel.scale, 1 << 24)
            z = np.arange(-reach, reach + 1)
            zero = math.tanh(1 / (2 * channel.scale))  # (1 - q) / (1 + q), q = exp(-1 / scale)
            return position - reach, zero * np.exp(-np.abs(z) / channel.scale)
        case GaussianChannel():
            reach = min(12 * channel.sigma, 1 << 24)
            z = np.arange(-reach, reach + 1)
            weight = np.exp(-((z / channel.sigma) ** 2) / 2)
            return position - reach, weight / weight.sum()
    raise ArgumentError(f"channel: no exact distribution is known for {type(channel).__name__}")


def bins_of(pmf: NDArray[np.float64], draws: int) -> NDArray[np.int64]:
    """Return the bin of every cell: at most 256 runs of cells, each expecting at least 50 draws.

    Up to 256 cells stay apart where they can; more are first cut into about equally likely runs.
    """
    labels = np.arange(pmf.size)
    if pmf.size > _BINS:
        number = np.floor(np.cumsum(pmf) * _BINS + 1e-9).astype(np.int64)
        labels = np.unique(np.concatenate([[0], number[:-1]]), return_inverse=True)[1]
    merged, bin_, total = [], 0, 0.0
    for expected in (np.bincount(labels, weights=pmf) * draws).tolist():
        if total >= _FEWEST:
            bin_, total = bin_ + 1, 0.0
        merged.append(bin_)
        total += expected
    if total < _FEWEST and bin_ > 0:  # the last bin is too small: join it to the one before
        merged = [min(b, bin_ - 1) for b in merged]
    return np.array(merged)[labels]


def compare(drawn: NDArray[Any], low: int, pmf: NDArray[np.float64]) -> tuple[float, int]:
    """Return the chi-square statistic, infinite for draws outside the cells, and degrees of freedom."""
    index = drawn.astype(np.int64) - low
    inside = (index >= 0) & (index < pmf.size)
    missing = max(0.0, 1 - float(pmf.sum())) * drawn.size
    if np.count_nonzero(~inside) > missing + 10 * math.sqrt(missing) + 5:
        return math.inf, 1
    bins = bins_of(pmf, drawn.size)
    expected = np.bincount(bins, weights=pmf) * drawn.size
    observed = np.bincount(bins[index[inside]], minlength=expected.size)
    return float(((observed - expected) ** 2 / expected).sum()), expected.size - 1


def chi_square_power(channel: Channel, faulty: Channel, position: int, draws: int, error: float) -> float:
    """Return the probability that `draws` draws of a faulty channel are told from the right one.

    Noncentral chi-square approximation of the power of `goodness_of_fit`'s test at false alarm `error`.

    Parameters
    ----------
    channel, faulty : Channel
        What is claimed, and what is drawn from; of the same type.
    position : int
        Grid position of the input.
    draws : int
        Number of draws.
    error : float
        False-alarm probability.
    """
    low, right = exact_pmf(channel, position)
    other_low, wrong = exact_pmf(faulty, position)
    shift = other_low - low
    aligned = np.zeros_like(right)
    start, stop = max(shift, 0), min(shift + wrong.size, right.size)
    if start < stop:
        aligned[start:stop] = wrong[start - shift : stop - shift]
    bins = bins_of(right, draws)
    p, q = np.bincount(bins, weights=right), np.bincount(bins, weights=aligned)
    noncentrality = draws * float(((q - p) ** 2 / p).sum()) + draws * max(0.0, 1 - float(aligned.sum()))
    degrees = p.size - 1
    if degrees == 0:
        return 0.0
    return float(stats.ncx2.sf(stats.chi2.isf(error, degrees), degrees, noncentrality))
