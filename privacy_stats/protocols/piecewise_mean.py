"""The Piecewise mechanism of Wang et al. (2019)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from privacy_stats.mechanisms import Piecewise
from privacy_stats.protocols.unbiased_round import UnbiasedRound


@final
@dataclass(frozen=True, slots=True)
class PiecewiseMean(UnbiasedRound):
    """A report near the value with high, and anywhere with low probability; pure budgets (or zCDP ones,
    converted).

    Worst-case variance on [-1, 1] at epsilon: ``4 e**(epsilon/2) / (3 (e**(epsilon/2) - 1)**2)``, at the
    ends.

    Parameters
    ----------
    lower, upper : float
        Public range; values are clamped to it.
    steps : int
        Grid steps of the range; see `Piecewise`.

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
    >>> mean = ps.estimate_mean(values, budgets, protocol=PiecewiseMean(0, 10), rng=ps.simulation_rng(0))
    >>> mean.estimand, bool(abs(mean.value - 5) < 4 * mean.standard_error)
    ('finite-population mean', True)
    """

    lower: float
    upper: float
    steps: int = 1 << 16
    name: ClassVar[str] = "piecewise-mean"
    mechanisms: ClassVar[tuple[type[Piecewise]]] = (Piecewise,)

    def __post_init__(self) -> None:
        _ = self.mechanism()

    def mechanism(self) -> Piecewise:
        """Return how a value becomes a report."""
        return Piecewise(self.lower, self.upper, self.steps)
