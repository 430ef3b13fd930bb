"""A value at the rungs of a ladder of thresholds, each rung a block: in all blocks, or in one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, final

from privacy_stats.budgets import Kind
from privacy_stats.errors import ArgumentError
from privacy_stats.mechanisms.blocks import (
    MOST_NUMBERS,
    BlockChannel,
    BlockMechanism,
    check_channel,
    largest_radius,
    truncate,
)
from privacy_stats.mechanisms.grid import positive

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@final
@dataclass(frozen=True, slots=True)
class LadderGaussian(BlockMechanism):
    """Thresholds ``tau_k(u) = 2**k * unit * T(u)``, k = 0..blocks-1, that grow with the root of the budget.

    sigma is the same for all users and T(u) is the largest integer with ``factor T**2 <= 2 rho_u sigma**2``,
    so block k counts in steps of ``2**k * unit`` whoever reports, and the server adds integers.

    * ``one_hot=False`` (Sun et al. 2025, radius protocol): every block holds the value clipped to its
      threshold; signed values hold their positive and their negative part in blocks of their own. Each block
      is a release of its own, so factor = (number of blocks) x (1 for d = 1, 2 for d > 1).
    * ``one_hot=True``: only the first block that can hold the value does, so the whole message has
      length at most T and factor = 2 (no negative coordinates; or d = 1, with one block per sign) or 4.

    Parameters
    ----------
    dimension : int
        Number of coordinates.
    bound : float
        Public bound of a value's length; longer values are shortened.
    unit : float
        Step of block 0, in the value's unit.
    blocks : int
        Number of thresholds, 1 to 200.
    sigma : int
        Scale of the noise, in steps.
    non_negative : bool
        Whether negative coordinates are clamped to 0, which costs less noise.
    one_hot : bool
        See above.
    centre : tuple of float
        Subtracted from every value; empty for the origin.

    Raises
    ------
    ArgumentError
        If an argument is out of range.

    Examples
    --------
    >>> from fractions import Fraction
    >>> ladder = LadderGaussian(1, 100.0, 1 / 1024, 4, 1 << 12, non_negative=True, one_hot=True)
    >>> (channel,) = ladder.channels("zcdp", Fraction(1, 4))
    >>> channel.radius, channel.inequality.holds
    (2048, True)
    """

    dimension: int
    bound: float
    unit: float
    blocks: int
    sigma: int
    non_negative: bool = False
    one_hot: bool = True
    centre: tuple[float, ...] = ()
    name: ClassVar[str] = "ladder-gaussian"

    def __post_init__(self) -> None:
        self.check_value()
        object.__setattr__(self, "unit", positive("unit", self.unit))
        for name, most in (("blocks", 200), ("sigma", 1 << 27)):
            got = getattr(self, name)
            if type(got) is not int or not 1 <= got <= most:
                raise ArgumentError(f"{name}: got {got!r}, wanted an integer from 1 to {most}")
        if type(self.one_hot) is not bool:
            raise ArgumentError(f"one_hot: got {self.one_hot!r}, wanted True or False")
        if self.n_sums > MOST_NUMBERS:
            raise ArgumentError(
                f"blocks: {self.blocks} blocks of {self.dimension} coordinates exceed {MOST_NUMBERS}"
            )

    @property
    def sides(self) -> int:
        """2 where positive and negative parts have blocks of their own."""
        return 2 if not self.non_negative and (self.dimension == 1 or not self.one_hot) else 1

    @property
    def shape(self) -> tuple[int, int]:
        """All positive blocks, then, with two sides, all negative ones."""
        return self.blocks * self.sides, self.dimension

    @property
    def factor(self) -> int:
        """Squared distance of two messages at most, in units of T**2."""
        if self.one_hot:
            return 2 if self.non_negative or self.dimension == 1 else 4
        return self.blocks * self.sides * (1 if self.dimension == 1 else 2)

    def channels(self, kind: Kind, level: Fraction) -> tuple[BlockChannel]:
        """Return the channel with the largest T that is rho-zCDP."""
        self.require_kind(kind)
        radius = largest_radius(level, self.sigma, self.factor)
        return (
            check_channel(BlockChannel(level, self.sigma, radius, self.factor, self.unit), self.dimension),
        )

    def encode(
        self, values: NDArray[np.float64], level: NDArray[np.int32], channels: Sequence[BlockChannel]
    ) -> NDArray[np.int64]:
        """Return the messages; see the class."""
        import numpy as np

        radius = np.array([c.radius for c in channels], dtype=np.float64)[level]
        steps = values / self.unit
        parts = (steps,) if self.sides == 1 else (np.maximum(steps, 0.0), np.maximum(-steps, 0.0))
        out = np.zeros((len(values), *self.shape), dtype=np.int64)
        for side, part in enumerate(parts):
            blocks = out[:, side * self.blocks : (side + 1) * self.blocks]
            if self.one_hot:
                rung = self.rung_of(np.sqrt((part**2).sum(axis=1)), radius)
                blocks[np.arange(len(part)), rung] = truncate(part / np.exp2(rung)[:, None], radius)
            else:
                for k in range(self.blocks):
                    blocks[:, k] = truncate(part / 2.0**k, radius)
        return out

    def rung_of(self, length: NDArray[np.float64], radius: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the first block whose threshold reaches `length`, in steps, or the last block."""
        import numpy as np

        ratio = length / np.maximum(radius, 1.0)
        rung = np.ceil(np.log2(np.maximum(ratio, 1e-300)))
        return np.clip(rung, 0, self.blocks - 1).astype(np.int64)

    def within(self, messages: NDArray[np.int64], radius: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Check every block's length and sign, and for one-hot messages that one block is used."""
        import numpy as np

        squares = (messages**2).sum(axis=2)
        fine = (squares <= radius[:, None] ** 2).all(axis=1)
        if self.one_hot:
            fine &= np.count_nonzero(squares, axis=1) <= 1
        if self.sides == 2 or self.non_negative:
            fine &= (messages >= 0).all(axis=(1, 2))
        return np.asarray(fine)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "dimension": self.dimension,
            "bound": self.bound,
            "unit": self.unit,
            "blocks": self.blocks,
            "sigma": self.sigma,
            "non_negative": self.non_negative,
            "one_hot": self.one_hot,
            "centre": list(self.centre),
        }
