"""Psi's side of a pass by sums that fade: exact power-law times, O(activations * rank * terms).

With a hazard that is a sum of exponentials (`cascades.mixture.decays`), each factor r keeps for each of them
the sum of U_jr over senders, which fades at its rate; a sender enters once its lag is beyond delta. Weighted
sums give the hazard; what fades away, weighted, adds up to the exposure, so that nothing cancels. Backwards
in time the same is kept of later receivers: of what they were exposed to, their shares, and squared shares.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cascades.mixture.kernels import inlined, kernel
from cascades.tables.types import Floats, Integers

SENT, EXPOSED, SHARE, SQUARE = range(4)


@inlined
def _fade(dt: float, scratch: Any) -> None:
    """Set `left` and `gone`: what is left of each exponential after `dt`, and what is not."""
    left, gone = scratch.left, scratch.gone
    gone[0] = -np.expm1(-scratch.decays.rate * dt)
    left[0] = 1.0 - gone[0]
    for m in range(1, len(left)):
        left[m], gone[m] = left[m - 1] * left[m - 1], gone[m - 1] * (2.0 - gone[m - 1])


@inlined
def _clear_sums(sums: Floats) -> None:
    for q in range(sums.shape[0]):
        for r in range(sums.shape[1]):
            sums[q, r] = 0.0


@kernel
def clear_fading(scratch: Any) -> None:
    """Forget the last cascade."""
    fading = scratch.fading
    for q in range(fading.shape[0]):
        for m in range(fading.shape[1]):
            for r in range(fading.shape[2]):
                fading[q, m, r] = 0.0


@kernel
def fade_to(t: float, entering: int, table: Any, factors: Any, scratch: Any) -> int:
    """Move sums on to time t; let senders whose lag is beyond delta enter. Return which one is next."""
    _fade_on(t, scratch)
    p = scratch.latent[entering]
    while t - table.times[p] > scratch.decays.delta:
        _start_sending(table.members[p], t - table.times[p], factors.u_rows, factors.u, scratch)
        entering += 1
        p = scratch.latent[entering]
    return entering


@inlined
def _fade_on(t: float, scratch: Any) -> None:
    """Move all factors' sums of what is sent on to time t."""
    sent, fading, sums = scratch.sent, scratch.fading, scratch.sums
    _fade(t - sent[0].time, scratch)
    sent[0].time = t
    _clear_sums(sums)
    for m in range(len(scratch.left)):
        left = scratch.left[m]
        hazard, exposure = scratch.decays.hazard[m] * left, scratch.decays.exposure[m] * scratch.gone[m]
        for r in range(len(sent)):
            sums[0, r] += hazard * fading[SENT, m, r]
            sums[1, r] += exposure * fading[SENT, m, r]
        for r in range(len(sent)):
            fading[SENT, m, r] *= left
    for r in range(len(sent)):
        sent[r].zeroth = sums[0, r]
        sent[r].first += sums[1, r]


@inlined
def _start_sending(j: int, lag: float, rows: Integers, u: Any, scratch: Any) -> None:
    """Let node j, activated `lag` > delta ago, send from now on and count what it has sent."""
    sent, fading, decays = scratch.sent, scratch.fading, scratch.decays
    if rows[j] < rows[j + 1]:
        _fade(lag - decays.delta, scratch)
        hazard, exposure = 0.0, 0.0
        for m in range(len(scratch.left)):
            left = scratch.left[m]
            hazard += decays.hazard[m] * left
            exposure += decays.exposure[m] * scratch.gone[m]
            for k in range(rows[j], rows[j + 1]):
                fading[SENT, m, u[k].place] += u[k].value * left
        for k in range(rows[j], rows[j + 1]):
            r = u[k].place
            sent[r].zeroth += u[k].value * hazard
            sent[r].first += u[k].value * exposure


@kernel
def fade_to_horizon(first: int, last: int, horizon: float, table: Any, factors: Any, scratch: Any) -> None:
    """Set `first`: the exposure of those who survive."""
    sent = scratch.sent
    for r in range(len(sent)):
        sent[r].first = 0.0
    for p in range(first, last):
        j = table.members[p]
        if factors.u_rows[j] < factors.u_rows[j + 1]:
            x = _until(horizon - table.times[p], scratch)
            scratch.until[j] = x
            for k in range(factors.u_rows[j], factors.u_rows[j + 1]):
                sent[factors.u[k].place].first += factors.u[k].value * x


