"""The text formats of the field: NetInf, InfoPath and NetRate files, and FOREST lines.

NetInf / NetRate: a block of ``id,name`` lines, an empty line, then one cascade a line as ``id,t,id,t,...``.
InfoPath: the same with ``cascade;`` before the pairs. FOREST: ``user,t user,t ...``, no block of names.
CRLF, descending times and a missing final newline are all read.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from cascades.errors import ArgumentError, InputError
from cascades.files import readable
from cascades.tables.events import Events, Horizon, Never, Reading, build
from cascades.tables.types import Label

if TYPE_CHECKING:
    from cascades.tables.table import Cascades


def from_text(
    source: str | os.PathLike[str],
    *,
    format: Literal["auto", "netinf", "forest"] = "auto",
    horizon: Horizon = None,
    window: float | None = None,
    unit: str = "",
    never: Never = "ask",
    duplicates: Literal["first", "refuse"] = "first",
) -> Cascades:
    r"""Read a NetInf, InfoPath, NetRate or FOREST file, or its text.

    Parameters
    ----------
    source : path, or text that contains a line break
    format : {"auto", "netinf", "forest"}
        "netinf" covers NetInf, InfoPath and NetRate. "auto" takes a file that begins with a block of names
        for "netinf", and otherwise for "forest".
    horizon, window, unit, never, duplicates
        As in `from_frame`.

    Raises
    ------
    InputError
        Naming line, cascade and node of every fault.

    Examples
    --------
    >>> import cascades as cs
    >>> text = "0,ann\n1,bob\n2,cy\n\n1,0.5,0,0.0\n7;2,1.0,1,3.5\n"
    >>> data = cs.Cascades.from_text(text, window=10.0)
    >>> data.nodes, data.names
    (('ann', 'bob', 'cy'), (0, 7))
    """
    lines = _lines(source)
    if format not in ("auto", "netinf", "forest"):
        raise ArgumentError(f"format: got {format!r}, wanted 'auto', 'netinf' or 'forest'")
    head = _length_of_name_block(lines)
    if format == "netinf" and not head:
        raise InputError("line 1: no block of 'id,name' lines followed by an empty line; try format='forest'")
    if head and format != "forest":
        labels = _names(lines[:head])
        events, empty = _parse(lines, head + 1, labels)
        roster: Sequence[Label] | None = list(labels.values())
    else:
        events, empty = _parse(lines, 0, None)
        roster = None
    return build(events, Reading(roster, horizon, window, unit, "", never, duplicates), empty)


def _lines(source: str | os.PathLike[str]) -> list[str]:
    if isinstance(source, str) and "\n" in source:
        return source.splitlines()
    with readable(source):
        return Path(source).read_text(encoding="utf-8-sig").splitlines()


def _length_of_name_block(lines: list[str]) -> int:
    for k, line in enumerate(lines):
        if not line.strip():
            return k
        if line.count(",") != 1 or ";" in line or " " in line.strip().split(",")[0]:
            return 0
    return 0


def _names(block: list[str]) -> dict[str, Label]:
    labels: dict[str, Label] = {}
    for k, line in enumerate(block):
        key, name = (part.strip() for part in line.split(",", 1))
        if key in labels:
            raise InputError(f"line {k + 1}: node id {key} is named twice; keep one line")
        labels[key] = _label(name)
    return labels


def _label(text: str) -> Label:
    plain = text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")
    return int(text) if plain else text


def _parse(lines: list[str], first: int, labels: dict[str, Label] | None) -> tuple[Events, list[Label]]:
    places: list[str] = []
    cascades: list[Label] = []
    members: list[Label] = []
    times: list[float] = []
    empty: list[Label] = []
    faults: list[str] = []
    number = 0
    for k, line in enumerate(lines[first:], start=first + 1):
        name, colon, rest = line.rpartition(";")
        if not colon and not rest.strip():
            continue
        cascade = _label(name.strip()) if colon else number
        number += 1
        pairs, found = _pairs(rest, f"line {k}: cascade {cascade!r}", labels)
        faults += found
        if not pairs and not found:
            empty.append(cascade)
        for node, time in pairs:
            places.append(f"line {k}")
            cascades.append(cascade)
            members.append(node)
            times.append(time)
    if faults:
        raise InputError(faults)
    return Events(places, cascades, members, np.array(times, dtype=float)), empty


def _pairs(
    text: str, where: str, labels: dict[str, Label] | None
) -> tuple[list[tuple[Label, float]], list[str]]:
    chunks = text.split() if labels is None else [text]
    fields = [f.strip() for chunk in chunks for f in chunk.strip().strip(",").split(",") if chunk.strip()]
    if len(fields) % 2:
        return [], [f"{where}: {len(fields)} fields, but they come in pairs node, time; is the line cut off?"]
    pairs: list[tuple[Label, float]] = []
    faults: list[str] = []
    for key, value in zip(fields[::2], fields[1::2], strict=True):
        if labels is not None and key not in labels:
            faults.append(f"{where}, node {key}: unknown node; it is not in the block of names at the top")
            continue
        time = _number(value)
        if math.isnan(time):
            faults.append(f"{where}, node {key}: time is {value!r}; give a number")
            continue
        pairs.append((labels[key] if labels is not None else _label(key), time))
    return pairs, faults


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
