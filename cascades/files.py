"""Files: read as rows or as one JSON object, written whole or not at all, and faults said in a sentence."""

from __future__ import annotations

import csv
import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from cascades.errors import InputError

SHOWN = 12
"""Columns that a message names."""
LARGEST = 2**31
"""Bytes of the largest file that is read."""

SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}


def read_rows(path: str | os.PathLike[str]) -> tuple[list[str], list[list[str]]]:
    """Return the header of a CSV file and its rows, blank lines left out, each as long as the header.

    Raises
    ------
    InputError
        When the file cannot be read, is empty, names a column twice or is not separated by commas.
    """
    with readable(path), open(path, newline="", encoding="utf-8-sig") as file:
        lines = csv.reader(file)
        header = next(lines, [])
        _check_header(path, header)
        width = len(header)
        return header, [row[:width] + [""] * (width - len(row)) for row in lines if row]


def _check_header(path: str | os.PathLike[str], header: list[str]) -> None:
    if not header:
        raise InputError(f"{path} is empty; wanted a header line and a row for each entry")
    if len(header) == 1:
        for mark, name in SEPARATORS.items():
            if mark in header[0]:
                raise InputError(f"{path}: its fields are separated by {name}; wanted commas, export it so")
    counts = Counter(header)
    twice = next((name for name in header if name and counts[name] > 1), None)
    if twice is not None:
        raise InputError(f"{path}: the column {twice!r} stands twice; keep one")


def listed(header: list[str]) -> str:
    """Return the names of columns for a message, the rest of a long header as a count."""
    more = len(header) - SHOWN
    return ", ".join(header[:SHOWN]) + (f" and {more:,} more" if more > 0 else "")


def read_document(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the object that a JSON file holds.

    Raises
    ------
    InputError
        When the file cannot be read or holds something else.
    """
    with readable(path):
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    if not isinstance(document, dict):
        raise InputError(f"{path}: the file holds {type(document).__name__}, wanted a JSON object")
    return document


@contextmanager
def readable(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what can go wrong while a file is read into an `InputError` that says it."""
    try:
        if os.path.getsize(path) > LARGEST:
            raise InputError(f"{path}: over {LARGEST} bytes; split it, or use from_frame")
        yield
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"cannot read {path}: byte {error.start} is not UTF-8 text") from error
    except json.JSONDecodeError as error:
        raise InputError(f"cannot read {path}: it is not JSON ({error})") from error
    except RecursionError as error:
        raise InputError(f"cannot read {path}: it is nested too deeply") from error
    except csv.Error as error:
        raise InputError(f"cannot read {path}: {error}") from error


@contextmanager
def document_of(what: str) -> Iterator[None]:
    """Turn what a document with wrong fields makes its reader raise into an `InputError`.

    Examples
    --------
    >>> with document_of("a network"):
    ...     {}["nodes"]
    Traceback (most recent call last):
    cascades.errors.InputError: the document is not a network: no 'nodes'
    """
    try:
        yield
    except InputError:
        raise
    except KeyError as error:
        raise InputError(f"the document is not {what}: no {error}") from error
    except (TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise InputError(f"the document is not {what}: {error}") from error


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file so that no moment shows a part of it."""
    with whole(path) as part:
        part.write_text(text, encoding="utf-8", newline="")


@contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a name to write under; the file takes its own name when the block ends well.

    Links are followed. Devices such as ``/dev/stdout`` are written to and never replaced. An `OSError` names
    the file that was asked for.
    """
    target = Path(path).absolute()
    if target.parts[1:2] in (("dev",), ("proc",)) or (target.exists() and not target.is_file()):
        yield target
        return
    target = target.resolve()
    part = target.parent / f".{target.name}.{os.getpid()}"
    try:
        yield part
        part.replace(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None
    finally:
        with suppress(OSError):
            part.unlink()
