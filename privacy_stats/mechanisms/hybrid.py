"""The Hybrid mechanism of Wang et al. (2019): a coin, tossed blindly, chooses Piecewise or one bit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, cast, final

from privacy_stats.budgets import Kind
from privacy_stats.mechanisms.base import Channel
from privacy_stats.mechanisms.grid import Grid
from privacy_stats.mechanisms.on_grid import GridMechanism
from privacy_stats.mechanisms.one_bit import OneBit, OneBitChannel, answer_bit, draw_bits
from privacy_stats.mechanisms.piecewise import Piecewise, PiecewiseChannel, answer_cell, draw_cells
from privacy_stats.randomness import Randomness
from privacy_stats.sampling.literal import UNIT, ByteStream, threshold

if TYPE_CHECKING:
    from privacy_stats.mechanisms.base import Answer, Channels, Drawn, Levels, Values

_SWITCH = 0.61  # below this epsilon the one-bit mechanism alone is best (Wang et al. 2019, eq. (11))


@final
@dataclass(frozen=True, slots=True)
class Hybrid(GridMechanism):
    """Piecewise with probability ``1 - exp(-epsilon / 2)`` from epsilon = 0.61 on, else one bit.

    The smallest worst-case variance of the three at every epsilon. The coin does not depend on the value and
    its outcome, the *arm*, is part of the report, so the pair is as private as either arm.

    Parameters
    ----------
    lower, upper : float
        Public range; values are clamped to it.
    steps : int
        Even number of grid steps, at most 2**20.

    Raises
    ------
    ArgumentError
        If the range or the grid makes no sense.

    Examples
    --------
    >>> from fractions import Fraction
    >>> piecewise, one_bit = Hybrid(-1, 1).channels("pure", Fraction(1))
    >>> piecewise.inequality.holds, one_bit.inequality.holds
    (True, True)
    """

    name: ClassVar[str] = "hybrid"
    arms: ClassVar[int] = 2

    def channels(self, kind: Kind, level: Fraction) -> tuple[PiecewiseChannel, OneBitChannel]:
        """Return the channels of the arms 0 (Piecewise) and 1 (one bit)."""
        ends = self.lower, self.upper, self.steps
        return Piecewise(*ends).channels(kind, level) + OneBit(*ends).channels(kind, level)

    def arm_shares(self, channels: tuple[Channel, ...]) -> tuple[float, float]:
        """Return the probabilities of Piecewise and of one bit."""
        second = one_bit_weight(cast(OneBitChannel, channels[1]).epsilon) / UNIT
        return 1 - second, second

    def randomise(self, values: Values, level: Levels, channels: Channels, randomness: Randomness) -> Drawn:
        """Toss all coins, then draw each arm's reports at once."""
        import numpy as np

        from privacy_stats.sampling import kernels
        from privacy_stats.sampling.driver import draw

        position = self.grid.place_all(values, randomness)
        pieces = [cast(PiecewiseChannel, pair[0]) for pair in channels]
        bits = [cast(OneBitChannel, pair[1]) for pair in channels]
        heads = np.array([one_bit_weight(c.epsilon) for c in bits], dtype=np.int64)
        arm, out = np.empty(position.size, dtype=np.int32), np.empty(position.size, dtype=np.int32)
        draw(kernels.coins, randomness, arm.size, 1.01, level, heads, arm)
        first, second = np.flatnonzero(arm == 0), np.flatnonzero(arm)
        out[first] = draw_cells(position[first], level[first], pieces, randomness)
        whole = Grid(0, self.steps, self.steps)  # positions are their own places
        out[second] = draw_bits(whole, position[second], level[second], bits, randomness)
        return arm, out

    def answer(self, value: Any, channels: tuple[Channel, ...], stream: ByteStream) -> Answer:
        """Toss the coin, then draw one report."""
        piece, bit = cast(PiecewiseChannel, channels[0]), cast(OneBitChannel, channels[1])
        position = self.grid.place(value, stream)
        if threshold(stream, one_bit_weight(bit.epsilon)):
            return 1, (answer_bit(bit, position, stream),)
        return 0, (answer_cell(piece, position, stream),)


def one_bit_weight(epsilon: Fraction) -> int:
    """Weight of the one-bit arm in units of 2**-63; utility depends on it, privacy does not."""
    if epsilon <= Fraction(_SWITCH):
        return UNIT - 1
    return int(math.exp(-float(epsilon) / 2) * UNIT)
