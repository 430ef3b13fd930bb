"""A whole study in one call: announce, play all users, count, announce again, estimate."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from privacy_stats.aggregation import State
from privacy_stats.budgets import Budgets, Ledger
from privacy_stats.errors import ArgumentError
from privacy_stats.protocols import HistogramRadius, HullDiameter, Oracle, Protocol
from privacy_stats.protocols.simulation import collect
from privacy_stats.randomness import Randomness, SystemRandomness
from privacy_stats.results import SurveyEstimate


def estimate_sum(
    values: ArrayLike,
    budgets: Budgets,
    *,
    protocol: Protocol | Oracle | Literal["auto"],
    rng: Randomness | None = None,
    ledger: Ledger | None = None,
    survey: str = "study",
    bound: float | None = None,
) -> SurveyEstimate:
    """Run a protocol on values that are all at hand, and return the estimate of their sum.

    For studies, and for a trusted edge that answers for its users. In a deployment the same protocol runs as
    rounds: see `Protocol`.

    Parameters
    ----------
    values : array_like, shape (n_users,) or (n_users, d)
        One row per user.
    budgets : Budgets
        One per user.
    protocol : Protocol, Oracle or "auto"
        What to run; an oracle is not private and wants `simulation_rng`; "auto" is `choose_protocol`.
    rng : Randomness, optional
        By default the operating system's generator, and then every report is drawn. With `simulation_rng` the
        sums of the noises of block mechanisms are drawn at once, and everything is marked as simulated.
    ledger : Ledger, optional
        Charged in every round before anything is drawn.
    survey : str
        Name of the survey.
    bound : float, optional
        Public bound of a value's length, for "auto" only.

    Returns
    -------
    SurveyEstimate
        Of the finite-population sum.

    Raises
    ------
    ArgumentError
        If shapes, kinds or numbers do not fit.
    BudgetExhaustedError
        If the ledger does not allow a round.

    Examples
    --------
    >>> import privacy_stats as ps
    >>> budgets = ps.Budgets.pure([1.0] * 5000)
    >>> hybrid = ps.HybridMean(0, 10)
    >>> total = ps.estimate_sum([3.0] * 5000, budgets, protocol=hybrid, rng=ps.simulation_rng(1))
    >>> total.estimand, bool(abs(total.value - 15_000) < 4 * total.standard_error)
    ('finite-population sum', True)
    """
    table = _table(values)
    if protocol == "auto":
        protocol = choose_protocol(budgets, bound=bound, dimension=1 if table.ndim == 1 else table.shape[-1])
    if len(table) != len(budgets):
        raise ArgumentError(f"budgets: got {len(budgets)}, wanted one for each of {len(table)} values")
    if isinstance(protocol, Oracle):
        return protocol.estimate(table, budgets, SystemRandomness() if rng is None else rng)
    if not isinstance(protocol, Protocol):
        raise ArgumentError(f"protocol: got {type(protocol).__name__}, wanted a Protocol")
    states: list[State] = []
    announced = protocol.first_round(
        len(budgets), budgets.levels, kind=budgets.kind, counts=budgets.counts, survey=survey
    )
    while True:
        states.append(collect(announced.round_, table, budgets, rng=rng, ledger=ledger))
        if announced.is_last:
            return announced.protocol.estimate(states)
        announced = announced.protocol.next_round(states)


def choose_protocol(
    budgets: Budgets,
    *,
    bound: float | None,
    dimension: int = 1,
    non_negative: bool = False,
    resolution: float | None = None,
) -> Protocol:
    """Return `HistogramRadius`, with `HullDiameter` around it where public facts say that a centre pays.

    The choice uses the budgets, how many users have each, the dimension and the bound, and no value: a centre
    is looked for if K of at most 8 rounds, each contracting by a half or more, bring it within 1/256 of the
    bound. Values far from the origin then cost what their spread costs. Values near it cost more than without
    a centre: noise for signed values is twice that for non-negative ones, and the centre may be off by 1/512
    of the bound.

    Parameters
    ----------
    budgets : Budgets
        Of all users, zCDP.
    bound : float
        Public bound of a value's length; there is no safe default, and it is never taken from data.
    dimension : int
        Number of coordinates.
    non_negative : bool
        Whether values have no negative coordinates.
    resolution : float, optional
        Length below which differences do not matter; by default ``bound / 2**20``.

    Raises
    ------
    ArgumentError
        If the bound is missing or an argument is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> import privacy_stats as ps
    >>> ps.choose_protocol(ps.Budgets.zcdp(np.full(1000, 0.01)), bound=100.0).name
    'histogram-radius'
    >>> ps.choose_protocol(ps.Budgets.zcdp(np.full(100_000, 1.0)), bound=100.0).name
    'hull-diameter'
    """
    if bound is None:
        raise ArgumentError("bound: protocol='auto' needs a public bound of the values' length")
    unit = bound / 2.0**20 if resolution is None else resolution
    histogram = HistogramRadius(bound, dimension, non_negative, unit)
    return HullDiameter(histogram).for_budgets(budgets)


def estimate_mean(
    values: ArrayLike,
    budgets: Budgets,
    *,
    protocol: Protocol | Oracle | Literal["auto"],
    rng: Randomness | None = None,
    ledger: Ledger | None = None,
    survey: str = "study",
    bound: float | None = None,
) -> SurveyEstimate:
    """Run a protocol and return the estimate of the finite-population mean: the sum over the reports.

    Arguments and errors as for `estimate_sum`.
    """
    total = estimate_sum(
        values, budgets, protocol=protocol, rng=rng, ledger=ledger, survey=survey, bound=bound
    )
    return total.as_mean()


def _table(values: ArrayLike) -> np.ndarray[Any, np.dtype[np.float64]]:
    table = np.asarray(values)
    if table.dtype.kind not in "biuf":
        raise ArgumentError(f"values: got {table.dtype}, wanted numbers")
    return table.astype(np.float64, copy=False)
