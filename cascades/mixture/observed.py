"""What both forms of the factorised pass share: the observed network's sums, the posterior, the survivors."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from cascades.tables.types import Floats, Integers
from cascades.transmission import cumulative_of, weight_of


@numba.njit(cache=True, nogil=True)
def dot(a: Floats, b: Floats) -> float:
    """Return the inner product of two short vectors."""
    total = 0.0
    for r in range(len(a)):
        total += a[r] * b[r]
    return total


@numba.njit(cache=True, nogil=True)
def _log_density(hazard: float, exposure: float, width: float) -> float:
    if hazard <= 0.0:
        return -np.inf
    return float((np.log(hazard) if width == 0.0 else np.log(-np.expm1(-hazard))) - exposure)


@numba.njit(cache=True, nogil=True)
def mix(pi: float, hazard: float, exposure: float, latent: float, reached: float, width: float) -> Any:
    """Return the posterior of theta for an activation, and the log of the mixture."""
    return _posterior(pi, _log_density(hazard, exposure, width), _log_density(latent, reached, width))


@numba.njit(cache=True, nogil=True)
def _posterior(pi: float, log_a: float, log_b: float) -> Any:
    a = np.log(pi) + log_a if pi > 0.0 else -np.inf
    b = np.log1p(-pi) + log_b if pi < 1.0 else -np.inf
    top = max(a, b)
    if top == -np.inf:
        return pi, -np.inf
    total = np.exp(a - top) + np.exp(b - top)
    return np.exp(a - top) / total, top + np.log(total)


@numba.njit(cache=True, nogil=True)
def _can_send(earlier: int, later: int, times: Floats, width: float) -> bool:
    return times[earlier] < times[later] or (width > 0.0 and times[earlier] == times[later])


@numba.njit(cache=True, nogil=True)
def theta_sums(i: int, p: int, times: Floats, graph: Any, theta: Floats, position: Integers, how: Any) -> Any:
    """Return the hazard of theta at node i, activated at position p, and its exposure until then."""
    code, parameter, width = how
    hazard, exposure = 0.0, 0.0
    for e in range(graph[0][i], graph[0][i + 1]):
        q = position[graph[1][e]]
        if q >= 0 and _can_send(q, p, times, width):
            lag = times[p] - times[q]
            hazard += theta[e] * weight_of(code, parameter, width, lag)
            exposure += theta[e] * cumulative_of(code, parameter, max(lag - 0.5 * width, 0.0))
    return hazard, exposure


@numba.njit(cache=True, nogil=True)
def credit_theta(
    i: int,
    p: int,
    posterior: float,
    hazard: float,
    times: Floats,
    graph: Any,
    theta: Floats,
    position: Integers,
    sums: Any,
    how: Any,
) -> None:
    """Add expected transmissions and exposure of the edges into i, activated at position p."""
    code, parameter, width = how
    slope = 0.0
    if hazard > 0.0:
        slope = posterior / (hazard if width == 0.0 else -np.expm1(-hazard))
    for e in range(graph[0][i], graph[0][i + 1]):
        q = position[graph[1][e]]
        if q >= 0 and _can_send(q, p, times, width):
            lag = times[p] - times[q]
            x = weight_of(code, parameter, width, lag)
            early = cumulative_of(code, parameter, max(lag - 0.5 * width, 0.0))
            sums[0][e] += slope * theta[e] * x
            sums[1][e] += posterior * (early + (x if width > 0.0 else 0.0))


@numba.njit(cache=True, nogil=True)
def survivors(
    c: int,
    table: Any,
    graph: Any,
    parameters: Any,
    rows: Integers,
    sums: Any,
    scratch: Any,
    how: Any,
    final: int,
) -> None:
    """Nodes exposed and not activated: theta's out-neighbours, and rows of V when U's exposure is not zero.

    Row `final` of the moments is that exposure at the horizon; row 3 receives the sum of (1 - posterior) V.
    """
    starts, members, times, horizons = table
    theta, _, v, pi = parameters
    position, exposure, posterior, moments, touched = scratch[:5]
    code, parameter, width = how
    n_touched = 0
    for p in range(starts[c], starts[c + 1]):
        until = cumulative_of(code, parameter, horizons[c] - times[p] + 0.5 * width)
        for k in range(graph[2][members[p]], graph[2][members[p] + 1]):
            i = graph[3][k]
            if position[i] < 0:
                if exposure[i] == 0.0:
                    touched[n_touched] = i
                    n_touched += 1
                exposure[i] += theta[graph[4][k]] * until + 1e-300
    if dot(moments[final], moments[final]) > 0.0:
        for i in rows:
            if position[i] < 0 and exposure[i] == 0.0:
                touched[n_touched] = i
                n_touched += 1
    for k in range(n_touched):
        i = touched[k]
        q, value = _posterior(pi[i], -exposure[i], -dot(v[i], moments[final]))
        posterior[i] = q
        sums[10][0] += value
        sums[8][i] += q
        sums[9][i] += 1.0
        for r in range(v.shape[1]):
            sums[6][i, r] += (1.0 - q) * moments[final, r]
            moments[3, r] += (1.0 - q) * v[i, r]
        exposure[i] = 0.0
    for p in range(starts[c], starts[c + 1]):
        until = cumulative_of(code, parameter, horizons[c] - times[p] + 0.5 * width)
        for k in range(graph[2][members[p]], graph[2][members[p] + 1]):
            if position[graph[3][k]] < 0:
                sums[1][graph[4][k]] += posterior[graph[3][k]] * until
