"""Backward elimination of one receiver's senders, with a likelihood ratio at each removal.

With many candidates a full model explains stray activations by many small false rates, and the asymptotic law
of a likelihood ratio in it is far off. Here the sender with the smallest rate / standard error goes first,
the rest are refitted, and its statistic is twice the loss of log-likelihood between these two nested models.
When a sender is tested, the senders that compete with it for the same activations are true ones or few.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cascades.exposures import Exposure, Timeline, exposure_of
from cascades.optimisation.descent import descend, objective, start
from cascades.optimisation.receiver import Settings, errors_of
from cascades.tables.types import Floats, Integers


@dataclass(frozen=True, slots=True, eq=False)
class Removals:
    """Statistics of one receiver's senders, those with a rate above 0 in the full model.

    `interior` is False where another rate of the two nested models was 0 (the background counts).
    """

    senders: Integers
    statistics: Floats
    interior: np.ndarray[tuple[int], np.dtype[np.bool_]]


def eliminate_block(line: Timeline, receivers: range, settings: Settings) -> list[Removals]:
    """Eliminate for several receivers; one piece of work for an Executor."""
    return [
        eliminate(exposure_of(line, i, background=settings.background), line.width > 0.0, settings)
        for i in receivers
    ]


def eliminate(x: Exposure, grouped: bool, settings: Settings) -> Removals:
    """Return the removal statistics; infinite for a sender without which some activation is impossible."""
    rates = start(x.pointers, x.events, x.weights, x.exposures, x.n_events)
    value = refit(x, rates, x.exposures, grouped, settings)
    tested = np.flatnonzero((rates > 0.0) & (x.senders >= 0))
    statistics, interior = np.full(len(x.senders), np.inf), np.zeros(len(x.senders), dtype=bool)
    allowed = (rates > 0.0) | (x.senders < 0)
    removable = set(tested.tolist())
    while removable:
        weakest = _weakest(x, rates, removable, grouped)
        removable.discard(weakest)
        rest = allowed.copy()
        rest[weakest] = False
        if _explains_all(x, rest):
            fewer = np.where(rest, np.maximum(rates, 1e-6 / x.exposures), 0.0)
            smaller = refit(x, fewer, np.where(rest, x.exposures, np.inf), grouped, settings)
            statistics[weakest] = max(0.0, 2.0 * (smaller - value))
            interior[weakest] = not grouped and bool(np.all(fewer[rest] > 0.0))
            rates, value, allowed = fewer, smaller, rest
    return Removals(x.senders[tested], statistics[tested], interior[tested])


def refit(x: Exposure, rates: Floats, linear: Floats, grouped: bool, settings: Settings) -> float:
    """Descend in place from `rates` (an infinite `linear` keeps a rate at 0) and return the objective."""
    if not len(rates):
        return 0.0
    zeros = np.zeros(len(rates))
    terms, how = (linear, zeros, zeros, zeros), (settings.tolerance, settings.max_sweeps)
    descend(x.pointers, x.events, x.weights, rates, terms, x.n_events, grouped, *how)
    return float(objective(x.pointers, x.events, x.weights, rates, x.exposures, x.n_events, grouped))


def _weakest(x: Exposure, rates: Floats, removable: set[int], grouped: bool) -> int:
    at_zero = [k for k in removable if rates[k] == 0.0]
    if at_zero:
        return at_zero[0]
    positive = np.flatnonzero(rates > 0.0)
    strength = rates[positive] / errors_of(x, rates, positive, grouped)
    order = positive[np.argsort(np.nan_to_num(strength, nan=0.0), kind="stable")]
    return next(int(k) for k in order if k in removable)


def _explains_all(x: Exposure, allowed: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> bool:
    kept = np.repeat(allowed, np.diff(x.pointers))
    return bool(np.all(np.bincount(x.events[kept], minlength=x.n_events) > 0))
