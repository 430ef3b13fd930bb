"""Gaussian noise for the whole bound on every value: what happens when nothing is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from privacy_stats.mechanisms import Gaussian, Mechanism, VectorGaussian
from privacy_stats.protocols.unbiased_round import UnbiasedRound


@final
@dataclass(frozen=True, slots=True)
class NaiveGaussian(UnbiasedRound):
    """Every value in [-bound, bound] (or [0, bound], or the ball) with noise ``(D bound)**2 / (2 rho)``; zCDP
    only.

    D is 2, or sqrt 2 for non-negative vectors, or 1 for non-negative numbers. The sum of the noise is that of
    the user with the least budget times the number of such users: a few careful users ruin it.

    Parameters
    ----------
    bound : float
        Public bound of a value's length.
    dimension : int
        Number of coordinates.
    non_negative : bool
        Whether negative coordinates are clamped to 0, which costs less noise.

    Raises
    ------
    ArgumentError
        If an argument is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> import privacy_stats as ps
    >>> budgets = ps.Budgets.zcdp(np.tile([0.1, 1.0], 500))
    >>> naive = NaiveGaussian(10.0)
    >>> total = ps.estimate_sum(np.ones(1000), budgets, protocol=naive, rng=ps.simulation_rng(0))
    >>> f"{total.standard_error:.0f}"
    '1049'
    """

    bound: float
    dimension: int = 1
    non_negative: bool = False
    name: ClassVar[str] = "naive-gaussian"
    mechanisms: ClassVar[tuple[type[Mechanism]]] = (Mechanism,)

    def __post_init__(self) -> None:
        _ = VectorGaussian(self.dimension, self.bound, self.non_negative)

    def mechanism(self) -> Gaussian | VectorGaussian:
        """Return how a value becomes a report."""
        if self.dimension == 1:
            return Gaussian(0.0 if self.non_negative else -self.bound, self.bound)
        return VectorGaussian(self.dimension, self.bound, self.non_negative)
