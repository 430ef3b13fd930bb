"""The power law as a sum of exponentials, so that psi's side of a pass has running sums.

For lags beyond delta the hazard 1 / lag is an integral over exponentials, and the trapezoidal rule in the
logarithm of their rates makes it a sum (Beylkin and Monzon 2010):

    1 / lag = integral exp(s - lag e^s) ds  ~  sum_m w_m exp(-a_m lag),   a_m = 2^m a_0.

Taken over all m, with a step of log 2, the relative error is 2 |Gamma(1 + 2 pi i / log 2)| = 1e-5 at any lag.
Here rates end where lags do, and non-negative weights are fitted to the relative error. Since rates double,
one exponential gives them all: each term is the square of the one before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from cascades.exposures import Timeline
from cascades.tables.types import Floats
from cascades.transmission import POWER_LAW

SLOWEST, FASTEST = 0.1, 6.0
"""Of the rates: the first over the longest lag, the last over delta."""
PER_TERM = 40
RIDGE = 1e-9
DENSE = 200
PAYS = 4.0
"""Sums are used where a cascade's activations have this many times as many partners as the sum has terms."""


class Decays(NamedTuple):
    """A hazard of ``sum_m hazard[m] exp(-rate 2^m (lag - delta))`` for lag > delta, and 0 before.

    Its integral from delta is ``sum_m exposure[m] (1 - exp(-rate 2^m (lag - delta)))``, exactly; `square`
    holds the weights of its square, with the same rates. `error` and `square_error` are the largest relative
    errors of hazard (and so of its integral) and of the square up to the longest lag.
    """

    delta: float
    rate: float
    hazard: Floats
    exposure: Floats
    square: Floats
    error: float
    square_error: float

    def words(self) -> str:
        """Say what stands for the power law, and how close it is."""
        return (
            f"psi's power law as {len(self.hazard)} exponentials during the search: hazard within "
            f"{_rounded_up(100 * self.error):g} %; the log-likelihood is exact"
        )


NONE = Decays(0.0, 0.0, np.zeros(0), np.zeros(0), np.zeros(0), 0.0, 0.0)
"""No terms: for laws that need none."""


def decays_for(line: Timeline) -> Decays | None:
    """Return exponentials for a table's law where a pass by sums is cheaper than by pairs, else None.

    That is for exact power-law times, and by the mean number of activations in the cascade of an activation:
    a pass by pairs grows with it, a pass by sums with the number of terms.
    """
    longest, delta = float(line.horizons.max(initial=0.0)), line.law.parameter
    if line.law.code != POWER_LAW or line.width > 0.0 or longest <= delta:
        return None
    sizes, found = np.diff(line.starts).astype(float), power_law_decays(delta, longest)
    pays = float(sizes @ sizes) > PAYS * len(found.hazard) * float(sizes.sum())
    return found if pays else None


def power_law_decays(delta: float, longest: float) -> Decays:
    """Return exponentials for the power law's hazard at lags from `delta` to `longest`, both positive.

    About log2(longest / delta) + 7 terms, some of weight 0.
    """
    span = max(longest / delta, 1.0 + 1e-6)
    n_terms = int(np.ceil(np.log2(FASTEST * span / SLOWEST))) + 1
    rates = (SLOWEST / span) * np.exp2(np.arange(n_terms, dtype=float))
    (hazard, error), (square, square_error) = (_fitted(rates, span, power) for power in (1, 2))
    return Decays(
        delta, rates[0] / delta, hazard / delta, hazard / rates, square / delta**2, error, square_error
    )


def _fitted(rates: Floats, span: float, power: int) -> tuple[Floats, float]:
    """Return weights for lag^-power at lags from 1 to `span`, at lag 1, and the largest relative error."""

    def terms(n: int) -> Floats:
        lags = np.geomspace(1.0, span, n)
        found: Floats = lags[:, None] ** power * np.exp(-np.outer(lags - 1.0, rates))
        return found

    n = len(rates)
    rows = np.vstack([terms(PER_TERM * n), RIDGE * np.eye(n)])  # columns are nearly dependent
    weights = nnls(rows, np.repeat([1.0, 0.0], [PER_TERM * n, n]), maxiter=100 * n)[0]
    return weights, float(np.max(np.abs(terms(DENSE * n) @ weights - 1.0)))


def _rounded_up(value: float) -> float:
    """Round up to one digit."""
    unit = 10.0 ** np.floor(np.log10(max(value, 1e-12)))
    return float(np.ceil(value / unit) * unit)
