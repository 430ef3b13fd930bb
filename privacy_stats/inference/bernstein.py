"""Limits of a weighted mean that hold for every number of users (Bernstein's inequality)."""

from __future__ import annotations

import math

from privacy_stats.errors import ArgumentError
from privacy_stats.mechanisms import Channel, GaussianChannel, LaplaceChannel


def bernstein_scale(channel: Channel, width: float) -> float:
    """Return c such that ``ln E exp(t (y - E y)) <= t**2 V / (2 (1 - c t))`` for 0 <= t < 1 / c.

    V is the variance of y, or for noise on a grid that of the value plus the noise variance. A number in an
    interval of length r has c = r / 3 (Boucheron, Lugosi and Massart 2013). A value of a range
    of length `width` plus independent Gaussian noise has c = width / 3, since discrete Gaussian noise is
    sub-Gaussian (Canonne, Kamath and Steinke 2020); plus Laplace noise of scale s the larger of
    width / 3 and s, since ``1 / (1 - t**2 s**2) <= exp(t**2 s**2 / (1 - t s))``.

    Parameters
    ----------
    channel : Channel
        What the report is drawn from.
    width : float
        Length of the public range.
    """
    match channel:
        case GaussianChannel():
            return width / 3
        case LaplaceChannel():
            return max(width / 3, channel.scale * channel.grid.step)
    low, high = channel.report_range
    return (high - low) * abs(channel.unbias[1]) / 3


def bernstein_reach(variance: float, scale: float, coverage: float) -> float:
    """Return the distance that a sum exceeds on either side with probability at most ``1 - coverage``.

    For independent terms with the bound of `bernstein_scale`: ``sqrt(2 V L) + c L`` with ``L = ln(2 / (1 -
    coverage))``, V the sum of the variances and c the largest scale.

    Parameters
    ----------
    variance, scale : float
        Upper bounds of V and c, not negative.
    coverage : float
        In (0, 1).

    Raises
    ------
    ArgumentError
        If `coverage` is outside (0, 1).

    Examples
    --------
    >>> f"{bernstein_reach(1.0, 0.0, 0.95):.3f} {bernstein_reach(1.0, 0.1, 0.95):.3f}"
    '2.716 3.085'
    """
    if not 0 < coverage < 1:
        raise ArgumentError(f"coverage: got {coverage}, wanted a number in (0, 1), such as 0.95")
    log = math.log(2 / (1 - coverage))
    return math.sqrt(2 * variance * log) + scale * log
