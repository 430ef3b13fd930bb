"""CSV files with the standard library, for the shell: no data frame package needed."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from cascades.errors import InputError
from cascades.files import listed, read_rows
from cascades.tables.columns import as_label, read_columns
from cascades.tables.events import Never
from cascades.tables.types import Label

if TYPE_CHECKING:
    from cascades.tables.table import Cascades


def from_csv(
    path: str | os.PathLike[str],
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
    """Read a CSV file with a header line, one activation a row.

    Times are numbers or ISO dates ("2001-05-03"); an empty time or NA is a fault. Parameters are those of
    `from_frame`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import cascades as cs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "laws.csv")
    ...     _ = path.write_text("law,state,year\\nx,Ohio,1990\\nx,Iowa,1993\\n")
    ...     cs.Cascades.from_csv(path, cascade="law", node="state", time="year", horizon=2000)
    Cascades(1 cascades, 2 nodes, 2 activations)
    """
    header, rows = read_rows(path)
    wanted = {"cascade": cascade, "node": node, "time": time}
    missing = [f"{role}={name!r}" for role, name in wanted.items() if name not in header]
    if missing:
        raise InputError(f"no such column: {', '.join(missing)}; {path} has {listed(header)}")
    at = {role: header.index(name) for role, name in wanted.items()}
    columns: dict[str, list[Any]] = {
        "cascade": [row[at["cascade"]] or None for row in rows],
        "node": [_number(row[at["node"]]) if row[at["node"]] else None for row in rows],
        "time": [_moment(row[at["time"]]) for row in rows],
    }
    roster = None if nodes is None else [as_label(n) for n in nodes]
    return read_columns(columns, node, cascade, horizon, window, unit, roster, never, duplicates)


def _number(text: str) -> Label:
    plain = text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")
    return int(text) if plain else text


def _moment(text: str) -> Any:
    if not text or text in ("NA", "NaN", "nan"):
        return None
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return dt.datetime.fromisoformat(text)
    except ValueError:
        return text
