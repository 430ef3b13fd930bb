"""What the mechanisms for numbers of a public range share: the range and its grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from privacy_stats.mechanisms.base import Mechanism
from privacy_stats.mechanisms.grid import Grid


@dataclass(frozen=True, slots=True)
class GridMechanism(Mechanism):
    """A mechanism for numbers of the range [lower, upper], placed on a grid of `steps` equal steps.

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
    """

    lower: float
    upper: float
    steps: int = 1 << 16

    def __post_init__(self) -> None:
        _ = self.grid

    @property
    def grid(self) -> Grid:
        """Public grid of the range."""
        return Grid(self.lower, self.upper, self.steps)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"name": self.name, **self.grid.to_dict()}
