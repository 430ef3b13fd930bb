"""From a cascade table to what each receiver was exposed to.

For receiver i and sender j three numbers carry everything that the likelihood needs: for each event e (an
activation of i that had possible senders) the *weight* x_ej of sender j at that moment, and over all cascades
the *exposure* D_j, the total cumulative hazard for rate 1. The negative log-likelihood of i's rates a is

    f(a) = sum_j D_j a_j + sum_e loss(sum_j x_ej a_j)

with loss(u) = -log u for exact times (x the hazard) and -log(1 - exp(-u)) for grouped times (x the cumulative
hazard within the bin). Sum over non-activated nodes is folded into totals per sender, so the work is
O(sum of n_c^2) and never n_cascades * n_nodes^2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numba
import numpy as np

from cascades.tables import Cascades
from cascades.tables.types import Floats, Integers
from cascades.transmission import Law, Rayleigh, cumulative_of, weight_of

SAME_LAG = 1e-10
"""Relative difference up to which a lag counts as the power law's delta, which rounding must not decide."""


@dataclass(frozen=True, slots=True, eq=False)
class ByNode:
    """Where each node's activations stand.

    Parameters
    ----------
    events, starts : int arrays
        Positions of node i's activations: ``events[starts[i]:starts[i + 1]]``.
    cascade_of : (n_events,) int array
    """

    events: Integers
    starts: Integers
    cascade_of: Integers


