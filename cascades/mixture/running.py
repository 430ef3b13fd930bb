"""Psi's side of a pass by running sums: exact exponential and Rayleigh times, O(non-zero entries) an event.

Forwards in time each factor r keeps P = sum of U_jr over active senders and its integrals over time. Node i
sees the hazard V_i.P and has been exposed to the integral V_i.Q (Rayleigh: one integral more each). Backwards
the same sums over later receivers give U its statistics. A factor is moved in time only when it is needed.
"""

from __future__ import annotations

from typing import Any

from cascades.mixture.kernels import inlined, kernel
from cascades.tables.types import Integers


@inlined
def move_on(sent: Any, r: int, t: float, delayed: bool) -> None:
    """Move one factor's integrals of what is sent on to time t."""
    dt = t - sent[r].time
    if delayed:
        sent[r].second += sent[r].first * dt + 0.5 * sent[r].zeroth * dt * dt
    sent[r].first += sent[r].zeroth * dt
    sent[r].time = t


@inlined
def start_sending(j: int, t: float, rows: Integers, u: Any, sent: Any, delayed: bool) -> None:
    """Let node j send from time t on."""
    for k in range(rows[j], rows[j + 1]):
        r = u[k].place
        move_on(sent, r, t, delayed)
        sent[r].zeroth += u[k].value


@inlined
def _move_back(received: Any, r: int, t: float, delayed: bool) -> None:
    """Move one factor's sums over later receivers back to time t."""
    dt = received[r].time - t
    if delayed:
        received[r].exposed2 += received[r].exposed1 * dt + 0.5 * received[r].exposed * dt * dt
        received[r].square2 += 2.0 * received[r].square1 * dt + received[r].square * dt * dt
        received[r].square1 += received[r].square * dt
        received[r].share1 += received[r].share * dt
    received[r].exposed1 += received[r].exposed * dt
    received[r].time = t


@inlined
def _credit_sender(j: int, t: float, rows: Integers, u: Any, received: Any, delayed: bool) -> None:
    for k in range(rows[j], rows[j + 1]):
        r = u[k].place
        _move_back(received, r, t, delayed)
        u[k].sent += received[r].share1 if delayed else received[r].share
        u[k].exposure += received[r].exposed2 if delayed else received[r].exposed1
        u[k].squares += received[r].square2 if delayed else received[r].square


@inlined
def _start_receiving(
    i: int, t: float, rows: Integers, v: Any, received: Any, nodes: Any, delayed: bool
) -> None:
    exposed, weight = 1.0 - nodes[i].posterior, nodes[i].weight
    for k in range(rows[i], rows[i + 1]):
        r = v[k].place
        _move_back(received, r, t, delayed)
        share = weight * v[k].value
        received[r].exposed += exposed * v[k].value
        received[r].share += share
        received[r].square += share * share


@kernel
def credit_senders(n: int, first: int, table: Any, factors: Any, scratch: Any, delayed: bool) -> None:
    """Add the statistics of U, from the horizon back to the source; activations at one time are blind.

    Only the `n` activations of nodes with entries in a factor take part.
    """
    latent, received, end, origin = scratch.latent, scratch.received, n, table.times[first]
    while end > 0:
        t, s = table.times[latent[end - 1]], end
        while s > 0 and table.times[latent[s - 1]] == t:
            s -= 1
            _credit_sender(table.members[latent[s]], t, factors.u_rows, factors.u, received, delayed)
        for q in range(s, end):
            i = table.members[latent[q]]
            if t > origin and scratch.nodes[i].weight >= 0.0:
                _start_receiving(i, t, factors.v_rows, factors.v, received, scratch.nodes, delayed)
        end = s
