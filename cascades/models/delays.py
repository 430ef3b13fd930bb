"""The delay density of models that take the rate as known (NetInf, ConNIe)."""

from __future__ import annotations

import numba
import numpy as np

from cascades.errors import ArgumentError, InputError
from cascades.exposures import Timeline, timeline
from cascades.tables import Cascades
from cascades.tables.ties import tie_share
from cascades.tables.types import Floats, Integers
from cascades.transmission import Law, cumulative_of


def prepare(data: Cascades, law: Law, rate: float | None) -> tuple[Timeline, float, tuple[str, ...]]:
    """Return the timeline, the rate in internal units (estimated when None) and notes on ties."""
    line = timeline(data, law)
    if rate is not None:
        if not (np.isfinite(rate) and rate > 0):
            raise ArgumentError(f"rate: got {rate}, wanted a finite number above 0, or None to estimate it")
        inner = rate / law.rate_factor(line.scale)
    else:
        inner = typical_rate(line)
    share = tie_share(data)
    notes = (f"{100 * share:.0f} % of activations are tied; equal times do not influence each other here",)
    return line, inner, notes if share > 0.05 else ()


def typical_rate(line: Timeline) -> float:
    """Return the maximum-likelihood rate of the lags to the latest earlier activation of the cascade.

    Nobody knows the sender; the latest earlier one makes the rate an upper guess, which only sharpens how
    fast the credit for a lag decays.
    """
    usable, mass = _latest(line.starts, line.times, line.law.code, line.law.parameter)
    if usable == 0:
        raise InputError("no activation follows another by a lag that the law allows; nothing can be learnt")
    return usable / mass


@numba.njit(cache=True)
def _latest(starts: Integers, times: Floats, code: int, parameter: float) -> tuple[int, float]:
    """Return how many lags to the latest earlier activation the law allows, and what they integrate to."""
    usable, total = 0, 0.0
    for c in range(len(starts) - 1):
        for e in range(starts[c] + 1, starts[c + 1]):
            mass = cumulative_of(code, parameter, times[e] - times[e - 1])
            if mass > 0.0:
                usable += 1
                total += mass
    return usable, total


def log_density(law: Law, rate: float, lags: Floats) -> Floats:
    """Return log(rate hazard(lag)) - rate cumulative(lag); -inf where the hazard is 0."""
    with np.errstate(divide="ignore"):
        value: Floats = np.log(rate * law.hazard(lags)) - rate * law.cumulative(lags)
    return value
