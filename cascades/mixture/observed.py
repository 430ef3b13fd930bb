"""Theta's side of a pass: sums over the edges of the observed network, and what both networks share.

The posterior of theta is that of a coin between two densities, A exp(-a) and B exp(-b).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cascades.mixture.arrays import SURVIVES, UNTOUCHED
from cascades.mixture.kernels import inlined, kernel
from cascades.tables.types import Floats, Integers
from cascades.transmission import EXPONENTIAL, cumulative_of, weight_of

SMALL, LARGE = 1e-100, 1e100


@inlined
def can_send(lag: float, width: float) -> bool:
    """Return whether a lag between two different nodes lets the first send; -inf: it was not activated."""
    return lag > 0.0 or (width > 0.0 and lag == 0.0)


@inlined
def before(lag: float, clock: Any) -> float:
    """Return the exposure to an earlier sender, for rate 1: until the receiver's bin begins."""
    if clock.code == 0 and clock.width == 0.0:
        return lag
    return float(cumulative_of(clock.code, clock.parameter, max(lag - 0.5 * clock.width, 0.0)))


@inlined
def weight(lag: float, clock: Any) -> float:
    """Return the hazard of an earlier sender, for rate 1 (bins: its integral over the receiver's)."""
    if clock.code == 0 and clock.width == 0.0:
        return 1.0
    return float(weight_of(clock.code, clock.parameter, clock.width, lag))


@inlined
def until(lag: float, clock: Any) -> float:
    """Return the exposure of a survivor to a sender that had `lag` left to the horizon, for rate 1."""
    if clock.code == 0:
        return float(lag + 0.5 * clock.width)
    return float(cumulative_of(clock.code, clock.parameter, lag + 0.5 * clock.width))


@inlined
def activated(hazard: float, width: float) -> float:
    """Return the density of an activation after surviving, or its probability within the bin."""
    return float(hazard if width == 0.0 else -np.expm1(-hazard))


@inlined
def posterior(first: float, a: float, second: float, b: float, log: Floats) -> float:
    """Return first exp(-a) as a share of itself and second exp(-b); add the log of their sum to `log`.

    Products are gathered in log[0] and only now and then taken the log of. nan: both are 0.
    """
    if second == 0.0:
        share, total, shift = 1.0, first, a
    elif first == 0.0:
        share, total, shift = 0.0, second, b
    elif a <= b:
        total, shift = first + second * np.exp(a - b), a
        share = first / total
    else:
        mine = first * np.exp(b - a)
        total, shift = mine + second, b
        share = mine / total
    if total == 0.0:
        log[2] += 1.0
        return np.nan
    log[1] -= shift
    if SMALL < total < LARGE:
        log[0] *= total
        if SMALL < log[0] < LARGE:
            return share
        total = log[0]
        log[0] = 1.0
    log[1] += np.log(total)
    return share


@inlined
def theta_sums(i: int, t: float, into: Integers, edges: Any, when: Floats, clock: Any) -> Any:
    """Return the hazard of theta at node i, activated at t, and its exposure until then."""
    hazard, exposure = 0.0, 0.0
    if clock.code == EXPONENTIAL and clock.width == 0.0:  # no branch that depends on the data
        for e in range(into[i], into[i + 1]):
            lag = max(t - when[edges[e].sender], 0.0)
            hazard += edges[e].rate * (lag > 0.0)
            exposure += edges[e].rate * lag
        return hazard, exposure
    for e in range(into[i], into[i + 1]):
        lag = t - when[edges[e].sender]
        if can_send(lag, clock.width):
            hazard += edges[e].rate * weight(lag, clock)
            exposure += edges[e].rate * before(lag, clock)
    return hazard, exposure


@inlined
def credit(
    i: int, t: float, q: float, slope: float, into: Integers, edges: Any, when: Floats, clock: Any
) -> None:
    """Add what the edges into i, activated at t, are expected to have passed on, and their exposure."""
    if clock.code == EXPONENTIAL and clock.width == 0.0:
        for e in range(into[i], into[i + 1]):
            lag = max(t - when[edges[e].sender], 0.0)
            edges[e].sent += slope * (lag > 0.0)
            edges[e].exposure += q * lag
    else:
        for e in range(into[i], into[i + 1]):
            lag = t - when[edges[e].sender]
            if can_send(lag, clock.width):
                x = weight(lag, clock)
                edges[e].sent += slope * x
                edges[e].exposure += q * (before(lag, clock) + (x if clock.width > 0.0 else 0.0))


@kernel
def touch(
    first: int,
    last: int,
    members: Integers,
    out: Integers,
    receivers: Integers,
    when: Floats,
    touched: Integers,
) -> int:
    """List theta's receivers that were not activated; return how many they are."""
    n = 0
    for p in range(first, last):
        for e in range(out[members[p]], out[members[p] + 1]):
            i = receivers[e]
            if when[i] == UNTOUCHED:
                when[i] = SURVIVES
                touched[n] = i
                n += 1
    return n


@kernel
def touch_all(some: Integers, n: int, when: Floats, touched: Integers) -> int:
    """Add those of `some` nodes that were not activated to the `n` listed ones; return how many they are."""
    for i in some:
        if when[i] == UNTOUCHED:
            when[i] = SURVIVES
            touched[n] = i
            n += 1
    return n


@inlined
def survived(i: int, horizon: float, into: Integers, edges: Any, when: Floats, clock: Any) -> float:
    """Return theta's exposure of node i, which was not activated."""
    exposure = 0.0
    if clock.code == EXPONENTIAL and clock.width == 0.0:
        for e in range(into[i], into[i + 1]):
            exposure += edges[e].rate * max(horizon - when[edges[e].sender], 0.0)
        return exposure
    for e in range(into[i], into[i + 1]):
        lag = horizon - when[edges[e].sender]
        if lag >= 0.0:
            exposure += edges[e].rate * until(lag, clock)
    return exposure


@inlined
def credit_survivor(
    i: int, horizon: float, q: float, into: Integers, edges: Any, when: Floats, clock: Any
) -> None:
    """Add the exposure of the edges into i, which was not activated."""
    if clock.code == EXPONENTIAL and clock.width == 0.0:
        for e in range(into[i], into[i + 1]):
            edges[e].exposure += q * max(horizon - when[edges[e].sender], 0.0)
    else:
        for e in range(into[i], into[i + 1]):
            lag = horizon - when[edges[e].sender]
            if lag >= 0.0:
                edges[e].exposure += q * until(lag, clock)
