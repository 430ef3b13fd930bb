"""The power law as a sum of exponentials, so that psi's side of a pass has running sums.

For lags beyond delta the hazard 1 / lag is an integral over exponentials, and the trapezoidal rule in the
logarithm of their rates makes it a sum (Beylkin and Monzon 2010, section 2):

    1 / lag = integral exp(s - lag e^s) ds  ~  sum_m w_m exp(-a_m lag),   a_m = 2^m a_0.

With an infinite number of terms and rates that double the relative error is 2 |Gamma(1 + 2 pi i / log 2)| =
1e-5 at any lag. Here the rates end where lags do, and non-negative weights are fitted to the relative error.
Since rates double, one exponential gives them all: each term is the square of the one before.
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
            f"psi's power law as {len(self.hazard)} exponentials during the search: hazard and exposure within "
            f"{100 * self.error:.1g} %; the likelihood is exact"
        )


NONE = Decays(0.0, 0.0, np.zeros(0), np.zeros(0), np.zeros(0), 0.0, 0.0)
"""No terms: for laws that need none."""


def power_law_decays(delta: float, longest: float) -> Decays:
    """Return exponentials for the power law's hazard at lags from `delta` to `longest`, both positive.

    About log2(longest / delta) + 7 terms, some of weight 0.
    """
    span = max(longest / delta, 1.0 + 1e-6)
    n_terms = int(np.ceil(np.log2(FASTEST * span / SLOWEST))) + 1
    rates = SLOWEST / span * 2.0 ** np.arange(n_terms)
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
