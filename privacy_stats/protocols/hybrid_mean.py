"""The Hybrid mechanism of Wang et al. (2019)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from privacy_stats.mechanisms import Hybrid
from privacy_stats.protocols.range_mean import RangeMean


@final
@dataclass(frozen=True, slots=True)
class HybridMean(RangeMean):
    """A coin chooses between one bit and Piecewise; pure budgets (or zCDP ones, converted).

    Least worst-case variance of the baselines at every epsilon.

    Parameters
    ----------
    lower, upper, steps
        As for every `RangeMean`; the grid is that of `Hybrid`.

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

    name: ClassVar[str] = "hybrid-mean"
    mechanisms: ClassVar[tuple[type[Hybrid]]] = (Hybrid,)
