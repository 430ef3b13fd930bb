"""From a server's integers to means and variances of unbiased estimates, level by level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privacy_stats.aggregation import State
from privacy_stats.errors import ArgumentError
from privacy_stats.inference.bernstein import bernstein_scale
from privacy_stats.mechanisms import Channel
from privacy_stats.mechanisms.on_grid import GridMechanism

FEWEST = 30
"""Reports that tell how much noise is in them."""
Row = tuple[float, ...]
"""One group's numbers, in the order of the fields of `Moments`."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Per group of users: how many, and mean, variance and noise of their unbiased estimates.

    Every report becomes an unbiased estimate ``y = offset + scale * report`` of its user's clamped value.

    Parameters
    ----------
    label : tuple of str
        What the groups are; budget levels, as a rule.
    count : ndarray of int64, shape (g,)
        Users, each at least 1.
    mean : ndarray of float, shape (g,)
        Mean of y.
    variance : ndarray of float, shape (g,)
        Sample variance of y, with denominator ``count - 1``; 0 for a single user.
    noise : ndarray of float, shape (g,)
        Estimated noise variance of one y, given the values; at most `worst`.
    worst : ndarray of float, shape (g,)
        Noise variance of one y at the worst value; public.
    bound, scale : ndarray of float, shape (g,)
        Public bounds of one y for Bernstein's inequality: its variance, noise and values together, and its
        `bernstein_scale`.

    Raises
    ------
    ArgumentError
        If lengths differ, a group is empty, or a number is not finite.
    """

    label: tuple[str, ...]
    count: NDArray[np.int64]
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]
    noise: NDArray[np.float64]
    worst: NDArray[np.float64]
    bound: NDArray[np.float64]
    scale: NDArray[np.float64]

    def __post_init__(self) -> None:
        for name in ("count", "mean", "variance", "noise", "worst", "bound", "scale"):
            array = np.array(getattr(self, name), dtype=np.float64)
            if array.shape != (len(self.label),) or not np.isfinite(array).all():
                raise ArgumentError(f"{name}: wanted one finite number for each of {len(self.label)} groups")
            array = array.astype(np.int64) if name == "count" else array
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        if not self.label or (self.count < 1).any():
            raise ArgumentError("count: wanted at least one group, and at least one user in each")

    def __len__(self) -> int:
        return len(self.label)

    @property
    def n_users(self) -> int:
        """Users in all groups."""
        return int(self.count.sum())

    def coarsened(self, fewest: int) -> Moments:
        """Join neighbouring groups until each has at least `fewest` users, if all together have so many.

        Who is joined depends on public counts only.

        Parameters
        ----------
        fewest : int
            At least 1.
        """
        runs: list[list[int]] = [[]]
        for k in range(len(self)):
            if sum(int(self.count[j]) for j in runs[-1]) >= fewest:
                runs.append([])
            runs[-1].append(k)
        if len(runs) > 1 and sum(int(self.count[j]) for j in runs[-1]) < fewest:
            last = runs.pop()
            runs[-1] += last
        return self if len(runs) == len(self) else self._joined(runs)

    def _joined(self, runs: Sequence[Sequence[int]]) -> Moments:
        rows = [_pooled([self._row(k) for k in run]) for run in runs]
        ends = [(self.label[run[0]], self.label[run[-1]]) for run in runs]
        label = tuple(first if first == last else f"{first}..{last}" for first, last in ends)
        return Moments(label, *np.array(rows).T)

    def _row(self, k: int) -> Row:
        columns = (self.count, self.mean, self.variance, self.noise, self.worst, self.bound, self.scale)
        return tuple(float(column[k]) for column in columns)


def moments(state: State) -> Moments:
    """Return the moments of a state, one group per budget level that has reports.

    Parameters
    ----------
    state : State
        Counted reports of a round that asks for one number.

    Returns
    -------
    Moments

    Raises
    ------
    ArgumentError
        If the round asks for vectors or categories, keeps no squares, or nobody reported.

    Examples
    --------
    >>> import privacy_stats as ps
    >>> budgets = ps.Budgets.pure([1.0] * 4000 + [2.0] * 4000)
    >>> round_ = ps.Round.of("commuting", ps.OneBit(0, 120), budgets)
    >>> reports = ps.randomise(round_, [30.0] * 8000, budgets, rng=ps.simulation_rng(1))
    >>> found = moments(ps.aggregate(round_, reports, allow_simulated=True))
    >>> found.label, found.count.tolist(), bool(abs(found.mean - 30).max() < 10)
    (('1', '2'), [4000, 4000], True)
    """
    round_, mechanism = state.round_, state.round_.mechanism
    if not isinstance(mechanism, GridMechanism):
        raise ArgumentError(
            f"state: a round of {mechanism.name} has no mean of one number; wanted a round of one-bit, "
            "piecewise, hybrid, laplace or gaussian"
        )
    half = (mechanism.upper - mechanism.lower) / 2
    label, rows = [], []
    for level, budget in enumerate(round_.levels):
        strata = range(level * mechanism.arms, (level + 1) * mechanism.arms)
        arms = [
            _arm(state.counts[s], state.sums[s][0], state.squares[s][0], channel, half)
            for s, channel in zip(strata, round_.channels(level), strict=True)
            if state.counts[s]
        ]
        if arms:
            label.append(f"{float(budget):g}")
            rows.append(_pooled(arms))
    if not rows:
        raise ArgumentError("state: no reports have been counted")
    return Moments(tuple(label), *np.array(rows).T)


def _arm(n: int, total: int, squares: int, channel: Channel, half: float) -> Row:
    """The row of one stratum: half is half the width of the public range."""
    offset, scale = channel.unbias
    mean = offset + scale * (total / n)
    spread = scale**2 * ((n * squares - total**2) / n)  # exact integers until the division
    _, base, bend = channel.noise_profile
    return (
        float(n),
        mean,
        spread / max(n - 1, 1),
        noise_of(channel, n, mean, spread),
        channel.noise_variance,
        base + (1 + bend) * half**2,  # most at values half at either end
        bernstein_scale(channel, 2 * half),
    )


def noise_of(channel: Channel, n: int, mean: float, spread: float) -> float:
    """Estimate the noise variance of one report of a channel, given the values of its n users.

    At a value x the noise variance is ``base + bend (x - middle)**2``, and so the mean square of ``y -
    middle`` is ``base + (1 + bend) (x - middle)**2``, which reveals the mean of ``(x - middle)**2``. For one
    bit ``1 + bend`` is 0, nothing is revealed, and the sample variance of y is an upper bound on average,
    since values spread around their mean. Fewer than `FEWEST` reports count with the worst noise: two equal
    bits would show no noise at all, and many such levels would halve that of their sum.

    Parameters
    ----------
    channel : Channel
        What the reports were drawn from.
    n : int
        Number of reports.
    mean, spread : float
        Mean of y, and its sum of squared deviations.
    """
    middle, base, bend = channel.noise_profile
    if bend == 0.0 or n < FEWEST:
        return channel.noise_variance
    if 1 + bend <= 0.0:
        return min(spread / (n - 1), channel.noise_variance)
    distance = (spread / n + (mean - middle) ** 2 - base) / (1 + bend)
    return min(max(base, base + bend * distance), channel.noise_variance)


def _pooled(rows: Sequence[Row]) -> Row:
    """Return the row of several groups together; bounds become the largest."""
    n, mean, variance, noise, worst, bound, scale = np.array(rows).T
    total = float(n.sum())
    centre = float(n @ mean) / total
    squares = float((n - 1) @ variance + n @ (mean - centre) ** 2)
    average = float(n @ noise) / total, float(n @ worst) / total
    return total, centre, squares / max(total - 1, 1), *average, float(bound.max()), float(scale.max())
