"""Two rounds: a cheap look at how long values are, then one release at the thresholds that this suggests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, cast, final

import numpy as np

from privacy_stats.aggregation import State
from privacy_stats.budgets import BILLION
from privacy_stats.errors import ArgumentError
from privacy_stats.mechanisms import BlockChannel, ClippedGaussian, Mechanism, NormHistogram
from privacy_stats.mechanisms.blocks import LARGEST_SIGMA, common_sigma, radius_limit
from privacy_stats.protocols.base import ProtocolRound, as_states
from privacy_stats.protocols.octave_laws import NoisyShares
from privacy_stats.protocols.radius import RadiusProtocol, Survey, Total
from privacy_stats.protocols.shapes import estimate_shares
from privacy_stats.protocols.thresholds import Lengths, best_thresholds
from privacy_stats.results import SurveyEstimate
from privacy_stats.rounds import Round

_LEAST_SHARE, _MOST_SHARE = Fraction(1, 4), Fraction(3, 4)


@final
@dataclass(frozen=True, slots=True)
class HistogramRadius(RadiusProtocol):
    """A histogram of octaves for part of the budget, then one clipped Gaussian release.

    Round 1 counts, per group of similar budgets, how many values have which octave of length
    (`NormHistogram`). The server estimates the shares (`estimate_shares`) and announces the thresholds of
    least predicted error (`best_thresholds`). Round 2 releases values clipped at them (`ClippedGaussian`)
    with all that is left.

    With probability ``1 - beta`` the error is at most ``sum (|x| - tau_u)_+ + q sd``, q the chi quantile with
    d degrees of freedom at ``1 - beta``, for whatever thresholds were announced; see the theory page.

    Parameters
    ----------
    bound, dimension, non_negative, resolution, beta
        As for `SunRadius`.
    histogram_share : Fraction, optional
        Part of the budget for round 1. By default a quarter, or more where the sum of all rho, a public fact,
        is too small for a quarter to tell octaves apart (`for_budgets`, or `counts` in `first_round`).

    Raises
    ------
    ArgumentError
        If an argument is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> import privacy_stats as ps
    >>> budgets = ps.Budgets.zcdp(np.tile([0.01, 0.1, 1.0], 2000))
    >>> protocol = HistogramRadius(bound=1e6, non_negative=True)
    >>> total = ps.estimate_sum(np.full(6000, 50.0), budgets, protocol=protocol, rng=ps.simulation_rng(0))
    >>> bool(abs(total.value - 300_000) < 30_000)
    True
    """

    histogram_share: Fraction | None = None
    name: ClassVar[str] = "histogram-radius"
    mechanisms: ClassVar[tuple[type[Mechanism], ...]] = (NormHistogram, ClippedGaussian)

    def __post_init__(self) -> None:
        RadiusProtocol.__post_init__(self)
        share = self.histogram_share
        if share is not None and (not isinstance(share, Fraction) or not 0 < share < 1):
            raise ArgumentError(f"histogram_share: got {share!r}, wanted a Fraction in (0, 1), or None")

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """The histogram's part and the rest."""
        return self._first, 1 - self._first

    @property
    def _first(self) -> Fraction:
        return _LEAST_SHARE if self.histogram_share is None else self.histogram_share

    def for_total(self, total: float) -> HistogramRadius:
        """Return the protocol with the histogram's part chosen for a given sum of all rho.

        A histogram of all users in one of K octaves tells it from another with ``f * total`` nats on average,
        f its part of the budget, and with half of that if values fill two octaves. A length at the other end
        needs a likelihood ``4**K`` times larger to be believed. So f is what makes ``f * total / 2`` equal
        ``K log 4``, and from 1/4 to 3/4.
        """
        if self.histogram_share is not None:
            return self
        wanted = 2 * math.log(4) * _octaves(self.bound, self.resolution) / total
        share = min(max(Fraction(math.ceil(64 * min(wanted, 1.0)), 64), _LEAST_SHARE), _MOST_SHARE)
        return replace(self, histogram_share=share)

    def next_round(self, states: State | Sequence[State]) -> ProtocolRound:
        """Announce the next round, from the state of the last one (or of all rounds so far)."""
        return RadiusProtocol.next_round(self._as_announced(states), states)

    def estimate(self, states: State | Sequence[State]) -> SurveyEstimate:
        """Estimate the sum over all users who reported, from the states of all rounds in order."""
        return RadiusProtocol.estimate(self._as_announced(states), states)

    def _as_announced(self, states: State | Sequence[State]) -> HistogramRadius:
        """Return the protocol with the part that the first of these rounds was announced with."""
        round_ = as_states(states)[0].round_
        share = round_.share if round_.number == 1 else 1 - round_.share
        if self.histogram_share is not None or not _LEAST_SHARE <= share <= _MOST_SHARE:
            return self
        return replace(self, histogram_share=share)

    def open(self, survey: Survey) -> Round:
        """Announce the histogram."""
        octaves = _octaves(self.reach(survey), self.resolution)
        sigma = common_sigma(survey.spent(self._first)[-1], 2, 1)
        mechanism = NormHistogram(
            self.dimension,
            self.bound,
            self.resolution,
            octaves,
            sigma,
            self.one_sided(survey),
            survey.centre,
        )
        return survey.announce(mechanism, self._first)

    def follow(self, state: State, index: int) -> Round:  # noqa: ARG002
        """Announce the release at the thresholds that the histogram suggests."""
        survey = Survey.after(state, self._first)
        spent = survey.spent(1 - self._first)
        budget = np.array([float(b) for b in spent])
        groups = np.array(state.round_.first_strata())
        users = np.array(state.counts)[groups] / np.bincount(groups)[groups]
        shares = estimate_shares(noisy_shares(state))[groups]
        factor = self._factor(survey)
        cost = factor * self.dimension / 2
        tau, _ = best_thresholds(Lengths.of(shares, self.resolution), budget, users, cost)
        mechanism = clipped(self, survey, spent, np.minimum(tau, self.reach(survey)).tolist(), factor)
        return survey.announce(mechanism, 1 - self._first)

    def _factor(self, survey: Survey) -> int:
        """Return D**2."""
        if not self.one_sided(survey):
            return 4
        return 1 if self.dimension == 1 else 2

    def total(self, states: Sequence[State]) -> Total:
        """Return the released sum."""
        return released_sum(states[-1])