@dataclass(frozen=True, eq=False)
class Timeline:
    """A table prepared for one law: times from each cascade's start in internal units.

    What only some models need, the index by node and the totals, is made when first asked for: for a hundred
    million activations it is as large as the table.

    Parameters
    ----------
    starts, members, times, horizons : arrays
        As in `Cascades`; times count from the first activation, in units of `scale`.
    n_nodes : int
    law : Law
        In internal units.
    width : float
        Width of a bin for grouped times, 0 for exact times.
    scale : float
        One internal unit of time in the table's unit.
    """

    starts: Integers
    members: Integers
    times: Floats
    horizons: Floats
    n_nodes: int
    law: Law
    width: float
    scale: float

    def first(self, n_cascades: int) -> Timeline:
        """Return the first cascades in the same units."""
        end = self.starts[n_cascades]
        return replace(
            self,
            starts=self.starts[: n_cascades + 1],
            members=self.members[:end],
            times=self.times[:end],
            horizons=self.horizons[:n_cascades],
        )

    @cached_property
    def by_node(self) -> ByNode:
        """The activations of each node."""
        counts = np.bincount(self.members, minlength=self.n_nodes)
        return ByNode(
            np.argsort(self.members, kind="stable"),
            np.concatenate([[0], np.cumsum(counts)]),
            np.repeat(np.arange(len(self.horizons)), np.diff(self.starts)),
        )

    @cached_property
    def totals(self) -> Floats:
        """For each sender, the exposure it would give to a node that is never activated."""
        found = np.zeros(self.n_nodes)
        remaining = self.horizons[self.by_node.cascade_of] - self.times + 0.5 * self.width
        np.add.at(found, self.members, self.law.cumulative(remaining))
        return found

    @cached_property
    def of_lags(self) -> Timeline:
        """The same with lags for hazards (the Rayleigh law's)."""
        return replace(self, law=Rayleigh(), width=0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Exposure:
    """What one receiver was exposed to, as a sparse matrix by sender.

    Parameters
    ----------
    receiver : int
    senders : (n_candidates,) int array
        Nodes seen before the receiver in at least one cascade; -1 stands for the background.
    pointers, events, weights : arrays
        Column k holds the weights x of sender k: rows ``events[pointers[k]:pointers[k + 1]]``.
    exposures : (n_candidates,) float array
        D, the total cumulative hazard for rate 1.
    n_events : int
        Activations that at least one candidate can explain.
    n_unexplained : int
        Activations after the source that no candidate can explain (power law: every lag below delta).
    """

    receiver: int
    senders: Integers
    pointers: Integers
    events: Integers
    weights: Floats
    exposures: Floats
    n_events: int
    n_unexplained: int


def timeline(data: Cascades, law: Law, *, width: float = 0.0) -> Timeline:
    """Prepare a table for `law`; with `width` > 0 times are taken as bins of that width.

    Times are divided by the mean time watched after the first activation, so that epoch seconds and years
    give the same numbers to the optimiser.
    """
    horizons = data.horizons - data.first_times
    watched = float(np.mean(horizons))
    scale = watched if watched > 0 else 1.0
    times = data.since_source
    times /= scale
    units = (law.rescaled((1.0 + SAME_LAG) / scale), width / scale, scale)
    return Timeline(data.starts, data.members, times, horizons / scale, data.n_nodes, *units)


def exposure_of(
    line: Timeline, receiver: int, *, background: bool = False, everyone: bool = False
) -> Exposure:
    """Collect what `receiver` was exposed to; O(sum of sizes of the cascades that it is in).

    With `everyone` all nodes are columns, also those never seen before the receiver.
    """
    n = line.n_nodes
    index = line.by_node
    table = (line.starts, line.members, line.times, line.horizons, index.cascade_of)
    own = index.events[index.starts[receiver] : index.starts[receiver + 1]]
    how = (line.law.code, line.law.parameter, line.width, background)
    counts = np.zeros(n + 1, dtype=np.int64)  # the last column is the background
    together, exposures = np.zeros(n), np.zeros(n + 1)
    _tally(table, own, how, counts, together, exposures)
    survived = line.totals - together
    exposures[:n] += np.where(survived > 1e-12 * line.totals, survived, 0.0)  # below that it is rounding
    exposures[n] += line.horizons.sum() + 0.5 * line.width * len(line.horizons)
    counts[exposures <= 0.0] = 0  # never a sender without the receiver: no finite rate
    senders = np.arange(n) if everyone else np.flatnonzero(counts)
    pointers = np.concatenate([[0], np.cumsum(counts[senders])])
    cursor = np.zeros(n + 1, dtype=np.int64)
    cursor[senders] = pointers[:-1]
    events, weights = np.empty(pointers[-1], dtype=np.int64), np.empty(pointers[-1])
    n_events, n_unexplained = _fill(table, own, how, counts, cursor, events, weights)
    labels = np.where(senders == n, -1, senders)
    return Exposure(receiver, labels, pointers, events, weights, exposures[senders], n_events, n_unexplained)


def lags_of(line: Timeline, receiver: int) -> Exposure:
    """Return the exposure whose weights are the lags themselves (the Rayleigh hazard is the lag)."""
    return exposure_of(line.of_lags, receiver)


@numba.njit(cache=True)
def _can_send(width: float, earlier: float, later: float) -> bool:
    """Return whether an activation at `earlier` may have caused one at `later`; grouped: same bin too."""
    return earlier < later or (width > 0.0 and earlier == later)


@numba.njit(cache=True, nogil=True)
def _tally(table: Any, own: Integers, how: Any, counts: Integers, together: Floats, before: Floats) -> None:
    """Count entries and sum exposures per sender, in place; the last column is the background."""
    starts, members, times, horizons, cascade_of = table
    code, parameter, width, background = how
    n = len(together)
    for p in own:
        c = cascade_of[p]
        first, t = starts[c], times[p]
        source = t == times[first]
        for q in range(first, starts[c + 1]):
            if q == p:
                continue
            j = members[q]
            together[j] += cumulative_of(code, parameter, horizons[c] - times[q] + 0.5 * width)
            if not source and _can_send(width, times[q], t):
                before[j] += cumulative_of(code, parameter, max(t - times[q] - 0.5 * width, 0.0))
                counts[j] += weight_of(code, parameter, width, t - times[q]) > 0.0
        before[n] -= horizons[c] + 0.5 * width
        if not source:
            before[n] += max(t - 0.5 * width, 0.0)
            counts[n] += background


@numba.njit(cache=True, nogil=True)
def _fill(
    table: Any,
    own: Integers,
    how: Any,
    counts: Integers,
    cursor: Integers,
    events: Integers,
    weights: Floats,
) -> tuple[int, int]:
    """Write the columns; return how many activations they explain and how many they do not."""
    starts, members, times, _, cascade_of = table
    code, parameter, width, _ = how
    n = len(counts) - 1
    row, n_unexplained = 0, 0
    for p in own:
        first, t = starts[cascade_of[p]], times[p]
        if t == times[first]:
            continue
        used = False
        for q in range(first, starts[cascade_of[p] + 1]):
            j = members[q]
            if q == p or counts[j] == 0 or not _can_send(width, times[q], t):
                continue
            x = weight_of(code, parameter, width, t - times[q])
            if x > 0.0:
                events[cursor[j]], weights[cursor[j]] = row, x
                cursor[j] += 1
                used = True
        if counts[n] > 0:
            events[cursor[n]], weights[cursor[n]] = row, width if width > 0.0 else 1.0
            cursor[n] += 1
            used = True
        row += used
        n_unexplained += not used
    return row, n_unexplained
