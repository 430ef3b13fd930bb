"""Ties: how many there are, and the grid that the times were rounded to."""

from __future__ import annotations

import numpy as np

from cascades.tables.table import Cascades


def tie_share(data: Cascades) -> float:
    """Return the share of activations that share their time with another of the same cascade.

    Examples
    --------
    >>> import cascades as cs
    >>> cs.tie_share(cs.Cascades.from_records([{"a": 0, "b": 1, "c": 1, "d": 2}], window=3.0))
    0.5
    """
    same = np.zeros(data.n_events + 1, dtype=bool)
    np.equal(data.times[1:], data.times[:-1], out=same[1:-1])
    same[data.starts] = False  # with the last event of the cascade before, or with none
    return float((same[1:] | same[:-1]).mean())


def resolution(data: Cascades) -> float | None:
    """Return the grid that all times lie on, or None when they lie on none coarse enough to matter.

    The candidate is the smallest difference between distinct times; it is the grid when every time is a
    multiple of it (to one part in a million) after subtracting the smallest.

    Examples
    --------
    >>> import cascades as cs
    >>> records = [{"a": 1990, "b": 1992, "c": 1995}, {"a": 1991, "c": 1995}]
    >>> cs.resolution(cs.Cascades.from_records(records, horizon=2000))
    1.0
    """
    values = np.unique(data.times)
    if len(values) < 2:
        return None
    grid = float(np.diff(values).min())
    steps = (values - values[0]) / grid
    on_grid = np.all(np.abs(steps - np.round(steps)) < 1e-6 * np.maximum(1.0, steps))
    return grid if on_grid else None
