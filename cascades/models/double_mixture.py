"""The double mixture: each activation comes through an observed network or a latent low-rank one.

The model of Huang, Yuan and Adeel (2025): for each cascade and node a hidden coin with probability pi_i says
whether node i can be reached through theta, whose edges are observed, or through psi, of low rank.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from cascades.errors import ArgumentError
from cascades.exposures import timeline
from cascades.mixture.result import MixtureFit
from cascades.mixture.search import Plan, Search
from cascades.mixture.state import Edges, Parameters, Sums
from cascades.models.delays import typical_rate
from cascades.networks import Network
from cascades.progress import progress
from cascades.tables import Cascades
from cascades.tables.ties import tie_share
from cascades.transmission import RAYLEIGH, Law, as_law

SMALL_CASCADES = 5.0


@dataclass(frozen=True, slots=True)
class DoubleMixture:
    """Theta on an observed network, psi = u v' >= 0, and each node's preference pi.

    Fitted by accelerated EM on the factorised model (a fast relative of the published algorithm, which takes
    proximal steps on a dense psi): a pass costs O(activations * rank), not O(nodes * activations). Psi starts
    tiny, so that theta first takes what its edges explain; entries of the factors with a small Wald statistic
    are set to 0 and the rest is refitted. The likelihood has several maxima; no more than a good local one is
    claimed.

    Parameters
    ----------
    support : Network
        The observed network, over the table's nodes; weights are ignored.
    transmission : {"exponential", "rayleigh"}
    rank : int
        Number of factors, better too many than too few: unneeded ones are pruned away.
    threshold : float
        Squared Wald statistic below which a factor's entry is set to 0.
    passes : int
        Most passes before pruning.

    Raises
    ------
    ArgumentError
        For other laws, for tied times (not supported here yet) and for a support over other nodes.

    Examples
    --------
    >>> import numpy as np
    >>> import cascades as cs
    >>> rng = np.random.default_rng(0)
    >>> design = cs.designs.b1("community", n_nodes=40, rank=2, rng=rng)
    >>> data = cs.simulate(design.theta, design.psi, design.pi, n_cascades=400, horizon=10.0, rng=rng)
    >>> fit = cs.DoubleMixture(design.support, rank=4).fit(data, rng=rng)
    >>> cs.metrics.mean_relative_error(fit.theta, design.theta) < 0.3
    True
    """

    support: Network
    transmission: str | Law = "exponential"
    rank: int = 8
    threshold: float = 4.0
    passes: int = 100

    def __post_init__(self) -> None:
        if as_law(self.transmission).code not in (0, RAYLEIGH):
            raise ArgumentError("transmission: the double mixture takes 'exponential' or 'rayleigh'")
        if self.rank < 1 or self.passes < 1 or not self.threshold >= 0:
            raise ArgumentError("rank and passes: wanted at least 1; threshold: wanted at least 0")

    def fit(
        self,
        data: Cascades,
        *,
        rng: np.random.Generator,
        executor: Executor | None = None,
        quiet: bool = False,
    ) -> MixtureFit:
        """Fit both networks; blocks of cascades run on `executor` when given."""
        law = as_law(self.transmission)
        if self.support.nodes != data.nodes:
            raise ArgumentError("support: its nodes differ from the table's in labels or order")
        share = tie_share(data)
        if share > 0.05:
            raise ArgumentError(
                f"data: {100 * share:.0f} % of activations are tied, and the double mixture needs an order; "
                "break ties with Cascades.jitter(resolution, rng=rng), and compare several draws"
            )
        line = timeline(data, law)
        plan = Plan(rank=self.rank, passes=self.passes, threshold=self.threshold)
        edges = Edges.of(self.support)
        most = plan.passes + plan.passes // 4 + plan.rounds * (plan.refits + 1)
        with progress(most, "passes", shown=not quiet) as advance:
            search = Search(line, edges, plan, executor, advance)
            parameters, sums = search.run(typical_rate(data, line), rng)
        return self._answer(data, law, line.scale, parameters, sums, tuple(search.log))

    def _answer(
        self, data: Cascades, law: Law, scale: float, p: Parameters, sums: Sums, steps: tuple[str, ...]
    ) -> MixtureFit:
        factor = law.rate_factor(scale)
        theta = Network(data.nodes, self.support.senders, self.support.receivers, p.theta * factor)
        return MixtureFit(
            support=self.support,
            theta=theta,
            u=p.u * np.sqrt(factor),
            v=p.v * np.sqrt(factor),
            pi=p.pi,
            touched=sums.touched,
            log_likelihood=float(sums.log_likelihood[0]),
            n_unexplained=int(sums.unexplained[0]),
            law=law,
            unit=data.unit,
            steps=steps,
            notes=tuple(_warnings(data, self.support, p)),
        )


def _warnings(data: Cascades, support: Network, p: Parameters) -> list[str]:
    """Return what the data say about how well the two networks can be told apart."""
    found = []
    size = float(data.sizes.mean())
    if size < SMALL_CASCADES:
        found.append(
            f"mean cascade size {size:.1f}: the two networks are hard to tell apart in small cascades"
        )
    latent = np.einsum("er,er->e", p.u[support.senders], p.v[support.receivers]) > 0
    if latent.mean() > 0.1:
        found.append(
            f"{100 * latent.mean():.0f} % of observed edges are latent edges too; their rates trade off"
        )
    if np.any((p.pi <= 1e-3) | (p.pi >= 1 - 1e-3)):
        found.append("some preferences are at the end of their range: one network explains these nodes alone")
    return found
