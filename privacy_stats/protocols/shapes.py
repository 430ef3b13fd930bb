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
_NO_SLOPE = 0.5
"""Prior probability that lengths do not depend on the budget; the other slopes share the rest."""
_ALARM = 1e-6
"""Probability that noise alone makes an octave stand out in a histogram."""
_LEAST_WEIGHT = 1e-6


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
    users : ndarray, shape (groups,)
        Users of each group.
    """

    share: Floats
    deviation: Floats
    budget: Floats
    users: Floats

    @property
    def weight(self) -> Floats:
        """Inverse variances, scaled to sum to 1."""
        raw = np.where(np.isfinite(self.deviation), self.deviation**-2.0, 0.0)
        return np.asarray(raw / raw.sum())


def estimate_shares(noisy: NoisyShares) -> Floats:
    """Return the share of users per group and octave: never negative, rows sum to 1.

    First the average of shapes with few parameters (`expected_shape`). Then the pooled histogram is shrunk
    towards it: a share departs from the shape by some fraction of itself, as large as the data suggest
    (empirical Bayes), so octaves where the shape has nobody stay empty, unless one stands out of its noise.
    Then a group keeps what stands out of its own noise. Standing out means: noise alone does it in one of
    10**6 histograms.
    """
    shape = expected_shape(noisy)
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


def expected_shape(noisy: NoisyShares) -> Floats:
    """Average two-piece normal laws of log2 length whose mode moves linearly with the log of the budget.

    A law is a mode, a width below and one above it, and a slope; all on a grid. Its weight is likelihood
    times prior over the square of the sum that it predicts: what counts is the square of the *relative*
    error, and noise of a given size hurts a small sum more than a large one. So a large length is believed
    only if the histogram shows it. Modes and widths are equally probable beforehand; half of the prior is on
    slope 0.

    Returns
    -------
    ndarray, shape (groups, octaves)
        Shares, a row per group.
    """
    octaves = noisy.share.shape[1]
    modes = np.arange(-1, octaves, _STEP)
    pairs = np.array([(low, high) for low in _WIDTHS for high in _WIDTHS])
    table = two_piece_shares(modes, pairs, octaves)  # (modes, pairs, octaves)
    precision = np.where(np.isfinite(noisy.deviation), noisy.deviation**-2.0, 0.0)
    cross = np.einsum("gk,msk->gms", noisy.share, table, optimize=True)
    misfit = 0.5 * precision[:, None, None] * ((table**2).sum(axis=2)[None] - 2 * cross)
    length = table @ np.exp2(np.arange(octaves))
    moved = _moved(noisy, len(modes))
    score = np.empty((len(_SLOPES), *length.shape))
    for k, (slope, places) in enumerate(zip(_SLOPES.tolist(), moved, strict=True)):
        prior = (1 - _NO_SLOPE) / (len(_SLOPES) - 1) if slope else _NO_SLOPE
        total = np.einsum("g,gms->ms", noisy.users, length[places])
        score[k] = np.log(prior) - 2 * np.log(total)
        score[k] -= np.take_along_axis(misfit, places[:, :, None], axis=1).sum(axis=0)
    weight = np.exp(score - score.max())
    weight /= weight.sum()
    own = np.zeros((len(noisy.share), *length.shape))  # every group's weight of every mode and pair
    for part, places in zip(weight, moved, strict=True):
        if part.sum() > _LEAST_WEIGHT:
            own += np.eye(len(modes))[places].transpose(0, 2, 1) @ part
    shape = np.einsum("gms,msk->gk", own, table, optimize=True)
    return np.asarray(shape / shape.sum(axis=1, keepdims=True))


def _moved(noisy: NoisyShares, n_modes: int) -> NDArray[np.int64]:
    """Return, for every slope, group and mode, the place of the group's own mode."""
    relative = np.log2(noisy.budget)
    relative = relative - noisy.weight @ relative
    shift = np.rint(_SLOPES[:, None] * relative / _STEP).astype(np.int64)
    return np.asarray(np.clip(np.arange(n_modes) + shift[:, :, None], 0, n_modes - 1))


def two_piece_shares(modes: Floats, widths: Floats, octaves: int) -> Floats:
    """Return the probability of every octave, shape (modes, pairs of widths, octaves)."""
    ends = np.arange(octaves - 1)[None, None, :] - modes[:, None, None]
    low, high = widths[None, :, 0, None], widths[None, :, 1, None]
    below = 2 * low / (low + high) * ndtr(np.minimum(ends, 0.0) / low)
    above = 2 * high / (low + high) * (ndtr(np.maximum(ends, 0.0) / high) - 0.5)
    law = below + above
    padded = np.concatenate([np.zeros_like(law[..., :1]), law, np.ones_like(law[..., :1])], axis=2)
    return np.asarray(np.diff(padded, axis=2))
