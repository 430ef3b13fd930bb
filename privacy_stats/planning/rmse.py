"""Which mechanism has the least error at which budget: a picture from exact constants."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from privacy_stats.budgets import BILLION, Kind, parse_amount
from privacy_stats.mechanisms.on_grid import GridMechanism
from privacy_stats.planning.plan import user_variance
from privacy_stats.plotting import new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_rmse(
    mechanisms: Sequence[GridMechanism],
    levels: Sequence[float],
    *,
    kind: Kind = "pure",
    n_users: int = 1,
    spread: float | None = None,
    ax: Axes | None = None,
) -> Any:
    """Draw the root mean square error of a mean of `n_users` over the budget, one curve per mechanism.

    Parameters
    ----------
    mechanisms : sequence of GridMechanism
        What to compare.
    levels : sequence of float
        Budgets, the same for all users.
    kind : {"pure", "zcdp"}
        Notion of privacy.
    n_users : int
        Number of users.
    spread : float, optional
        As for `plan`: expected root mean square distance of values from the middle; by default the worst.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Raises
    ------
    ArgumentError
        If a mechanism does not keep budgets of this kind, or a level is out of range.
    MissingPackageError
        If matplotlib is not installed.
    """
    axes = new_axes(ax)
    budgets = [Fraction(parse_amount(level, kind), BILLION) for level in levels]
    for mechanism in mechanisms:
        variance = [user_variance(mechanism, kind, b, spread, "finite-population mean") for b in budgets]
        axes.plot(levels, np.sqrt(np.array(variance) / n_users), label=mechanism.name)
    symbol = "epsilon" if kind == "pure" else "rho"
    axes.set(xscale="log", yscale="log", xlabel=symbol, ylabel=f"RMSE of the mean of {n_users:,} users")
    axes.legend()
    return axes
