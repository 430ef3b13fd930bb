"""Numeric columns of a CSV or Parquet file."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privacy_stats.errors import DocumentError
from privacy_stats.lazy import optional


def read_columns(path: Path, names: list[str]) -> list[NDArray[np.float64]]:
    """Return the named columns as floats; empty cells and nulls become NaN.

    Raises
    ------
    DocumentError
        If the file has another suffix, no rows, or not the columns, or a cell is no number; the row is named.
    """
    readers = {".parquet": _parquet, ".csv": _csv}
    if path.suffix not in readers:
        raise DocumentError(f"{path}: wanted a file that ends in .csv or .parquet")
    columns = readers[path.suffix](path, names)
    if columns[0].size == 0:
        raise DocumentError(f"{path}: has no rows, wanted one for each user")
    return columns


def write_columns(path: Path, columns: dict[str, NDArray[np.float64]]) -> None:
    """Write columns as a Parquet file.

    Raises
    ------
    MissingPackageError
        If pyarrow is not installed.
    """
    pyarrow = optional("pyarrow", "Parquet files need pyarrow: pip install pyarrow")
    parquet = optional("pyarrow.parquet", "Parquet files need pyarrow: pip install pyarrow")
    parquet.write_table(pyarrow.table({name: np.array(column) for name, column in columns.items()}), path)


def _csv(path: Path, names: list[str]) -> list[NDArray[np.float64]]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file)
        header = next(reader, [])
        for name in names:
            if header.count(name) != 1:
                raise DocumentError(
                    f"{path}: wanted one column {name!r}; it has {', '.join(header)[:200] or 'none'}"
                )
        places = [header.index(name) for name in names]
        columns: list[list[float]] = [[] for _ in names]
        for row in reader:
            for name, place, column in zip(names, places, columns, strict=True):
                column.append(_number(row[place] if place < len(row) else "", path, reader.line_num, name))
    return [np.array(column) for column in columns]


def _number(cell: str, path: Path, line: int, name: str) -> float:
    text = cell.strip()
    try:
        return float(text) if text else float("nan")
    except ValueError:
        raise DocumentError(f"{path}, line {line}: {name} is {text[:40]!r}, wanted a number") from None


def _parquet(path: Path, names: list[str]) -> list[NDArray[np.float64]]:
    pyarrow = optional("pyarrow", "Parquet files need pyarrow: pip install pyarrow")
    parquet = optional("pyarrow.parquet", "Parquet files need pyarrow: pip install pyarrow")
    try:
        schema = parquet.read_schema(path)
        for name in names:
            if name not in schema.names:
                raise DocumentError(f"{path}: no column {name!r}; it has {', '.join(schema.names)[:200]}")
        table = parquet.read_table(path, columns=list(dict.fromkeys(names)))
        return [np.asarray(table[name].cast(pyarrow.float64()).to_numpy()) for name in names]
    except pyarrow.ArrowException as error:
        raise DocumentError(f"{path}: not a Parquet file of numbers ({type(error).__name__})") from None
