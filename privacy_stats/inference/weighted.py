"""Estimates of a population mean from groups of unequal noise, with standard errors that assume little."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privacy_stats.errors import ArgumentError
from privacy_stats.inference.moments import Moments


@dataclass(frozen=True, slots=True)
class WeightedMean:
    """A weighted mean of group means, its standard error and degrees of freedom, and the groups' shares.

    Parameters
    ----------
    value, standard_error, degrees : float
        Estimate, standard error, and degrees of freedom of Student's t that belongs to it.
    shares : ndarray of float, shape (g,)
        What each group contributes; they sum to 1.
    """

    value: float
    standard_error: float
    degrees: float
    shares: NDArray[np.float64]


def spread_of(groups: Moments) -> float:
    """Estimate the variance of the values themselves, pooled over groups: what noise does not explain."""
    degrees = groups.count - 1
    if degrees.sum() == 0:
        return 0.0
    return max(0.0, float(degrees @ (groups.variance - groups.noise)) / float(degrees.sum()))


def weighted_mean(groups: Moments) -> WeightedMean:
    """Estimate a mean that all groups share, each report weighted by its precision.

    Weights are ``1 / (worst noise variance + spread)`` with the public noise variances and one pooled spread
    of the values, so that they hardly depend on single reports. The standard error is HC3 (MacKinnon and
    White 1985) for a regression on a constant: with leverage ``h = w / sum w`` every squared residual is
    divided by ``(1 - h)**2``. Degrees of freedom by Satterthwaite (1946).

    Parameters
    ----------
    groups : Moments
        Independent draws from populations of one mean; see `heterogeneity`.

    Returns
    -------
    WeightedMean

    Raises
    ------
    ArgumentError
        If there are fewer than two users.

    Examples
    --------
    >>> import numpy as np
    >>> noise = [90.0, 9.0]
    >>> groups = Moments(("low", "high"), *np.array([[50, 50], [3, 1], *[noise] * 5]))
    >>> found = weighted_mean(groups)
    >>> f"{found.value:.3f} {found.standard_error:.3f} {found.degrees:.0f} {found.shares[1]:.3f}"
    '1.182 0.409 59 0.909'
    """
    if groups.n_users < 2:
        raise ArgumentError("groups: a standard error needs at least two users")
    weight = 1 / (groups.worst + spread_of(groups))
    total = float(groups.count @ weight)
    value = float(groups.count @ (weight * groups.mean)) / total
    residuals = (groups.count - 1) * groups.variance + groups.count * (groups.mean - value) ** 2
    terms = weight**2 * residuals / (1 - weight / total) ** 2
    return WeightedMean(
        value,
        math.sqrt(float(terms.sum())) / total,
        _satterthwaite(terms, groups.count),
        groups.count * weight / total,
    )


def stratified_mean(groups: Moments, shares: Sequence[float] | None = None) -> WeightedMean:
    """Estimate the mean of a population of which the groups are parts, by the parts' shares.

    Right also where values and budgets go together. The variance of each group's own mean counts, and where
    the shares are those of the sample, also that they are.

    Parameters
    ----------
    groups : Moments
        Every group of at least two users.
    shares : sequence of float, optional
        Known shares of the groups in the population, summing to 1; by default those of the users.

    Returns
    -------
    WeightedMean

    Raises
    ------
    ArgumentError
        If a group has fewer than two users, or the shares do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> noise = [90.0, 9.0]
    >>> groups = Moments(("low", "high"), *np.array([[50, 50], [3, 1], *[noise] * 5]))
    >>> found = stratified_mean(groups)
    >>> f"{found.value:.3f} {found.standard_error:.3f}"
    '2.000 0.711'
    """
    if (groups.count < 2).any():
        raise ArgumentError("groups: wanted at least two users in each; join levels with `coarsened`")
    part = groups.count / groups.n_users if shares is None else np.asarray(shares, dtype=np.float64)
    if part.shape != (len(groups),) or (part < 0).any() or abs(part.sum() - 1) > 1e-9:
        raise ArgumentError(f"shares: wanted {len(groups)} non-negative numbers that sum to 1")
    value = float(part @ groups.mean)
    terms = part**2 * groups.variance / groups.count
    degrees = _satterthwaite(terms, groups.count - 1, loss=0.0)
    between = float(part @ (groups.mean - value) ** 2) / groups.n_users if shares is None else 0.0
    return WeightedMean(value, math.sqrt(float(terms.sum()) + between), degrees, part)


def _satterthwaite(terms: NDArray[np.float64], count: NDArray[np.int64], loss: float = 1.0) -> float:
    """``(sum of terms)**2 / sum(term**2 / count) - loss``, at least 1."""
    below = float((terms**2 / count).sum())
    return max(1.0, float(terms.sum()) ** 2 / below - loss) if below > 0 else math.inf
