"""What an audit attacks: a function that draws reports for one of two inputs."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_stats.budgets import BILLION, Kind, parse_amount
from privacy_stats.mechanisms import Mechanism, RandomisedResponse, VectorGaussian
from privacy_stats.randomness import Randomness, SystemRandomness

Sampler = Callable[[int, int], NDArray[Any]]
"""``sampler(which, n)`` draws n independent reports for input 0 or input 1, as one array of numbers."""


def mechanism_sampler(
    mechanism: Mechanism, kind: Kind, level: float | str, *, rng: Randomness | None = None
) -> Sampler:
    """Return a sampler of one of our mechanisms at its two most distant inputs.

    The inputs lie beyond the ends of the range, so that a missing clamp would be found as well. The arm of a
    hybrid report is part of what is drawn.

    Parameters
    ----------
    mechanism : Mechanism
        What to attack.
    kind : {"pure", "zcdp"}
        Notion of privacy.
    level : float or str
        Budget.
    rng : Randomness, optional
        By default the operating system's generator.

    Examples
    --------
    >>> from privacy_stats.mechanisms import OneBit
    >>> from privacy_stats.randomness import simulation_rng
    >>> sampler = mechanism_sampler(OneBit(0, 1), "pure", 3, rng=simulation_rng(0))
    >>> sampler(0, 1000).mean() < 0.1 < 0.9 < sampler(1, 1000).mean()
    np.True_
    """
    channels = mechanism.channels(kind, Fraction(parse_amount(level, kind), BILLION))
    source = SystemRandomness() if rng is None else rng
    inputs = extremes(mechanism)

    def sample(which: int, n: int) -> NDArray[Any]:
        values = np.broadcast_to(inputs[which], (n, *inputs[which].shape))
        arm, report = mechanism.randomise(values, np.zeros(n, dtype=np.int32), [channels], source)
        first = report[:, 0] if report.ndim == 2 else report
        return first.astype(np.int64) + (arm.astype(np.int64) << 33)

    return sample


def extremes(mechanism: Mechanism) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return two inputs whose channels differ most, ten ranges outside where a range exists."""
    if isinstance(mechanism, RandomisedResponse):
        return np.array(0.0), np.array(1.0)
    if isinstance(mechanism, VectorGaussian):
        low, high = np.zeros(mechanism.dimension), np.zeros(mechanism.dimension)
        low[0], high[0] = -10 * mechanism.bound, 10 * mechanism.bound
        return low, high
    grid: Any = mechanism
    width = grid.upper - grid.lower
    return np.array(grid.lower - 10 * width), np.array(grid.upper + 10 * width)