def _octaves(reach: float, resolution: float) -> int:
    """Return the number of octaves of lengths up to `reach`."""
    return max(2, math.ceil(math.log2(reach / resolution) - 1e-9) + 1)


def noisy_shares(state: State) -> NoisyShares:
    """Return the shares of users per group and octave that a histogram round suggests."""
    round_ = state.round_
    mechanism = cast(NormHistogram, round_.mechanism)
    groups = np.array(round_.first_strata())
    channels = [cast(BlockChannel, round_.channels(k)[0]) for k in range(len(round_.levels))]
    radius = np.array([c.radius for c in channels], dtype=np.float64)
    members = np.bincount(groups)
    weight = np.bincount(groups, radius) / members * np.array(state.counts)
    budget = np.bincount(groups, [float(b) for b in round_.levels]) / members
    sums = np.array(state.sums, dtype=np.float64)
    present = weight > 0
    share = np.where(present[:, None], sums / np.maximum(weight, 1e-300)[:, None], 0.0)
    noise = mechanism.sigma * np.sqrt(np.array(state.counts, dtype=np.float64))
    deviation = np.where(present, noise / np.maximum(weight, 1e-300), np.inf)
    return NoisyShares(share, deviation, budget, np.array(state.counts, dtype=np.float64))


def clipped(
    protocol: RadiusProtocol, survey: Survey, spent: list[Fraction], tau: list[float], factor: int
) -> ClippedGaussian:
    """Return a release at thresholds tau, one per level, all counted in the same step."""
    rows = threshold_rows(spent, tau, factor, protocol.dimension, protocol.bound)
    one_sided = protocol.one_sided(survey)
    return ClippedGaussian(protocol.dimension, protocol.bound, rows, one_sided, survey.centre)


def threshold_rows(
    spent: list[Fraction], tau: list[float], factor: int, dimension: int, bound: float
) -> tuple[tuple[int, float, int], ...]:
    """Return the rows of a `ClippedGaussian` at thresholds tau, all counted in the same step.

    The step is as fine as sigma up to 2**24 and radii up to the largest allow, so truncation is far below the
    noise.
    """
    sigma = max(math.sqrt(factor / (2 * float(b))) * t for b, t in zip(spent, tau, strict=True))
    step = max(sigma / LARGEST_SIGMA, max(tau) / radius_limit(dimension), bound / 2.0**100)
    rows = {
        int(b * BILLION): (int(b * BILLION), int(t / step) * step, int(t / step))
        for b, t in zip(spent, tau, strict=True)
    }
    return tuple(rows.values())


def released_sum(state: State) -> Total:
    """Return the sum of clipped values that a release of one step gives, and its noise."""
    mechanism = cast(ClippedGaussian, state.round_.mechanism)
    steps = [reach / radius for _, reach, radius in mechanism.thresholds if radius]
    step = max(steps, default=0.0)
    value = np.array(state.sums, dtype=np.float64).sum(axis=0) * step
    details = {"thresholds": [reach for _, reach, _ in mechanism.thresholds]}
    return Total(value, noise_variance(state) * step**2, details)


def noise_variance(state: State) -> float:
    """Return the variance of the noise in every sum over all users, in squared steps.

    Where several levels share a group, every user of the group counts with the largest sigma in it.
    """
    round_ = state.round_
    largest = [0] * len(state.counts)
    for level, group in enumerate(round_.first_strata()):
        (channel,) = round_.channels(level)
        largest[group] = max(largest[group], cast(BlockChannel, channel).sigma)
    return float(sum(count * sigma**2 for count, sigma in zip(state.counts, largest, strict=True)))
