"""Progress on standard error, for work that takes longer than a moment."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

PATIENCE = 1.5
"""Seconds before the first sign of life."""


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A function that takes what is known so far; it is shown once the work has taken `PATIENCE` seconds.

    On a terminal the line is redrawn in place; elsewhere, and when quiet, nothing is shown.
    """
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda _: None
        return
    status = console.status("working")
    timer = threading.Timer(PATIENCE, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield status.update
    finally:
        timer.cancel()
        status.stop()
