"""Tables on disk: JSON with the standard library, Parquet with pyarrow; both round-trip exactly."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from cascades.errors import ArgumentError, InputError, MissingPackageError
from cascades.files import document_of, read_document, readable, whole, write_whole
from cascades.tables.table import Cascades

FORMAT = "cascades table 1"


def save(data: Cascades, path: str | os.PathLike[str]) -> None:
    """Write a table to ``.json`` or ``.parquet`` (by suffix); `load` is the inverse.

    Raises
    ------
    ArgumentError
        For another suffix.
    MissingPackageError
        For Parquet without pyarrow.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import cascades as cs
    >>> data = cs.Cascades.from_records([{"a": 0.0, "b": 1.0}], window=2.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cs.save(data, pathlib.Path(folder, "data.json"))
    ...     cs.load(pathlib.Path(folder, "data.json"))
    Cascades(1 cascades, 2 nodes, 2 activations)
    """
    suffix = Path(path).suffix
    if suffix == ".json":
        write_whole(path, json.dumps({"format": FORMAT, **data.to_dict()}))
    elif suffix == ".parquet":
        _save_parquet(data, path)
    else:
        raise ArgumentError(f"path: got suffix {suffix!r}, wanted .json or .parquet")


def load(path: str | os.PathLike[str]) -> Cascades:
    """Read a table that `save` wrote.

    Raises
    ------
    InputError
        When the file is not such a table.
    """
    suffix = Path(path).suffix
    if suffix == ".parquet":
        return Cascades.from_dict(_load_parquet(path))
    if suffix != ".json":
        raise ArgumentError(f"path: got suffix {suffix!r}, wanted .json or .parquet")
    document = read_document(path)
    if document.get("format") != FORMAT:
        raise InputError(f"{path} is not a cascade table written by cascades.save")
    return Cascades.from_dict(document)


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingPackageError("Parquet needs pyarrow: pip install pyarrow, or save to .json") from error
    return pyarrow


def _save_parquet(data: Cascades, path: str | os.PathLike[str]) -> None:
    pa = _pyarrow()
    document = data.to_dict()
    events = pa.table({"cascade": data.cascade_of, "node": data.members, "time": data.times})
    head = {k: v for k, v in document.items() if k not in ("starts", "members", "times")}
    meta = {b"cascades": json.dumps({"format": FORMAT, "starts": document["starts"], **head}).encode()}
    with whole(path) as part:
        pa.parquet.write_table(events.replace_schema_metadata(meta), part)


def _load_parquet(path: str | os.PathLike[str]) -> dict[str, Any]:
    pa = _pyarrow()
    try:
        with readable(path):
            events = pa.parquet.read_table(path)
    except pa.ArrowInvalid as error:
        raise InputError(f"cannot read {path}: it is not Parquet ({error})") from error
    head = (events.schema.metadata or {}).get(b"cascades")
    if head is None:
        raise InputError(f"{path} is not a cascade table written by cascades.save; read it with from_frame")
    with document_of("a cascade table"):
        document = dict(json.loads(head))
        return {**document, "members": events["node"].to_numpy(), "times": events["time"].to_numpy()}
