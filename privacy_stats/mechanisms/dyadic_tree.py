"""Where each rotated coordinate lies, as one-hot counts at every level of a binary tree: what medians are
read from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, final

from privacy_stats.budgets import Kind
from privacy_stats.errors import ArgumentError
from privacy_stats.mechanisms.blocks import (
    MOST_NUMBERS,
    BlockChannel,
    BlockMechanism,
    check_channel,
    largest_radius,
)
from privacy_stats.mechanisms.grid import positive, whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@final
@dataclass(frozen=True, slots=True)
class DyadicTree(BlockMechanism):
    """One-hot paths through binary trees, one per coordinate of the rotated value, at every rung of a ladder.

    A value is padded with zeros to d' = 2**k coordinates, multiplied by public random signs and by the
    orthonormal Hadamard matrix. Coordinate j, in [-bound, bound], has a leaf of 2**depth; at each level below
    the root the message is one-hot at the leaf's ancestor. Every one-hot vector is released at each of
    `rungs` rungs, with ``min(T(u), floor(1 / (2**i unit)))`` in its place, so one step of rung i counts
    ``2**i unit`` users. All are releases of their own: ``factor = 2 d' depth rungs``.

    Parameters
    ----------
    dimension, bound : int, float
        Of a value.
    depth : int
        Levels below the root, 1 to 19.
    rungs : int
        Rungs of the ladder, 1 to 64.
    unit : float
        Users per step of rung 0.
    sigma : int
        Scale of the noise, in steps.
    seed : int
        Of the public signs.

    Raises
    ------
    ArgumentError
        If an argument is out of range, or a report would have more than 2**20 numbers.
    """

    dimension: int
    bound: float
    depth: int
    rungs: int
    unit: float
    sigma: int
    seed: int = 0
    name: ClassVar[str] = "dyadic-tree"
    non_negative: ClassVar[bool] = False  # type: ignore[misc]
    centre: ClassVar[tuple[float, ...]] = ()  # type: ignore[misc]

    def __post_init__(self) -> None:
        self.check_value()
        object.__setattr__(self, "unit", positive("unit", self.unit))
        limits = (("depth", 1, 19), ("rungs", 1, 64), ("sigma", 1, 1 << 27), ("seed", 0, 1 << 62))
        for name, least, most in limits:
            whole(name, getattr(self, name), least, most)
        if self.width > MOST_NUMBERS:
            raise ArgumentError(f"depth: a report would have {self.width} numbers, more than {MOST_NUMBERS}")

    @property
    def padded(self) -> int:
        """Coordinates after rotation, d'."""
        return padded_dimension(self.dimension)

    @property
    def nodes(self) -> int:
        """Nodes of a tree, the root left out."""
        return (2 << self.depth) - 2

    @property
    def shape(self) -> tuple[int, int]:
        """One number per coordinate, rung and node."""
        return self.padded * self.rungs * self.nodes, 1

    @property
    def factor(self) -> int:
        """2 for each one-hot vector."""
        return 2 * self.padded * self.depth * self.rungs

    def channels(self, kind: Kind, level: Fraction) -> tuple[BlockChannel]:
        """Return the channel with the largest T that is rho-zCDP."""
        self.require_kind(kind)
        radius = largest_radius(level, self.sigma, self.factor)
        return (check_channel(BlockChannel(level, self.sigma, radius, self.factor, self.unit), 1),)

    def rotate(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return rotated rows of length d'."""
        import numpy as np

        rows = np.zeros((len(values), self.padded))
        rows[:, : self.dimension] = values
        return hadamard(rows * self.signs())

    def rotate_back(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Undo `rotate`."""
        return (hadamard(rows) * self.signs())[:, : self.dimension]

    def signs(self) -> NDArray[np.float64]:
        """Return the public signs."""
        import numpy as np

        return np.random.default_rng(self.seed).choice([-1.0, 1.0], self.padded)

    def leaves(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the leaf of every rotated coordinate."""
        import numpy as np

        place = np.floor((self.rotate(values) / self.bound + 1) / 2 * (1 << self.depth))
        return np.clip(place, 0, (1 << self.depth) - 1).astype(np.int64)

    def amplitudes(self, level: NDArray[np.int32], channels: Sequence[BlockChannel]) -> NDArray[np.int64]:
        """Return what every user puts into a place of every rung, shape (rungs, n)."""
        import numpy as np

        radius = np.array([c.radius for c in channels], dtype=np.int64)[level]
        whole = [math.floor(min(1 / (self.unit * 2.0**i), 2.0**30)) for i in range(self.rungs)]
        return np.stack([np.minimum(radius, most) for most in whole])

    def encode(
        self, values: NDArray[np.float64], level: NDArray[np.int32], channels: Sequence[BlockChannel]
    ) -> NDArray[np.int64]:
        """Return the messages; see the class."""
        import numpy as np

        leaf, amplitude = self.leaves(values), self.amplitudes(level, channels)
        out = np.zeros((len(values), self.padded, self.rungs, self.nodes), dtype=np.int64)
        rows = np.arange(len(values))[:, None]
        for depth in range(1, self.depth + 1):
            node = (2 << (depth - 1)) - 2 + (leaf >> (self.depth - depth))
            for rung in range(self.rungs):
                out[rows, np.arange(self.padded)[None, :], rung, node] = amplitude[rung][:, None]
        return out.reshape(len(values), -1, 1)

    def add_up(
        self, values: NDArray[np.float64], level: NDArray[np.int32], channels: Sequence[BlockChannel]
    ) -> NDArray[np.int64]:
        """Return the sum of all messages without building them: only the nodes on paths are touched."""
        import numpy as np

        leaf, amplitude = self.leaves(self.cleaned(values)), self.amplitudes(level, channels)
        out = np.zeros((self.padded, self.rungs, self.nodes), dtype=np.int64)
        top = 1 << self.depth
        for coordinate in range(self.padded):
            for rung in range(self.rungs):
                counts = np.bincount(leaf[:, coordinate], amplitude[rung].astype(np.float64), top)
                for depth in range(self.depth, 0, -1):
                    first = (2 << (depth - 1)) - 2
                    out[coordinate, rung, first : first + len(counts)] = counts.astype(np.int64)
                    counts = counts.reshape(-1, 2).sum(axis=1)
        return out.reshape(-1)

    def within(self, messages: NDArray[np.int64], radius: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Check that every level of every tree has one place at most, with T or less, nothing negative."""
        import numpy as np

        table = messages.reshape(len(messages), self.padded * self.rungs, self.nodes)
        fine = (table >= 0).all(axis=(1, 2)) & (table <= radius[:, None, None]).all(axis=(1, 2))
        for depth in range(1, self.depth + 1):
            first = (2 << (depth - 1)) - 2
            used = np.count_nonzero(table[:, :, first : first + (1 << depth)], axis=2)
            fine &= (used <= 1).all(axis=1)
        return np.asarray(fine)


def padded_dimension(dimension: int) -> int:
    """Return the least power of two that is at least `dimension`."""
    return 1 << (dimension - 1).bit_length()


def hadamard(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Multiply every row by the orthonormal Hadamard matrix; the length is a power of two."""
    import numpy as np

    out, size = np.array(rows), rows.shape[1]
    half = 1
    while half < size:
        pairs = out.reshape(len(out), size // (2 * half), 2, half)
        out = np.concatenate([pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]], axis=2)
        half *= 2
    return out.reshape(len(rows), size) / math.sqrt(size)
