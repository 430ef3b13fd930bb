"""What every mechanism has in common.

A `Mechanism` is public and holds no budget: a range, a grid, a name. At one budget it becomes a `Channel`: a
few integers that fix the distribution of a report for every possible input, together with the integer
inequality that says why the channel keeps the budget. `Channel.check` evaluates that inequality; nothing is
released through a channel that fails it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from privacy_stats.budgets import Kind, pure_within_zcdp
from privacy_stats.errors import ArgumentError, PrivacyViolationError
from privacy_stats.randomness import Randomness
from privacy_stats.sampling.literal import ByteStream

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = NDArray[Any]
    Levels = NDArray[np.int32]
    Channels = Sequence[tuple["Channel", ...]]
    Drawn = tuple[NDArray[np.int32], NDArray[np.int32]]
    Answer = tuple[int, tuple[int, ...]]

LARGEST_REPORT = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Inequality:
    """``left <= right``, two exact integers, and in words why privacy follows from it."""

    left: int
    right: int
    meaning: str

    @property
    def holds(self) -> bool:
        """Whether the inequality is true."""
        return self.left <= self.right


class Channel(ABC):
    """A mechanism at one budget: one distribution of reports for every input."""

    __slots__ = ()

    @property
    @abstractmethod
    def inequality(self) -> Inequality:
        """The comparison of integers that the privacy of this channel rests on."""

    @property
    @abstractmethod
    def report_range(self) -> tuple[int, int]:
        """Smallest and largest report."""

    @property
    @abstractmethod
    def unbias(self) -> tuple[float, float]:
        """``(offset, scale)``: offset + scale * report estimates the value without bias, in its unit."""

    @property
    @abstractmethod
    def noise_variance(self) -> float:
        """Variance of that estimate at the worst input, grid rounding included, in squared units."""

    @property
    def noise_profile(self) -> tuple[float, float, float]:
        """``(middle, base, bend)``: at a value x the variance is at most ``base + bend (x - middle)**2``."""
        return 0.0, self.noise_variance, 0.0

    def check(self) -> None:
        """Raise `PrivacyViolationError` unless the inequality holds."""
        proof = self.inequality
        if not proof.holds:
            raise PrivacyViolationError(
                f"{type(self).__name__}: {proof.left} <= {proof.right} fails; {proof.meaning}"
            )


class Mechanism(ABC):
    """A public description of how values become reports; `channels` makes it concrete for a budget."""

    __slots__ = ()

    name: ClassVar[str]
    kinds: ClassVar[tuple[Kind, ...]] = ("pure", "zcdp")
    arms: ClassVar[int] = 1
    """Number of public sub-mechanisms that a coin, tossed without looking at the value, chooses from."""
    remembered: ClassVar[bool] = True
    """Whether making a channel costs more than looking it up, which takes a hash of all fields."""

    @property
    def width(self) -> int:
        """Numbers per report."""
        return 1

    @property
    def value_width(self) -> int:
        """Numbers per value."""
        return self.width

    @property
    def n_sums(self) -> int:
        """Numbers that the server adds up per stratum."""
        return self.width

    def arm_shares(self, channels: tuple[Channel, ...]) -> tuple[float, ...]:  # noqa: ARG002
        """Return how often each arm is taken; there is one, as a rule."""
        return (1.0,)

    @property
    def n_squares(self) -> int:
        """Numbers whose squares the server adds up per stratum: all, or none where nobody needs them."""
        return self.n_sums

    def groups(self, levels: Sequence[Fraction]) -> Sequence[int]:
        """Return for every public level the group 0, 1, ... whose reports are added up together."""
        return range(len(levels))

    @abstractmethod
    def channels(self, kind: Kind, level: Fraction) -> tuple[Channel, ...]:
        """Return one checked channel per arm at one budget."""

    @abstractmethod
    def randomise(self, values: Values, level: Levels, channels: Channels, randomness: Randomness) -> Drawn:
        """Draw all reports at once; return each user's arm and report(s).

        `level` holds for every user the index into `channels`.
        """

    @abstractmethod
    def answer(self, value: Any, channels: tuple[Channel, ...], stream: ByteStream) -> Answer:
        """Draw one report in plain Python; return the arm and the report's numbers."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form that `mechanism_from_dict` reads."""

    def require_kind(self, kind: Kind) -> None:
        """Raise `ArgumentError` unless budgets of this kind can be kept."""
        if kind not in self.kinds:
            raise ArgumentError(
                f"{self.name}: Gaussian noise never meets a pure budget; grant zCDP budgets (Budgets.zcdp) "
                "or use one-bit, piecewise, hybrid or laplace"
            )


def pure_level(kind: Kind, level: Fraction) -> Fraction:
    """Return the epsilon that a pure mechanism may use at a budget of either kind."""
    return level if kind == "pure" else pure_within_zcdp(level)
