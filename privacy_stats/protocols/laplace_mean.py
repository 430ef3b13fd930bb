"""Laplace noise on every value: the textbook baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from privacy_stats.mechanisms import Laplace
from privacy_stats.protocols.range_mean import RangeMean


@final
@dataclass(frozen=True, slots=True)
class LaplaceMean(RangeMean):
    """Discrete Laplace noise of the user's own scale; pure budgets (or zCDP ones, converted).

    Worst-case variance on [-1, 1] at epsilon: ``8 / epsilon**2``. Never the least noise on a bounded range;
    here to be compared with.

    Parameters
    ----------
    lower, upper, steps
        As for every `RangeMean`; the grid is that of `Laplace`.

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
    >>> mean = ps.estimate_mean(values, budgets, protocol=LaplaceMean(0, 10), rng=ps.simulation_rng(0))
    >>> mean.estimand, bool(abs(mean.value - 5) < 4 * mean.standard_error)
    ('finite-population mean', True)
    """

    steps: int = 1 << 14
    name: ClassVar[str] = "laplace-mean"
    mechanisms: ClassVar[tuple[type[Laplace]]] = (Laplace,)
