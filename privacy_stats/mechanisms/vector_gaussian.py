"""Vectors of bounded length: rounding onto the integer grid first, noise for the ball of the rounded ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, cast, final

from privacy_stats.budgets import Kind
from privacy_stats.errors import ArgumentError
from privacy_stats.mechanisms.base import Channel, Mechanism
from privacy_stats.mechanisms.gaussian import (
    GaussianChannel,
    add_gaussian,
    answer_gaussian,
    gaussian_channel,
)
from privacy_stats.mechanisms.grid import MOST_STEPS, positive, whole
from privacy_stats.randomness import Randomness
from privacy_stats.sampling.literal import ByteStream, round_randomly

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from privacy_stats.mechanisms.base import Answer, Channels, Drawn, Levels, Values

_MOST = 1 << 16


@final
@dataclass(frozen=True, slots=True)
class VectorGaussian(Mechanism):
    """Exact discrete Gaussian noise on every coordinate of a vector of length at most `bound`.

    A vector is shortened to length `bound`, scaled so that `bound` becomes ``radius - ceil(sqrt(d))`` steps,
    and every coordinate is rounded at random to a neighbouring integer, which moves the vector by less than
    ``sqrt(d)``. The integer vector y is then checked, ``sum(y**2) <= radius**2``, and that ball, not the one
    before rounding, is what sigma is computed from: two inputs differ by at most ``2 radius``, or ``sqrt(2)
    radius`` when all coordinates are non-negative and d > 1, or ``radius`` when d = 1 and non-negative.

    Parameters
    ----------
    dimension : int
        Number of coordinates d, 1 to 65,536.
    bound : float
        Public bound of the Euclidean length; longer vectors are shortened, never refused.
    non_negative : bool
        Whether negative coordinates are clamped to 0, which costs less noise.
    radius : int
        Grid steps per `bound`, at most 2**20 and at least ``4 sqrt(d)``.

    Raises
    ------
    ArgumentError
        If an argument is out of range.

    Examples
    --------
    >>> from fractions import Fraction
    >>> (channel,) = VectorGaussian(16, 1.0).channels("zcdp", Fraction(1, 2))
    >>> channel.sigma, f"{channel.noise_variance:.3f}", channel.inequality.holds
    (131072, '4.000', True)
    """

    dimension: int
    bound: float
    non_negative: bool = False
    radius: int = 1 << 16
    name: ClassVar[str] = "vector-gaussian"
    kinds: ClassVar[tuple[Kind, ...]] = ("zcdp",)

    def __post_init__(self) -> None:
        whole("dimension", self.dimension, 1, _MOST)
        object.__setattr__(self, "bound", positive("bound", self.bound))
        if type(self.non_negative) is not bool:
            raise ArgumentError(f"non_negative: got {self.non_negative!r}, wanted True or False")
        whole("radius", self.radius, 4 * self._slack, MOST_STEPS)

    @property
    def width(self) -> int:
        """One number per coordinate."""
        return self.dimension

    @property
    def _slack(self) -> int:
        """More than rounding can lengthen a vector."""
        return math.isqrt(self.dimension - 1) + 1

    @property
    def factor(self) -> float:
        """Grid steps per unit; a hair less than `bound` may use, against rounding in floats."""
        return (self.radius - self._slack) / self.bound

    @property
    def distance_squared(self) -> int:
        """Largest squared distance of two grid vectors, in steps."""
        if not self.non_negative:
            return 4 * self.radius**2
        return self.radius**2 if self.dimension == 1 else 2 * self.radius**2

    def channels(self, kind: Kind, level: Fraction) -> tuple[GaussianChannel]:
        """Return the channel with the smallest integer sigma that is rho-zCDP."""
        self.require_kind(kind)
        return (gaussian_channel(level, self.distance_squared, 0.0, 1 / self.factor),)

    def randomise(self, values: Values, level: Levels, channels: Channels, randomness: Randomness) -> Drawn:
        """Draw all reports at once; `values` has shape (n_users, dimension)."""
        import numpy as np

        from privacy_stats.sampling import kernels
        from privacy_stats.sampling.driver import draw

        scaled = shorten(values, self.bound, self.non_negative) * self.factor
        out = np.empty(scaled.size, dtype=np.int32)
        draw(kernels.round_all, randomness, out.size, 1.01, scaled.reshape(-1), out)
        rows = out.reshape(scaled.shape)
        outside = (rows.astype(np.int64) ** 2).sum(axis=1) > self.radius**2
        rows[outside] = 0  # only by rounding of floats; privacy must not rest on them
        add_gaussian(out, level, channels, self.dimension, randomness)
        return np.zeros(len(rows), dtype=np.int32), rows

    def answer(self, value: Any, channels: tuple[Channel, ...], stream: ByteStream) -> Answer:
        """Draw one report."""
        x = shorten_one([float(v) for v in value], self.bound, self.non_negative)
        y = [round_randomly(stream, abs(v) * self.factor) * (-1 if v < 0 else 1) for v in x]
        if sum(k * k for k in y) > self.radius**2:
            y = [0] * self.dimension
        sigma = cast(GaussianChannel, channels[0]).sigma
        return 0, tuple(answer_gaussian(k, sigma, stream) for k in y)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "dimension": self.dimension,
            "bound": self.bound,
            "non_negative": self.non_negative,
            "radius": self.radius,
        }


def shorten(values: NDArray[Any], bound: float, non_negative: bool) -> NDArray[np.float64]:
    """Clean and shorten every row to length `bound`; the array form of `shorten_one`."""
    import numpy as np

    x = np.array(values, dtype=np.float64)
    surely = bound * (1 - 2.0**-40)
    with np.errstate(over="ignore", invalid="ignore"):
        short = np.einsum("ij,ij->i", x, x) < surely * surely
    if short.all() and not (non_negative and (x < 0).any()):
        return x  # what most data are: finite, within the bound, of the right sign
    x = np.nan_to_num(x, copy=False, nan=0.0, posinf=np.inf, neginf=-np.inf)
    if non_negative:
        np.maximum(x, 0.0, out=x)
    endless = np.isinf(x).any(axis=1)
    x[endless] = np.where(np.isinf(x[endless]), np.sign(x[endless]), 0.0) * bound
    largest = np.abs(x).max(axis=1, keepdims=True)
    unit = x / np.where(largest > 0, largest, 1.0)
    length = np.sqrt((unit**2).sum(axis=1, keepdims=True))
    with np.errstate(over="ignore"):
        too_long = length * largest > bound
    return np.where(too_long, unit * (bound / np.maximum(length, 1.0)), x)


def shorten_one(x: list[float], bound: float, non_negative: bool) -> list[float]:
    """Return the vector with NaN as 0, infinities as a direction, shortened to length `bound`."""
    x = [0.0 if math.isnan(v) else max(v, 0.0) if non_negative else v for v in x]
    if any(math.isinf(v) for v in x):
        x = [math.copysign(bound, v) if math.isinf(v) else 0.0 for v in x]
    largest = max(abs(v) for v in x)
    if largest == 0.0:
        return x
    unit = [v / largest for v in x]
    length = math.sqrt(sum(v * v for v in unit))
    return [v * (bound / length) for v in unit] if length * largest > bound else x
