"""k-ary randomised response: the true category with extra weight, every other alike."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, cast, final

from privacy_stats.arithmetic import SCALE, exp_bounds
from privacy_stats.budgets import Kind
from privacy_stats.errors import ArgumentError
from privacy_stats.mechanisms.base import Channel, Inequality, Mechanism, pure_level
from privacy_stats.randomness import Randomness
from privacy_stats.sampling.literal import UNIT, ByteStream, word

if TYPE_CHECKING:
    from privacy_stats.mechanisms.base import Answer, Channels, Drawn, Levels, Values

_MOST = 1 << 16


@final
@dataclass(frozen=True, slots=True)
class RandomisedResponseChannel(Channel):
    """Category c is reported with weight `other`, the true one with all that is left of 2**63."""

    categories: int
    epsilon: Fraction
    other: int

    @property
    def true(self) -> int:
        """Weight of the true category, in units of 2**-63."""
        return UNIT - (self.categories - 1) * self.other

    @property
    def inequality(self) -> Inequality:
        """true <= exp(epsilon) other, with exp(epsilon) rounded down."""
        low, _ = exp_bounds(self.epsilon)
        meaning = "the true category is at most exp(epsilon) times as likely as another"
        return Inequality(self.true * SCALE, low * self.other, meaning)

    @property
    def report_range(self) -> tuple[int, int]:
        """0 to categories - 1."""
        return 0, self.categories - 1

    @property
    def unbias(self) -> tuple[float, float]:
        """For the indicator of one category."""
        extra = self.true - self.other
        return -float(Fraction(self.other, extra)), float(Fraction(UNIT, extra))

    @property
    def noise_variance(self) -> float:
        """Of the estimated indicator of one category, at the worse of 'true' and 'other'."""
        spread = max(p * (1 - p) for p in (Fraction(self.true, UNIT), Fraction(self.other, UNIT)))
        return float(spread * Fraction(UNIT, self.true - self.other) ** 2)

    def probability(self, category: int, report: int) -> Fraction:
        """Exact probability of a report."""
        return Fraction(self.true if category == report else self.other, UNIT)


@final
@dataclass(frozen=True, slots=True)
class RandomisedResponse(Mechanism):
    """k-ary randomised response (Kairouz, Bonawitz and Ramage 2016, eq. (4)); counts instead of sums.

    Parameters
    ----------
    categories : int
        Number of categories k, 2 to 65,536; values are whole numbers 0..k-1.

    Raises
    ------
    ArgumentError
        If `categories` is out of range.

    Notes
    -----
    A value that is no category is a schema violation of the client's own data and is refused there: unlike a
    number out of range it has no nearest category.

    Examples
    --------
    >>> from fractions import Fraction
    >>> (channel,) = RandomisedResponse(4).channels("pure", Fraction(1))
    >>> [f"{float(channel.probability(2, report)):.4f}" for report in range(4)]
    ['0.1749', '0.1749', '0.4754', '0.1749']
    """

    categories: int
    name: ClassVar[str] = "randomised-response"

    def __post_init__(self) -> None:
        if type(self.categories) is not int or not 2 <= self.categories <= _MOST:
            raise ArgumentError(f"categories: got {self.categories!r}, wanted an integer from 2 to {_MOST}")

    @property
    def n_sums(self) -> int:
        """One count per category."""
        return self.categories

    def channels(self, kind: Kind, level: Fraction) -> tuple[RandomisedResponseChannel]:
        """Return the channel with the smallest weight of false categories that is epsilon-DP."""
        epsilon = pure_level(kind, level)
        low, _ = exp_bounds(epsilon)
        other = -(-UNIT * SCALE // (low + (self.categories - 1) * SCALE))
        if other * self.categories >= UNIT:
            raise ArgumentError(f"epsilon: {float(epsilon):g} is too small for {self.categories} categories")
        channel = RandomisedResponseChannel(self.categories, epsilon, other)
        channel.check()
        return (channel,)

    def randomise(self, values: Values, level: Levels, channels: Channels, randomness: Randomness) -> Drawn:
        """Draw all categories at once."""
        import numpy as np

        from privacy_stats.sampling import kernels
        from privacy_stats.sampling.driver import draw

        category = np.asarray(values)
        wrong = ~((category >= 0) & (category < self.categories) & (category == np.floor(category)))
        if wrong.any():
            self._refuse(category[np.argmax(wrong)], f" in row {int(np.argmax(wrong))}")
        other = np.array([cast(RandomisedResponseChannel, c).other for (c,) in channels], dtype=np.int64)
        out = np.empty(category.size, dtype=np.int32)
        position = category.astype(np.int32)
        draw(kernels.k_ary, randomness, out.size, 8, position, level, other, self.categories, out)
        return np.zeros(out.size, dtype=np.int32), out

    def answer(self, value: Any, channels: tuple[Channel, ...], stream: ByteStream) -> Answer:
        """Draw one category."""
        channel = cast(RandomisedResponseChannel, channels[0])
        if value not in range(self.categories):
            self._refuse(value, "")
        u = word(stream)
        return 0, (u // channel.other if u < self.categories * channel.other else int(value),)

    def _refuse(self, value: object, where: str) -> None:
        raise ArgumentError(f"value{where}: got {value}, wanted a category 0..{self.categories - 1}")

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"name": self.name, "categories": self.categories}
