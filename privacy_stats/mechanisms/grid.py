"""A public interval cut into equal steps; values are rounded onto it at random, with the right mean."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsFloat

from privacy_stats.errors import ArgumentError
from privacy_stats.randomness import Randomness
from privacy_stats.sampling.literal import ByteStream, round_randomly

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_STEPS = 1 << 20
SMALLEST, LARGEST = 1e-100, 1e100
"""Public numbers in use: sums of their squares neither vanish nor overflow."""


def whole(name: str, value: Any, least: int, most: int) -> int:
    """Return an integer of the public range from `least` to `most`, or raise `ArgumentError`."""
    if type(value) is not int or not least <= value <= most:
        raise ArgumentError(f"{name}: got {value!r}, wanted an integer from {least} to {most}")
    return value


@dataclass(frozen=True, slots=True)
class Grid:
    """The positions ``lower + k (upper - lower) / steps``, k = 0..steps.

    Values beyond an end, infinite ones included, count as that end; NaN counts as the middle; -0.0 as 0.0;
    subnormal numbers as the numbers they are. These rules make every input an ordinary position, so that
    whether and what a user reports never depends on an odd value.

    Parameters
    ----------
    lower, upper : float
        Public ends of the range, never taken from data.
    steps : int
        Even, between 2 and 2**20.

    Raises
    ------
    ArgumentError
        If the ends are not finite and ordered with a usable distance, or `steps` is out of range.
    """

    lower: float
    upper: float
    steps: int

    def __post_init__(self) -> None:
        for name in ("lower", "upper"):
            object.__setattr__(self, name, finite(name, getattr(self, name)))
        if not self.upper - self.lower > SMALLEST:
            raise ArgumentError(
                f"upper: got [{self.lower}, {self.upper}], "
                f"wanted lower < upper at a distance above {SMALLEST:g}"
            )
        if type(self.steps) is not int or self.steps % 2 or not 2 <= self.steps <= MOST_STEPS:
            raise ArgumentError(f"steps: got {self.steps!r}, wanted an even integer from 2 to {MOST_STEPS}")

    @property
    def step(self) -> float:
        """Distance of neighbouring positions, in the value's unit."""
        return (self.upper - self.lower) / self.steps

    @property
    def factor(self) -> float:
        """Steps per unit."""
        return self.steps / (self.upper - self.lower)

    @property
    def rounding_variance(self) -> float:
        """Largest variance that random rounding adds, in squared units."""
        return self.step**2 / 4

    def scaled(self, value: SupportsFloat) -> float:
        """Return where `value` lies on the grid, a number from 0 to `steps`."""
        x = float(value)
        if math.isnan(x):
            return self.steps / 2
        return min(max((x - self.lower) * self.factor, 0.0), float(self.steps))

    def place(self, value: SupportsFloat, stream: ByteStream) -> int:
        """Return a position next to `value`, with mean `value`."""
        return round_randomly(stream, self.scaled(value))

    def place_all(self, values: NDArray[Any], randomness: Randomness) -> NDArray[np.int32]:
        """Return one position per value; the array form of `place`."""
        import numpy as np

        from privacy_stats.sampling import kernels
        from privacy_stats.sampling.driver import draw

        x = np.ascontiguousarray(values, dtype=np.float64)
        out = np.empty(x.size, dtype=np.int32)
        draw(kernels.encode, randomness, x.size, 1.01, x, self.lower, self.factor, self.steps, out)
        return out

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"lower": self.lower, "upper": self.upper, "steps": self.steps}


def positive(name: str, value: Any) -> float:
    """Return a number in (1e-100, 1e100) as a float."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not SMALLEST < value < LARGEST:
        raise ArgumentError(f"{name}: got {_short(value)}, wanted a number in (1e-100, 1e100)")
    return float(value)


def finite(name: str, value: Any) -> float:
    """Return a number below 1e100 in size as a float."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < LARGEST:
        raise ArgumentError(f"{name}: got {_short(value)}, wanted a finite number below 1e100 in size")
    return float(value)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
