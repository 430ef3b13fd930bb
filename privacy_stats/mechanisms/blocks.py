"""What the mechanisms of vector protocols share: an integer message of bounded length plus Gaussian noise.

A message is a table of integers, `blocks` x `columns`. All users add into the same table although their
budgets differ: either sigma is common and the length that a user may fill, ``radius``, grows with the budget,
or the radius is public and sigma is the user's own. Either way privacy is one inequality of integers,

    factor * radius**2 <= 2 rho sigma**2,

where ``factor * radius**2`` bounds the squared distance of any two messages.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, cast, final

from privacy_stats.budgets import Kind
from privacy_stats.errors import ArgumentError, PrivacyViolationError
from privacy_stats.mechanisms.base import LARGEST_REPORT, Channel, Inequality, Mechanism
from privacy_stats.mechanisms.gaussian import answer_gaussian
from privacy_stats.mechanisms.grid import finite, positive, whole
from privacy_stats.mechanisms.vector_gaussian import shorten
from privacy_stats.randomness import Randomness
from privacy_stats.sampling.literal import ByteStream

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_DIMENSIONS = 1 << 16
MOST_NUMBERS = 1 << 20
"""Most numbers in one report."""
MOST_GROUPS = 64
LARGEST_SIGMA = 1 << 24
_ROUNDING = 1 - 2.0**-48  # keeps the rounding of floats from lengthening a message


@final
@dataclass(frozen=True, slots=True)
class BlockChannel(Channel):
    """An integer message of length at most `radius` plus discrete Gaussian noise of `sigma` on every number.

    Parameters
    ----------
    rho : Fraction
        Budget that one report spends.
    sigma : int
        Scale of the noise; 0 for users who report zeros.
    radius : int
        Largest Euclidean length of a block, in grid steps.
    factor : int
        Two messages are at squared distance at most ``factor * radius**2``.
    step : float
        Unit of the first block's grid, in the value's unit.
    """

    rho: Fraction
    sigma: int
    radius: int
    factor: int
    step: float

    @property
    def inequality(self) -> Inequality:
        """factor radius**2 <= 2 rho sigma**2, cleared of denominators."""
        left = self.factor * self.radius**2 * self.rho.denominator
        right = 2 * self.rho.numerator * self.sigma**2
        return Inequality(left, right, "the squared distance of two messages is at most 2 rho sigma^2")

    @property
    def report_range(self) -> tuple[int, int]:
        """All 32-bit integers but the smallest."""
        return -LARGEST_REPORT, LARGEST_REPORT

    @property
    def unbias(self) -> tuple[float, float]:
        """Of a number in the first block."""
        return 0.0, self.step

    @property
    def noise_variance(self) -> float:
        """Of a number in the first block, in squared units; truncation is counted as bias, not as noise."""
        return (self.sigma * self.step) ** 2


def least_sigma(rho: Fraction, distance_squared: int) -> int:
    """Return the least integer sigma with ``distance_squared <= 2 rho sigma**2``; 0 at distance 0."""
    if distance_squared == 0:
        return 0
    return math.isqrt((distance_squared * rho.denominator - 1) // (2 * rho.numerator)) + 1


def largest_radius(rho: Fraction, sigma: int, factor: int) -> int:
    """Return the largest integer radius with ``factor * radius**2 <= 2 rho sigma**2``."""
    return math.isqrt(2 * rho.numerator * sigma**2 // (rho.denominator * factor))


def radius_limit(dimension: int) -> int:
    """Return the largest radius whose squared messages are counted in 63 bits."""
    return min(1 << 28, math.isqrt((1 << 62) // dimension))


def common_sigma(largest: Fraction, factor: int, dimension: int) -> int:
    """Return a sigma for all users: as fine as 2**24, and no radius above `radius_limit`.

    Parameters
    ----------
    largest : Fraction
        Largest budget that a report may spend.
    factor : int
        As in `BlockChannel`.
    dimension : int
        Number of coordinates.
    """
    return max(1, min(LARGEST_SIGMA, least_sigma(largest, factor * radius_limit(dimension) ** 2) - 1))


def similar_budgets(levels: Sequence[Fraction]) -> Sequence[int]:
    """Return each level's own group, or with more than 64 levels one of at most 64 classes of equal ratio."""
    if len(levels) <= MOST_GROUPS:
        return range(len(levels))
    low, high = math.log(levels[0]), math.log(levels[-1])
    classes = [min(int((math.log(b) - low) / (high - low) * MOST_GROUPS), MOST_GROUPS - 1) for b in levels]
    place = {c: k for k, c in enumerate(sorted(set(classes)))}
    return tuple(place[c] for c in classes)


