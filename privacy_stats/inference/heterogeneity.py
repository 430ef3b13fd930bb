"""Do users of different budgets differ in their values? Welch's test over the levels."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import fdtrc

from privacy_stats.inference.moments import Moments


@dataclass(frozen=True, slots=True)
class Heterogeneity:
    """Welch's statistic, its degrees of freedom, and the p-value of equal means."""

    statistic: float
    degrees: tuple[float, float]
    p_value: float


def heterogeneity(groups: Moments) -> Heterogeneity:
    """Test whether all groups have the same mean (Welch 1951): a small p-value says that they do not.

    Groups may differ in variance, as noise levels do. Weighting reports by their precision estimates the
    population's mean only if the means are equal; see `weighted_mean`.

    Parameters
    ----------
    groups : Moments
        Groups of fewer than two users, or without any variance, are left out.

    Returns
    -------
    Heterogeneity
        With p-value 1 if fewer than two groups are left.

    Examples
    --------
    >>> import numpy as np
    >>> ones = np.ones(3)
    >>> groups = Moments(("a", "b", "c"), 100 * ones, np.array([0.0, 0.1, 0.9]), *[ones] * 5)
    >>> f"{heterogeneity(groups).p_value:.1e}"
    '3.8e-10'
    """
    usable = (groups.count > 1) & (groups.variance > 0)
    k = int(usable.sum())
    if k < 2:
        return Heterogeneity(0.0, (0.0, math.inf), 1.0)
    n, mean = groups.count[usable], groups.mean[usable]
    weight = n / groups.variance[usable]
    total = weight.sum()
    centre = (weight @ mean) / total
    slack = float((((1 - weight / total) ** 2) / (n - 1)).sum()) / (k * k - 1)
    between = float(weight @ (mean - centre) ** 2) / (k - 1)
    statistic = between / (1 + 2 * (k - 2) * slack)
    degrees = (k - 1.0, 1 / (3 * slack))
    return Heterogeneity(statistic, degrees, float(fdtrc(*degrees, statistic)))
