"""Where a long search stands, on disk: written whole or not at all, read without trusting the file."""

from __future__ import annotations

import hashlib
import json
import os
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cascades.errors import InputError
from cascades.mixture.state import Parameters
from cascades.tables import Cascades


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


@dataclass(slots=True, eq=False)
class Checkpoint:
    """A file that holds the latest standing of one search.

    Parameters
    ----------
    path : Path
    task : str
        Fingerprint of the table and the model; a file of another task is refused.
    seconds : float
        Least time between two writes.
    """

    path: Path
    task: str
    seconds: float = 20.0
    _written: float = 0.0

    def save(self, standing: Standing, *, now: bool = False) -> None:
        """Write the standing if the last write is long enough ago, through a temporary file."""
        if not now and time.monotonic() - self._written < self.seconds:
            return
        self._written = time.monotonic()
        plain = {"task": self.task, "log": list(standing.log)}
        plain |= {name: getattr(standing, name) for name in ("seed", "stage", "passes", "undone", "eta")}
        arrays = {name: getattr(standing.parameters, name) for name in ("theta", "u", "v", "pi")}
        part = self.path.with_name(self.path.name + ".part")
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
            with np.load(self.path, allow_pickle=False) as file:
                about = json.loads(str(file["about"]))
                parameters = Parameters(*(file[name].astype(float) for name in ("theta", "u", "v", "pi")))
            facts = {name: int(about[name]) for name in ("seed", "stage", "passes", "undone")}
            task, eta, log = str(about["task"]), float(about["eta"]), tuple(map(str, about["log"]))
        except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
            raise InputError(f"checkpoint: {self.path} is not one ({error}); name another file") from error
        if task != self.task:
            raise InputError(
                f"checkpoint: {self.path} belongs to another table or model; delete it or name another file"
            )
        return Standing(**facts, eta=eta, log=log, parameters=parameters)

    def remove(self) -> None:
        """Delete the file: the search is finished."""
        self.path.unlink(missing_ok=True)


def task_of(data: Cascades, *settings: object) -> str:
    """Return a fingerprint of a table and of settings."""
    digest = hashlib.sha256(repr(settings).encode())
    for array in (data.starts, data.members, data.times, data.horizons):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
