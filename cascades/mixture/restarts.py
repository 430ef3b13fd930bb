"""Receivers that ended in the wrong maximum: each is started again by itself, and keeps its best end.

Given psi's edges, receivers share no parameter: each is a mixture of two columns with a preference, a small
problem of its own with several maxima. On an edge of both networks theta may have taken what is psi's, or psi
what is theta's. After a search every receiver is therefore climbed again, psi edge by edge, from other rates
of theta and with the shared edges given over to theta; where that ends higher, theta, pi and the receiver's
row of V go on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import scipy.sparse as sp
from scipy.optimize import nnls

from cascades.exposures import Timeline
from cascades.mixture.climb import best_by_receiver, climb
from cascades.mixture.layered import Layers, entries
from cascades.mixture.search import FROZEN_PASSES, LARGER_SAMPLE, SAMPLE, Search, Stage
from cascades.mixture.state import Parameters, Sums
from cascades.networks import Network
from cascades.tables.types import Floats, Integers

Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]
PASSES = 40
EVENTS = 300_000
PER_NODE = 100
GAIN = 1.0
"""Of a receiver's log-likelihood, below which its end is the same."""
GIVEN = 0.01
DIM = 0.1
TRACE = 1e-12
MOST_PASSES = 5 * PASSES + 20
"""Of all climbs of `restarted` with two typical rates, and of the trial on a usual plan."""


def restart(
    search: Search, support: Network, p: Parameters, sums: Sums, rates: Sequence[float]
) -> tuple[Parameters, Sums]:
    """Return where the search gets to once receivers have started again, or its end `p` if that is higher.

    What a few cascades say is tried on the larger sample, against `p` that climbs there too, before passes
    over all cascades are spent on it. A table is left alone if nodes are too many to be judged by a few.
    """
    n = len(p.pi)
    if PER_NODE * n > EVENTS and len(search.line.members) > EVENTS:
        search.log.append("receivers were not started again: they are too many for that")
        return p, sums
    again, n_moved = restarted(search.line, support, p, rates, search.tell)
    if not n_moved:
        return p, sums
    trial = Stage(np.arange(search.size(LARGER_SAMPLE)), search.plan.refits)
    (_, here), (there, new) = (search.climb(q, trial) for q in (p, again))
    better = search.value(new) > search.value(here)
    if better:
        found = search.refine(search.pruned(there, new))
        better = search.value(found[1]) > search.value(sums)
        p, sums = found if better else (p, sums)
    verdict = "kept" if better else "not kept"
    search.log.append(f"{n_moved} receivers ended higher from another start; {verdict}")
    return p, sums


def restarted(
    line: Timeline,
    support: Network,
    p: Parameters,
    rates: Sequence[float],
    tell: Callable[[int], None],
) -> tuple[Parameters, int]:
    """Return `p` with theta, pi and V of receivers that end higher from another start, and their number."""
    line, here = _enough(line), _layers(support, p)
    cascades = np.arange(len(line.horizons))
    on_support = _on(support, here)
    ends = [climb(line, here, cascades, passes=PASSES, tell=tell)]
    for theta, psi in _starts(here.rates, on_support, rates):
        start = here.changed(rates=np.stack([theta, psi], axis=1), shares=np.full_like(here.shares, 0.5))
        ends.append(climb(line, start, cascades, passes=PASSES, frozen=FROZEN_PASSES, tell=tell))
    values = np.stack([end.sums.by_node for end in ends])
    moved = values.max(axis=0) > values[0] + GAIN
    best = best_by_receiver(ends)
    theta = entries(best.matrix(0), support.senders, support.receivers)
    return p.changed(
        theta=np.where(moved[support.receivers], theta, p.theta),
        pi=np.where(moved, best.shares[:, 0], p.pi),
        v=_rows(p, best.matrix(1), np.flatnonzero(moved)),
    ), int(moved.sum())


def _rows(p: Parameters, psi: sp.csc_array, moved: Integers) -> Floats:
    """Return V with the rows of `moved` receivers those that bring U V' closest to their columns of `psi`.

    Where theta had taken what is psi's, psi was left with factors that are not the receiver's.
    """
    v = p.v.copy()
    for i in moved:
        v[i] = nnls(p.u, psi[:, [i]].toarray().ravel())[0]
    return v


def _enough(line: Timeline) -> Timeline:
    """Return the first cascades, up to 4,000 and 300,000 activations: they tell maxima apart."""
    few = int(np.searchsorted(line.starts, EVENTS, side="right")) - 1
    return line.first(min(len(line.horizons), SAMPLE, max(few, 1)))


def _starts(rates: Floats, on_support: Mask, typical: Sequence[float]) -> list[tuple[Floats, Floats]]:
    """Return theta and psi to start from: all of theta at one rate, shared edges theta's, theta weak."""
    theta, psi = rates.T
    found = [(np.where(on_support, rate, 0.0), psi) for rate in typical]
    found.append((np.where(on_support, np.maximum(theta, psi), 0.0), np.where(on_support, GIVEN * psi, psi)))
    found.append((np.where(on_support, np.minimum(theta, DIM * min(typical)), 0.0), psi))
    return found


def _layers(support: Network, p: Parameters) -> Layers:
    n = len(p.pi)
    psi = p.u @ p.v.T
    np.fill_diagonal(psi, 0.0)
    theta = sp.csr_array((np.maximum(p.theta, TRACE), (support.senders, support.receivers)), shape=(n, n))
    shares = np.stack([p.pi, 1.0 - p.pi], axis=1)
    return Layers.of([theta, sp.csr_array(psi)], shares, whole=False)


def _on(support: Network, layers: Layers) -> Mask:
    known = sp.csr_array(
        (np.ones(support.n_edges), (support.senders, support.receivers)), shape=support.matrix.shape
    )
    return entries(known, layers.senders, layers.receivers) > 0.0
