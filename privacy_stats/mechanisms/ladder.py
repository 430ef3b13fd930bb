"""A value at the rungs of a ladder of thresholds, each rung a block: in all blocks, or in one of them."""

from __future__ import annotations

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
    truncate,
)
from privacy_stats.mechanisms.grid import positive, whole

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
    * ``one_hot=False, joint=True``: the two parts of a signed value are clipped together, as one vector of
      2 d coordinates that are not negative: factor = 2 x (number of thresholds), half of that for d > 1.
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
    joint : bool
        See above.

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
    joint: bool = False
    name: ClassVar[str] = "ladder-gaussian"

    def __post_init__(self) -> None:
        self.check_value()
        object.__setattr__(self, "unit", positive("unit", self.unit))
        for name, most in (("blocks", 200), ("sigma", 1 << 27)):
            whole(name, getattr(self, name), 1, most)
        for name in ("one_hot", "joint"):
            if type(getattr(self, name)) is not bool:
                raise ArgumentError(f"{name}: got {getattr(self, name)!r}, wanted True or False")
        if self.joint and (self.one_hot or self.non_negative):
            raise ArgumentError("joint: only signed values at all scales have two parts to clip together")
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
    def columns(self) -> int:
        """Numbers that are clipped together."""
        return 2 * self.dimension if self.joint else self.dimension

    @property
    def factor(self) -> int:
        """Squared distance of two messages at most, in units of T**2."""
        if self.one_hot:
            return 2 if self.non_negative or self.dimension == 1 else 4
        if self.joint:
            return 2 * self.blocks
        return self.blocks * self.sides * (1 if self.dimension == 1 else 2)

    def channels(self, kind: Kind, level: Fraction) -> tuple[BlockChannel]:
        """Return the channel with the largest T that is rho-zCDP."""
        self.require_kind(kind)
        radius = largest_radius(level, self.sigma, self.factor)
        channel = BlockChannel(level, self.sigma, radius, self.factor, self.unit)
        return (check_channel(channel, self.columns),)

    def encode(
        self, values: NDArray[np.float64], level: NDArray[np.int32], channels: Sequence[BlockChannel]
    ) -> NDArray[np.int64]:
        """Return the messages; see the class."""
        import numpy as np

        radius = np.array([c.radius for c in channels], dtype=np.float64)[level]
        steps = values / self.unit
        parts = [steps] if self.sides == 1 else [np.maximum(steps, 0.0), np.maximum(-steps, 0.0)]
        parts = [np.hstack(parts)] if self.joint else parts
        out = np.zeros((len(parts), len(values), self.blocks, parts[0].shape[1]), dtype=np.int64)
        for part, blocks in zip(parts, out, strict=True):
            if self.one_hot:
                rung = self.rung_of(np.sqrt((part**2).sum(axis=1)), radius)
                blocks[np.arange(len(part)), rung] = truncate(part / np.exp2(rung)[:, None], radius)
            else:
                for k in range(self.blocks):
                    blocks[:, k] = truncate(part / 2.0**k, radius)
        if self.joint:
            out = out.reshape(len(values), self.blocks, 2, self.dimension).transpose(2, 0, 1, 3)
        return out.transpose(1, 0, 2, 3).reshape(len(values), *self.shape)

    def rung_of(self, length: NDArray[np.float64], radius: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the first block whose threshold reaches `length`, in steps, or the last block."""
        import numpy as np

        ratio = length / np.maximum(radius, 1.0)
        rung = np.ceil(np.log2(np.maximum(ratio, 1e-300)))
        return np.clip(rung, 0, self.blocks - 1).astype(np.int64)

    def within(self, messages: NDArray[np.int64], radius: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Check every block's length and sign, and for one-hot messages that one block is used."""
        import numpy as np

        squares = np.einsum("nkd,nkd->nk", messages, messages)
        if self.joint:
            squares = squares[:, : self.blocks] + squares[:, self.blocks :]
        fine = (squares <= radius[:, None] ** 2).all(axis=1)
        if self.one_hot:
            fine &= np.count_nonzero(squares, axis=1) <= 1
        if self.sides == 2 or self.non_negative:
            fine &= (messages >= 0).all(axis=(1, 2))
        return np.asarray(fine)
