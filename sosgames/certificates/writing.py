"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file under another name first, so that no moment shows a part of it.

    What is there and no plain file, such as ``/dev/stdout``, is written to and never replaced. An `OSError`
    names the file that was asked for.
    """
    target = Path(path)
    unfinished = target.parent / f".{target.name}.{os.getpid()}"
    try:
        if target.exists() and not target.is_file():
            target.write_text(text, encoding="utf-8")
            return
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from None
    finally:
        with suppress(OSError):
            unfinished.unlink()
