"""What the one-round means of numbers in a public range share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from privacy_stats.mechanisms.on_grid import GridMechanism
from privacy_stats.protocols.unbiased_round import UnbiasedRound


@dataclass(frozen=True, slots=True)
class RangeMean(UnbiasedRound):
    """Base of the means whose reports come from a mechanism for numbers of [lower, upper].

    Parameters
    ----------
    lower, upper : float
        Public range; values are clamped to it.
    steps : int
        Grid steps of the range; see the mechanism.

    Raises
    ------
    ArgumentError
        If the range or the grid makes no sense.
    """

    lower: float
    upper: float
    steps: int = 1 << 16
    mechanisms: ClassVar[tuple[type[GridMechanism]]]

    def __post_init__(self) -> None:
        _ = self.mechanism()

    def mechanism(self) -> GridMechanism:
        """Return how a value becomes a report."""
        return self.mechanisms[0](self.lower, self.upper, self.steps)
