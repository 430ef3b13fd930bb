"""Which edges are there at all? Likelihood-ratio tests of rates against 0, the boundary of their range.

A sender's statistic is twice the log-likelihood lost when it leaves the model, in the order of backward
elimination (see `cascades.selection.elimination`). Where the other rates are interior it is asymptotically
half a chi-square(1) and half a point at 0 (Self and Liang 1987, case 5): p = P(chi-square(1) > statistic) /
2. Elsewhere the limit is another mixture; the p-value is labelled approximate and `bootstrap_p_value`
simulates."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from cascades.errors import ArgumentError
from cascades.exposures import timeline
from cascades.models.clocks import bin_width
from cascades.models.netrate import NetRate
from cascades.networks import Network
from cascades.progress import progress
from cascades.results import NetworkFit
from cascades.selection.elimination import Removals, eliminate_block
from cascades.selection.false_discovery import adjusted_p_values
from cascades.tables import Cascades
from cascades.tables.types import Floats
from cascades.transmission import as_law


@dataclass(frozen=True, slots=True, eq=False)
class EdgeTests:
    """A likelihood-ratio test of every edge with a rate above 0.

    Parameters
    ----------
    fit : NetworkFit
        The fit whose edges were tested.
    statistics : (n_edges,) float array
        Infinite when the model cannot explain some activation without the edge.
    p_values : (n_edges,) float array
        Against the half chi-square mixture.
    interior : (n_edges,) bool array
        True where times are exact and all other rates in the two models compared are above 0, so that the
        mixture is the asymptotic law; elsewhere p-values are approximate.
    n_candidates : int
        Pairs ever seen in order; all count as tested.
    """

    fit: NetworkFit
    statistics: Floats
    p_values: Floats
    interior: np.ndarray[tuple[int], np.dtype[np.bool_]]
    n_candidates: int

    def __repr__(self) -> str:
        return f"EdgeTests({len(self.p_values)} edges of {self.n_candidates} candidates)"

    @property
    def adjusted(self) -> Floats:
        """Benjamini-Hochberg adjusted p-values over all candidates."""
        return adjusted_p_values(self.p_values, self.n_candidates)

    def select(self, *, fdr: float = 0.05) -> Network:
        """Return the edges kept at false-discovery rate `fdr`; sets at smaller rates are subsets."""
        if not 0 < fdr <= 1:
            raise ArgumentError(f"fdr: got {fdr}, wanted a number above 0 and at most 1")
        net, kept = self.fit.network, self.adjusted <= fdr
        return Network(net.nodes, net.senders[kept], net.receivers[kept], net.weights[kept])

    def summary(self, *, fdr: float = 0.05) -> str:
        """Say how many edges are kept and how far the p-values can be trusted."""
        kept = self.select(fdr=fdr).n_edges
        approximate = int(np.sum(~self.interior))
        return (
            f"{kept} edges kept at a false-discovery rate of {100 * fdr:g} % "
            f"({len(self.p_values)} rates above 0, {self.n_candidates} candidate pairs); "
            f"{approximate} p-values are approximate (other rates at 0, or grouped times)"
        )


def edge_tests(
    model: NetRate, data: Cascades, *, executor: Executor | None = None, quiet: bool = False
) -> EdgeTests:
    """Fit `model` and test each of its edges against 0.

    Parameters
    ----------
    model : NetRate
        Without a penalty. With ``background=True`` an activation that no other edge explains may still be
        spontaneous; without it such an edge has p-value 0, which is the model's claim and not the data's.
    data : Cascades
    executor : Executor, optional

    Returns
    -------
    EdgeTests
        Cost: one warm-started fit of the receiver per edge.

    Examples
    --------
    >>> import numpy as np
    >>> import cascades as cs
    >>> chain = cs.Network.from_edges({("a", "b"): 2.0, ("b", "c"): 1.0}, nodes="abc")
    >>> data = cs.simulate(chain, n_cascades=500, horizon=5.0, rng=np.random.default_rng(0))
    >>> tests = cs.edge_tests(cs.NetRate(background=True), data)
    >>> [(j, i) for j, i, _ in tests.select(fdr=0.01).edges()]
    [('a', 'b'), ('b', 'c')]
    """
    if model.penalty > 0:
        raise ArgumentError(
            "model: likelihood ratios need penalty=0; select with the test instead of the penalty"
        )
    width, _ = bin_width(data, model.ties, model.resolution)
    line = timeline(data, as_law(model.transmission), width=width)
    fit = model.fit(data, executor=executor, quiet=quiet)
    size = max(1, data.n_nodes // 32)
    blocks = [range(k, min(k + size, data.n_nodes)) for k in range(0, data.n_nodes, size)]
    removals: list[Removals] = []
    with progress(data.n_nodes, "edge tests", shown=not quiet) as advance:
        jobs = [executor.submit(eliminate_block, line, b, model.settings) if executor else b for b in blocks]
        for job in jobs:
            found = eliminate_block(line, job, model.settings) if isinstance(job, range) else job.result()
            removals += found
            advance(len(found))
    statistics = np.concatenate([r.statistics for r in removals])
    interior = np.concatenate([r.interior for r in removals])
    return EdgeTests(fit, statistics, chi2.sf(statistics, 1) / 2, interior, int(fit.n_candidates.sum()))
