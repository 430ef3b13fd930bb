"""Feed a compiled kernel with fresh bytes until every item is drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from privacy_stats.randomness import Randomness

_CHUNK = 1 << 18


def draw(
    kernel: Callable[..., None], randomness: Randomness, size: int, bytes_per_item: float, *arguments: Any
) -> None:
    """Run ``kernel(stream, cursor, *arguments)`` to the end of its `size` items.

    The kernel sees one endless stream: an item that runs out of bytes is begun again on the same bytes with
    new ones behind them. Bytes that are left at the end are dropped.

    Parameters
    ----------
    kernel : compiled function
        One of `privacy_stats.sampling.kernels`.
    randomness : Randomness
        Where the bytes come from.
    size : int
        Number of items.
    bytes_per_item : float
        About how many bytes an item takes; only speed depends on it.
    """
    cursor = np.zeros(3, dtype=np.int64)
    stream = b""
    while cursor[1] < size:
        wanted = int((size - int(cursor[1])) * bytes_per_item) + 16
        stream = stream[int(cursor[2]) :] + randomness.bytes(min(wanted, _CHUNK))
        cursor[0] = cursor[2] = 0
        kernel(np.frombuffer(stream, dtype=np.uint8), cursor, *arguments)