@inlined
def _until(lag: float, scratch: Any) -> float:
    """Return the exposure to a sender of `lag` ago, for rate 1."""
    exposure = 0.0
    if lag > scratch.decays.delta:
        _fade(lag - scratch.decays.delta, scratch)
        for m in range(len(scratch.gone)):
            exposure += scratch.decays.exposure[m] * scratch.gone[m]
    return exposure


@inlined
def _fade_back(t: float, scratch: Any) -> None:
    """Move all factors' sums over later receivers back to time t."""
    received, fading, sums, decays = scratch.received, scratch.fading, scratch.sums, scratch.decays
    _fade(received[0].time - t, scratch)
    received[0].time = t
    _clear_sums(sums)
    for m in range(len(scratch.left)):
        left = scratch.left[m]
        hazard, square = decays.hazard[m] * left, decays.square[m] * left
        exposure = decays.exposure[m] * scratch.gone[m]
        for r in range(len(received)):
            sums[0, r] += exposure * fading[EXPOSED, m, r]
            sums[1, r] += hazard * fading[SHARE, m, r]
            sums[2, r] += square * fading[SQUARE, m, r]
        for r in range(len(received)):
            fading[EXPOSED, m, r] *= left
        for r in range(len(received)):
            fading[SHARE, m, r] *= left
        for r in range(len(received)):
            fading[SQUARE, m, r] *= left
    for r in range(len(received)):
        received[r].exposed1 += sums[0, r]
        received[r].share, received[r].square = sums[1, r], sums[2, r]


@inlined
def _start_receiving(i: int, lag: float, rows: Integers, v: Any, scratch: Any) -> None:
    """Count node i, activated `lag` > delta later, among the receivers."""
    received, fading, decays = scratch.received, scratch.fading, scratch.decays
    _fade(lag - decays.delta, scratch)
    exposed, weight = 1.0 - scratch.nodes[i].posterior, scratch.nodes[i].weight
    hazard, square, exposure = 0.0, 0.0, 0.0
    for m in range(len(scratch.left)):
        left = scratch.left[m]
        hazard += decays.hazard[m] * left
        square += decays.square[m] * left
        exposure += decays.exposure[m] * scratch.gone[m]
        for k in range(rows[i], rows[i + 1]):
            r, share = v[k].place, weight * v[k].value
            fading[EXPOSED, m, r] += exposed * v[k].value * left
            fading[SHARE, m, r] += share * left
            fading[SQUARE, m, r] += share * share * left
    for k in range(rows[i], rows[i + 1]):
        r, share = v[k].place, weight * v[k].value
        received[r].exposed1 += exposed * v[k].value * exposure
        received[r].share += share * hazard
        received[r].square += share * share * square


@kernel
def credit_senders_by_fading(n: int, table: Any, factors: Any, scratch: Any) -> None:
    """Add the statistics of U, from the horizon back to the source.

    Only the `n` activations of nodes with entries in a factor take part; `exposed` of `received` holds what
    survivors add for exposure 1, and `until` what each sender exposed them to.
    """
    latent, received, times, members = scratch.latent, scratch.received, table.times, table.members
    entering = n - 1
    for s in range(n - 1, -1, -1):
        j, t = members[latent[s]], times[latent[s]]
        if factors.u_rows[j] == factors.u_rows[j + 1]:
            continue
        if t < received[0].time:
            _fade_back(t, scratch)
        while entering > s and times[latent[entering]] - t > scratch.decays.delta:
            i = members[latent[entering]]
            if factors.v_rows[i] < factors.v_rows[i + 1] and scratch.nodes[i].weight >= 0.0:
                _start_receiving(i, times[latent[entering]] - t, factors.v_rows, factors.v, scratch)
            entering -= 1
        x = scratch.until[j]
        for k in range(factors.u_rows[j], factors.u_rows[j + 1]):
            r = factors.u[k].place
            factors.u[k].sent += received[r].share
            factors.u[k].exposure += received[r].exposed1 + received[r].exposed * x
            factors.u[k].squares += received[r].square
