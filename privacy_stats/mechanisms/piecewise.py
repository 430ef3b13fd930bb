"""The Piecewise mechanism of Wang et al. (2019) on a grid of cells with integer weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, cast, final

from privacy_stats.arithmetic import SCALE, exp_bounds
from privacy_stats.budgets import Kind
from privacy_stats.errors import ArgumentError
from privacy_stats.mechanisms.base import Channel, Inequality, pure_level
from privacy_stats.mechanisms.grid import Grid
from privacy_stats.mechanisms.on_grid import GridMechanism
from privacy_stats.randomness import Randomness
from privacy_stats.sampling.literal import UNIT, ByteStream, word

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from privacy_stats.mechanisms.base import Answer, Channels, Drawn, Levels, Values


@final
@dataclass(frozen=True, slots=True)
class PiecewiseChannel(Channel):
    """Reports are cells 0..steps + window - 1; position p favours the cells p..p + window - 1.

    Every cell has weight `low`, the cells of the window `extra` more, and what is left of 2**63 goes to the
    middle cell whatever the input. The mean report is therefore exactly linear in the position.
    """

    grid: Grid
    epsilon: Fraction
    window: int
    low: int
    extra: int

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.grid.steps + self.window

    @property
    def left_over(self) -> int:
        """Weight that the middle cell gets whatever the input."""
        return UNIT - self.cells * self.low - self.window * self.extra

    @property
    def inequality(self) -> Inequality:
        """low + extra <= exp(epsilon) low, with exp(epsilon) rounded down."""
        bound, _ = exp_bounds(self.epsilon)
        meaning = "a cell inside the window is at most exp(epsilon) times as likely as outside"
        return Inequality((self.low + self.extra) * SCALE, bound * self.low, meaning)

    @property
    def report_range(self) -> tuple[int, int]:
        """The cells."""
        return 0, self.cells - 1

    @property
    def unbias(self) -> tuple[float, float]:
        """From the exact mean report, which is linear in the position."""
        offset, scale, _ = _exact_constants(self)
        return offset, scale

    @property
    def noise_variance(self) -> float:
        """At an end of the range, where the variance, convex in the position, is largest."""
        return _exact_constants(self)[2]

    @property
    def noise_profile(self) -> tuple[float, float, float]:
        """The variance grows with the square of the distance from the middle, by ``1 / slope - 1``."""
        slope = Fraction(self.window * self.extra, UNIT)
        bend = float(1 / slope - 1)
        half = (self.grid.upper - self.grid.lower) / 2
        return (self.grid.lower + self.grid.upper) / 2, self.noise_variance - bend * half**2, bend

    def moments(self, position: int) -> tuple[Fraction, Fraction]:
        """Exact mean and mean square of the report at a position."""
        n, w = self.cells, self.window
        all_first, all_second = n * (n - 1) // 2, (n - 1) * n * (2 * n - 1) // 6
        first = w * position + w * (w - 1) // 2
        second = w * position**2 + position * w * (w - 1) + (w - 1) * w * (2 * w - 1) // 6
        middle = n // 2
        mean = self.low * all_first + self.extra * first + self.left_over * middle
        square = self.low * all_second + self.extra * second + self.left_over * middle**2
        return Fraction(mean, UNIT), Fraction(square, UNIT)

    def weight(self, position: int, cell: int) -> int:
        """Exact weight of a cell in units of 2**-63."""
        inside = position <= cell < position + self.window
        return self.low + inside * self.extra + (cell == self.cells // 2) * self.left_over


@lru_cache(maxsize=1 << 12)
def _exact_constants(channel: PiecewiseChannel) -> tuple[float, float, float]:
    """Offset and scale of the unbiased estimate, and its largest variance, from exact moments."""
    slope = Fraction(channel.window * channel.extra, UNIT)
    (low_mean, low_square), (high_mean, high_square) = channel.moments(0), channel.moments(channel.grid.steps)
    scale = channel.grid.step / float(slope)
    spread = float(max(low_square - low_mean**2, high_square - high_mean**2))
    offset = channel.grid.lower - float(low_mean / slope) * channel.grid.step
    return offset, scale, spread * scale**2 + channel.grid.rounding_variance


@final
@dataclass(frozen=True, slots=True)
class Piecewise(GridMechanism):
    """A number near the value with high density, any other number with low density, on a grid.

    Less variance than `OneBit` from about epsilon = 1.29 on. The window spans ``exp(-epsilon / 2)`` of the
    range, the best width for the continuous mechanism (Wang et al. 2019, Algorithm 2).

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
    >>> (channel,) = Piecewise(-1, 1).channels("pure", Fraction(4))
    >>> f"{channel.noise_variance:.3f}", channel.inequality.holds
    ('0.241', True)
    """

    name: ClassVar[str] = "piecewise"

    def channels(self, kind: Kind, level: Fraction) -> tuple[PiecewiseChannel]:
        """Return the channel whose weights fill 2**63 as far as epsilon allows."""
        epsilon = pure_level(kind, level)
        bound, above = exp_bounds(epsilon)
        window = max(1, round(self.steps * math.exp(-float(epsilon) / 2)))
        low = max(1, UNIT * SCALE // (self.steps * SCALE + window * above))
        extra = min(low * bound // SCALE - low, (UNIT - (self.steps + window) * low) // window)
        if extra < 1:
            raise ArgumentError(
                f"epsilon: {float(epsilon):g} is too small for {self.steps} steps; use fewer steps"
            )
        channel = PiecewiseChannel(self.grid, epsilon, window, low, extra)
        channel.check()
        return (channel,)

    def randomise(self, values: Values, level: Levels, channels: Channels, randomness: Randomness) -> Drawn:
        """Draw all cells at once."""
        import numpy as np

        position = self.grid.place_all(values, randomness)
        cells = draw_cells(position, level, [cast(PiecewiseChannel, c) for (c,) in channels], randomness)
        return np.zeros(position.size, dtype=np.int32), cells

    def answer(self, value: Any, channels: tuple[Channel, ...], stream: ByteStream) -> Answer:
        """Draw one cell."""
        return 0, (answer_cell(cast(PiecewiseChannel, channels[0]), self.grid.place(value, stream), stream),)


def answer_cell(channel: PiecewiseChannel, position: int, stream: ByteStream) -> int:
    """Draw the cell of one user at a grid position."""
    u = word(stream)
    everywhere = channel.cells * channel.low
    if u < everywhere:
        return u // channel.low
    if u - everywhere < channel.window * channel.extra:
        return position + (u - everywhere) // channel.extra
    return channel.cells // 2


def draw_cells(
    position: NDArray[np.int32],
    level: NDArray[np.int32],
    channels: Sequence[PiecewiseChannel],
    randomness: Randomness,
) -> NDArray[np.int32]:
    """Draw the cells of many users at their grid positions."""
    import numpy as np

    from privacy_stats.sampling import kernels
    from privacy_stats.sampling.driver import draw

    shape = np.array([(c.window, c.low, c.extra) for c in channels], dtype=np.int64)
    out = np.empty(position.size, dtype=np.int32)
    draw(kernels.piecewise, randomness, out.size, 8, position, level, shape, channels[0].grid.steps, out)
    return out
