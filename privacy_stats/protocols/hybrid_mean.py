"""The Hybrid mechanism of Wang et al. (2019)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from privacy_stats.mechanisms import Hybrid
from privacy_stats.protocols.unbiased_round import UnbiasedRound


@final
@dataclass(frozen=True, slots=True)
class HybridMean(UnbiasedRound):
    """A coin chooses between one bit and Piecewise; pure budgets (or zCDP ones, converted).

    Least worst-case variance of the baselines at every epsilon.

    Parameters
    ----------
    lower, upper : float
        Public range; values are clamped to it.
    steps : int
        Grid steps of the range; see `Hybrid`.

    Raises
    ------
    ArgumentError
        If the range or the grid makes no sense.

    Examples
    --------
    >>> import numpy as np
    >>> import privacy_stats as ps
    >>> budgets = ps.Budgets.pure(np.tile([0.5, 1.0, 2.0], 2000))
    >>> values = np.linspace(2, 8, 6000)
    >>> mean = ps.estimate_mean(values, budgets, protocol=HybridMean(0, 10), rng=ps.simulation_rng(0))
    >>> mean.estimand, bool(abs(mean.value - 5) < 4 * mean.standard_error)
    ('finite-population mean', True)
    """

    lower: float
    upper: float
    steps: int = 1 << 16
    name: ClassVar[str] = "hybrid-mean"
    mechanisms: ClassVar[tuple[type[Hybrid]]] = (Hybrid,)

    def __post_init__(self) -> None:
        _ = self.mechanism()

    def mechanism(self) -> Hybrid:
        """Return how a value becomes a report."""
        return Hybrid(self.lower, self.upper, self.steps)
