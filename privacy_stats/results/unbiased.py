"""Unbiased sums, means and counts from a state: undo each stratum's known bias and add up."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from privacy_stats.aggregation import State
from privacy_stats.errors import ArgumentError
from privacy_stats.inference.moments import noise_of
from privacy_stats.mechanisms import BlockMechanism, Channel, RandomisedResponse
from privacy_stats.results.estimate import Estimate


def unbiased_sum(state: State) -> Estimate:
    """Estimate the sum of the values of all users who reported, clamped to the announced range.

    Every report is an unbiased estimate of its user's clamped value (``offset + scale * report`` with the
    public constants of its stratum); their sum is unbiased for the sum, whatever the budgets. Nobody is
    reweighted: conservative users add most of the noise.

    Parameters
    ----------
    state : State
        Counted reports of a round that asks for numbers or vectors.

    Returns
    -------
    Estimate
        Scalar, or one entry per coordinate.

    Raises
    ------
    ArgumentError
        If the state is empty or counts categories.

    Examples
    --------
    >>> import privacy_stats as ps
    >>> budgets = ps.Budgets.pure([1.0] * 5000)
    >>> round_ = ps.Round.of("commuting", ps.Hybrid(0, 120), budgets)
    >>> minutes = [30.0] * 4000 + [60.0] * 1000
    >>> reports = ps.randomise(round_, minutes, budgets, rng=ps.simulation_rng(1))
    >>> total = ps.unbiased_sum(ps.aggregate(round_, reports, allow_simulated=True))
    >>> abs(total.value - 180_000) < 3 * total.standard_error
    np.True_
    """
    _require(state, categories=False)
    value, variance = _add_up(state)
    return _estimate(state, "sum of the clamped values of those who reported", value, variance)


def unbiased_mean(state: State) -> Estimate:
    """Estimate the mean of the values of all users who reported, clamped to the announced range.

    The sum of `unbiased_sum` over the number of reports: a finite-population mean, every user with equal
    weight.

    Parameters
    ----------
    state : State
        Counted reports of a round that asks for numbers or vectors.

    Raises
    ------
    ArgumentError
        If the state is empty or counts categories.
    """
    _require(state, categories=False)
    value, variance = _add_up(state)
    n = state.n_reports
    return _estimate(state, "mean of the clamped values of those who reported", value / n, variance / n**2)


def unbiased_counts(state: State) -> Estimate:
    """Estimate how many of the users who reported belong to each category.

    Parameters
    ----------
    state : State
        Counted reports of a round with `RandomisedResponse`.

    Returns
    -------
    Estimate
        One entry per category; entries sum to the number of reports and may be negative.

    Raises
    ------
    ArgumentError
        If the state is empty or does not count categories.
    """
    _require(state, categories=True)
    value, variance = _add_up(state)
    return _estimate(state, "number of those who reported in each category", value, variance)


def _require(state: State, *, categories: bool) -> None:
    if isinstance(state.round_.mechanism, RandomisedResponse) is not categories:
        other = "unbiased_sum or unbiased_mean" if categories else "unbiased_counts"
        raise ArgumentError(f"state: a round of {state.round_.mechanism.name} is estimated by {other}")
    if isinstance(state.round_.mechanism, BlockMechanism):
        raise ArgumentError(f"state: a round of {state.round_.mechanism.name} is estimated by its protocol")
    if state.n_reports == 0:
        raise ArgumentError("state: no reports have been counted")


def _add_up(state: State) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the unbiased sums and their noise variance, over all strata that have reports."""
    round_, width = state.round_, state.round_.mechanism.n_sums
    terms: list[list[float]] = [[] for _ in range(width)]
    variance = 0.0
    for stratum, count in enumerate(state.counts):
        if count == 0:
            continue
        level, arm = divmod(stratum, round_.mechanism.arms)
        channel = round_.channels(level)[arm]
        offset, scale = channel.unbias
        variance += count * _noise(state, stratum, channel)
        for k, total in enumerate(state.sums[stratum]):
            terms[k] += [offset * count, scale * total]
    value = np.array([math.fsum(t) for t in terms])
    return value, np.full(width, variance)


def _noise(state: State, stratum: int, channel: Channel) -> float:
    """Noise variance of one report: estimated where it depends on the values, at most its worst value."""
    if channel.noise_profile[2] == 0.0:
        return channel.noise_variance
    n, (total,), (squares,) = state.counts[stratum], state.sums[stratum], state.squares[stratum]
    offset, scale = channel.unbias
    spread = scale**2 * ((n * squares - total**2) / n)
    return noise_of(channel, n, offset + scale * (total / n), spread)


def _estimate(state: State, what: str, value: NDArray[np.float64], variance: NDArray[np.float64]) -> Estimate:
    scalar = value.size == 1
    return Estimate(
        value[0] if scalar else value,
        np.sqrt(variance)[0] if scalar else np.sqrt(variance),
        what,
        state.n_reports,
        f"{state.round_.mechanism.name}, {len(state.round_.levels)} levels",
        state.simulated,
    )
