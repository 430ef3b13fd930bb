"""Long data frames of any kind (pandas, polars, pyarrow, DuckDB, dask, Spark) through narwhals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import narwhals as nw

from cascades.errors import ArgumentError, InputError
from cascades.tables.columns import read_columns
from cascades.tables.events import Never
from cascades.tables.types import Label

if TYPE_CHECKING:
    from cascades.tables.table import Cascades


def from_frame(
    frame: Any,
    *,
    cascade: str,
    node: str,
    time: str,
    horizon: Any = None,
    window: float | None = None,
    unit: str = "",
    nodes: Sequence[Label] | None = None,
    never: Never = "ask",
    duplicates: Literal["first", "refuse"] = "first",
) -> Cascades:
    """Read a long table: one row per activation.

    Parameters
    ----------
    frame : data frame
        pandas, polars, pyarrow, DuckDB relation, or anything else that narwhals reads; lazy ones are
        collected.
    cascade, node, time : str
        Column names. Times are numbers, or dates / datetimes together with `unit`.
    horizon : number, date, mapping per cascade, or "last"
        Time until which cascades were watched. Exactly one of `horizon` and `window` is needed.
    window : float
        Alternatively, the duration after each cascade's first activation.
    unit : {"second", "minute", "hour", "day", "week", "year"} or str
        Unit of time. Free text for numbers; one of these for dates.
    nodes : sequence, optional
        The roster: order of rows and columns, and nodes that may be silent. Labels outside it are a fault.
    never : float, None or "ask"
        The code for "never activated", None when there is none; "ask" raises `NeverCodeQuestion` when one
        time looks like such a code.
    duplicates : {"first", "refuse"}
        A node activated twice in one cascade: keep the first (counted in ``notes``) or refuse.

    Returns
    -------
    Cascades

    Raises
    ------
    InputError, NeverCodeQuestion, ArgumentError

    Examples
    --------
    >>> import pandas as pd
    >>> import cascades as cs
    >>> rows = [("x", "Ohio", 1990), ("x", "Iowa", 1993), ("y", "Ohio", 2001)]
    >>> frame = pd.DataFrame(rows, columns=["law", "state", "year"])
    >>> cs.Cascades.from_frame(frame, cascade="law", node="state", time="year", horizon=2010, unit="year")
    Cascades(2 cascades, 2 nodes, 3 activations)
    """
    columns = _columns(frame, {"cascade": cascade, "node": node, "time": time})
    return read_columns(columns, node, cascade, horizon, window, unit, nodes, never, duplicates)


def _columns(frame: Any, wanted: Mapping[str, str]) -> dict[str, list[Any]]:
    try:
        table = nw.from_native(frame)
    except TypeError as error:
        raise ArgumentError(
            f"frame: got {type(frame).__name__}, wanted a pandas, polars, pyarrow or DuckDB table; "
            "use from_records for plain Python data"
        ) from error
    available = table.collect_schema().names()
    missing = [f"{role}={name!r}" for role, name in wanted.items() if name not in available]
    if missing:
        raise InputError(
            f"no such column: {', '.join(missing)}; the frame has {', '.join(map(repr, available))}"
        )
    chosen = table.select(*dict.fromkeys(wanted.values()))
    eager = chosen.collect() if isinstance(chosen, nw.LazyFrame) else chosen
    return {role: eager[name].to_list() for role, name in wanted.items()}
