"""A clipped value under an announced threshold per budget, each user's noise from the own budget."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, final

from privacy_stats.budgets import BILLION, Kind
from privacy_stats.errors import ArgumentError
from privacy_stats.mechanisms.blocks import (
    BlockChannel,
    BlockMechanism,
    check_channel,
    least_sigma,
    similar_budgets,
    truncate,
)
from privacy_stats.mechanisms.grid import finite

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_THRESHOLDS = 1 << 16


@final
@dataclass(frozen=True, slots=True)
class ClippedGaussian(BlockMechanism):
    """Values clipped to ``reach``, counted in ``reach / radius`` steps, plus noise made for ``radius``.

    Every budget has a row ``(billionths spent, reach, radius)`` in the announcement. The client looks up the
    row of what it spends itself and takes the least integer sigma with ``factor radius**2 <= 2 rho
    sigma**2``; factor is 4, or 2 without negative coordinates, or 1 for a single non-negative number. A row
    of radius 0 asks for zeros and says nothing about the value.

    With one step for all rows (reach proportional to radius) the server's integer is the clipped sum; with
    other steps it is a weighted one.

    Parameters
    ----------
    dimension : int
        Number of coordinates.
    bound : float
        Public bound of a value's length; longer values are shortened before the centre is subtracted.
    thresholds : tuple of (int, float, int)
        Rows as above, by ascending budget.
    non_negative : bool
        Whether negative coordinates are clamped to 0, which costs less noise.
    centre : tuple of float
        Subtracted from every value; empty for the origin.

    Raises
    ------
    ArgumentError
        If an argument is out of range.

    Examples
    --------
    >>> from fractions import Fraction
    >>> mechanism = ClippedGaussian(2, 100.0, ((500_000_000, 8.0, 1024),))
    >>> (channel,) = mechanism.channels("zcdp", Fraction(1, 2))
    >>> channel.sigma, channel.step, channel.inequality.holds
    (2048, 0.0078125, True)
    """

    dimension: int
    bound: float
    thresholds: tuple[tuple[int, float, int], ...]
    non_negative: bool = False
    centre: tuple[float, ...] = ()
    name: ClassVar[str] = "clipped-gaussian"

    def __post_init__(self) -> None:
        self.check_value()
        rows = self.thresholds
        if not isinstance(rows, (tuple, list)) or not 1 <= len(rows) <= MOST_THRESHOLDS:
            raise ArgumentError(f"thresholds: wanted 1 to {MOST_THRESHOLDS} rows")
        object.__setattr__(self, "thresholds", tuple(_threshold(row) for row in rows))
        budgets = [row[0] for row in self.thresholds]
        if any(a >= b for a, b in itertools.pairwise(budgets)):
            raise ArgumentError("thresholds: wanted strictly ascending budgets")

    @property
    def shape(self) -> tuple[int, int]:
        """One block."""
        return 1, self.dimension

    def groups(self, levels: Sequence[Fraction]) -> Sequence[int]:
        """Return the group of similar budgets of every level."""
        return similar_budgets(levels)

    @property
    def factor(self) -> int:
        """Squared distance of two messages at most, in units of radius**2."""
        if not self.non_negative:
            return 4
        return 1 if self.dimension == 1 else 2

    def channels(self, kind: Kind, level: Fraction) -> tuple[BlockChannel]:
        """Return the channel of the row for exactly this budget, with the least sigma that is rho-zCDP."""
        self.require_kind(kind)
        at = bisect_left(self.thresholds, level * BILLION, key=itemgetter(0))
        if at == len(self.thresholds) or self.thresholds[at][0] != level * BILLION:
            raise ArgumentError(f"level: no threshold was announced for a budget of {float(level):g}")
        _, reach, radius = self.thresholds[at]
        sigma = least_sigma(level, self.factor * radius**2)
        step = reach / radius if radius else 0.0
        return (check_channel(BlockChannel(level, sigma, radius, self.factor, step), self.dimension),)

    def encode(
        self, values: NDArray[np.float64], level: NDArray[np.int32], channels: Sequence[BlockChannel]
    ) -> NDArray[np.int64]:
        """Return the messages; see the class."""
        import numpy as np

        radius = np.array([c.radius for c in channels], dtype=np.float64)
        density = np.array([1 / c.step if c.radius else 0.0 for c in channels])
        return truncate(values * density[level, None], radius[level])[:, None, :]

    def within(self, messages: NDArray[np.int64], radius: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Check the message's length and sign."""
        import numpy as np

        fine = np.einsum("nd,nd->n", messages[:, 0], messages[:, 0]) <= radius**2
        if self.non_negative:
            fine &= (messages >= 0).all(axis=(1, 2))
        return np.asarray(fine)


def _threshold(row: Any) -> tuple[int, float, int]:
    if not isinstance(row, (tuple, list)) or len(row) != 3 or type(row[0]) is not int or row[0] < 1:
        raise ArgumentError("thresholds: wanted rows (billionths, reach, radius)")
    reach, radius = finite("reach", row[1]), row[2]
    if type(radius) is not int or not 0 <= radius <= 1 << 28 or (radius > 0) != (reach > 0) or reach < 0:
        raise ArgumentError("thresholds: reach and radius must be positive, or both zero")
    if reach < radius * 1e-300:
        raise ArgumentError(f"thresholds: got a step of {reach:g} / {radius}, wanted at least 1e-300")
    return row[0], reach, radius
