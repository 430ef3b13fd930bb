"""One expectation pass over cascades: posteriors, the likelihood, and the statistics of every rate.

Psi = U V' is swept by running sums (`cascades.mixture.running`) where the law has them, else pair by pair
(`cascades.mixture.pairs`); theta is summed over the observed edges. Only what is not zero costs: entries of
the factors, and nodes that a network could reach. A node that neither could reach has posterior pi and
changes nothing. Nothing is kept per activation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cascades.exposures import Timeline
from cascades.mixture.arrays import clock_of, edges_of, factors_of, scratch_of, sums_of, table_of
from cascades.mixture.kernels import inlined, kernel
from cascades.mixture.observed import TRACE, activated, credit, expose, posterior, theta_sums
from cascades.mixture.pairs import credit_senders_by_pairs, list_senders, look_back, look_to_horizon
from cascades.mixture.running import credit_senders, move_on, start_sending
from cascades.mixture.state import Edges, Parameters, Sums
from cascades.tables.types import Floats, Integers


def expectation(
    line: Timeline,
    edges: Edges,
    parameters: Parameters,
    cascades: Integers,
    *,
    posteriors: Floats | None = None,
) -> Sums:
    """Return the sums over `cascades`.

    An activation that both networks declare impossible is counted in `unexplained` and left out. With
    `posteriors`, an array over the events, the posterior of theta is written there (nan at sources).
    """
    edge, factors = edges_of(edges, parameters.theta), factors_of(parameters)
    scratch, wanted = scratch_of(parameters), np.empty(0) if posteriors is None else posteriors
    _sweep(cascades, table_of(line), clock_of(line), edge, factors, scratch, wanted)
    return sums_of(edge, factors, scratch, edges, parameters)


@kernel
def _sweep(
    cascades: Integers, table: Any, clock: Any, edge: Any, factors: Any, scratch: Any, wanted: Floats
) -> None:
    nodes, sent, received = scratch.nodes, scratch.sent, scratch.received
    for c in cascades:
        first, last, horizon = table.starts[c], table.starts[c + 1], table.horizons[c]
        for p in range(first, last):
            nodes[table.members[p]].when = table.times[p]
        _clear(sent, received, horizon)
        _activations(first, last, table, clock, edge, factors, scratch)
        _survivors(first, last, horizon, table, clock, edge, factors, scratch)
        credit(first, last, horizon, table, edge, nodes, clock)
        if clock.running:
            credit_senders(first, last, table, factors, nodes, received, clock.delayed)
        else:
            credit_senders_by_pairs(first, last, horizon, table, factors, scratch, clock)
        for p in range(first, last):
            i = table.members[p]
            if len(wanted):
                explained = table.times[p] > table.times[first] and nodes[i].weight >= 0.0
                wanted[p] = nodes[i].posterior if explained else np.nan
            nodes[i].when = np.inf


@kernel
def _clear(sent: Any, received: Any, horizon: float) -> None:
    for r in range(len(sent)):
        sent[r].zeroth, sent[r].first, sent[r].second, sent[r].time = 0.0, 0.0, 0.0, 0.0
        received[r].exposed, received[r].exposed1, received[r].exposed2 = 0.0, 0.0, 0.0
        received[r].share, received[r].share1 = 0.0, 0.0
        received[r].square, received[r].square1, received[r].square2 = 0.0, 0.0, 0.0
        received[r].time = horizon


@kernel
def _activations(
    first: int, last: int, table: Any, clock: Any, edge: Any, factors: Any, scratch: Any
) -> None:
    """Posteriors of the activations, and the statistics of V and pi that they carry, in order of time."""
    nodes, sent, p, n = scratch.nodes, scratch.sent, first, 0
    if not clock.running:
        n = list_senders(first, last, table, factors.u_rows, scratch.listed)
    while p < last:
        t, end = table.times[p], p
        while end < last and table.times[end] == t:
            i = table.members[end]
            if p > first:
                _receive(i, t, n, clock, edge, factors, scratch)
            else:
                nodes[i].posterior, nodes[i].slope, nodes[i].weight = 0.0, 0.0, 0.0
            end += 1
        if clock.running:
            for q in range(p, end):
                start_sending(table.members[q], t, factors.u_rows, factors.u, sent, clock.delayed)
        p = end


@inlined
def _receive(i: int, t: float, n: int, clock: Any, edge: Any, factors: Any, scratch: Any) -> None:
    """Judge one activation."""
    nodes, sent, v = scratch.nodes, scratch.sent, factors.v
    begin, end = factors.v_rows[i], factors.v_rows[i + 1]
    hazard, exposure = theta_sums(i, edge.into, edge.senders, nodes, clock)
    rate, reached = 0.0, 0.0
    if begin < end and not clock.running:
        look_back(i, n, factors.u_rows, factors.u, sent, nodes, scratch.listed, clock)
    for k in range(begin, end):
        r = v[k].place
        if clock.running:
            move_on(sent, r, t, clock.delayed)
        rate += v[k].value * (sent[r].first if clock.delayed else sent[r].zeroth)
        reached += v[k].value * (sent[r].second if clock.delayed else sent[r].first)
    mine, other = activated(hazard, clock.width), activated(rate, clock.width)
    pi = nodes[i].pi
    q = posterior(pi * mine, exposure, (1.0 - pi) * other, reached, scratch.log)
    if np.isnan(q):
        nodes[i].posterior, nodes[i].slope, nodes[i].weight = 0.0, 0.0, -1.0
    else:
        weight = (1.0 - q) / other if other > 0.0 else 0.0
        damping = 1.0 if clock.width == 0.0 else np.exp(-rate)
        nodes[i].posterior, nodes[i].weight, nodes[i].damping = q, weight, damping
        nodes[i].slope = q / mine if mine > 0.0 else 0.0
        scratch.shares[i] += q
        scratch.counts[i] += 1.0
        for k in range(begin, end):
            r = v[k].place
            passed = sent[r].first if clock.delayed else sent[r].zeroth
            within = passed if clock.width > 0.0 else 0.0
            share = weight * passed
            v[k].sent += share
            v[k].exposure += (1.0 - q) * ((sent[r].second if clock.delayed else sent[r].first) + within)
            v[k].squares += share * share * damping


@kernel
def _survivors(
    first: int, last: int, horizon: float, table: Any, clock: Any, edge: Any, factors: Any, scratch: Any
) -> None:
    """Nodes exposed and not activated: theta's out-neighbours, and rows of V in factors that were sent."""
    nodes, sent, received, touched = scratch.nodes, scratch.sent, scratch.received, scratch.touched
    rows, v = factors.v_rows, factors.v
    n = expose(first, last, horizon, table, edge, nodes, touched, clock)
    if not clock.running:
        n_senders = list_senders(first, last, table, factors.u_rows, scratch.listed)
        look_to_horizon(n_senders, horizon, factors.u_rows, factors.u, sent, nodes, scratch.listed, clock)
    for r in range(len(sent)):
        if clock.running:
            move_on(sent, r, horizon, clock.delayed)
        x = sent[r].second if clock.delayed else sent[r].first
        sent[r].first = x  # from here on: the exposure at the horizon, for V of 1
        n = _expose_column(
            x, n, factors.v_columns[r], factors.v_columns[r + 1], factors.by_column, nodes, touched
        )
    for s in range(n):
        i = touched[s]
        pi = nodes[i].pi
        q = posterior(pi, nodes[i].exposure, 1.0 - pi, nodes[i].reached, scratch.log)
        scratch.shares[i] += q
        scratch.counts[i] += 1.0
        for k in range(rows[i], rows[i + 1]):
            r = v[k].place
            v[k].exposure += (1.0 - q) * sent[r].first
            received[r].exposed += (1.0 - q) * v[k].value
        nodes[i].posterior, nodes[i].exposure, nodes[i].reached = q, 0.0, 0.0


@kernel
def _expose_column(
    x: float, n: int, begin: int, end: int, by_column: Any, nodes: Any, touched: Integers
) -> int:
    """Add a factor's exposure, x for V of 1, of nodes that were not activated; return the number touched."""
    if x <= 0.0:
        return n
    for k in range(begin, end):
        i = by_column[k].place
        if nodes[i].when == np.inf:
            if nodes[i].exposure == 0.0 and nodes[i].reached == 0.0:
                touched[n] = i
                n += 1
            nodes[i].reached += by_column[k].value * x + TRACE
    return n
