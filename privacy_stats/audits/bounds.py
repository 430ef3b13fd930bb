"""From counts of one event under two inputs to a lower bound of the privacy parameter."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betainccinv, betaincinv

from privacy_stats.errors import ArgumentError

_SLACK = 1e-9  # relative; far above the error of the inverse beta function


def clopper_pearson(hits: int, draws: int, error: float) -> tuple[float, float]:
    """Return limits of a probability, each of which fails with probability at most `error`.

    Exact binomial limits (Clopper and Pearson 1934), widened by 1e-9 relative against rounding.

    Parameters
    ----------
    hits, draws : int
        ``0 <= hits <= draws``, ``draws >= 1``.
    error : float
        In (0, 1/2).

    Raises
    ------
    ArgumentError
        If an argument is out of range.

    Examples
    --------
    >>> low, high = clopper_pearson(5, 10, 0.025)
    >>> f"{low:.4f} {high:.4f}"
    '0.1871 0.8129'
    """
    if not 0 <= hits <= draws or draws < 1:
        raise ArgumentError(f"hits: got {hits} of {draws}, wanted 0 <= hits <= draws and draws >= 1")
    if not 0 < error < 0.5:
        raise ArgumentError(f"error: got {error}, wanted a number in (0, 1/2)")
    low = float(betaincinv(hits, draws - hits + 1, error)) if hits else 0.0
    high = float(betainccinv(hits + 1, draws - hits, error)) if hits < draws else 1.0
    return low * (1 - _SLACK), min(high * (1 + _SLACK), 1.0)


def epsilon_at_least(hits_a: int, hits_b: int, draws: int, error: float) -> float:
    """Return a lower bound of epsilon from how often an event happened under the inputs a and b.

    epsilon-DP demands ``P_a(event) <= exp(epsilon) P_b(event)``; the bound is the logarithm of the ratio of a
    lower and an upper limit, and exceeds the true epsilon with probability at most `error`.

    Parameters
    ----------
    hits_a, hits_b : int
        How often the event happened.
    draws : int
        Draws per input.
    error : float
        In (0, 1).

    Examples
    --------
    >>> f"{epsilon_at_least(7311, 2689, 10_000, 1e-6):.3f}"  # randomised response at epsilon = 1
    '0.891'
    """
    low, _ = clopper_pearson(hits_a, draws, error / 2)
    _, high = clopper_pearson(hits_b, draws, error / 2)
    return math.log(low / high) if low > high else 0.0


def rho_at_least(hits_a: int, hits_b: int, draws: int, error: float) -> float:
    """Return a lower bound of the zCDP level from counts of one event.

    Looking only at whether the event happened is post-processing, so ``D_alpha(Bernoulli(p) ||
    Bernoulli(q))`` is at most ``rho alpha`` for every alpha > 1. It grows with p and falls with q when p > q,
    so limits of p and q give a bound that holds for all alpha at once; the best of a grid of alpha (and alpha
    -> 1) is returned.

    Parameters
    ----------
    hits_a, hits_b, draws, error
        As for `epsilon_at_least`.

    Examples
    --------
    >>> f"{rho_at_least(7311, 2689, 10_000, 1e-6):.3f}"  # at most 1 * tanh(1/2) = 0.462
    '0.372'
    """
    p, _ = clopper_pearson(hits_a, draws, error / 2)
    _, q = clopper_pearson(hits_b, draws, error / 2)
    if p <= q:
        return 0.0
    divergence = p * math.log(p / q) + ((1 - p) * math.log((1 - p) / (1 - q)) if p < 1 else 0.0)
    alpha = np.geomspace(1.001, 1000, 400)
    with np.errstate(divide="ignore"):
        logs = np.logaddexp(
            alpha * math.log(p) + (1 - alpha) * math.log(q),
            alpha * np.log1p(-p) + (1 - alpha) * math.log1p(-q),
        )
    return max(divergence, float((logs / (alpha * (alpha - 1))).max()))
