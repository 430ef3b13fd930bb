"""Long data frames of any kind (pandas, polars, pyarrow, DuckDB, dask, Spark) through narwhals."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import narwhals as nw
import numpy as np

from cascades.errors import ArgumentError, InputError
from cascades.tables.clock import as_datetime, since
from cascades.tables.events import Events, Never, Reading, build
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
    places = [f"row {k + 1}" for k in range(len(columns["time"]))]
    cascades = _labels(columns["cascade"], places, cascade)
    members = _labels(columns["node"], places, node)
    where = [f"{p}: cascade {c!r}, node {n!r}" for p, c, n in zip(places, cascades, members, strict=True)]
    times, origin = _times(columns["time"], where, unit)
    reading = Reading(
        nodes=nodes,
        horizon=_convert_horizon(horizon, origin, unit),
        window=window,
        unit=unit,
        origin=str(origin) if origin else "",
        never=never,
        duplicates=duplicates,
    )
    return build(Events(places, cascades, members, times), reading)


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


def _labels(values: list[Any], places: list[str], column: str) -> list[Label]:
    faults = [
        f"{p}: no label in column {column!r}" for p, v in zip(places, values, strict=True) if _missing(v)
    ]
    if faults:
        raise InputError(faults)
    return [as_label(v) for v in values]


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and np.isnan(value))


def as_label(value: Any) -> Label:
    """Return a label as a plain int or str; whole floats (pandas' way of holding ids) become ints."""
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return str(value)


def _times(values: list[Any], where: list[str], unit: str) -> tuple[Any, dt.datetime | None]:
    rows = list(zip(where, values, strict=True))
    strings = [f"{w}: time is the text {v!r}" for w, v in rows if isinstance(v, str)]
    if strings:
        remedy = "make the column numbers, or dates (pandas.to_datetime, polars str.to_date) with unit="
        raise InputError([f"{s}; {remedy}" for s in strings])
    moments = [as_datetime(v) for v in values]
    if not any(moments):
        return np.array([np.nan if _missing(v) else float(v) for v in values], dtype=float), None
    blank = [f"{w}: date is missing" for w, m in zip(where, moments, strict=True) if m is None or m != m]
    if blank:
        raise InputError([b + "; drop the row when the node was never activated" for b in blank])
    origin = min(m for m in moments if m is not None)
    return np.array([since(m, origin, unit) for m in moments if m is not None]), origin


def _convert_horizon(horizon: Any, origin: dt.datetime | None, unit: str) -> Any:
    if isinstance(horizon, Mapping):
        return {as_label(k): _convert_horizon(v, origin, unit) for k, v in horizon.items()}
    moment = as_datetime(horizon)
    if moment is None:
        if origin is not None and isinstance(horizon, (int, float)):
            raise ArgumentError(f"horizon: the time column holds dates, so give a date instead of {horizon}")
        return horizon
    if origin is None:
        raise ArgumentError(f"horizon: the time column holds numbers, so give a number instead of {horizon}")
    return since(moment, origin, unit)
