"""One expectation pass over cascades: posteriors, the likelihood, and the statistics of every rate.

Psi = U V' is swept by running sums (`cascades.mixture.running`) where the law has them, if asked by sums that
fade (`cascades.mixture.fading`), else pair by pair (`cascades.mixture.pairs`); theta is summed over the
observed edges. Only what is not zero costs: entries of the factors, and nodes that a network could reach. A
node that neither could reach has posterior pi and changes nothing. Nothing is kept per activation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cascades.exposures import Timeline
from cascades.mixture.arrays import (
    UNTOUCHED,
    clock_of,
    factors_of,
    graph_of,
    scratch_of,
    sums_of,
    table_of,
)
from cascades.mixture.decays import Decays
from cascades.mixture.fading import clear_fading, credit_senders_by_fading, fade_to, fade_to_horizon
from cascades.mixture.kernels import inlined, kernel
from cascades.mixture.observed import (
    activated,
    credit,
    credit_survivor,
    posterior,
    survived,
    theta_sums,
    touch,
    touch_all,
)
from cascades.mixture.pairs import credit_senders_by_pairs, list_senders, look_back, look_to_horizon
from cascades.mixture.running import credit_senders, move_on, start_sending
from cascades.mixture.state import Edges, Parameters, Sums
from cascades.tables.types import Floats, Integers

PART = 8
"""A cascade of an eighth of all nodes or more is judged in the order of nodes."""


def expectation(
    line: Timeline,
    edges: Edges,
    parameters: Parameters,
    cascades: Integers,
    *,
    posteriors: Floats | None = None,
    decays: Decays | None = None,
) -> Sums:
    """Return the sums over `cascades`.

    An activation that both networks declare impossible is counted in `unexplained` and left out. With
    `posteriors`, an array over the events, the posterior of theta is written there (nan at sources). With
    `decays` they stand for psi's hazard; theta's remains the law's.
    """
    graph, factors = graph_of(edges, parameters.theta), factors_of(parameters)
    scratch, clock = scratch_of(parameters, decays), clock_of(line, decays)
    wanted = np.empty(0) if posteriors is None else posteriors
    _sweep(cascades, table_of(line), clock, graph, factors, scratch, wanted)
    return sums_of(graph, factors, scratch, parameters)


@kernel
def _sweep(
    cascades: Integers, table: Any, clock: Any, graph: Any, factors: Any, scratch: Any, wanted: Floats
) -> None:
    when, nodes, latent = scratch.when, scratch.nodes, scratch.latent
    for c in cascades:
        first, last, horizon = table.starts[c], table.starts[c + 1], table.horizons[c]
        n = 0
        for p in range(first, last):
            i = table.members[p]
            when[i] = table.times[p]
            latent[n] = p
            n += factors.used[i]
        if clock.fading:
            clear_fading(scratch)
        _clear(scratch.sent, scratch.received, horizon)
        _activations(n, first, last, table, clock, graph, factors, scratch)
        _others(first, last, horizon, table, clock, graph, factors, scratch)
        if clock.running:
            credit_senders(n, first, table, factors, scratch, clock.delayed)
        elif clock.fading:
            credit_senders_by_fading(n, table, factors, scratch)
        else:
            credit_senders_by_pairs(first, last, horizon, table, factors, scratch, clock)
        for p in range(first, last):
            i = table.members[p]
            if len(wanted):
                explained = table.times[p] > table.times[first] and nodes[i].weight >= 0.0
                wanted[p] = nodes[i].posterior if explained else np.nan
            when[i] = UNTOUCHED


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
    n: int, first: int, last: int, table: Any, clock: Any, graph: Any, factors: Any, scratch: Any
) -> None:
    """Judge activations that psi could have caused, in order of time: among `n` of nodes with entries."""
    sent, latent, origin = scratch.sent, scratch.latent, table.times[first]
    s, n_senders, entering = 0, 0, 0
    if clock.pairwise:
        n_senders = list_senders(first, last, table, factors.u_rows, scratch.listed)
    while s < n:
        t, end = table.times[latent[s]], s
        while end < n and table.times[latent[end]] == t:
            i = table.members[latent[end]]
            if t > origin and factors.v_rows[i] < factors.v_rows[i + 1]:
                if clock.fading and sent[0].time < t:
                    entering = fade_to(t, entering, table, factors, scratch)
                _receive(i, t, n_senders, clock, graph, factors, scratch)
            end += 1
        if clock.running:
            for q in range(s, end):
                start_sending(table.members[latent[q]], t, factors.u_rows, factors.u, sent, clock.delayed)
        s = end


@inlined
def _receive(i: int, t: float, n: int, clock: Any, graph: Any, factors: Any, scratch: Any) -> None:
    """Judge one activation."""
    nodes, sent, v = scratch.nodes, scratch.sent, factors.v
    begin, end = factors.v_rows[i], factors.v_rows[i + 1]
    hazard, exposure = theta_sums(i, t, graph.into, graph.edges, scratch.when, clock)
    rate, reached = 0.0, 0.0
    if begin < end and clock.pairwise:
        look_back(i, n, factors.u_rows, factors.u, sent, scratch.when, scratch.listed, clock)
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
        nodes[i].posterior, nodes[i].weight = 0.0, -1.0
    else:
        weight = (1.0 - q) / other if other > 0.0 else 0.0
        damping = 1.0 if clock.width == 0.0 else np.exp(-rate)
        nodes[i].posterior, nodes[i].weight, nodes[i].damping = q, weight, damping
        slope = q / mine if mine > 0.0 else 0.0
        credit(i, t, q, slope, graph.into, graph.edges, scratch.when, clock)
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
def _others(
    first: int, last: int, horizon: float, table: Any, clock: Any, graph: Any, factors: Any, scratch: Any
) -> None:
    """Judge all whose order does not matter: activations out of psi's reach, and nodes not activated.

    In a large cascade they are visited in the order of nodes, so that their edges are read one after another.
    """
    when, touched, plain, origin = scratch.when, scratch.touched, scratch.plain, table.times[first]
    sending = _psi_at_horizon(first, last, horizon, table, clock, factors, scratch)
    n, n_plain = 0, 0
    if PART * (last - first) > len(when):
        for i in range(len(when)):
            empty = factors.v_rows[i] == factors.v_rows[i + 1]
            touched[n], plain[n_plain] = i, i
            n += when[i] == UNTOUCHED
            n_plain += empty & (when[i] > origin) & (when[i] < UNTOUCHED)
    else:
        for p in range(first, last):
            i = table.members[p]
            plain[n_plain] = i
            n_plain += (factors.v_rows[i] == factors.v_rows[i + 1]) & (when[i] > origin)
        n = touch(first, last, table.members, graph.out, graph.receivers, when, touched)
        if sending:
            n = touch_all(factors.receivers, n, when, touched)
    for s in range(n_plain):
        _receive(plain[s], when[plain[s]], 0, clock, graph, factors, scratch)
    for s in range(n):
        _survive(touched[s], horizon, clock, graph, factors, scratch)
    for s in range(n):
        when[touched[s]] = UNTOUCHED


@kernel
def _psi_at_horizon(
    first: int, last: int, horizon: float, table: Any, clock: Any, factors: Any, scratch: Any
) -> bool:
    """Set `first` of each factor to its exposure at the horizon, for V of 1; return whether any has one."""
    sent, sending = scratch.sent, False
    if clock.fading:
        fade_to_horizon(first, last, horizon, table, factors, scratch)
    elif clock.pairwise:
        n = list_senders(first, last, table, factors.u_rows, scratch.listed)
        look_to_horizon(n, horizon, factors.u_rows, factors.u, sent, scratch.when, scratch.listed, clock)
    for r in range(len(sent)):
        if clock.running:
            move_on(sent, r, horizon, clock.delayed)
        sent[r].first = sent[r].second if clock.delayed else sent[r].first
        sending |= sent[r].first > 0.0
    return sending


@inlined
def _survive(i: int, horizon: float, clock: Any, graph: Any, factors: Any, scratch: Any) -> None:
    """Judge one node that was not activated, by its exposure through theta and through psi."""
    nodes, sent, received, v = scratch.nodes, scratch.sent, scratch.received, factors.v
    exposure = survived(i, horizon, graph.into, graph.edges, scratch.when, clock)
    pi, reached = nodes[i].pi, 0.0
    for k in range(factors.v_rows[i], factors.v_rows[i + 1]):
        reached += v[k].value * sent[v[k].place].first
    if exposure + reached > 0.0:
        q = posterior(pi, exposure, 1.0 - pi, reached, scratch.log)
        credit_survivor(i, horizon, q, graph.into, graph.edges, scratch.when, clock)
        scratch.shares[i] += q
        scratch.counts[i] += 1.0
        for k in range(factors.v_rows[i], factors.v_rows[i + 1]):
            r = v[k].place
            v[k].exposure += (1.0 - q) * sent[r].first
            received[r].exposed += (1.0 - q) * v[k].value
