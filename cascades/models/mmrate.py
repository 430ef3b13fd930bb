"""MMRate: K networks, each cascade carried by one of them (Wang, Hu, Yu and Li 2014).

A mixture over whole cascades: cascade c draws a layer k with probability w_k, and all its activations then
pass over that layer's rates. The EM steps of the published method, over-relaxed, from several random starts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cascades.errors import ArgumentError
from cascades.exposures import Timeline, exposure_of, timeline
from cascades.mixture.climb import Climbed, climb
from cascades.mixture.layered import Layers
from cascades.mixture.layers_fit import LayersFit
from cascades.models.clocks import Ties, bin_width
from cascades.models.delays import typical_rate
from cascades.networks import Network
from cascades.progress import progress
from cascades.tables import Cascades
from cascades.tables.types import Floats
from cascades.transmission import Law, as_law


@dataclass(frozen=True, slots=True)
class MMRate:
    """Networks of which each carries whole cascades, by maximum likelihood.

    ``P(c) = sum_k w_k prod_i P_i(c; rates_k)``, with P_i as in `NetRate`.

    Parameters
    ----------
    n_layers : int
    transmission : str or Law
    background : bool
        Give every node a spontaneous rate in each layer.
    penalty : float
        l1 penalty on all rates, counted per mean time watched.
    ties, resolution
        As in `NetRate`.
    n_starts : int
        Random starts; the likelihood has many maxima and the best of them is kept.
    passes : int
        Most EM passes of each start; each costs O(sum of size * nodes) * n_layers.

    Raises
    ------
    ArgumentError

    Examples
    --------
    >>> import numpy as np
    >>> import cascades as cs
    >>> rng = np.random.default_rng(0)
    >>> one, two = (cs.designs.random_network(10, 2.0, rng=rng, low=1.0, high=2.0) for _ in range(2))
    >>> parts = [list(cs.simulate(net, n_cascades=150, horizon=3.0, rng=rng)) for net in (one, two)]
    >>> records = {(k, name): times for k, part in enumerate(parts) for name, times in part}
    >>> data = cs.Cascades.from_records(records, window=3.0, nodes=range(10))
    >>> fit = cs.MMRate(2).fit(data, rng=rng)
    >>> large = data.sizes >= 4
    >>> same = fit.responsibilities(data)[large, 0] > 0.5
    >>> first = np.array([name[0] == 0 for name in data.names])[large]
    >>> bool(max(np.mean(same == first), np.mean(same != first)) > 0.85)
    True
    """

    n_layers: int = 2
    transmission: str | Law = "exponential"
    background: bool = False
    penalty: float = 0.0
    ties: Ties = "auto"
    resolution: float | None = None
    n_starts: int = 3
    passes: int = 150

    def __post_init__(self) -> None:
        as_law(self.transmission)
        for name in ("n_layers", "n_starts", "passes"):
            if getattr(self, name) < 1:
                raise ArgumentError(f"{name}: got {getattr(self, name)}, wanted at least 1")
        if not (np.isfinite(self.penalty) and self.penalty >= 0):
            raise ArgumentError(f"penalty: got {self.penalty}, wanted a finite number of at least 0")

    def fit(self, data: Cascades, *, rng: np.random.Generator, quiet: bool = False) -> LayersFit:
        """Fit from `n_starts` random starts and return the best."""
        law = as_law(self.transmission)
        width, notes = bin_width(data, self.ties, self.resolution)
        line, every = timeline(data, law, width=width), np.arange(len(data))
        rate = typical_rate(line)
        ends: list[Climbed] = []
        with progress(self.n_starts * self.passes, "passes", shown=not quiet) as advance:
            for _ in range(self.n_starts):
                start = self._start(line, rate, rng)
                ends.append(climb(line, start, every, passes=self.passes, penalty=self.penalty, tell=advance))
        return self._answer(data, line, sorted(ends, key=lambda e: -e.value), width, notes)

    def _start(self, line: Timeline, rate: float, rng: np.random.Generator) -> Layers:
        """Every pair ever seen in order, at random rates."""
        n, k = line.n_nodes, self.n_layers
        seen = [exposure_of(line, i).senders for i in range(n)]
        matrices = []
        for _ in range(k):
            rates = np.zeros((n, n))
            for i, senders in enumerate(seen):
                rates[senders, i] = rate * rng.uniform(0.2, 2.0, len(senders)) / max(len(senders), 1)
            matrices.append(Network.from_matrix(rates).matrix.tocsr())
        base = np.full((n, k), 0.05 if self.background else 0.0)
        return Layers.of(matrices, np.full((n, k), 1.0 / k), base=base, whole=True)

    def _answer(
        self, data: Cascades, line: Timeline, ends: list[Climbed], width: float, notes: tuple[str, ...]
    ) -> LayersFit:
        best = ends[0]
        factor = as_law(self.transmission).rate_factor(line.scale)
        shares: Floats = best.layers.shares[0]
        order = np.argsort(-shares, kind="stable")
        shift = 0.0 if width > 0.0 else float(np.sum(~data.is_source)) * np.log(line.scale)
        small = 1e-4 * best.layers.rates.max(initial=0.0)
        networks = []
        for k in order:
            rates = best.layers.matrix(int(k))
            rates.data = np.where(rates.data > small, rates.data, 0.0)
            networks.append(Network.from_matrix(rates * factor, nodes=data.nodes))
        return LayersFit(
            networks=tuple(networks),
            shares=shares[order],
            background=best.layers.base[:, order] / line.scale,
            log_likelihood=best.value - shift,
            starts=tuple(e.value - shift for e in ends),
            law=as_law(self.transmission),
            width=width,
            n_unexplained=int(best.sums.unexplained[0]),
            unit=data.unit,
            notes=notes,
        )
