"""One bit per user, after Duchi, Jordan and Wainwright (2018)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from privacy_stats.mechanisms import OneBit
from privacy_stats.protocols.range_mean import RangeMean


@final
@dataclass(frozen=True, slots=True)
class DuchiMean(RangeMean):
    """One randomised bit per user; pure budgets (or zCDP ones, converted).

    Worst-case variance on [-1, 1] at epsilon: ``((e**epsilon + 1) / (e**epsilon - 1))**2``, at value 0. The
    least of the baselines below epsilon 1.29.

    Parameters
    ----------
    lower, upper, steps
        As for every `RangeMean`; the grid is that of `OneBit`.

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
    >>> mean = ps.estimate_mean(values, budgets, protocol=DuchiMean(0, 10), rng=ps.simulation_rng(0))
    >>> mean.estimand, bool(abs(mean.value - 5) < 4 * mean.standard_error)
    ('finite-population mean', True)
    """

    name: ClassVar[str] = "duchi-mean"
    mechanisms: ClassVar[tuple[type[OneBit]]] = (OneBit,)
