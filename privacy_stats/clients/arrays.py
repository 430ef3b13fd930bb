"""Randomise the values of many users at once: a study, or an edge that several users trust."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privacy_stats.budgets import BILLION, Budgets, Ledger
from privacy_stats.errors import ArgumentError
from privacy_stats.randomness import Randomness, SystemRandomness
from privacy_stats.reports import Header, Reports
from privacy_stats.rounds import Round


def randomise(
    round_: Round,
    values: ArrayLike,
    budgets: Budgets,
    *,
    users: ArrayLike | None = None,
    ledger: Ledger | None = None,
    rng: Randomness | None = None,
) -> Reports:
    """Turn values into reports, each under its user's own budget.

    Every call draws fresh noise and so spends the budget again: keep the reports, and pass a `Ledger`, which
    refuses a second answer to the same round.

    Parameters
    ----------
    round_ : Round
        The announcement.
    values : array_like, shape (n,) or (n, width)
        Numbers. Values beyond the range count as its end, NaN as its middle (as 0 in a vector).
    budgets : Budgets
        One per row of `values`, of the round's kind.
    users : array_like of int, optional
        Enrolment numbers; by default 0..n-1.
    ledger : Ledger, optional
        Charged for `users` before anything is drawn.
    rng : Randomness, optional
        By default the operating system's generator. Reports drawn from `simulation_rng` are marked.

    Returns
    -------
    Reports

    Raises
    ------
    ArgumentError
        If shapes, kinds or user numbers do not fit.
    BudgetExhaustedError
        If the ledger does not allow an answer; nothing is drawn then.

    Examples
    --------
    >>> from privacy_stats.mechanisms import OneBit
    >>> from privacy_stats.randomness import simulation_rng
    >>> budgets = Budgets.pure([0.5, 1, 2])
    >>> round_ = Round.of("commuting", OneBit(0, 120), budgets)
    >>> randomise(round_, [30, 45, 400], budgets, rng=simulation_rng(0))
    Reports(commuting, round 1, n=3, simulated)
    """
    table = checked_values(round_, values)
    if len(budgets) != len(table):
        raise ArgumentError(f"budgets: got {len(budgets)}, wanted one for each of {len(table)} values")
    who = _users(round_, users, len(table))
    source = SystemRandomness() if rng is None else rng
    level = round_.levels_of(budgets)
    used = np.flatnonzero(np.bincount(level, minlength=len(round_.levels)))
    place = np.zeros(len(round_.levels), dtype=np.int32)
    place[used] = np.arange(used.size)
    inverse = place[level]
    channels = [round_.channels(int(k)) for k in used]
    if ledger is not None:
        charge(round_, level, who, ledger)
    arm, report = round_.mechanism.randomise(table, inverse, channels, source)
    header = Header.of(round_, simulated=source.simulated)
    first = np.array(round_.first_strata(), dtype=np.int32)
    return Reports(header, who, first[level] + arm, report)


def charge(round_: Round, level: NDArray[np.int32], users: NDArray[np.int64], ledger: Ledger) -> None:
    """Charge what a round spends at each user's level, for all users or for none."""
    spent = np.zeros(len(round_.levels), dtype=np.int64)
    for k in np.unique(level):
        spent[k] = int(round_.spent(int(k)) * BILLION)
    ledger.charge(round_.fingerprint, Budgets(round_.kind, spent[level]), users=users)


def checked_values(round_: Round, values: ArrayLike) -> NDArray[Any]:
    """Check type and shape; booleans count as 0 and 1."""
    table = np.asarray(values)
    if table.dtype.kind not in "biuf":
        raise ArgumentError(f"values: got {table.dtype}, wanted numbers")
    width = round_.mechanism.value_width
    shape = (len(table),) if table.ndim and width == 1 else (len(table) if table.ndim else 0, width)
    if table.shape != shape or table.size == 0:
        wanted = "(n,)" if width == 1 else f"(n, {width})"
        raise ArgumentError(f"values: got shape {table.shape}, wanted {wanted} with n at least 1")
    return table


def _users(round_: Round, users: ArrayLike | None, count: int) -> NDArray[np.int64]:
    who = np.arange(count) if users is None else np.asarray(users)
    if who.shape != (count,) or who.dtype.kind not in "iu":
        raise ArgumentError(f"users: wanted {count} integers, one per value")
    if who.min() < 0 or who.max() >= round_.n_users:
        raise ArgumentError(f"users: wanted enrolment numbers 0..{round_.n_users - 1}")
    who = who.astype(np.int64)
    if users is not None and np.unique(who).size != count:
        raise ArgumentError("users: a user occurs twice; a user answers a round once")
    return who
