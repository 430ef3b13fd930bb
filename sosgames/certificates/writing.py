"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file under another name first, so that no moment shows a part of it.

    Links are followed. Devices such as ``/dev/stdout`` are written to and never replaced. An `OSError` names
    the file that was asked for.
    """
    target = Path(path).absolute()
    if target.parts[1:2] in (("dev",), ("proc",)) or (target.exists() and not target.is_file()):
        target.write_text(text, encoding="utf-8")
        return
    target = target.resolve()
    unfinished = target.parent / f".{target.name}.{os.getpid()}"
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        with suppress(OSError):
            unfinished.unlink()
