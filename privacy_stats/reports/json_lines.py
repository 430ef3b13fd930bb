"""Reports as JSON lines, one self-contained object per user: what a phone sends."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import IO, Any

import numpy as np

from privacy_stats.errors import ArgumentError, DocumentError
from privacy_stats.reports.header import Header
from privacy_stats.reports.reports import Reports

MOST_LINE = 1 << 20


def write_lines(reports: Reports, file: IO[str]) -> None:
    """Write one line per report.

    Parameters
    ----------
    reports : Reports
        What to write.
    file : text file
        Open for writing.
    """
    header = json.dumps(reports.header.to_dict())[:-1]
    rows = reports.report.reshape(len(reports), -1).tolist()
    for user, stratum, row in zip(reports.user.tolist(), reports.stratum.tolist(), rows, strict=True):
        file.write(f'{header}, "user": {user}, "stratum": {stratum}, "report": {json.dumps(row)}}}\n')


def parse_line(line: str | bytes) -> tuple[Header, int, int, tuple[int, ...]]:
    """Read one line that anybody may have sent: header, user, stratum, report.

    Parameters
    ----------
    line : str or bytes
        At most 1 MB.

    Raises
    ------
    DocumentError
        If the line is too long, not JSON, or not of the schema.

    Examples
    --------
    >>> parse_line("[1, 2]")
    Traceback (most recent call last):
        ...
    privacy_stats.errors.DocumentError: report: wanted an object of format 'privacy_stats.report'
    """
    if len(line) > MOST_LINE:
        raise DocumentError(f"report: a line of {len(line)} bytes is longer than {MOST_LINE}")
    try:
        document: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"report: not JSON ({type(error).__name__})") from None
    header = Header.from_dict(document)
    user, stratum, report = document.get("user"), document.get("stratum"), document.get("report")
    if len(document) != 10:
        raise DocumentError("report: unknown fields beside header, 'user', 'stratum' and 'report'")
    if not _fits(user, 63) or not _fits(stratum, 31):
        raise DocumentError("report: 'user' and 'stratum' must be integers")
    if not isinstance(report, list) or not report or not all(_fits(r, 31) for r in report):
        raise DocumentError("report: 'report' must be a list of 32-bit integers")
    return header, user, stratum, tuple(report)


def _fits(value: Any, bits: int) -> bool:
    return type(value) is int and -(1 << bits) <= value < 1 << bits


def read_lines(lines: Iterable[str | bytes], *, chunk: int = 1 << 16, first: int = 1) -> Iterator[Reports]:
    """Read lines into `Reports` of at most `chunk` rows; consecutive lines must share their header.

    Parameters
    ----------
    lines : iterable of str or bytes
        For example an open file.
    chunk : int
        Largest number of rows per yielded value.
    first : int
        Number of the first line, for messages.

    Yields
    ------
    Reports
        A new one whenever `chunk` is full or the header changes.

    Raises
    ------
    DocumentError
        Naming the line that is not of the schema.
    """
    header: Header | None = None
    rows: list[tuple[int, int, tuple[int, ...]]] = []
    for number, line in enumerate(lines, start=first):
        try:
            new, user, stratum, report = parse_line(line)
        except DocumentError as error:
            raise DocumentError(f"line {number}: {error}") from None
        if header is not None and (new != header or len(rows) == chunk):
            yield _pack(header, rows, number - len(rows))
            rows = []
        header = new
        rows.append((user, stratum, report))
    if header is not None and rows:
        yield _pack(header, rows, number - len(rows) + 1)


def _pack(header: Header, rows: list[tuple[int, int, tuple[int, ...]]], first: int) -> Reports:
    user, stratum, report = zip(*rows, strict=True)
    widths = {len(r) for r in report}
    if len(widths) > 1:
        raise DocumentError(f"lines from {first}: reports of different lengths {sorted(widths)[:5]}")
    table = np.array(report)
    try:
        return Reports(header, np.array(user), np.array(stratum), table[:, 0] if widths == {1} else table)
    except ArgumentError as error:
        raise DocumentError(f"lines from {first}: {error}") from None
