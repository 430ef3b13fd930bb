"""How long values are, told from a noisy histogram of octaves: one shape for all budgets, and what departs
from it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from privacy_stats.protocols.octave_laws import Floats, NoisyShares, OctaveLaws, combined
from privacy_stats.protocols.straight_laws import SLOPES, straight_average
from privacy_stats.protocols.wandering_laws import RATES, wandering_averages

_CONSTANT = 0.5
"""Prior probability that lengths do not depend on the budget; other slopes and all walks share the rest."""
_NEGLIGIBLE = 14.0
"""Nats by which a walk is less probable than the lines and left out: one in a million."""
_ALARM = 1e-6
"""Probability that noise alone makes an octave stand out in a histogram."""


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
    variance = 1 / float(noisy.precision.sum())
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
    """Average two-piece normal laws of log2 length whose mode moves with the log of the budget.

    It moves along a line (`straight_average`) or wanders (`wandering_averages`). The weight of a law is
    likelihood times prior over the square of the sum that it predicts: what counts is the square of the
    *relative* error, and noise of a given size hurts a small sum more than a large one. So a large length is
    believed only if the histogram shows it. Modes and widths are equally probable beforehand; half of the
    prior is on a mode that does not move, and the rest is spread evenly over slopes and walks.

    Returns
    -------
    ndarray, shape (groups, octaves)
        Shares, a row per group.
    """
    laws = OctaveLaws.given(noisy)
    other = (1 - _CONSTANT) / (len(SLOPES) - 1 + len(RATES))
    prior = np.where(SLOPES == 0, _CONSTANT, other)
    straight = straight_average(laws, noisy, prior)
    wandering = wandering_averages(laws, noisy, other, straight.log_weight - _NEGLIGIBLE)
    return laws.shares(combined([straight, *wandering]))
