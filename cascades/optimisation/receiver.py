"""Fit one receiver: exposure in, rates with diagnostics out. Pieces of work for any Executor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cascades.exposures import Exposure, Timeline, exposure_of
from cascades.optimisation.descent import descend, objective, predictor, start
from cascades.optimisation.information import information, standard_errors
from cascades.tables.types import Floats, Integers


@dataclass(frozen=True, slots=True)
class Settings:
    """How receivers are fitted; internal units."""

    background: bool = False
    penalty: float = 0.0
    debias: bool = True
    errors: bool = True
    tolerance: float = 1e-8
    max_sweeps: int = 20000


@dataclass(frozen=True, slots=True, eq=False)
class ReceiverFit:
    """Rates above zero of one receiver, in internal units, and how they were found."""

    receiver: int
    senders: Integers
    rates: Floats
    errors: Floats
    residual: float
    sweeps: int
    log_likelihood: float
    n_candidates: int
    n_events: int
    n_unexplained: int


def fit_receiver(exposure: Exposure, grouped: bool, settings: Settings) -> ReceiverFit:
    """Minimise the receiver's negative log-likelihood (with the penalty, then without on the support)."""
    x = exposure
    data = (x.pointers, x.events, x.weights)
    rates = start(*data, x.exposures, x.n_events)
    charge = np.where(x.senders >= 0, settings.penalty, 0.0)
    residual, sweeps = _minimise(x, rates, x.exposures + charge, grouped, settings)
    if settings.penalty > 0.0 and settings.debias:
        frozen = np.where((rates > 0.0) | (x.senders < 0), x.exposures, np.inf)
        residual, more = _minimise(x, rates, frozen, grouped, settings)
        sweeps += more
    positive = np.flatnonzero(rates > 0.0)
    errors = np.full(len(positive), np.nan)
    if settings.errors:
        errors = errors_of(x, rates, positive, grouped)
    likelihood = -objective(*data, rates, x.exposures, x.n_events, grouped)
    found = (x.senders[positive], rates[positive], errors, residual, sweeps, likelihood)
    return ReceiverFit(x.receiver, *found, int(np.sum(x.senders >= 0)), x.n_events, x.n_unexplained)


def errors_of(exposure: Exposure, rates: Floats, positive: Integers, grouped: bool) -> Floats:
    """Return standard errors of the rates `positive` from the observed information."""
    x = exposure
    u = predictor(x.pointers, x.events, x.weights, rates, x.n_events)
    slope = 1.0 / np.expm1(u) if grouped else 1.0 / u
    curvature = slope * (1.0 + slope) if grouped else slope**2
    return standard_errors(information(x.pointers, x.events, x.weights, curvature, positive))


def fit_block(line: Timeline, receivers: list[int], settings: Settings) -> list[ReceiverFit]:
    """Fit several receivers one after the other; memory is that of the largest."""
    return [
        fit_receiver(exposure_of(line, i, background=settings.background), line.width > 0.0, settings)
        for i in receivers
    ]


def _minimise(
    x: Exposure, rates: Floats, linear: Floats, grouped: bool, settings: Settings
) -> tuple[float, int]:
    zeros = np.zeros(len(rates))
    terms = (linear, zeros, zeros, zeros)
    if not len(rates):
        return 0.0, 0
    residual, sweeps = descend(
        x.pointers,
        x.events,
        x.weights,
        rates,
        terms,
        x.n_events,
        grouped,
        settings.tolerance,
        settings.max_sweeps,
    )
    return float(residual), int(sweeps)
