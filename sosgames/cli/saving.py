"""Where a result can be written: asked before the work, so that no search is lost."""

from __future__ import annotations

import os
from pathlib import Path

from sosgames.errors import InputError


def refuse_unwritable(path: Path | None, option: str = "--save") -> None:
    """Raise `InputError` when nothing could be saved there; None saves nothing."""
    if path is None:
        return
    if path.is_dir():
        raise InputError(f"{option}: {path} is a folder; name a file in it.")
    if not path.parent.is_dir():
        raise InputError(f"{option}: there is no folder {path.parent}; make it first.")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"{option}: the folder {path.parent} cannot be written to; name another one.")
