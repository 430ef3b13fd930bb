"""The factorised expectation pass, pair by pair: any law, exact or grouped times.

Where hazards have no finite set of running integrals (power law, Weibull) or times are bins, each activation
looks back at all earlier ones, O(sum of size^2 * rank). The sums are those of `cascades.mixture.passes`; for
exponential and Rayleigh hazards and exact times both agree, which tests each against the other.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from cascades.mixture.observed import credit_theta, dot, mix, survivors, theta_sums
from cascades.tables.types import Floats, Integers
from cascades.transmission import cumulative_of, weight_of


@numba.njit(cache=True, nogil=True)
def sweep_pairs(
    cascades: Integers,
    table: Any,
    graph: Any,
    parameters: Any,
    rows: Integers,
    sums: Any,
    scratch: Any,
    posterior: Floats,
    how: Any,
) -> None:
    """Pass over `cascades`, adding to `sums` and writing `posterior` in place."""
    starts, members = table[0], table[1]
    position = scratch[0]
    for c in cascades:
        for p in range(starts[c], starts[c + 1]):
            position[members[p]] = p
        _forwards(c, table, graph, parameters, sums, scratch, posterior, how)
        survivors(c, table, graph, parameters, rows, sums, scratch, how, 2)
        _backwards(c, table, parameters, sums, scratch, posterior, how)
        for p in range(starts[c], starts[c + 1]):
            position[members[p]] = -1


@numba.njit(cache=True, nogil=True)
def _can_send(width: float, times: Floats, q: int, p: int) -> bool:
    return times[q] < times[p] or (width > 0.0 and times[q] == times[p] and q != p)


@numba.njit(cache=True, nogil=True)
def _look_back(p: int, first: int, last: int, table: Any, u: Floats, moments: Floats, how: Any) -> None:
    """Rows 0 and 1 of `moments`: weights of the senders of the activation at p, and exposure before it."""
    _, members, times, _ = table
    code, parameter, width = how
    moments[:2] = 0.0
    for q in range(first, last):
        if _can_send(width, times, q, p):
            lag = times[p] - times[q]
            early = cumulative_of(code, parameter, max(lag - 0.5 * width, 0.0))
            x = weight_of(code, parameter, width, lag)
            for r in range(u.shape[1]):
                moments[0, r] += u[members[q], r] * x
                moments[1, r] += u[members[q], r] * early


@numba.njit(cache=True, nogil=True)
def _forwards(
    c: int, table: Any, graph: Any, parameters: Any, sums: Any, scratch: Any, posterior: Floats, how: Any
) -> None:
    """Posteriors of the activations, and the statistics of theta, V and pi that they carry."""
    starts, members, times, horizons = table
    theta, u, v, pi = parameters
    moments, weight, damping = scratch[3], scratch[5], scratch[6]
    code, parameter, width = how
    first, last = starts[c], starts[c + 1]
    for p in range(first, last):
        i, t = members[p], times[p]
        if t == times[first]:
            continue
        hazard, exposure = theta_sums(i, p, times, graph, theta, scratch[0], how)
        latent, reached = 0.0, 0.0
        if v[i].any():
            _look_back(p, first, last, table, u, moments, how)
            latent, reached = dot(v[i], moments[0]), dot(v[i], moments[1])
        q, value = mix(pi[i], hazard, exposure, latent, reached, width)
        if value == -np.inf:
            sums[11][0] += 1.0
            continue
        posterior[p] = q
        sums[10][0] += value
        sums[8][i] += q
        sums[9][i] += 1.0
        credit_theta(i, p, q, hazard, times, graph, theta, scratch[0], sums, how)
        weight[p], damping[p] = 0.0, 1.0
        if latent <= 0.0:
            continue
        weight[p] = (1.0 - q) / (latent if width == 0.0 else -np.expm1(-latent))
        damping[p] = 1.0 if width == 0.0 else np.exp(-latent)
        for r in range(v.shape[1]):
            share = weight[p] * moments[0, r]
            sums[5][i, r] += share
            sums[7][i, r] += share * share * damping[p]
            sums[6][i, r] += (1.0 - q) * (moments[1, r] + (moments[0, r] if width > 0.0 else 0.0))
    moments[:] = 0.0
    for p in range(first, last):  # the row where survivors look for their exposure
        until = cumulative_of(code, parameter, horizons[c] - times[p] + 0.5 * width)
        for r in range(u.shape[1]):
            moments[2, r] += u[members[p], r] * until


@numba.njit(cache=True, nogil=True)
def _backwards(
    c: int, table: Any, parameters: Any, sums: Any, scratch: Any, posterior: Floats, how: Any
) -> None:
    """Statistics of U: each sender looks ahead to the activations that it may have caused."""
    starts, members, times, horizons = table
    _, u, v, _ = parameters
    moments, weight, damping = scratch[3], scratch[5], scratch[6]
    code, parameter, width = how
    first, last = starts[c], starts[c + 1]
    for p in range(first, last):
        j = members[p]
        if not u[j].any():
            continue
        until = cumulative_of(code, parameter, horizons[c] - times[p] + 0.5 * width)
        for r in range(u.shape[1]):
            sums[3][j, r] += moments[3, r] * until
        for q in range(first, last):
            if not _can_send(width, times, p, q) or np.isnan(posterior[q]):
                continue
            lag = times[q] - times[p]
            x = weight_of(code, parameter, width, lag)
            early = cumulative_of(code, parameter, max(lag - 0.5 * width, 0.0))
            exposed = (1.0 - posterior[q]) * (early + (x if width > 0.0 else 0.0))
            for r in range(u.shape[1]):
                share = weight[q] * x * v[members[q], r]
                sums[2][j, r] += share
                sums[3][j, r] += exposed * v[members[q], r]
                sums[4][j, r] += share * share * damping[q]
