"""One expectation pass over cascades, in time O(activations * rank + touched pairs * rank).

Psi = U V' lets a cascade be swept like a queue. Forwards in time, P is the sum of U over active senders and Q
its integral, so node i sees the hazard V_i.P and has been exposed to V_i.Q; backwards, the same sums over
later receivers give U its statistics. Rayleigh hazards need one more integral. Theta is summed over the
observed edges. A node that neither network could reach has posterior pi and changes nothing.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from cascades.exposures import Timeline
from cascades.mixture.observed import credit_theta, dot, mix, survivors, theta_sums
from cascades.mixture.pairs import sweep_pairs
from cascades.mixture.state import Edges, Parameters, Sums
from cascades.tables.types import Floats, Integers
from cascades.transmission import EXPONENTIAL, RAYLEIGH


def expectation(
    line: Timeline, edges: Edges, parameters: Parameters, cascades: Integers
) -> tuple[Sums, Floats]:
    """Return the sums over `cascades`, and the posterior of theta per event (nan: source, not visited).

    An activation that both networks declare impossible is counted in `unexplained` and left out.
    """
    n, rank = parameters.u.shape
    sums = Sums.zeros(n, rank, len(parameters.theta))
    posterior = np.full(len(line.times), np.nan)
    p = parameters
    table = (line.starts, line.members, line.times, line.horizons)
    graph = (edges.in_pointers, edges.senders, edges.out_pointers, edges.receivers, edges.out_edge)
    rows = np.flatnonzero(p.v.any(axis=1))
    scratch = (
        np.full(n, -1, dtype=np.int64),
        np.zeros(n),
        np.zeros(n),
        np.zeros((12, rank)),
        np.empty(n, dtype=np.int64),
        np.zeros(len(line.times)),
        np.zeros(len(line.times)),
    )
    sweep = _sweep if line.law.code in (EXPONENTIAL, RAYLEIGH) and line.width == 0.0 else sweep_pairs
    how = (line.law.code, line.law.parameter, line.width)
    rates = (p.theta, p.u, p.v, p.pi)
    sweep(cascades, table, graph, rates, rows, sums.arrays(), scratch, posterior, how)
    return sums, posterior


@numba.njit(cache=True, nogil=True)
def _sweep(
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
    starts, members, _, _ = table
    position, law = scratch[0], how[0]
    for c in cascades:
        for p in range(starts[c], starts[c + 1]):
            position[members[p]] = p
        _forwards(c, table, graph, parameters, sums, scratch, posterior, how)
        survivors(c, table, graph, parameters, rows, sums, scratch, how, law + 1)
        _backwards(c, table, parameters, sums, scratch, posterior, law)
        for p in range(starts[c], starts[c + 1]):
            position[members[p]] = -1


@numba.njit(cache=True, nogil=True)
def _advance(moments: Floats, dt: float, law: int) -> None:
    """Move P, Q (and the second integral) forwards by dt: rows 0, 1, 2."""
    for r in range(moments.shape[1]):
        if law == 1:
            moments[2, r] += moments[1, r] * dt + 0.5 * moments[0, r] * dt * dt
        moments[1, r] += moments[0, r] * dt


@numba.njit(cache=True, nogil=True)
def _clear(moments: Floats) -> None:
    for k in range(moments.shape[0]):
        for r in range(moments.shape[1]):
            moments[k, r] = 0.0


@numba.njit(cache=True, nogil=True)
def _add(moments: Floats, u: Floats, j: int) -> None:
    """Let node j send from now on."""
    for r in range(moments.shape[1]):
        moments[0, r] += u[j, r]


@numba.njit(cache=True, nogil=True)
def _forwards(
    c: int, table: Any, graph: Any, parameters: Any, sums: Any, scratch: Any, posterior: Floats, how: Any
) -> None:
    """Posteriors of the activations, and the statistics of theta, V and pi that they carry."""
    starts, members, times, horizons = table
    theta, u, v, pi = parameters
    moments, weight, law = scratch[3], scratch[5], how[0]
    _clear(moments)
    now, waiting = times[starts[c]], starts[c]
    for p in range(starts[c], starts[c + 1]):
        i, t = members[p], times[p]
        if t > now:
            for k in range(waiting, p):
                _add(moments, u, members[k])
            waiting = p
            _advance(moments, t - now, law)
            now = t
        if t == times[starts[c]]:
            continue
        hazard, exposure = theta_sums(i, p, times, graph, theta, scratch[0], how)
        latent, reached = dot(v[i], moments[law]), dot(v[i], moments[law + 1])
        q, value = mix(pi[i], hazard, exposure, latent, reached, 0.0)
        if value == -np.inf:
            sums[11][0] += 1.0
            continue
        posterior[p] = q
        sums[10][0] += value
        sums[8][i] += q
        sums[9][i] += 1.0
        weight[p] = (1.0 - q) / latent if latent > 0.0 else 0.0
        credit_theta(i, p, q, hazard, times, graph, theta, scratch[0], sums, how)
        for r in range(v.shape[1]):
            share = weight[p] * moments[law, r]
            sums[5][i, r] += share
            sums[7][i, r] += share * share
            sums[6][i, r] += (1.0 - q) * moments[law + 1, r]
    for k in range(waiting, starts[c + 1]):
        _add(moments, u, members[k])
    _advance(moments, horizons[c] - now, law)


@numba.njit(cache=True, nogil=True)
def _backwards(
    c: int, table: Any, parameters: Any, sums: Any, scratch: Any, posterior: Floats, law: int
) -> None:
    """Statistics of U: later receivers' shares and exposures, summed from the horizon back to the source."""
    starts, members, times, horizons = table
    _, u, v, _ = parameters
    moments, weight = scratch[3], scratch[5]
    rank = u.shape[1]
    exposed = moments[3:6]  # receivers still exposed (row 0 holds the survivors), and its integrals
    shares = moments[6:8]  # shares of later activations, and their sum of lags
    squares = moments[8:11]
    now, waiting = horizons[c], starts[c + 1]
    for p in range(starts[c + 1] - 1, starts[c] - 1, -1):
        if times[p] < now:
            _gather(p + 1, waiting, members, v, weight, posterior, exposed, shares, squares)
            waiting = p + 1
            dt = now - times[p]
            _advance(exposed, dt, law)
            if law == 1:
                for r in range(rank):
                    squares[2, r] += 2.0 * squares[1, r] * dt + squares[0, r] * dt * dt
                    squares[1, r] += squares[0, r] * dt
                    shares[1, r] += shares[0, r] * dt
            now = times[p]
        j = members[p]
        for r in range(rank):
            sums[2][j, r] += shares[law, r]
            sums[3][j, r] += exposed[law + 1, r]
            sums[4][j, r] += squares[2 * law, r]


@numba.njit(cache=True, nogil=True)
def _gather(
    first: int,
    last: int,
    members: Integers,
    v: Floats,
    weight: Floats,
    posterior: Floats,
    exposed: Floats,
    shares: Floats,
    squares: Floats,
) -> None:
    """Add activations at positions first..last-1 to the sums over later receivers."""
    for k in range(first, last):
        if np.isnan(posterior[k]):
            continue
        i = members[k]
        for r in range(v.shape[1]):
            share = weight[k] * v[i, r]
            shares[0, r] += share
            squares[0, r] += share * share
            exposed[0, r] += (1.0 - posterior[k]) * v[i, r]
