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
            end = getattr(self, name)
            if isinstance(end, bool) or not isinstance(end, (int, float)) or not math.isfinite(end):
                raise ArgumentError(f"{name}: got {end!r}, wanted a finite number")
            object.__setattr__(self, name, float(end))
        width = self.upper - self.lower
        if not 1e-290 < width < math.inf:
            raise ArgumentError(
                f"upper: got [{self.lower}, {self.upper}], "
                "wanted lower < upper at a distance in (1e-290, 1.8e308)"
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
