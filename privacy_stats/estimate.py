"""A whole study in one call: announce, play all users, count, announce again, estimate."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from privacy_stats.aggregation import State
from privacy_stats.budgets import Budgets, Ledger
from privacy_stats.errors import ArgumentError
from privacy_stats.protocols import Oracle, Protocol
from privacy_stats.protocols.simulation import collect
from privacy_stats.randomness import Randomness, SystemRandomness
from privacy_stats.results import SurveyEstimate


def estimate_sum(
    values: ArrayLike,
    budgets: Budgets,
    *,
    protocol: Protocol | Oracle,
    rng: Randomness | None = None,
    ledger: Ledger | None = None,
    survey: str = "study",
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
    protocol : Protocol or Oracle
        What to run; an oracle is not private and wants `simulation_rng`.
    rng : Randomness, optional
        By default the operating system's generator, and then every report is drawn. With `simulation_rng` the
        sums of the noises of block mechanisms are drawn at once, and everything is marked as simulated.
    ledger : Ledger, optional
        Charged in every round before anything is drawn.
    survey : str
        Name of the survey.

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


def estimate_mean(
    values: ArrayLike,
    budgets: Budgets,
    *,
    protocol: Protocol | Oracle,
    rng: Randomness | None = None,
    ledger: Ledger | None = None,
    survey: str = "study",
) -> SurveyEstimate:
    """Run a protocol and return the estimate of the finite-population mean: the sum over the reports.

    Arguments and errors as for `estimate_sum`.
    """
    total = estimate_sum(values, budgets, protocol=protocol, rng=rng, ledger=ledger, survey=survey)
    return total.as_mean()


def _table(values: ArrayLike) -> np.ndarray[Any, np.dtype[np.float64]]:
    table = np.asarray(values)
    if table.dtype.kind not in "biuf":
        raise ArgumentError(f"values: got {table.dtype}, wanted numbers")
    return table.astype(np.float64, copy=False)
