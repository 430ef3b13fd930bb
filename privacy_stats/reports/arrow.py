"""Reports as an Arrow table; the header travels in the schema's metadata."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from privacy_stats.errors import ArgumentError, DocumentError
from privacy_stats.lazy import optional
from privacy_stats.reports.header import Header
from privacy_stats.reports.reports import Reports

if TYPE_CHECKING:
    import pyarrow

_KEY = b"privacy_stats.report"


def to_arrow(reports: Reports) -> pyarrow.Table:
    """Return reports as a `pyarrow.Table` with the columns ``user``, ``stratum``, ``report`` or ``report_0``,
    ...

    Raises
    ------
    MissingPackageError
        If pyarrow is not installed.
    """
    pyarrow = optional("pyarrow", "Arrow tables need pyarrow: pip install pyarrow")
    columns = reports.columns()
    del columns["round"], columns["simulated"]
    metadata = {_KEY: json.dumps(reports.header.to_dict()).encode()}
    return pyarrow.table(
        {k: pyarrow.array(np.ascontiguousarray(v)) for k, v in columns.items()}, metadata=metadata
    )


def from_arrow(table: pyarrow.Table | pyarrow.RecordBatch) -> Reports:
    """Read what `to_arrow` wrote, trusting nothing.

    Raises
    ------
    DocumentError
        If the header or a column is missing, of another type, or holds nulls.
    """
    metadata = table.schema.metadata or {}
    try:
        header = Header.from_dict(json.loads(metadata.get(_KEY, b"null")))
    except (ValueError, RecursionError) as error:
        if isinstance(error, DocumentError):
            raise
        raise DocumentError("report: the schema's metadata is not JSON") from None
    names = table.schema.names
    drawn = ["report"] if "report" in names else [f"report_{k}" for k in range(max(1, len(names) - 2))]
    if sorted(names) != sorted(["user", "stratum", *drawn]):
        raise DocumentError(f"report: wanted the columns user, stratum, report; got {', '.join(names)[:200]}")
    columns = []
    for name in ("user", "stratum", *drawn):
        column = table.column(name)
        if column.null_count:
            raise DocumentError(f"report: column {name!r} holds {column.null_count} nulls")
        columns.append(np.asarray(column.to_numpy()))
    report = columns[2] if drawn == ["report"] else np.column_stack(columns[2:])
    try:
        return Reports(header, columns[0], columns[1], report)
    except ArgumentError as error:
        raise DocumentError(f"report: {error}") from None
