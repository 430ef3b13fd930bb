"""Psi's side of a pass pair by pair: any law, exact or grouped times, O(pairs * non-zero entries).

Where hazards have no finite set of running integrals (power law, Weibull) or times are bins, each activation
looks back at all earlier senders and each sender ahead at all later receivers. For exponential and Rayleigh
hazards and exact times the sums are those of `cascades.mixture.running`; a power law can be approximated by
those of `cascades.mixture.fading`.
"""

from __future__ import annotations

from typing import Any

from cascades.mixture.kernels import kernel
from cascades.mixture.observed import before, can_send, until, weight
from cascades.tables.types import Floats, Integers


@kernel
def list_senders(first: int, last: int, table: Any, rows: Integers, listed: Integers) -> int:
    """Write the activated nodes whose row of a factor is not empty to `listed`; return how many they are."""
    n = 0
    for p in range(first, last):
        j = table.members[p]
        if rows[j] < rows[j + 1]:
            listed[n] = j
            n += 1
    return n


@kernel
def look_back(
    i: int, n: int, rows: Integers, u: Any, sent: Any, when: Floats, listed: Integers, clock: Any
) -> None:
    """Set `zeroth` and `first`: weights of the senders of i's activation, and exposure before it."""
    for r in range(len(sent)):
        sent[r].zeroth, sent[r].first = 0.0, 0.0
    for s in range(n):
        j = listed[s]
        lag = when[i] - when[j]
        if j != i and can_send(lag, clock.width):
            early, x = before(lag, clock), weight(lag, clock)
            for k in range(rows[j], rows[j + 1]):
                r = u[k].place
                sent[r].zeroth += u[k].value * x
                sent[r].first += u[k].value * early


@kernel
def look_to_horizon(
    n: int, horizon: float, rows: Integers, u: Any, sent: Any, when: Floats, listed: Integers, clock: Any
) -> None:
    """Set `first`: the exposure of those who survive."""
    for r in range(len(sent)):
        sent[r].first = 0.0
    for s in range(n):
        j = listed[s]
        x = until(horizon - when[j], clock)
        for k in range(rows[j], rows[j + 1]):
            sent[u[k].place].first += u[k].value * x


@kernel
def _look_ahead(
    j: int, n: int, rows: Integers, v: Any, sent: Any, nodes: Any, when: Floats, listed: Integers, clock: Any
) -> None:
    """Set `zeroth`, `first` and `second`: shares, exposures and squares of later activations, for U of 1."""
    for r in range(len(sent)):
        sent[r].zeroth, sent[r].first, sent[r].second = 0.0, 0.0, 0.0
    for s in range(n):
        i = listed[s]
        lag = when[i] - when[j]
        if i == j or not can_send(lag, clock.width) or nodes[i].weight < 0.0:
            continue
        x = weight(lag, clock)
        within = x if clock.width > 0.0 else 0.0
        exposed = (1.0 - nodes[i].posterior) * (before(lag, clock) + within)
        for k in range(rows[i], rows[i + 1]):
            r = v[k].place
            share = nodes[i].weight * x * v[k].value
            sent[r].zeroth += share
            sent[r].first += exposed * v[k].value
            sent[r].second += share * share * nodes[i].damping


@kernel
def credit_senders_by_pairs(
    first: int, last: int, horizon: float, table: Any, factors: Any, scratch: Any, clock: Any
) -> None:
    """Add the statistics of U; `exposed` of `received` holds what survivors add for exposure 1."""
    nodes, sent, received, listed = scratch.nodes, scratch.sent, scratch.received, scratch.listed
    begin = first
    while begin < last and table.times[begin] == table.times[first]:
        begin += 1  # sources receive nothing
    n = list_senders(begin, last, table, factors.v_rows, listed)
    for p in range(first, last):
        j = table.members[p]
        if factors.u_rows[j] < factors.u_rows[j + 1]:
            _look_ahead(j, n, factors.v_rows, factors.v, sent, nodes, scratch.when, listed, clock)
            x = until(horizon - table.times[p], clock)
            for k in range(factors.u_rows[j], factors.u_rows[j + 1]):
                r = factors.u[k].place
                factors.u[k].sent += sent[r].zeroth
                factors.u[k].exposure += sent[r].first + received[r].exposed * x
                factors.u[k].squares += sent[r].second
