"""Sources of random bytes.

Mechanisms ask for bytes and for nothing else. `SystemRandomness` keeps no state at all, neither a key nor a
buffer, so there is nothing that a fork, a thread or a restored snapshot of the process could duplicate.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, final

from privacy_stats.errors import ArgumentError

if TYPE_CHECKING:
    import numpy as np


class Randomness(Protocol):
    """What a mechanism needs: independent uniform bytes, and whether they are only simulated."""

    @property
    def simulated(self) -> bool:
        """Whether reports drawn from this source must be marked as simulated."""
        ...

    def bytes(self, size: int, /) -> bytes:
        """Return `size` fresh uniform bytes."""
        ...


@final
@dataclass(frozen=True, slots=True)
class SystemRandomness:
    """The operating system's generator (``os.urandom``); the only source for real reports.

    Examples
    --------
    >>> len(SystemRandomness().bytes(16)), SystemRandomness().simulated
    (16, False)
    """

    @property
    def simulated(self) -> bool:
        """Always False."""
        return False

    def bytes(self, size: int, /) -> bytes:
        """Return `size` fresh uniform bytes; no state is kept between calls."""
        return os.urandom(size)


@final
class SimulationRandomness:
    """A seeded generator for studies; see `simulation_rng`. Its reports are marked as such."""

    __slots__ = ("_generator",)

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator

    @property
    def simulated(self) -> bool:
        """Always True."""
        return True

    def bytes(self, size: int, /) -> bytes:
        """Return the next `size` bytes of the seeded stream."""
        return self._generator.bytes(size)

    def __reduce__(self) -> str | tuple[object, ...]:
        raise ArgumentError("a simulation source is not copied: a copy repeats its stream")


def simulation_rng(seed: int) -> SimulationRandomness:
    """Return a reproducible source for studies and tests. It gives no privacy to anybody.

    Parameters
    ----------
    seed : int
        Non-negative.

    Raises
    ------
    ArgumentError
        If `seed` is not a non-negative integer.

    Examples
    --------
    >>> simulation_rng(7).bytes(4) == simulation_rng(7).bytes(4)
    True
    """
    import numpy as np

    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ArgumentError(f"seed: got {seed!r}, wanted a non-negative integer")
    return SimulationRandomness(np.random.default_rng(seed))
