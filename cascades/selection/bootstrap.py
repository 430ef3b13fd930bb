"""Bootstrap over cascades: refit on cascades drawn with replacement."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from cascades.errors import ArgumentError
from cascades.models.netrate import NetRate
from cascades.networks import Network
from cascades.progress import progress
from cascades.tables import Cascades
from cascades.tables.types import Label


@dataclass(frozen=True, slots=True, eq=False)
class Bootstrap:
    """Networks fitted to resampled cascades; a sample of what the estimate might have been."""

    networks: tuple[Network, ...]

    def __repr__(self) -> str:
        return f"Bootstrap({len(self.networks)} replicates)"

    @property
    def frequencies(self) -> Network:
        """Share of replicates in which each edge has a rate above 0."""
        first = self.networks[0]
        senders = np.concatenate([net.senders for net in self.networks])
        receivers = np.concatenate([net.receivers for net in self.networks])
        keys, counts = np.unique(receivers * first.n_nodes + senders, return_counts=True)
        return Network(first.nodes, keys % first.n_nodes, keys // first.n_nodes, counts / len(self.networks))

    def interval(self, sender: Label, receiver: Label, *, level: float = 0.95) -> tuple[float, float]:
        """Return the percentile interval of one rate (replicates without the edge count as 0)."""
        nodes = self.networks[0].nodes
        if sender not in nodes or receiver not in nodes:
            raise ArgumentError(f"sender, receiver: {sender!r} or {receiver!r} is not a node")
        j, i = nodes.index(sender), nodes.index(receiver)
        rates = [float(net.weights[(net.senders == j) & (net.receivers == i)].sum()) for net in self.networks]
        lower, upper = np.quantile(rates, [0.5 - level / 2, 0.5 + level / 2])
        return float(lower), float(upper)


def bootstrap(
    model: NetRate,
    data: Cascades,
    *,
    n_replicates: int = 200,
    rng: np.random.Generator,
    executor: Executor | None = None,
    quiet: bool = False,
) -> Bootstrap:
    """Refit `model` on `n_replicates` resamples of the cascades.

    Cascades are the independent units, so this is valid where Wald intervals are only approximate (grouped
    times). Cost: n_replicates fits, spread over `executor` when given.

    Examples
    --------
    >>> import numpy as np
    >>> import cascades as cs
    >>> chain = cs.Network.from_edges({("a", "b"): 2.0}, nodes="ab")
    >>> data = cs.simulate(chain, n_cascades=200, horizon=5.0, rng=np.random.default_rng(0))
    >>> sample = cs.bootstrap(cs.NetRate(), data, n_replicates=50, rng=np.random.default_rng(1))
    >>> low, high = sample.interval("a", "b")
    >>> low < 2.0 < high
    True
    """
    if n_replicates < 2:
        raise ArgumentError(f"n_replicates: got {n_replicates}, wanted at least 2")
    rows = [rng.integers(data.n_cascades, size=data.n_cascades) for _ in range(n_replicates)]
    with progress(n_replicates, "bootstrap", shown=not quiet) as advance:
        networks = []
        jobs = [executor.submit(refit, model, data, r) if executor else r for r in rows]
        for job in jobs:
            networks.append(refit(model, data, job) if isinstance(job, np.ndarray) else job.result())
            advance(1)
    return Bootstrap(tuple(networks))


def refit(model: NetRate, data: Cascades, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Network:
    """Return the network fitted to the cascades at `rows`; one piece of work."""
    return model.fit(data.select(rows), quiet=True).network
