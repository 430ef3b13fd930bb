"""Discrete Laplace noise on a grid, exact, each user with an own scale."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, cast, final

from privacy_stats.budgets import Kind
from privacy_stats.errors import ArgumentError
from privacy_stats.mechanisms.base import LARGEST_REPORT, Channel, Inequality, pure_level
from privacy_stats.mechanisms.grid import Grid
from privacy_stats.mechanisms.on_grid import GridMechanism
from privacy_stats.randomness import Randomness
from privacy_stats.sampling.literal import ByteStream, discrete_laplace

if TYPE_CHECKING:
    from privacy_stats.mechanisms.base import Answer, Channels, Drawn, Levels, Values

_LARGEST_SCALE = 1 << 25  # 64 scales from 2**31: clamping a report to 32 bits has probability below 1e-27


@final
@dataclass(frozen=True, slots=True)
class LaplaceChannel(Channel):
    """Position plus integer noise z with probability proportional to ``exp(-|z| / scale)``.

    Two positions are at most `steps` apart, so no report's probability changes by more than a factor
    ``exp(steps / scale)``.
    """

    grid: Grid
    epsilon: Fraction
    scale: int

    @property
    def inequality(self) -> Inequality:
        """steps <= epsilon scale, cleared of denominators."""
        left = self.grid.steps * self.epsilon.denominator
        return Inequality(
            left, self.epsilon.numerator * self.scale, "the range is at most epsilon scales wide"
        )

    @property
    def report_range(self) -> tuple[int, int]:
        """All 32-bit integers but the smallest."""
        return -LARGEST_REPORT, LARGEST_REPORT

    @property
    def unbias(self) -> tuple[float, float]:
        """The grid's own position."""
        return self.grid.lower, self.grid.step

    @property
    def noise_variance(self) -> float:
        """``2 scale**2`` steps squared (the exact variance is smaller by less than 1/6), and the rounding."""
        return 2 * (self.scale * self.grid.step) ** 2 + self.grid.rounding_variance


@final
@dataclass(frozen=True, slots=True)
class Laplace(GridMechanism):
    """Exact discrete Laplace noise (Canonne, Kamath and Steinke 2020, Algorithm 2) on a grid.

    For comparison and for values whose noise must be symmetric: on a bounded range `Hybrid` has less variance
    at every epsilon. Variance per user ``2 ((b - a) / epsilon)**2`` on [a, b].

    Parameters
    ----------
    lower, upper : float
        Public range; values are clamped to it.
    steps : int
        Even number of grid steps, at most 2**20. The scale ``steps / epsilon`` is rounded up to an integer.

    Raises
    ------
    ArgumentError
        If the range or the grid makes no sense.

    Examples
    --------
    >>> from fractions import Fraction
    >>> (channel,) = Laplace(-1, 1).channels("pure", Fraction(1))
    >>> channel.scale, f"{channel.noise_variance:.3f}", channel.inequality.holds
    (16384, '8.000', True)
    """

    steps: int = 1 << 14
    name: ClassVar[str] = "laplace"

    def channels(self, kind: Kind, level: Fraction) -> tuple[LaplaceChannel]:
        """Return the channel with the smallest integer scale that is epsilon-DP."""
        epsilon = pure_level(kind, level)
        scale = -(-self.steps * epsilon.denominator // epsilon.numerator)
        if scale > _LARGEST_SCALE:
            raise ArgumentError(
                f"epsilon: {float(epsilon):g} needs a scale of {scale} steps, above {_LARGEST_SCALE}; "
                f"use at most {int(_LARGEST_SCALE * epsilon) // 2 * 2} steps"
            )
        channel = LaplaceChannel(self.grid, epsilon, scale)
        channel.check()
        return (channel,)

    def randomise(self, values: Values, level: Levels, channels: Channels, randomness: Randomness) -> Drawn:
        """Draw all reports at once."""
        import numpy as np

        from privacy_stats.sampling import kernels
        from privacy_stats.sampling.driver import draw

        position = self.grid.place_all(values, randomness)
        scale = np.array([cast(LaplaceChannel, c).scale for (c,) in channels], dtype=np.int64)
        draw(kernels.add_laplace, randomness, position.size, 13, position, level, scale, 1, position)
        return np.zeros(position.size, dtype=np.int32), position

    def answer(self, value: Any, channels: tuple[Channel, ...], stream: ByteStream) -> Answer:
        """Draw one report."""
        noisy = self.grid.place(value, stream) + discrete_laplace(
            stream, cast(LaplaceChannel, channels[0]).scale
        )
        return 0, (min(max(noisy, -LARGEST_REPORT), LARGEST_REPORT),)
