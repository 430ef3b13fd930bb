"""How long values are, as a one-hot count per octave: a first look that costs little."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, final

from privacy_stats.budgets import Kind
from privacy_stats.mechanisms.blocks import (
    BlockChannel,
    BlockMechanism,
    check_channel,
    largest_radius,
    similar_budgets,
)
from privacy_stats.mechanisms.grid import positive, whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@final
@dataclass(frozen=True, slots=True)
class NormHistogram(BlockMechanism):
    """The octave of a value's length: 0 up to `unit`, k from ``2**(k-1) unit`` up to ``2**k unit``.

    The message is the integer T(u) in one of `blocks` places, so two messages are at squared distance at most
    ``2 T**2``. T is the largest integer with ``2 T**2 <= 2 rho_u sigma**2``: a count weighted by the root of
    the budget. The server adds up levels of similar budget together (see `groups`).

    Parameters
    ----------
    dimension : int
        Number of coordinates.
    bound : float
        Public bound of a value's length.
    unit : float
        End of the lowest octave, in the value's unit.
    blocks : int
        Number of octaves, 2 to 200.
    sigma : int
        Scale of the noise.
    non_negative : bool
        Whether negative coordinates are clamped to 0.
    centre : tuple of float
        Subtracted from every value; empty for the origin.

    Raises
    ------
    ArgumentError
        If an argument is out of range.

    Examples
    --------
    >>> from fractions import Fraction
    >>> (channel,) = NormHistogram(1, 100.0, 1.0, 8, 1 << 12).channels("zcdp", Fraction(1, 4))
    >>> channel.radius, channel.inequality.holds
    (2048, True)
    """

    dimension: int
    bound: float
    unit: float
    blocks: int
    sigma: int
    non_negative: bool = False
    centre: tuple[float, ...] = ()
    name: ClassVar[str] = "norm-histogram"

    def __post_init__(self) -> None:
        self.check_value()
        object.__setattr__(self, "unit", positive("unit", self.unit))
        for name, least, most in (("blocks", 2, 200), ("sigma", 1, 1 << 27)):
            whole(name, getattr(self, name), least, most)

    @property
    def shape(self) -> tuple[int, int]:
        """One number per octave."""
        return self.blocks, 1

    def groups(self, levels: Sequence[Fraction]) -> Sequence[int]:
        """Return the group of similar budgets of every level."""
        return similar_budgets(levels)

    def channels(self, kind: Kind, level: Fraction) -> tuple[BlockChannel]:
        """Return the channel with the largest T that is rho-zCDP."""
        self.require_kind(kind)
        radius = largest_radius(level, self.sigma, 2)
        return (check_channel(BlockChannel(level, self.sigma, radius, 2, 1.0), 1),)

    def encode(
        self, values: NDArray[np.float64], level: NDArray[np.int32], channels: Sequence[BlockChannel]
    ) -> NDArray[np.int64]:
        """Return the messages; see the class."""
        import numpy as np

        length = np.sqrt(((values / self.unit) ** 2).sum(axis=1))
        octave = np.ceil(np.log2(np.maximum(length, 1e-300)))
        place = np.clip(octave, 0, self.blocks - 1).astype(np.int64)
        out = np.zeros((len(values), *self.shape), dtype=np.int64)
        out[np.arange(len(values)), place, 0] = np.array([c.radius for c in channels], dtype=np.int64)[level]
        return out

    def within(self, messages: NDArray[np.int64], radius: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Check that one place at most is used, with T or less, and nothing negative."""
        import numpy as np

        flat = messages[:, :, 0]
        one = np.count_nonzero(flat, axis=1) <= 1
        return np.asarray(one & (flat >= 0).all(axis=1) & (flat <= radius[:, None]).all(axis=1))
