"""Columns of plain Python values: the step that data frames and CSV files share."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cascades.errors import ArgumentError, InputError
from cascades.tables.clock import as_datetime, since
from cascades.tables.events import Events, Never, Reading, build
from cascades.tables.types import Label

if TYPE_CHECKING:
    from cascades.tables.table import Cascades


def read_columns(
    columns: Mapping[str, list[Any]],
    node: str,
    cascade: str,
    horizon: Any,
    window: float | None,
    unit: str,
    nodes: Sequence[Label] | None,
    never: Never,
    duplicates: Literal["first", "refuse"],
) -> Cascades:
    """Turn columns "cascade", "node", "time" into a table; `node` and `cascade` name them in messages."""
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
