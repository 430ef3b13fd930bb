"""The thresholds of least predicted error, one per budget: bias and noise are balanced for everybody at once.

With n_b users of budget rho_b, survival function P_b of their lengths and excess ``E_b(t) = E(|x| - t)_+``,
thresholds tau cost at most

    risk(tau) = (sum_b n_b E_b(tau_b))**2 + sum_b n_b a tau_b**2 / rho_b,      a = D**2 d / (2 f),

f the share of the budget that is left. Every E_b is convex and not negative, so risk is convex, and where its
derivative vanishes it is least:

    tau_b / P_b(tau_b) = rho_b * (bias / a),        bias = sum_b n_b E_b(tau_b).

The left side grows with tau_b, so one number, ``level = bias / a``, fixes all thresholds; it is searched for
on a grid. Dropping careful users, capping, thresholds linear in rho or in its root are all special cases or
worse.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_FINE = 16
"""Thresholds per octave that are looked at."""
_BELOW = 8
"""Octaves below the lowest one of the histogram that are looked at."""
_LEVELS = 2000
_LEAST_SHARE = 1e-12


@dataclass(frozen=True, slots=True)
class Lengths:
    """Survival and excess of the lengths of every group on a grid of thresholds.

    Parameters
    ----------
    grid : ndarray, shape (m,)
        Thresholds, ascending.
    survival : ndarray, shape (groups, m)
        Share of users longer than each threshold.
    excess : ndarray, shape (groups, m)
        Mean of what a threshold cuts off.
    """

    grid: Floats
    survival: Floats
    excess: Floats

    @classmethod
    def of(cls, shares: Floats, unit: float) -> Lengths:
        """Spread every octave's share evenly over the logarithm; octave k ends at ``2**k unit``."""
        octaves = shares.shape[1]
        places = np.arange(-_BELOW * _FINE, (octaves - 1) * _FINE + 1) / _FINE
        grid = unit * np.exp2(places)
        above = np.clip(np.arange(octaves)[None, :] - places[:, None], 0.0, 1.0)  # part of octave k above
        survival = shares @ above.T
        steps = np.diff(grid)
        middle = (survival[:, 1:] + survival[:, :-1]) / 2 * steps
        tail = np.cumsum(middle[:, ::-1], axis=1)[:, ::-1]
        excess = np.concatenate([tail, np.zeros((len(shares), 1))], axis=1)
        return cls(grid, survival, excess)


def best_thresholds(lengths: Lengths, budget: Floats, users: Floats, cost: float) -> tuple[Floats, float]:
    """Return the thresholds of least risk and the square root of that risk.

    Parameters
    ----------
    lengths : Lengths
        One row per budget.
    budget, users : ndarray, shape (b,)
        Budgets and how many users have each.
    cost : float
        ``a = D**2 d / (2 f)``.
    """
    ratio = np.maximum.accumulate(lengths.grid / np.maximum(lengths.survival, _LEAST_SHARE), axis=1)
    levels = np.geomspace(ratio[:, 0].min() / budget.max() / 16, ratio[:, -1].max() / budget.min(), _LEVELS)
    tau = np.empty((len(budget), _LEVELS))
    bias = np.zeros(_LEVELS)
    for b, (count, rho) in enumerate(zip(users, budget, strict=True)):
        tau[b] = _solve(lengths.grid, ratio[b], rho * levels)
        below = np.maximum(lengths.grid[0] - tau[b], 0.0)  # below the grid nobody is spared
        bias += count * (np.interp(tau[b], lengths.grid, lengths.excess[b]) + below)
    risk = bias**2 + cost * (users / budget) @ tau**2
    least = int(risk.argmin())
    return tau[:, least], float(np.sqrt(risk[least]))


def _solve(grid: Floats, ratio: Floats, target: Floats) -> Floats:
    """Return the tau with ``tau / P(tau) = target``; below the grid P is that of its lowest threshold."""
    inside = np.exp(np.interp(np.log(target), np.log(ratio), np.log(grid)))
    return np.asarray(np.where(target < ratio[0], target * grid[0] / ratio[0], inside))
