"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a name to write under; the file takes its own name, at once, when the block ends well.

    Links are followed. Devices such as ``/dev/stdout`` are written to and never replaced. Whatever ends the
    block early, the part that was written is removed: half a file never looks like one, and reports that were
    drawn and not handed out do not stay behind.

    Parameters
    ----------
    path : path

    Raises
    ------
    OSError
        Naming the file that was asked for.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole(Path(folder, "state.json")) as part:
    ...         _ = part.write_text("{}")
    ...     os.listdir(folder)
    ['state.json']
    """
    target = Path(path).absolute()
    if target.parts[1:2] in (("dev",), ("proc",)) or (target.exists() and not target.is_file()):
        yield target
        return
    target = target.resolve()
    part = target.with_name(f".{os.getpid()}.{target.name}")
    try:
        yield part
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None
    finally:
        with suppress(OSError):
            part.unlink()
