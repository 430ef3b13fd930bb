"""Discrete Gaussian noise on a grid, exact, each user with an own sigma."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, cast, final

from privacy_stats.budgets import Kind
from privacy_stats.errors import ArgumentError
from privacy_stats.mechanisms.base import LARGEST_REPORT, Channel, Inequality
from privacy_stats.mechanisms.on_grid import GridMechanism
from privacy_stats.randomness import Randomness
from privacy_stats.sampling.literal import ByteStream, discrete_gaussian

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from privacy_stats.mechanisms.base import Answer, Channels, Drawn, Levels, Values

_LARGEST_SIGMA = 1 << 27  # 16 sigmas from 2**31: clamping a report to 32 bits has probability below 1e-55


@final
@dataclass(frozen=True, slots=True)
class GaussianChannel(Channel):
    """Integer position(s) plus noise z with probability proportional to ``exp(-z**2 / (2 sigma**2))``.

    Two inputs differ by at most the square root of `distance_squared`, so the channel is
    ``distance_squared / (2 sigma**2)``-zCDP (Canonne, Kamath and Steinke 2020, Theorem 4 and Section 2.2).
    """

    rho: Fraction
    sigma: int
    distance_squared: int
    origin: float
    step: float

    @property
    def inequality(self) -> Inequality:
        """distance**2 <= 2 rho sigma**2, cleared of denominators."""
        left = self.distance_squared * self.rho.denominator
        right = 2 * self.rho.numerator * self.sigma**2
        return Inequality(left, right, "the squared distance of two inputs is at most 2 rho sigma^2")

    @property
    def report_range(self) -> tuple[int, int]:
        """All 32-bit integers but the smallest."""
        return -LARGEST_REPORT, LARGEST_REPORT

    @property
    def unbias(self) -> tuple[float, float]:
        """The grid's own position."""
        return self.origin, self.step

    @property
    def noise_variance(self) -> float:
        """``sigma**2`` steps squared (an upper bound of the discrete variance), and the rounding."""
        return (self.sigma**2 + 0.25) * self.step**2


def gaussian_channel(rho: Fraction, distance_squared: int, origin: float, step: float) -> GaussianChannel:
    """Return the channel with the smallest integer sigma that is rho-zCDP."""
    numerator, denominator = distance_squared * rho.denominator, 2 * rho.numerator
    sigma = math.isqrt((numerator - 1) // denominator) + 1  # least integer with sigma^2 >= the quotient
    if sigma > _LARGEST_SIGMA:
        raise ArgumentError(
            f"rho: {float(rho):g} needs a sigma of {sigma} steps, above {_LARGEST_SIGMA}; use fewer steps"
        )
    channel = GaussianChannel(rho, sigma, distance_squared, origin, step)
    channel.check()
    return channel


@final
@dataclass(frozen=True, slots=True)
class Gaussian(GridMechanism):
    """Exact discrete Gaussian noise on a grid; zCDP budgets only.

    Variance per user ``(b - a)**2 / (2 rho)`` on [a, b].

    Parameters
    ----------
    lower, upper : float
        Public range; values are clamped to it.
    steps : int
        Even number of grid steps, at most 2**20. sigma is rounded up to an integer number of steps.

    Raises
    ------
    ArgumentError
        If the range or the grid makes no sense.

    Examples
    --------
    >>> from fractions import Fraction
    >>> (channel,) = Gaussian(0, 1).channels("zcdp", Fraction(1, 2))
    >>> channel.sigma, f"{channel.noise_variance:.3f}", channel.inequality.holds
    (65536, '1.000', True)
    """

    name: ClassVar[str] = "gaussian"
    kinds: ClassVar[tuple[Kind, ...]] = ("zcdp",)

    def channels(self, kind: Kind, level: Fraction) -> tuple[GaussianChannel]:
        """Return the channel with the smallest integer sigma that is rho-zCDP."""
        self.require_kind(kind)
        return (gaussian_channel(level, self.steps**2, self.lower, self.grid.step),)

    def randomise(self, values: Values, level: Levels, channels: Channels, randomness: Randomness) -> Drawn:
        """Draw all reports at once."""
        import numpy as np

        position = self.grid.place_all(values, randomness)
        add_gaussian(position, level, channels, 1, randomness)
        return np.zeros(position.size, dtype=np.int32), position

    def answer(self, value: Any, channels: tuple[Channel, ...], stream: ByteStream) -> Answer:
        """Draw one report."""
        sigma = cast(GaussianChannel, channels[0]).sigma
        return 0, (answer_gaussian(self.grid.place(value, stream), sigma, stream),)


def answer_gaussian(position: int, sigma: int, stream: ByteStream) -> int:
    """Add noise to one coordinate, clamped to 32 bits."""
    return min(max(position + discrete_gaussian(stream, sigma), -LARGEST_REPORT), LARGEST_REPORT)


def add_gaussian(
    position: NDArray[np.int32],
    level: NDArray[np.int32],
    channels: Sequence[tuple[Channel, ...]],
    width: int,
    randomness: Randomness,
) -> None:
    """Add noise in place to `width` coordinates per user, flattened."""
    import numpy as np

    from privacy_stats.sampling import kernels
    from privacy_stats.sampling.driver import draw

    sigma = np.array([cast(GaussianChannel, c).sigma for (c,) in channels], dtype=np.int64)
    draw(kernels.add_gaussian, randomness, position.size, 21, position, level, sigma, width, position)
