"""Plain Python data: a dictionary or list of ``{node: time}``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from cascades.errors import InputError
from cascades.tables.events import Events, Horizon, Never, Reading, build
from cascades.tables.types import Label

if TYPE_CHECKING:
    from cascades.tables.table import Cascades


def from_records(
    records: Mapping[Label, Mapping[Label, float]] | Iterable[Mapping[Label, float]],
    *,
    horizon: Horizon = None,
    window: float | None = None,
    unit: str = "",
    nodes: Sequence[Label] | None = None,
    never: Never = "ask",
    duplicates: Literal["first", "refuse"] = "first",
) -> Cascades:
    """Read ``{cascade: {node: time}}``, or a list of ``{node: time}`` (cascades then numbered from 0).

    Parameters are those of `from_frame`; a record without any activation is left out and counted.

    Examples
    --------
    >>> import cascades as cs
    >>> roster = ["ann", "bob", "cy"]
    >>> data = cs.Cascades.from_records({"rumour": {"ann": 0.0, "bob": 2.0}}, window=10.0, nodes=roster)
    >>> data.nodes
    ('ann', 'bob', 'cy')
    """
    named = records.items() if isinstance(records, Mapping) else enumerate(records)
    places: list[str] = []
    cascades: list[Label] = []
    members: list[Label] = []
    times: list[float] = []
    empty: list[Label] = []
    for k, (name, record) in enumerate(named):
        if not record:
            empty.append(name)
        for node, time in record.items():
            if isinstance(time, (str, bool)) or time is None:
                place = f"record {k + 1}: cascade {name!r}, node {node!r}"
                raise InputError(f"{place}: time is {time!r}; give a number")
            places.append(f"record {k + 1}")
            cascades.append(name)
            members.append(node)
            times.append(float(time))
    reading = Reading(nodes, horizon, window, unit, "", never, duplicates)
    return build(Events(places, cascades, members, np.array(times, dtype=float)), reading, empty)