class BlockMechanism(Mechanism):
    """Base of the mechanisms whose reports are tables of noisy integers.

    Fields that every such mechanism has: ``dimension`` (coordinates of a value), ``bound`` (values are
    shortened to it), ``non_negative``, and ``centre`` (subtracted from the value; empty for the origin).
    """

    __slots__ = ()

    kinds: ClassVar[tuple[Kind, ...]] = ("zcdp",)
    remembered: ClassVar[bool] = False
    dimension: int
    bound: float
    non_negative: bool
    centre: tuple[float, ...]

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Blocks and columns of a message."""

    @property
    def value_width(self) -> int:
        """Numbers per value."""
        return self.dimension

    @property
    def width(self) -> int:
        """Numbers per report."""
        return self.shape[0] * self.shape[1]

    @property
    def n_squares(self) -> int:
        """None: the noise is known, and nothing else is learnt from squares."""
        return 0

    def groups(self, levels: Sequence[Fraction]) -> Sequence[int]:
        """Return 0 for all levels: everybody adds into the same integers."""
        return (0,) * len(levels)

    @abstractmethod
    def encode(
        self, values: NDArray[np.float64], level: NDArray[np.int32], channels: Sequence[BlockChannel]
    ) -> NDArray[np.int64]:
        """Return the messages, shape (n, blocks, columns), of values that are clean and centred."""

    @abstractmethod
    def within(self, messages: NDArray[np.int64], radius: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which messages obey, in exact integers, what `factor` was computed from.

        No number of a message exceeds its radius, nor a radius `radius_limit`: squares add up below 2**63.
        """

    def messages(
        self, values: NDArray[Any], level: NDArray[np.int32], channels: Sequence[BlockChannel]
    ) -> NDArray[np.int64]:
        """Return checked messages: clean, encode; one that fails its check becomes zero."""
        import numpy as np

        x = self.cleaned(values)
        with np.errstate(over="ignore", invalid="ignore"):  # an announcement may scale by anything
            y = self.encode(x, level, channels)
        radius = np.array([c.radius for c in channels], dtype=np.int64)[level]
        flat = y.reshape(len(y), -1)
        y[(flat.max(axis=1) > radius) | (flat.min(axis=1) < -radius)] = 0  # or squares wrap
        y[~self.within(y, radius)] = 0  # only by rounding of floats; privacy must not rest on them
        return y

    def cleaned(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return values without NaN and infinities, of length at most `bound`, around the centre."""
        import numpy as np

        x = shorten(np.asarray(values).reshape(-1, self.dimension), self.bound, self.non_negative)
        return x - np.array(self.centre) if self.centre else x

    def add_up(
        self, values: NDArray[Any], level: NDArray[np.int32], channels: Sequence[BlockChannel]
    ) -> NDArray[np.int64]:
        """Return the sum of the messages, without noise: for studies."""
        import numpy as np

        messages = self.messages(values, level, channels)
        return np.asarray(messages.reshape(len(messages), -1).sum(axis=0))

    def randomise(
        self,
        values: NDArray[Any],
        level: NDArray[np.int32],
        channels: Sequence[tuple[Channel, ...]],
        randomness: Randomness,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Draw all reports at once."""
        import numpy as np

        from privacy_stats.sampling import kernels
        from privacy_stats.sampling.driver import draw

        mine = [cast(BlockChannel, c) for (c,) in channels]
        sigma = np.array([c.sigma for c in mine], dtype=np.int64)
        out = self.messages(values, level, mine).reshape(len(level), -1).astype(np.int32)
        noisy = sigma[level] > 0
        rows, places = (out, level) if noisy.all() else (out[noisy], level[noisy])
        if rows.size:
            flat = rows.reshape(-1)
            draw(kernels.add_gaussian, randomness, flat.size, 21, flat, places, sigma, rows.shape[1], flat)
            out[noisy] = rows
        report = out[:, 0] if out.shape[1] == 1 else out
        return np.zeros(len(level), dtype=np.int32), report

    def answer(
        self, value: Any, channels: tuple[Channel, ...], stream: ByteStream
    ) -> tuple[int, tuple[int, ...]]:
        """Draw one report, noise in plain Python."""
        import numpy as np

        channel = cast(BlockChannel, channels[0])
        y = self.messages(np.array([value], dtype=np.float64), np.zeros(1, dtype=np.int32), [channel])
        numbers = y.reshape(-1).tolist()
        if channel.sigma == 0:
            return 0, tuple(numbers)
        return 0, tuple(answer_gaussian(k, channel.sigma, stream) for k in numbers)

    @final
    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: the name and all fields."""
        plain = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        return {"name": self.name} | {k: _listed(v) for k, v in plain.items()}

    def check_value(self) -> None:
        """Check the fields that say what a value is."""
        whole("dimension", self.dimension, 1, MOST_DIMENSIONS)
        object.__setattr__(self, "bound", positive("bound", self.bound))
        if type(self.non_negative) is not bool:
            raise ArgumentError(f"non_negative: got {self.non_negative!r}, wanted True or False")
        if not isinstance(self.centre, (tuple, list)) or len(self.centre) not in (0, self.dimension):
            raise ArgumentError(f"centre: wanted {self.dimension} numbers, or none for the origin")
        centre = tuple(finite("centre", c) for c in self.centre)
        if centre != self.centre:
            object.__setattr__(self, "centre", centre)
        if centre and self.non_negative:
            raise ArgumentError("non_negative: values around a centre have either sign")


def _listed(value: Any) -> Any:
    """Return nested tuples as the lists that they become in JSON."""
    return [_listed(item) for item in value] if isinstance(value, tuple) else value


def check_channel(channel: BlockChannel, columns: int) -> BlockChannel:
    """Return a channel whose inequality holds and whose numbers fit, for blocks of so many columns."""
    channel.check()
    if channel.sigma > 1 << 27 or channel.radius > radius_limit(columns):
        raise PrivacyViolationError(
            f"sigma {channel.sigma} or radius {channel.radius} is out of range, "
            f"wanted at most {1 << 27} and {radius_limit(columns)}; do not answer this announcement"
        )
    return channel


def truncate(x: NDArray[np.float64], radius: NDArray[np.float64]) -> NDArray[np.int64]:
    """Shorten every row, in grid steps, to its radius and truncate towards zero, which lengthens nothing.

    Rows beyond floating point become zero.
    """
    import numpy as np

    length = np.sqrt(np.einsum("nd,nd->n", x, x))
    scale = np.where(length > radius * _ROUNDING, radius * _ROUNDING / np.maximum(length, 1e-300), 1.0)
    short = x * scale[:, None]
    short[~np.isfinite(short).all(axis=1)] = 0.0
    return short.astype(np.int64)
