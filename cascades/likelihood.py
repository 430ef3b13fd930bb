"""The likelihood of a network on any table, event by event: for held-out scores and residuals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

from cascades.errors import ArgumentError
from cascades.networks import Network
from cascades.tables import Cascades
from cascades.tables.types import Floats, Integers
from cascades.transmission import Law, cumulative_of, hazard_of


@dataclass(frozen=True, slots=True, eq=False)
class Account:
    """Cumulative hazards of every (cascade, node) pair that was at risk.

    Parameters
    ----------
    hazards : (n_events,) float array
        u, the total hazard at each activation (grouped: cumulative within its bin); nan at sources.
    reached : (n_events,) float array
        Cumulative hazard before each activation; nan at sources.
    survived : (n_survivors,) float array
        Cumulative hazard until the horizon of each pair that was exposed and not activated.
    survivor_nodes, survivor_cascades : (n_survivors,) int arrays
    grouped : bool
    """

    hazards: Floats
    reached: Floats
    survived: Floats
    survivor_nodes: Integers
    survivor_cascades: Integers
    grouped: bool


def account(
    network: Network, data: Cascades, law: Law, *, background: Floats | None = None, width: float = 0.0
) -> Account:
    """Follow every cascade through `network`; O(sum of sizes * out-degree)."""
    if network.nodes != data.nodes:
        raise ArgumentError(
            "data: its nodes differ from the network's in labels or order; read it with nodes="
        )
    order = np.argsort(network.senders, kind="stable")
    pointers = np.concatenate([[0], np.cumsum(np.bincount(network.senders, minlength=network.n_nodes))])
    edges = (pointers, network.receivers[order], network.weights[order])
    table = (data.starts, data.members, data.times, data.horizons)
    base = np.zeros(network.n_nodes) if background is None else np.asarray(background, dtype=float)
    how = (law.code, law.parameter, float(width), bool(np.any(base > 0.0)))
    return Account(*_follow(table, edges, base, how), width > 0.0)


def log_likelihood_by_cascade(book: Account, data: Cascades) -> Floats:
    """Return the log-likelihood of each cascade given its sources; -inf where an activation is impossible.

    Exact times: sum of log u - reached over activations, minus survived. Grouped: log(1 - exp(-u)) for log u.
    The value of a density depends on the unit of time; differences between models do not.
    """
    inside = ~np.isnan(book.hazards)
    with np.errstate(divide="ignore"):
        gain = np.log(-np.expm1(-book.hazards)) if book.grouped else np.log(book.hazards)
    events = np.where(inside, gain - book.reached, 0.0)
    total = np.add.reduceat(events, data.starts[:-1])
    np.subtract.at(total, book.survivor_cascades, book.survived)
    return total


def left_out(n_unexplained: int, why: str) -> str:
    """Say that activations are missing in a log-likelihood, and what that forbids."""
    return (
        f"{n_unexplained} activations {why}; the log-likelihood is without them, so it is not comparable "
        "with that of a fit that explains more or fewer"
    )


def _follow(
    table: Any, edges: Any, base: Floats, how: Any
) -> tuple[Floats, Floats, Floats, Integers, Integers]:
    """Follow all cascades; the kernel stops when the arrays are full and goes on in larger ones."""
    starts, members, times, _ = table
    n = len(base)
    events = (np.zeros(len(times)), np.zeros(len(times)))
    scratch = (np.full(n, -1, dtype=np.int64), np.zeros(n), np.empty(n, dtype=np.int64))
    room = 4 * len(members) + n
    survivors = (np.empty(room), np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64))
    done, count = 0, 0
    while True:
        done, count = _some(done, count, table, edges, base, how, events, scratch, survivors)
        if done == len(starts) - 1:
            break
        value, node, cascade = survivors
        survivors = (_longer(value), _longer(node), _longer(cascade))
    return events[0], events[1], survivors[0][:count], survivors[1][:count], survivors[2][:count]


def _longer(array: Any) -> Any:
    return np.concatenate([array, np.empty_like(array)])


@numba.njit(cache=True)
def _some(
    done: int,
    count: int,
    table: Any,
    edges: Any,
    base: Floats,
    how: Any,
    events: Any,
    scratch: Any,
    survivors: Any,
) -> tuple[int, int]:
    """Follow cascades from number `done` on while there is room; return (done, number of survivors)."""
    starts, members, times, horizons = table
    hazards, reached = events
    position, exposure, touched = scratch
    value, node, cascade = survivors
    n = len(base)
    while done < len(starts) - 1 and count + n <= len(value):
        first, last = starts[done], starts[done + 1]
        for p in range(first, last):
            position[members[p]] = p
        n_touched = 0
        for p in range(first, last):
            n_touched = _pass_on(p, horizons[done], table, edges, how, events, scratch, n_touched)
        _spontaneous(first, last, table, base, how[2], hazards, reached)
        span = horizons[done] - times[first] + 0.5 * how[2]
        for k in range(n if how[3] else n_touched):
            i = k if how[3] else touched[k]
            total = exposure[i] + base[i] * span
            exposure[i] = 0.0
            if position[i] < 0 and total > 0.0:
                value[count], node[count], cascade[count] = total, i, done
                count += 1
        for p in range(first, last):
            position[members[p]] = -1
        done += 1
    return done, count


@numba.njit(cache=True)
def _pass_on(
    p: int, horizon: float, table: Any, edges: Any, how: Any, events: Any, scratch: Any, n_touched: int
) -> int:
    """Add what the activation at position p contributes to everyone it can reach."""
    _, members, times, _ = table
    pointers, targets, rates = edges
    code, parameter, width, _ = how
    hazards, reached = events
    position, exposure, touched = scratch
    for e in range(pointers[members[p]], pointers[members[p] + 1]):
        i, rate, q = targets[e], rates[e], position[targets[e]]
        if q < 0:
            if exposure[i] == 0.0:
                touched[n_touched] = i
                n_touched += 1
            exposure[i] += rate * cumulative_of(code, parameter, horizon - times[p] + 0.5 * width) + 1e-300
            continue
        lag = times[q] - times[p]
        if q == p or lag < 0.0 or (width == 0.0 and lag == 0.0):
            continue
        early = cumulative_of(code, parameter, max(lag - 0.5 * width, 0.0))
        reached[q] += rate * early
        if width > 0.0:
            hazards[q] += rate * (cumulative_of(code, parameter, lag + 0.5 * width) - early)
        else:
            hazards[q] += rate * hazard_of(code, parameter, lag)
    return n_touched


@numba.njit(cache=True)
def _spontaneous(
    first: int, last: int, table: Any, base: Floats, width: float, hazards: Floats, reached: Floats
) -> None:
    """Add the background to activations of one cascade; sources are conditioned on."""
    _, members, times, _ = table
    for p in range(first, last):
        if times[p] == times[first]:
            hazards[p], reached[p] = np.nan, np.nan
            continue
        b = base[members[p]]
        reached[p] += b * max(times[p] - times[first] - 0.5 * width, 0.0)
        hazards[p] += b * (width if width > 0.0 else 1.0)
