"""Where a long search stands, on disk: written whole or not at all, read without trusting the file."""

from __future__ import annotations

import hashlib
import json
import os
import time
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cascades.errors import ArgumentError, InputError
from cascades.files import LARGEST
from cascades.mixture.state import Parameters
from cascades.networks import Network
from cascades.tables import Cascades
from cascades.tables.types import Floats

MOST_ETA = 2.0
FAULTS = (
    OSError,
    EOFError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    MemoryError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What reading a file that is no checkpoint may raise."""


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """A point between two passes."""

    seed: int
    stage: int
    passes: int
    undone: int
    eta: float
    log: tuple[str, ...]
    parameters: Parameters


class Task(NamedTuple):
    """A fingerprint of a table and of a model, and the sizes that its parameters have."""

    fingerprint: str
    n_nodes: int
    n_edges: int


@dataclass(slots=True, eq=False)
class Checkpoint:
    """A file that holds the latest standing of one search.

    Parameters
    ----------
    path : Path
    task : Task
        Of the table and the model; a file of another task is refused.
    seconds : float
        Least time between two writes.
    """

    path: Path
    task: Task
    seconds: float = 20.0
    _written: float = 0.0

    def save(self, standing: Standing) -> None:
        """Write the standing if the last write is long enough ago, through a temporary file."""
        if time.monotonic() - self._written < self.seconds:
            return
        self._written = time.monotonic()
        plain = {"task": self.task.fingerprint, "log": list(standing.log)}
        plain |= {name: getattr(standing, name) for name in ("seed", "stage", "passes", "undone", "eta")}
        arrays = {name: getattr(standing.parameters, name) for name in ("theta", "u", "v", "pi")}
        part = self._part()
        with part.open("wb") as file:
            np.savez(file, about=np.array(json.dumps(plain)), **arrays)
        os.replace(part, self.path)

    def load(self) -> Standing | None:
        """Return the standing, None when there is no file.

        Raises
        ------
        InputError
            When the file is not a checkpoint, or one of another table or model.
        """
        if not self.path.exists():
            return None
        try:
            task, standing = _read(self.path)
        except FAULTS as error:
            raise InputError(
                f"checkpoint: {self.path} is not one ({error or type(error).__name__}); name another file"
            ) from error
        if task != self.task.fingerprint:
            raise InputError(
                f"checkpoint: {self.path} belongs to another table or model; delete it or name another file"
            )
        if not self._possible(standing):
            raise InputError(f"checkpoint: {self.path} holds impossible parameters; delete it")
        return standing

    def _possible(self, at: Standing) -> bool:
        """Return whether a pass may be made from there: kernels trust their arguments."""
        p, n = at.parameters, self.task.n_nodes
        sizes = p.theta.shape == (self.task.n_edges,) and p.pi.shape == (n,) and p.u.shape == p.v.shape
        numbers = all(np.all(np.isfinite(a) & (a >= 0.0)) for a in (p.theta, p.u, p.v, p.pi))
        counts = min(at.seed, at.stage, at.passes, at.undone) >= 0 and 1.0 <= at.eta <= MOST_ETA
        matrix = p.u.ndim == 2 and len(p.u) == n
        return bool(sizes and matrix and numbers and counts and np.all(p.pi <= 1.0))

    def remove(self) -> None:
        """Delete the file: the search is finished."""
        self.path.unlink(missing_ok=True)
        self._part().unlink(missing_ok=True)

    def _part(self) -> Path:
        return self.path.with_name(self.path.name + ".part")


def checkpoint_at(path: str | os.PathLike[str], task: Task) -> Checkpoint:
    """Return a checkpoint in a file whose folder exists.

    Raises
    ------
    ArgumentError
    """
    where = Path(path)
    if where.is_dir() or not os.access(where.absolute().parent, os.W_OK):
        raise ArgumentError(f"checkpoint: {where} cannot be written; name a file in a writable folder")
    return Checkpoint(where, task)


def task_of(data: Cascades, support: Network, *settings: object) -> Task:
    """Return the task of fitting a table with this observed network and these settings."""
    digest = hashlib.sha256(repr((data.n_nodes, *settings)).encode())
    for array in (data.starts, data.members, data.times, data.horizons, support.senders, support.receivers):
        digest.update(np.ascontiguousarray(array).data)
    return Task(digest.hexdigest(), data.n_nodes, support.n_edges)


def _read(path: Path) -> tuple[str, Standing]:
    """Return the fingerprint and the standing in a file; nothing in it is run."""
    with zipfile.ZipFile(path) as file:
        if sum(part.file_size for part in file.infolist()) > LARGEST:
            raise ValueError(f"over {LARGEST} bytes")
    with np.load(path, allow_pickle=False) as arrays:
        about = json.loads(str(arrays["about"]))
        parameters = Parameters(*(_numbers(arrays[name]) for name in ("theta", "u", "v", "pi")))
    facts = {name: int(about[name]) for name in ("seed", "stage", "passes", "undone")}
    log = tuple(map(str, about["log"]))
    return str(about["task"]), Standing(**facts, eta=float(about["eta"]), log=log, parameters=parameters)


def _numbers(array: Any) -> Floats:
    if array.dtype.kind != "f":
        raise ValueError(f"an array of {array.dtype}")
    numbers: Floats = array.astype(float)
    return numbers
