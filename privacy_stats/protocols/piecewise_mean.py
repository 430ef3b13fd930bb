"""The Piecewise mechanism of Wang et al. (2019)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from privacy_stats.mechanisms import Piecewise
from privacy_stats.protocols.range_mean import RangeMean


@final
@dataclass(frozen=True, slots=True)
class PiecewiseMean(RangeMean):
    """A report near the value with high, and anywhere with low probability; pure budgets (or zCDP ones,
    converted).

    Worst-case variance on [-1, 1] at epsilon: ``4 e**(epsilon/2) / (3 (e**(epsilon/2) - 1)**2)``, at the
    ends.

    Parameters
    ----------
    lower, upper, steps
        As for every `RangeMean`; the grid is that of `Piecewise`.

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

    name: ClassVar[str] = "piecewise-mean"
    mechanisms: ClassVar[tuple[type[Piecewise]]] = (Piecewise,)
