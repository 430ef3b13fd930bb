"""Simulated cascades: first passage over one network, or over two that act at once.

Every newly activated node draws a lag for each of its out-edges; a node is activated by the first to arrive
(a heap of arrivals, in order of time). With two networks each node first draws which of them reaches it in
this cascade; the other network's edges into it are then silent. Each cascade has its own stream of random
numbers, so the result depends on `rng` alone, not on the number of threads.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray

from cascades.errors import ArgumentError
from cascades.networks import Network
from cascades.tables import Cascades
from cascades.tables.table import sealed
from cascades.tables.types import Floats, Integers
from cascades.transmission import Law, as_law, lag_of


def simulate(
    theta: Network,
    psi: Network | None = None,
    pi: ArrayLike | None = None,
    *,
    n_cascades: int,
    horizon: ArrayLike,
    rng: np.random.Generator,
    transmission: str | Law = "exponential",
    sources: Sequence[int] | Integers | None = None,
    background: ArrayLike = 0.0,
    unit: str = "",
) -> Cascades:
    """Simulate cascades on one network, or on two with a preference of each node between them.

    Parameters
    ----------
    theta : Network
        Rates of the (first) network.
    psi : Network, optional
        Rates of the second network, over the same nodes.
    pi : (n_nodes,) array or float, optional
        With `psi`: the probability that a node is reached through `theta` in a cascade.
    n_cascades : int
    horizon : float or (n_cascades,) array
        Each cascade starts at 0 and is watched until `horizon`.
    rng : numpy Generator
    transmission : str or Law
    sources : (n_cascades,) ints, optional
        Source node of each cascade; uniform by default.
    background : float or (n_nodes,) array
        Rate per unit of time at which a node is activated by nobody.

    Returns
    -------
    Cascades
        Named 0, 1, ...; about ``size * out-degree * log`` steps each.

    Raises
    ------
    ArgumentError

    Examples
    --------
    >>> import numpy as np
    >>> import cascades as cs
    >>> chain = cs.Network.from_edges({("a", "b"): 2.0, ("b", "c"): 1.0}, nodes="abc")
    >>> cs.simulate(chain, n_cascades=100, horizon=5.0, rng=np.random.default_rng(0)).n_cascades
    100
    """
    law = as_law(transmission)
    preference = _preference(theta, psi, pi)
    if n_cascades < 1:
        raise ArgumentError(f"n_cascades: got {n_cascades}, wanted at least 1")
    until = np.broadcast_to(np.asarray(horizon, dtype=float), (n_cascades,)).copy()
    if not np.all(np.isfinite(until) & (until > 0)):
        raise ArgumentError(f"horizon: got {until.min()}, wanted finite times above 0")
    base = np.broadcast_to(np.asarray(background, dtype=float), (theta.n_nodes,)).copy()
    if not np.all(np.isfinite(base) & (base >= 0)):
        raise ArgumentError(f"background: got {base.min()}, wanted finite rates of at least 0")
    n = theta.n_nodes
    first = rng.integers(n, size=n_cascades) if sources is None else np.asarray(sources, dtype=np.int64)
    if first.shape != (n_cascades,) or first.min() < 0 or first.max() >= n:
        raise ArgumentError(f"sources: wanted {n_cascades} node indices in 0..{n - 1}")
    seeds = rng.integers(2**63, size=n_cascades).astype(np.uint64)
    chances = (first, seeds, until)
    starts, members, times = _spread(chances, _out_edges(theta, psi), (preference, base), law)
    return Cascades(theta.nodes, tuple(range(n_cascades)), starts, members, times, until, unit)


def _preference(theta: Network, psi: Network | None, pi: ArrayLike | None) -> Floats:
    if (psi is None) != (pi is None):
        raise ArgumentError("psi and pi come together: two networks and each node's preference for the first")
    if psi is None:
        return np.ones(theta.n_nodes)
    if psi.nodes != theta.nodes:
        raise ArgumentError(
            "theta and psi: the nodes differ in labels or order; build both with the same nodes"
        )
    preference = np.broadcast_to(np.asarray(pi, dtype=float), (theta.n_nodes,)).copy()
    if not np.all((preference >= 0) & (preference <= 1)):
        raise ArgumentError("pi: wanted probabilities between 0 and 1")
    return preference


def _out_edges(theta: Network, psi: Network | None) -> tuple[Integers, Integers, Floats, NDArray[np.int8]]:
    parts = [theta] if psi is None else [theta, psi]
    senders = np.concatenate([p.senders for p in parts])
    order = np.argsort(senders, kind="stable")
    pointers = np.concatenate([[0], np.cumsum(np.bincount(senders, minlength=theta.n_nodes))])
    targets = np.concatenate([p.receivers for p in parts])[order]
    layers = np.concatenate([np.full(p.n_edges, k, dtype=np.int8) for k, p in enumerate(parts)])[order]
    return pointers, targets, np.concatenate([p.weights for p in parts])[order], layers


@numba.njit(cache=True)
def _uniform(state: NDArray[np.uint64]) -> float:
    """Advance a splitmix64 stream and return a number in (0, 1)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return (float(z >> np.uint64(11)) + 0.5) / 9007199254740992.0


