"""Dates and datetimes as numbers in a stated unit."""

from __future__ import annotations

import datetime as dt
from typing import Any

from cascades.errors import ArgumentError

SECONDS = {
    "second": 1.0,
    "minute": 60.0,
    "hour": 3600.0,
    "day": 86400.0,
    "week": 7 * 86400.0,
    "year": 365.2425 * 86400.0,
}


def as_datetime(value: Any) -> dt.datetime | None:
    """Return a naive datetime (aware ones in UTC) for a date or datetime, else None."""
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).replace(tzinfo=None) if value.tzinfo else value
    if isinstance(value, dt.date):
        return dt.datetime(value.year, value.month, value.day)
    return None


def since(value: dt.datetime, origin: dt.datetime, unit: str) -> float:
    """Return the time from `origin` to `value` in `unit` (a year is 365.2425 days)."""
    if unit not in SECONDS:
        raise ArgumentError(
            f"unit: got {unit!r}; a date column needs one of {', '.join(SECONDS)} (rates are per that unit)"
        )
    return (value - origin).total_seconds() / SECONDS[unit]
