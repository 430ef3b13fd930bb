"""How long values are, told from a noisy histogram of octaves: one shape for all budgets, and what departs
from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

Floats = NDArray[np.float64]

_WIDTHS = np.array([0.15, 0.3, 0.6, 1.0, 1.6, 2.5])
_STEP = 0.5
"""Step of the mode, in octaves."""
_SLOPES = np.arange(-12, 13) * 0.125
"""Octaves by which lengths shift when the budget doubles."""
_HEIGHT_PENALTY = 1.0
_ALARM = 1e-6
"""Probability that noise alone makes an octave stand out in a histogram."""
_SLOPE_PENALTY = 2.0


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
        Typical budget of each group.
    """

    share: Floats
    deviation: Floats
    budget: Floats

    @property
    def weight(self) -> Floats:
        """Inverse variances, scaled to sum to 1."""
        raw = np.where(np.isfinite(self.deviation), self.deviation**-2.0, 0.0)
        return np.asarray(raw / raw.sum())


def estimate_shares(noisy: NoisyShares) -> Floats:
    """Return the share of users per group and octave: never negative, rows sum to 1.

    First a shape with few parameters (`fit_shape`). Then the pooled histogram is shrunk towards it: a share
    departs from the shape by some fraction of itself, as large as the data suggest (empirical Bayes), so
    octaves where the shape has nobody stay empty, unless one stands out of its noise. Then a group keeps what
    stands out of its own noise. Standing out means: noise alone does it in one of
    10**6 histograms.
    """
    shape = fit_shape(noisy)
    residual = noisy.share - shape
    variance = 1 / float((noisy.deviation**-2.0).sum())
    pooled, mean = noisy.weight @ residual, noisy.weight @ shape
    fraction = max(0.0, float((pooled**2).sum()) - variance * pooled.size) / float((mean**2).sum())
    common = pooled * fraction * mean**2 / (fraction * mean**2 + variance)
    common = np.where(_far(pooled, np.sqrt(variance)), pooled, common)
    own = residual - common
    share = shape + common + np.where(_far(own, noisy.deviation[:, None]), own, 0.0)
    share = np.maximum(share, 0.0)
    total = share.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0, share / np.maximum(total, 1e-300), shape))


def _far(residual: Floats, deviation: Floats | np.float64) -> NDArray[np.bool_]:
    """Return which residuals noise alone would not reach anywhere, but in one histogram of 10**6."""
    return np.asarray(np.abs(residual) > -float(ndtri(_ALARM / (2 * residual.size))) * deviation)


def fit_shape(noisy: NoisyShares) -> Floats:
    """Fit a two-piece normal law of log2 length whose mode moves linearly with the log of the budget.

    Penalised maximum likelihood over a grid: mode, width below and above it, and slope. High octaves cost
    1 each (noise invents large values more readily than small ones), a slope other than 0 costs 2, as one
    parameter does in Akaike's criterion.

    Returns
    -------
    ndarray, shape (groups, octaves)
        Shares of the best shape, a row per group.
    """
    octaves = noisy.share.shape[1]
    modes = np.arange(-1, octaves, _STEP)
    pairs = np.array([(low, high) for low in _WIDTHS for high in _WIDTHS])
    table = two_piece_shares(modes, pairs, octaves)  # (modes, pairs, octaves)
    precision = np.where(np.isfinite(noisy.deviation), noisy.deviation**-2.0, 0.0)
    squares = (table**2).sum(axis=2)
    cross = np.einsum("gk,msk->gms", noisy.share, table, optimize=True)
    misfit = 0.5 * precision[:, None, None] * (squares[None] - 2 * cross)
    relative = np.log2(noisy.budget)
    relative = relative - noisy.weight @ relative
    penalty = _HEIGHT_PENALTY * (modes[:, None] + pairs[None, :, 1])
    best: tuple[float, int, int, Floats] = (np.inf, 0, 0, np.zeros(len(relative)))
    places = np.arange(len(modes))
    for slope in _SLOPES.tolist():
        shift = np.rint(slope * relative / _STEP).astype(int)
        moved = np.clip(places[None, :] + shift[:, None], 0, len(modes) - 1)
        score = np.take_along_axis(misfit, moved[:, :, None], axis=1).sum(axis=0) + penalty
        score = score + (_SLOPE_PENALTY if slope else 0.0)
        mode, pair = divmod(int(score.argmin()), score.shape[1])
        if score[mode, pair] < best[0]:
            best = (float(score[mode, pair]), mode, pair, shift)
    _, mode, pair, shift = best
    return np.asarray(table[np.clip(mode + shift, 0, len(modes) - 1), pair])


def two_piece_shares(modes: Floats, widths: Floats, octaves: int) -> Floats:
    """Return the probability of every octave, shape (modes, pairs of widths, octaves)."""
    ends = np.arange(octaves - 1)[None, None, :] - modes[:, None, None]
    low, high = widths[None, :, 0, None], widths[None, :, 1, None]
    below = 2 * low / (low + high) * ndtr(np.minimum(ends, 0.0) / low)
    above = 2 * high / (low + high) * (ndtr(np.maximum(ends, 0.0) / high) - 0.5)
    law = below + above
    padded = np.concatenate([np.zeros_like(law[..., :1]), law, np.ones_like(law[..., :1])], axis=2)
    return np.asarray(np.diff(padded, axis=2))
