"""Progress on stderr for work that takes longer than a moment."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

DELAY = 1.5


@contextmanager
def progress(total: int, label: str, *, shown: bool = True) -> Iterator[Callable[[int], None]]:
    """Yield a function that counts finished pieces; a bar appears after 1.5 s, on a terminal only."""
    began = time.monotonic()
    bar: list[Progress] = []
    done = 0

    def advance(pieces: int) -> None:
        nonlocal done
        done += pieces
        if not bar and shown and sys.stderr.isatty() and time.monotonic() - began > DELAY:
            columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            bar.append(Progress(*columns, console=Console(stderr=True), transient=True))
            bar[0].start()
            bar[0].add_task(label, total=total)
        if bar:
            bar[0].update(bar[0].task_ids[0], completed=done)

    try:
        yield advance
    finally:
        if bar:
            bar[0].stop()
