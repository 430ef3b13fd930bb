"""NetInf: the edges that explain most cascades by best trees (Gomez-Rodriguez, Leskovec and Krause 2010)."""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np

from cascades.errors import ArgumentError
from cascades.exposures import lags_of
from cascades.models.delays import log_density, prepare
from cascades.networks import Network
from cascades.progress import progress
from cascades.ranked import RankedNetwork
from cascades.tables import Cascades
from cascades.tables.types import Floats, Integers
from cascades.transmission import Law, as_law, lag_of


@dataclass(frozen=True, slots=True)
class NetInf:
    """Greedy choice of edges, each activation explained by its best sender.

    With w the log-density of the lag relative to an outside source, the objective of an edge set S is
    ``F(S) = sum over activations of max(0, max_{j in S} w_j)``. F is monotone and submodular and splits by
    receiver, so the greedy order is found per receiver, lazily, and merged: exactly the global greedy, whose
    value is at least 1 - 1/e of the best set of that size.

    Parameters
    ----------
    n_edges : int
        How many edges to return.
    transmission : str or Law
    rate : float, optional
        Rate of the delay density, in the table's unit; estimated when not given.
    outside : float
        Density of an outside source relative to the typical density, below 1.

    Examples
    --------
    >>> import numpy as np
    >>> import cascades as cs
    >>> chain = cs.Network.from_edges({("a", "b"): 2.0, ("b", "c"): 1.0}, nodes="abc")
    >>> data = cs.simulate(chain, n_cascades=500, horizon=5.0, rng=np.random.default_rng(0))
    >>> [(j, i) for j, i, _ in cs.NetInf(n_edges=2).fit(data).network.edges()]
    [('a', 'b'), ('b', 'c')]
    """

    n_edges: int
    transmission: str | Law = "exponential"
    rate: float | None = None
    outside: float = 1e-3

    def __post_init__(self) -> None:
        as_law(self.transmission)
        if self.n_edges < 1:
            raise ArgumentError(f"n_edges: got {self.n_edges}, wanted at least 1")
        if not 0 < self.outside < 1:
            raise ArgumentError(f"outside: got {self.outside}, wanted a number between 0 and 1")

    def fit(self, data: Cascades, *, quiet: bool = False) -> RankedNetwork:
        """Return the network; weights are the marginal gains in log-likelihood at each choice."""
        law = as_law(self.transmission)
        line, rate, notes = prepare(data, law, self.rate)
        half_life = lag_of(law.code, line.law.parameter, np.log(2.0) / rate)
        typical = rate * float(line.law.hazard(half_life))
        senders, receivers, gains = [], [], []
        with progress(data.n_nodes, "receivers", shown=not quiet) as advance:
            for i in range(data.n_nodes):
                x = lags_of(line, i)
                weights = log_density(line.law, rate, x.weights) - np.log(self.outside * typical)
                order, gain = greedy(x.pointers, x.events, weights, x.n_events, self.n_edges)
                senders.append(x.senders[order])
                receivers.append(np.full(len(order), i))
                gains.append(gain)
                advance(1)
        every = Network(data.nodes, np.concatenate(senders), np.concatenate(receivers), np.concatenate(gains))
        return RankedNetwork(
            model="NetInf",
            network=every.strongest(self.n_edges),
            meaning="gain in log-likelihood",
            law=law,
            delay_rate=rate * law.rate_factor(line.scale),
            residual=0.0,
            unit=data.unit,
            notes=notes,
        )


@numba.njit(cache=True, nogil=True)
def _gain(events: Integers, weights: Floats, covered: Floats) -> float:
    total = 0.0
    for e in range(len(events)):
        total += max(0.0, weights[e] - covered[events[e]])
    return total


@numba.njit(cache=True, nogil=True)
def greedy(
    pointers: Integers, events: Integers, weights: Floats, n_events: int, n_edges: int
) -> tuple[Integers, Floats]:
    """Return columns in greedy order with their marginal gains, lazily: a stale gain is an upper bound."""
    n = len(pointers) - 1
    covered, bounds = np.zeros(n_events), np.full(n, np.inf)
    order, gains = np.empty(min(n, n_edges), dtype=np.int64), np.empty(min(n, n_edges))
    count = 0
    while count < len(order):
        best, gain = -1, 0.0
        for k in np.argsort(-bounds):
            if bounds[k] <= gain:
                break
            part = slice(pointers[k], pointers[k + 1])
            bounds[k] = _gain(events[part], weights[part], covered)
            if bounds[k] > gain:
                best, gain = k, bounds[k]
        if best < 0:
            break
        order[count], gains[count] = best, gain
        count += 1
        bounds[best] = -1.0
        for e in range(pointers[best], pointers[best + 1]):
            covered[events[e]] = max(covered[events[e]], weights[e])
    return order[:count], gains[:count]
