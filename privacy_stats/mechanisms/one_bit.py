"""One bit per user: Duchi, Jordan and Wainwright's mechanism for means, with integer probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, cast, final

from privacy_stats.arithmetic import SCALE, exp_bounds
from privacy_stats.budgets import Kind
from privacy_stats.errors import ArgumentError
from privacy_stats.mechanisms.base import Channel, Inequality, pure_level
from privacy_stats.mechanisms.grid import Grid
from privacy_stats.mechanisms.on_grid import GridMechanism
from privacy_stats.randomness import Randomness
from privacy_stats.sampling.literal import UNIT, ByteStream, threshold

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from privacy_stats.mechanisms.base import Answer, Channels, Drawn, Levels, Values


@final
@dataclass(frozen=True, slots=True)
class OneBitChannel(Channel):
    """``P(1 | place y) = 1/2 + slope (y - m) / 2**63`` with m = steps / 2, for all y from 0 to steps.

    The probabilities of both reports lie between ``1/2 - slope m / 2**63`` and ``1/2 + slope m / 2**63``, so
    the channel is epsilon-DP if and only if the larger is at most exp(epsilon) times the smaller.
    """

    grid: Grid
    epsilon: Fraction
    slope: int

    @property
    def swing(self) -> int:
        """Largest distance of a probability from 1/2, in units of 2**-63."""
        return self.slope * (self.grid.steps // 2)

    @property
    def inequality(self) -> Inequality:
        """(1/2 + swing) <= exp(epsilon) (1/2 - swing), with exp(epsilon) rounded down."""
        low, _ = exp_bounds(self.epsilon)
        left, right = (UNIT // 2 + self.swing) * SCALE, low * (UNIT // 2 - self.swing)
        return Inequality(left, right, "the likelier report is at most exp(epsilon) times the other")

    @property
    def report_range(self) -> tuple[int, int]:
        """0 or 1."""
        return 0, 1

    @property
    def unbias(self) -> tuple[float, float]:
        """Middle of the range plus or minus half the range over twice the swing."""
        reach = self._reach
        return (self.grid.lower + self.grid.upper) / 2 - reach, 2 * reach

    @property
    def noise_variance(self) -> float:
        """``reach**2``, attained in the middle of the range."""
        return self._reach**2

    @property
    def noise_profile(self) -> tuple[float, float, float]:
        """``reach**2 - (x - middle)**2``, since the square of the estimate is always ``reach**2``."""
        return (self.grid.lower + self.grid.upper) / 2, self.noise_variance, -1.0

    @property
    def _reach(self) -> float:
        """Distance from the middle at which the two estimates lie."""
        half_range = (self.grid.upper - self.grid.lower) / 2
        return half_range * float(Fraction(UNIT // 2, self.swing))

    def probability(self, position: int) -> Fraction:
        """Exact probability of the report 1 at a whole position."""
        return Fraction(UNIT // 2 + self.slope * (position - self.grid.steps // 2), UNIT)


@final
@dataclass(frozen=True, slots=True)
class OneBit(GridMechanism):
    """One random bit per user whose mean moves linearly with the value (Duchi et al. 2018, eq. (13)).

    Least variance of all epsilon-DP mechanisms on a range up to about epsilon = 1.29; beyond it prefer
    `Piecewise`. Worst-case variance per user ``((b - a) / 2)**2 ((e^eps + 1) / (e^eps - 1))**2`` on [a, b].

    Parameters
    ----------
    lower, upper : float
        Public range; values are clamped to it.
    steps : int
        Even number of grid steps, at most 2**20. Values between two positions are not rounded: their
        probability lies between those of the positions.

    Raises
    ------
    ArgumentError
        If the range or the grid makes no sense.

    Examples
    --------
    >>> from fractions import Fraction
    >>> (channel,) = OneBit(-1, 1).channels("pure", Fraction(1))
    >>> f"{float(channel.probability(2**16)):.4f} {channel.noise_variance:.3f}", channel.inequality.holds
    ('0.7311 4.683', True)
    """

    name: ClassVar[str] = "one-bit"

    def channels(self, kind: Kind, level: Fraction) -> tuple[OneBitChannel]:
        """Return the channel with the largest slope that is epsilon-DP."""
        epsilon = pure_level(kind, level)
        low, _ = exp_bounds(epsilon)
        likelier = UNIT * low // (low + SCALE)
        slope = min(likelier, UNIT - 1) - UNIT // 2
        slope //= self.steps // 2
        if slope < 1:
            raise ArgumentError(
                f"epsilon: {float(epsilon):g} is too small for {self.steps} steps; use fewer steps"
            )
        channel = OneBitChannel(self.grid, epsilon, slope)
        channel.check()
        return (channel,)

    def randomise(self, values: Values, level: Levels, channels: Channels, randomness: Randomness) -> Drawn:
        """Draw all bits at once."""
        import numpy as np

        bits = draw_bits(self.grid, values, level, [cast(OneBitChannel, c) for (c,) in channels], randomness)
        return np.zeros(bits.size, dtype=np.int32), bits

    def answer(self, value: Any, channels: tuple[Channel, ...], stream: ByteStream) -> Answer:
        """Draw one bit."""
        channel = cast(OneBitChannel, channels[0])
        return 0, (answer_bit(channel, self.grid.scaled(value), stream),)


def answer_bit(channel: OneBitChannel, place: float, stream: ByteStream) -> int:
    """Draw the bit of one user at a place on the grid."""
    whole = int(place)
    between = int(channel.slope * (place - whole))
    return int(threshold(stream, UNIT // 2 + channel.slope * (whole - channel.grid.steps // 2) + between))


def draw_bits(
    grid: Grid,
    values: NDArray[Any],
    level: NDArray[np.int32],
    channels: Sequence[OneBitChannel],
    randomness: Randomness,
) -> NDArray[np.int32]:
    """Draw the bits of many users."""
    import numpy as np

    from privacy_stats.sampling import kernels
    from privacy_stats.sampling.driver import draw

    x = np.ascontiguousarray(values, dtype=np.float64)
    slope = np.array([c.slope for c in channels], dtype=np.int64)
    out = np.empty(x.size, dtype=np.int32)
    place = (grid.lower, grid.factor, grid.steps)
    draw(kernels.one_bit, randomness, out.size, 1.02, x, *place, level, slope, out)
    return out
