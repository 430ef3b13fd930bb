"""Laws of length over octaves with few parameters, their likelihood given noisy shares, and averages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Floats = NDArray[np.float64]

STEP = 0.5
"""Distance of neighbouring modes, in octaves."""
_WIDTHS = np.array([0.15, 0.3, 0.6, 1.0, 1.6, 2.5])


@dataclass(frozen=True, slots=True)
class NoisyShares:
    """Estimated share of users per group of budgets and octave, with known noise.

    Parameters
    ----------
    share : ndarray, shape (groups, octaves)
        Unbiased estimates; rows of groups without users are zero.
    deviation : ndarray, shape (groups,)
        Standard deviation of every entry of a row; infinite for groups without users.
    budget : ndarray, shape (groups,)
        Typical budget of each group, ascending.
    users : ndarray, shape (groups,)
        Users of each group.
    """

    share: Floats
    deviation: Floats
    budget: Floats
    users: Floats

    @property
    def precision(self) -> Floats:
        """Inverse variances; 0 for groups without users."""
        return np.where(np.isfinite(self.deviation), self.deviation**-2.0, 0.0)

    @property
    def weight(self) -> Floats:
        """Inverse variances, scaled to sum to 1."""
        return np.asarray(self.precision / self.precision.sum())


@dataclass(frozen=True, slots=True)
class OctaveLaws:
    """Two-piece normal laws of log2 length: every mode on a grid of half octaves, every pair of widths.

    Parameters
    ----------
    table : ndarray, shape (pairs, modes, octaves)
        Probability of every octave.
    length : ndarray, shape (pairs, modes)
        Mean length, in ends of the lowest octave, every octave counted at its end.
    likelihood : ndarray, shape (groups, pairs, modes)
        Logarithm of the likelihood of every law given a group's noisy shares, up to a constant.
    """

    table: Floats
    length: Floats
    likelihood: Floats

    @classmethod
    def given(cls, noisy: NoisyShares) -> OctaveLaws:
        """Return all laws with what the shares say about them."""
        octaves = noisy.share.shape[1]
        pairs = np.array([(low, high) for low in _WIDTHS for high in _WIDTHS])
        table = two_piece_shares(np.arange(-1, octaves, STEP), pairs, octaves)
        cross = np.einsum("gk,pmk->gpm", noisy.share, table, optimize=True)
        likelihood = noisy.precision[:, None, None] * (cross - 0.5 * (table**2).sum(axis=2))
        return cls(table, table @ np.exp2(np.arange(octaves)), likelihood)

    def shares(self, weight: Floats) -> Floats:
        """Return the share of users per group and octave, for a weight of every law in every group."""
        found = np.einsum("gpm,pmk->gk", weight, self.table, optimize=True)
        return np.asarray(found / found.sum(axis=1, keepdims=True))


class Average(NamedTuple):
    """What a family of laws has to say: the logarithm of its weight, and the laws' weights in every group."""

    log_weight: float
    weight: Floats
    """Shape (groups, pairs, modes), every group's sum is 1."""


def combined(averages: Sequence[Average]) -> Floats:
    """Return the weight of every law in every group over all families."""
    logs = np.array([average.log_weight for average in averages])
    part = np.exp(logs - logs.max())
    found = sum(p * average.weight for p, average in zip(part / part.sum(), averages, strict=True))
    return np.asarray(found)


def two_piece_shares(modes: Floats, widths: Floats, octaves: int) -> Floats:
    """Return the probability of every octave, shape (pairs of widths, modes, octaves)."""
    ends = np.arange(octaves - 1)[None, None, :] - modes[None, :, None]
    low, high = widths[:, 0, None, None], widths[:, 1, None, None]
    below = 2 * low / (low + high) * ndtr(np.minimum(ends, 0.0) / low)
    above = 2 * high / (low + high) * (ndtr(np.maximum(ends, 0.0) / high) - 0.5)
    law = below + above
    padded = np.concatenate([np.zeros_like(law[..., :1]), law, np.ones_like(law[..., :1])], axis=2)
    return np.asarray(np.diff(padded, axis=2))