def _spread(
    chances: tuple[Integers, NDArray[np.uint64], Floats], edges: Any, nodes: tuple[Floats, Floats], law: Law
) -> tuple[Integers, Integers, Floats]:
    """Simulate all cascades; the kernel stops when the arrays are full and goes on in larger ones."""
    n, n_cascades = len(nodes[0]), len(chances[0])
    starts = np.zeros(n_cascades + 1, dtype=np.int64)
    members, times = np.empty(4 * n_cascades + n, dtype=np.int64), np.empty(4 * n_cascades + n)
    how = (law.code, law.parameter)
    marks = (np.full(n, -1, dtype=np.int8), np.full(n, np.inf))
    done = 0
    while True:
        done = _some(done, chances, edges, nodes, how, marks, starts, members, times)
        if done == n_cascades:
            break
        for array in (members, times):  # grown in place, where a copy might not fit
            array.resize(len(array) + len(array) // 2, refcheck=False)
    for array in (members, times):
        array.resize(starts[-1], refcheck=False)
    return starts, sealed(members), sealed(times)


@numba.njit(cache=True)
def _some(
    done: int,
    chances: Any,
    edges: Any,
    nodes: Any,
    how: Any,
    marks: Any,
    starts: Integers,
    members: Integers,
    times: Floats,
) -> int:
    """Simulate cascades from number `done` on while one of full size has room; return how many are done."""
    sources, seeds, horizons = chances
    n = len(nodes[0])
    state = np.empty(1, dtype=np.uint64)
    while done < len(sources) and starts[done] + n <= len(members):
        state[0] = seeds[done]
        begin = starts[done]
        room = slice(begin, begin + n)
        size = _one(
            sources[done], horizons[done], state, edges, nodes, how, marks, members[room], times[room]
        )
        done += 1
        starts[done] = begin + size
    return done


@numba.njit(cache=True)
def _one(
    source: int,
    horizon: float,
    state: NDArray[np.uint64],
    edges: Any,
    nodes: Any,
    law: Any,
    marks: Any,
    order: Integers,
    when: Floats,
) -> int:
    """Spread from one source into `order` and `when` and return the size.

    Marks: the layer that each node has drawn (-1: none yet) and its earliest arrival so far.
    """
    pi, base = nodes
    layer_of, best = marks
    layer_of[:] = -1
    best[:] = np.inf
    order[0], when[0], best[source] = source, 0.0, -1.0
    heap = [(np.inf, source)]
    for i in range(len(base)):
        if base[i] > 0.0:
            arrival = -np.log(_uniform(state)) / base[i]
            if arrival < min(best[i], horizon):
                best[i] = arrival
                heapq.heappush(heap, (arrival, i))
    size, head = 1, 0
    while head < size:
        _send(order[head], when[head], horizon, state, edges, pi, law, marks, heap)
        head += 1
        while head == size and heap[0][0] < np.inf:
            arrival, i = heapq.heappop(heap)
            if arrival == best[i]:
                order[size], when[size], best[i] = i, arrival, -1.0
                size += 1
    return size


@numba.njit(cache=True)
def _send(
    j: int,
    now: float,
    horizon: float,
    state: NDArray[np.uint64],
    edges: Any,
    pi: Floats,
    law: Any,
    marks: Any,
    heap: Any,
) -> None:
    """Draw arrivals over the out-edges of j, activated at `now`; each node draws its layer when first met."""
    pointers, targets, rates, layers = edges
    layer_of, best = marks
    for e in range(pointers[j], pointers[j + 1]):
        i = targets[e]
        if best[i] < now:
            continue
        if layer_of[i] < 0:
            layer_of[i] = 0 if _uniform(state) < pi[i] else 1
        if layer_of[i] != layers[e]:
            continue
        arrival = now + lag_of(law[0], law[1], -np.log(_uniform(state)) / rates[e])
        if arrival < min(best[i], horizon):
            best[i] = arrival
            heapq.heappush(heap, (arrival, i))
