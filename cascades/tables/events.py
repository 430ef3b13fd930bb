"""From plain (cascade, node, time) triples to a table: the rules that all readers share.

Every reader parses its own format into `Events` and leaves the rest to `build`: duplicates, codes for
"never", the node roster, horizons. So a fault reads the same wherever the data came from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cascades.errors import ArgumentError, InputError
from cascades.tables.never import ask_about_never
from cascades.tables.types import Floats, Integers, Label

if TYPE_CHECKING:
    from cascades.tables.table import Cascades

Never = float | Literal["ask"] | None
Horizon = float | Mapping[Label, float] | Literal["last"] | None


@dataclass(frozen=True, slots=True)
class Events:
    """Parsed but unchecked triples; `places` says where each stood ("row 3", "line 7") for messages."""

    places: Sequence[str]
    cascades: Sequence[Label]
    nodes: Sequence[Label]
    times: Floats


@dataclass(frozen=True, slots=True)
class Reading:
    """How a table is to be read: the roster, the end of the watch and the rules for odd rows."""

    nodes: Sequence[Label] | None = None
    horizon: Horizon = None
    window: float | None = None
    unit: str = ""
    origin: str = ""
    never: Never = "ask"
    duplicates: Literal["first", "refuse"] = "first"


def build(events: Events, reading: Reading, empty: Sequence[Label] = ()) -> Cascades:
    """Apply the shared rules and return the table; `empty` names cascades read without any activation."""
    from cascades.tables.table import assemble  # the table's class names its readers, so it is imported late

    if reading.duplicates not in ("first", "refuse"):
        raise ArgumentError(f"duplicates: got {reading.duplicates!r}, wanted 'first' or 'refuse'")
    _refuse_bad_times(events)
    notes = [f"{len(empty)} empty cascade(s) left out: {_listed(empty)}"] if empty else []
    roster = _roster(events, reading.nodes)
    if reading.never == "ask":
        ask_about_never(events.times)
    elif reading.never is not None:
        events, note = _drop_never(events, float(reading.never))
        notes += note
    if not len(events.times):
        raise InputError("no activations: the table is empty; give at least one cascade with one activation")
    events, note = _drop_duplicates(events, reading.duplicates)
    index = {label: i for i, label in enumerate(roster)}
    names = list(dict.fromkeys(events.cascades))
    position = {label: c for c, label in enumerate(names)}
    cascade_of = np.array([position[c] for c in events.cascades], dtype=np.int64)
    members = np.array([index[n] for n in events.nodes], dtype=np.int64)
    horizons = _horizons(events.times, cascade_of, names, reading)
    return assemble(
        roster, names, cascade_of, members, events.times, horizons, reading.unit, reading.origin, notes + note
    )


def _listed(labels: Sequence[Label]) -> str:
    shown = ", ".join(repr(x) for x in labels[:5])
    return shown + (", ..." if len(labels) > 5 else "")


def _where(events: Events, event: int | np.integer[Any]) -> str:
    e = int(event)
    return f"{events.places[e]}: cascade {events.cascades[e]!r}, node {events.nodes[e]!r}"


def _refuse_bad_times(events: Events) -> None:
    bad = np.flatnonzero(~np.isfinite(events.times))
    if len(bad):
        raise InputError(
            [
                f"{_where(events, e)}: time is {events.times[e]:g}; "
                "give a number, or drop the row when the node was never activated"
                for e in bad
            ]
        )


def _roster(events: Events, nodes: Sequence[Label] | None) -> list[Label]:
    if nodes is None:
        found = dict.fromkeys(events.nodes)
        return sorted(found, key=lambda x: (isinstance(x, str), x))
    roster = list(nodes)
    known = set(roster)
    if len(known) != len(roster):
        raise InputError("nodes: the same label stands twice in the roster; give each node once")
    faults = [
        f"{_where(events, e)}: unknown node; it is not among the {len(roster)} given in nodes. "
        "Add it to nodes, or correct the label"
        for e, n in enumerate(events.nodes)
        if n not in known
    ]
    if faults:
        raise InputError(faults)
    return roster


def _drop_never(events: Events, code: float) -> tuple[Events, list[str]]:
    keep = np.flatnonzero(events.times != code)
    dropped = len(events.times) - len(keep)
    if not dropped:
        raise ArgumentError(f"never: no time equals {code:g}; give the code that stands for 'never', or None")
    return _take(events, keep), [f"{dropped} rows with the code {code:g} read as 'never activated'"]


def _drop_duplicates(events: Events, rule: str) -> tuple[Events, list[str]]:
    first: dict[tuple[Label, Label], int] = {}
    repeated: list[int] = []
    for e in np.argsort(events.times, kind="stable"):
        key = (events.cascades[e], events.nodes[e])
        if key in first:
            repeated.append(int(e))
        else:
            first[key] = int(e)
    if not repeated:
        return events, []
    if rule == "refuse":
        raise InputError(
            [
                f"{_where(events, e)}: activated again at {events.times[e]:g}; "
                "keep one row, or read with duplicates='first'"
                for e in sorted(repeated)
            ]
        )
    example = _where(events, min(repeated))
    note = f"{len(repeated)} repeated activation(s) dropped, the first kept; e.g. {example}"
    return _take(events, np.sort(np.fromiter(first.values(), dtype=np.int64))), [note]


def _take(events: Events, keep: Integers) -> Events:
    return Events(
        [events.places[e] for e in keep],
        [events.cascades[e] for e in keep],
        [events.nodes[e] for e in keep],
        events.times[keep],
    )


def _horizons(times: Floats, cascade_of: Integers, names: Sequence[Label], reading: Reading) -> Floats:
    horizon, window = reading.horizon, reading.window
    if (horizon is None) == (window is None):
        raise ArgumentError(
            "give either horizon= (the time until which the cascades were watched; a number, a mapping per "
            "cascade, or 'last' for the last activation in the table, here "
            f"{times.max():g}) or window= (how long each was watched after its first activation). Nodes not "
            "activated by then are evidence too, so this is never guessed"
        )
    if window is not None:
        if not (np.isfinite(window) and window > 0):
            raise ArgumentError(f"window: got {window}, wanted a finite duration above 0")
        starts = np.full(len(names), np.inf)
        np.minimum.at(starts, cascade_of, times)
        return starts + window
    if isinstance(horizon, Mapping):
        missing = [n for n in names if n not in horizon]
        if missing:
            raise InputError(f"horizon: no entry for {len(missing)} cascade(s): {_listed(missing)}")
        return np.array([float(horizon[n]) for n in names])
    if horizon == "last":
        return np.full(len(names), times.max())
    if isinstance(horizon, str):
        raise ArgumentError(f"horizon: got {horizon!r}, wanted a number, a mapping per cascade or 'last'")
    return np.full(len(names), float(horizon))  # type: ignore[arg-type]
