"""Limits of the full, unclipped sum when every value is known to lie in a declared range."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from privacy_stats.errors import ArgumentError


def folded_quantile(ratio: float, coverage: float) -> float:
    """Return c with ``P(|Z + ratio| <= c) = coverage`` for a standard normal Z.

    An estimate with standard deviation s and a bias of at most b in absolute value is within ``s
    folded_quantile(b / s, coverage)`` of the truth with at least that probability, since the worst bias is
    the largest (Armstrong and Kolesar 2018).

    Parameters
    ----------
    ratio : float
        Bias over standard deviation, not negative.
    coverage : float
        In (0, 1).

    Examples
    --------
    >>> f"{folded_quantile(0.0, 0.95):.4f} {folded_quantile(10.0, 0.95) - 10:.4f}"
    '1.9600 1.6449'
    """
    if not 0 < coverage < 1:
        raise ArgumentError(f"coverage: got {coverage}, wanted a number in (0, 1), such as 0.95")
    low, high = ratio + float(ndtri(coverage)), ratio + float(ndtri(0.5 + coverage / 2))
    for _ in range(60):
        middle = (low + high) / 2
        if ndtr(middle - ratio) - ndtr(-middle - ratio) < coverage:
            low = middle
        else:
            high = middle
    return high


@dataclass(frozen=True, slots=True)
class ClippingDesign:
    """Public thresholds around the middle of a range, and what they cost.

    Parameters
    ----------
    thresholds : ndarray of float, shape (n_levels,)
        Users of a level are clipped to this distance from the middle; 0 asks nothing.
    bias : float
        What clipping can take from the sum at most: ``sum of (half - threshold)`` over users.
    deviation : float
        Standard deviation of the noise in the sum.
    """

    thresholds: NDArray[np.float64]
    bias: float
    deviation: float

    def half_width(self, coverage: float) -> float:
        """Return the half-width that holds the full sum with at least this probability."""
        if self.deviation == 0:
            return self.bias
        return self.deviation * folded_quantile(self.bias / self.deviation, coverage)


def clipping_design(
    rho: Sequence[float], counts: Sequence[int], half: float, *, coverage: float = 0.95
) -> ClippingDesign:
    """Choose thresholds that make limits of the full sum narrow, whatever the values in the range are.

    A value at distance at most ``half`` from the middle is clipped to distance t and gets Gaussian noise of
    variance ``2 t**2 / rho``. Minimised is ``sum(half - t_u) + z sqrt(sum 2 t_u**2 / rho_u)``, which is
    convex; where its derivative vanishes ``t_u = min(half, rho_u S / (2 z))`` with S the square root, so one
    number has to be found (water-filling). If ``sum rho_u < 2 z**2``, nothing is better than not asking.

    Parameters
    ----------
    rho : sequence of float
        zCDP budget of each level.
    counts : sequence of int
        Users of each level.
    half : float
        Half the width of the declared range.
    coverage : float
        Coverage that the design is made for, in (0, 1).

    Returns
    -------
    ClippingDesign

    Raises
    ------
    ArgumentError
        If lengths differ or a number is out of range.

    Examples
    --------
    >>> design = clipping_design([0.005, 2.0], [500, 500], 60.0)
    >>> design.thresholds.round(1).tolist(), round(design.half_width(0.95))
    ([2.8, 60.0], 31619)
    """
    r, n = np.asarray(rho, dtype=np.float64), np.asarray(counts, dtype=np.int64)
    if r.ndim != 1 or r.size == 0 or r.shape != n.shape or not (r > 0).all() or (n < 0).any():
        raise ArgumentError("rho, counts: wanted a positive budget and a number of users for each level")
    if not (half > 0 and math.isfinite(half)):
        raise ArgumentError(f"half: got {half}, wanted a positive finite number")
    if not 0 < coverage < 1:
        raise ArgumentError(f"coverage: got {coverage}, wanted a number in (0, 1), such as 0.95")
    z = float(ndtri(coverage))
    thresholds = _water_level(r, n, half, z)
    deviation = math.sqrt(float(n @ (2 * thresholds**2 / r)))
    return ClippingDesign(thresholds, float(n @ (half - thresholds)), deviation)


def _water_level(
    rho: NDArray[np.float64], counts: NDArray[np.int64], half: float, z: float
) -> NDArray[np.float64]:
    """Solve ``S**2 = sum 2 t**2 / rho`` with ``t = min(half, rho S / (2 z))``, by bisection in log S."""

    def excess(s: float) -> float:
        t = np.minimum(half, rho * s / (2 * z))
        return float(counts @ (2 * (t / s) ** 2 / rho)) - 1

    used = rho[counts > 0]
    if used.size == 0 or z <= 0 or float(counts @ rho) <= 2 * z * z:
        return np.zeros_like(rho)
    low = 2 * z * half / float(used.max()) * 0.5  # nobody is at `half` yet, and the excess is positive
    high = low
    while excess(high) > 0:
        high *= 2
    for _ in range(100):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return np.asarray(np.minimum(half, rho * high / (2 * z)))


def ladder_limits(
    prefix: Sequence[float],
    deviation: Sequence[float],
    largest: float,
    coverage: float,
    *,
    lost: float = 0.0,
) -> tuple[float, float]:
    """Return limits of a sum of non-negative values from noisy sums of the values below rising thresholds.

    Entry j estimates the sum of the values up to the j-th threshold, each truncated to a grid. Those sums
    rise with j, none exceeds the full sum, and the last falls short of it by `lost` at most. So the full sum
    is at least the largest lower limit and at most the upper limit of the last plus `lost`. All limits hold
    at once with probability `coverage` (Bonferroni).

    Parameters
    ----------
    prefix, deviation : sequence of float
        Estimates and standard deviations of their noise.
    largest : float
        Users times the upper end of the declared range: no sum is larger.
    coverage : float
        In (0, 1).
    lost : float
        What truncation and clipping take from the last sum at most.

    Examples
    --------
    >>> low, high = ladder_limits([900.0, 1000.0, 980.0], [5.0, 20.0, 200.0], 10_000.0, 0.95)
    >>> f"{low:.0f} {high:.0f}"
    '955 1428'
    """
    if not 0 < coverage < 1 or len(prefix) != len(deviation) or len(prefix) == 0:
        raise ArgumentError("coverage, prefix: wanted a number in (0, 1) and one deviation per prefix")
    z = float(-ndtri((1 - coverage) / (len(prefix) + 1)))
    s, d = np.asarray(prefix, dtype=np.float64), np.asarray(deviation, dtype=np.float64)
    if not ((np.abs(s) < 1e300) & (d >= 0) & (d < 1e300)).all() or not 0 <= lost < 1e300:
        raise ArgumentError("prefix, deviation, lost: wanted finite numbers, the last two not negative")
    low = max(0.0, float((s - z * d).max()))
    high = min(largest, float(s[-1] + z * d[-1]) + lost)
    return min(low, largest), max(high, 0.0)
