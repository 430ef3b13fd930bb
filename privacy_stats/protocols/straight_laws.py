"""Laws of length whose mode lies on a straight line over the logarithm of the budget."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privacy_stats.protocols.octave_laws import STEP, Average, Floats, NoisyShares, OctaveLaws

SLOPES = np.arange(-12, 13) * 0.125
"""Octaves by which lengths shift when the budget doubles."""
_LEAST_WEIGHT = 1e-6


def straight_average(laws: OctaveLaws, noisy: NoisyShares, prior: Floats) -> Average:
    """Average the laws with a mode ``m + slope * log2 budget``, one m and one pair of widths for all groups.

    A law weighs likelihood times prior over the square of the sum that it predicts.

    Parameters
    ----------
    laws : OctaveLaws
        With their likelihoods.
    noisy : NoisyShares
        Budgets and users of the groups.
    prior : ndarray, shape (25,)
        Of each of `SLOPES`.
    """
    n_modes = laws.length.shape[1]
    moved = _moved(noisy, n_modes)
    score = np.empty((len(SLOPES), *laws.length.shape))
    for k, places in enumerate(moved):
        total = np.einsum("g,pgm->pm", noisy.users, laws.length[:, places])
        likelihood = np.take_along_axis(laws.likelihood, places[:, None, :], axis=2).sum(axis=0)
        score[k] = np.log(prior[k]) + likelihood - 2 * np.log(total)
    top = score.max()
    weight = np.exp(score - top)
    mass = weight.sum()
    weight /= mass
    own = np.zeros_like(laws.likelihood)
    for part, places in zip(weight, moved, strict=True):
        if part.sum() > _LEAST_WEIGHT:
            own += part @ np.eye(n_modes)[places]
    return Average(float(top + np.log(mass)), own / own.sum(axis=(1, 2), keepdims=True))


def _moved(noisy: NoisyShares, n_modes: int) -> NDArray[np.int64]:
    """Return, for every slope, group and mode, the place of the group's own mode."""
    relative = np.log2(noisy.budget)
    relative = relative - noisy.weight @ relative
    shift = np.rint(SLOPES[:, None] * relative / STEP).astype(np.int64)
    return np.asarray(np.clip(np.arange(n_modes) + shift[:, :, None], 0, n_modes - 1))
