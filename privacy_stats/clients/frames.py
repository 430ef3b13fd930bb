"""Randomise a column of any data frame that narwhals knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privacy_stats.budgets import Budgets, Ledger
from privacy_stats.clients.arrays import randomise
from privacy_stats.errors import ArgumentError
from privacy_stats.randomness import Randomness
from privacy_stats.reports import Reports
from privacy_stats.rounds import Round

if TYPE_CHECKING:
    import narwhals as nw


def randomise_frame(
    round_: Round,
    frame: Any,
    *,
    value: str | list[str],
    budget: str,
    user: str | None = None,
    ledger: Ledger | None = None,
    rng: Randomness | None = None,
) -> Reports:
    """Randomise columns of a data frame (pandas, polars, pyarrow, DuckDB, dask, Spark and others).

    A lazy frame is computed once. The result is a value, not a lazy column: noise that an engine evaluates
    twice would spend the budget twice.

    Parameters
    ----------
    round_ : Round
        The announcement.
    frame : data frame
        Anything that `narwhals.from_native` takes, with one row per user.
    value : str or list of str
        Column of values; for vectors one column per coordinate.
    budget : str
        Column of total budgets of the round's kind.
    user : str, optional
        Column of enrolment numbers; by default rows are numbered.
    ledger, rng
        As for `randomise`.

    Returns
    -------
    Reports

    Raises
    ------
    ArgumentError
        If a column is missing or not numeric, or as for `randomise`.
    """
    import narwhals as nw

    names = [value] if isinstance(value, str) else list(value)
    wanted = [*names, budget] + ([user] if user is not None else [])
    native = nw.from_native(frame)
    columns = native.collect_schema().names()
    missing = [name for name in wanted if name not in columns]
    if missing:
        raise ArgumentError(f"frame: no column {missing[0]!r}; it has {', '.join(columns)[:200]}")
    selected = native.select(list(dict.fromkeys(wanted)))
    table = selected.collect() if isinstance(selected, nw.LazyFrame) else selected
    values = np.column_stack([_numbers(table, name) for name in names])
    amounts = _numbers(table, budget)
    return randomise(
        round_,
        values if round_.mechanism.value_width > 1 else values[:, 0],
        Budgets.pure(amounts) if round_.kind == "pure" else Budgets.zcdp(amounts),
        users=None if user is None else table[user].to_numpy(),
        ledger=ledger,
        rng=rng,
    )


def _numbers(table: nw.DataFrame[Any], name: str) -> Any:
    """Return a numeric column; nulls become NaN."""
    import narwhals as nw

    column = table[name]
    if not (column.dtype.is_numeric() or column.dtype == nw.Boolean):
        raise ArgumentError(f"{name}: got {column.dtype}, wanted a column of numbers")
    return column.cast(nw.Float64).to_numpy()
