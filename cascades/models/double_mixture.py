"""The double mixture: each activation comes through an observed network or a latent low-rank one.

The model of Huang, Yuan and Adeel (2025): for each cascade and node a hidden coin with probability pi_i says
whether node i can be reached through theta, whose edges are observed, or through psi, of low rank.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from cascades.errors import ArgumentError
from cascades.exposures import Timeline, timeline
from cascades.mixture.checkpoint import Checkpoint, Task, checkpoint_at, task_of
from cascades.mixture.choice import choose
from cascades.mixture.climb import climb, settle
from cascades.mixture.columns import search_columns
from cascades.mixture.free import climb_edges, cut_edges, start_edges
from cascades.mixture.layered import Layers
from cascades.mixture.lifting import lifted_start
from cascades.mixture.made import fit_from_factors, fit_from_layers
from cascades.mixture.proximal import proximal_em, start_anywhere, start_from_netrate
from cascades.mixture.rescue import died_in, searched_with_care
from cascades.mixture.restarts import MOST_PASSES, restart
from cascades.mixture.result import MixtureFit
from cascades.mixture.search import MOST_SETTLING, TINY, Plan, Search
from cascades.mixture.start import start_rates, tiny_start
from cascades.mixture.state import Edges, Parameters, Sums
from cascades.models.clocks import Ties, bin_width
from cascades.models.delays import typical_rate
from cascades.networks import Network
from cascades.progress import progress
from cascades.tables import Cascades
from cascades.tables.types import Integers
from cascades.transmission import Law, as_law

RANKS = (4, 8, 16, 40)
HIGH_RANK = 12
NUCLEAR = (0.0, 1.0, 3.0, 10.0, 30.0)
L1 = (0.0, 1.0, 3.0, 10.0)
THRESHOLDS = (0.0, 0.5, 1.0, 2.0, 4.0)


@dataclass(frozen=True, slots=True)
class DoubleMixture:
    """Theta on an observed network, latent psi >= 0 of low rank, and each node's preference pi.

    ``P(node i in cascade c) = pi_i P(.; theta column i) + (1 - pi_i) P(.; psi column i)``. The likelihood has
    several maxima; no more than a good local one is claimed.

    Parameters
    ----------
    support : Network, optional
        The observed network, over the table's nodes; weights are ignored. Without it theta may be any pair,
        and the two are told apart by structure alone (see Notes).
    transmission : str or Law
        Exponential and Rayleigh times take O(activations * rank) a pass, other laws and grouped times
        O(sum of size^2 * rank). In large cascades psi's power law is a sum of 10 to 20 exponentials during a
        factorised search, O(activations * rank * terms); its error is in the notes, the last pass is exact.
    method : {"fast", "em"}
        "fast" is accelerated EM from a tiny psi, with Wald pruning and refits. "em" is the published
        algorithm: projected and proximal first-order steps with a nuclear norm, from a NetRate start.
    rank : int, "full" or "auto"
        Number of factors of psi, better too many than too few: unneeded ones are pruned and merged away.
        Above 12 the search begins edge by edge and factorises what it finds. "full" stays edge by edge.
        "auto" chooses between 4, 8, 16, 40 and "full" by held-out likelihood. Method "em" uses it only to
        start without a support.
    threshold : float or "held-out"
        Squared Wald statistic below which an entry of psi (or of a factor) is set to 0; "held-out" chooses
        from 0, 0.5, 1, 2 and 4. With ``rank="full"`` 4 is often too hard: true entries are many and weak.
    penalty : float or "held-out"
        Method "em": weight of the nuclear norm of psi. Fast without a support: l1 weight on theta. Counted
        per mean time watched. "held-out" chooses from a few by held-out likelihood.
    prior : float
        Gamma priors of the fast method with a support: so many imagined transmissions on each edge of theta
        at the network's mean rate, and on each non-zero entry of a factor at its column's. 0 is maximum
        likelihood, whose rates run away where hardly ever tried.
    background : bool
        Let nodes also be activated by nobody, at a rate in each layer; needs ``rank="full"``.
    ties, resolution
        As in `NetRate`: grouped times above 5 % tied activations.
    n_starts : int
        Random starts without a support; their spread is in the steps of the fit.
    passes : int
        Most passes before pruning (fast), or most rounds ("em").

    Raises
    ------
    ArgumentError

    Notes
    -----
    Without a support each receiver is a mixture of two columns, started `n_starts` times; labels are then
    swapped until psi lies best in `rank` dimensions. Columns are identified by the data, labels only by that.

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

    support: Network | None = None
    transmission: str | Law = "exponential"
    method: Literal["fast", "em"] = "fast"
    rank: int | Literal["full", "auto"] = 8
    threshold: float | Literal["held-out"] = 4.0
    penalty: float | Literal["held-out"] = 0.0
    prior: float = 1.0
    background: bool = False
    ties: Ties = "auto"
    resolution: float | None = None
    n_starts: int = 5
    passes: int = 100

    def __post_init__(self) -> None:
        as_law(self.transmission)
        if self.method not in ("fast", "em"):
            raise ArgumentError(f"method: got {self.method!r}, wanted 'fast' or 'em'")
        if isinstance(self.rank, str) and self.rank not in ("full", "auto"):
            raise ArgumentError(f"rank: got {self.rank!r}, wanted a number, 'full' or 'auto'")
        for name, number in (("rank", self.rank), ("passes", self.passes), ("n_starts", self.n_starts)):
            if not isinstance(number, str) and number < 1:
                raise ArgumentError(f"{name}: got {number}, wanted at least 1")
        if not (np.isfinite(self.prior) and self.prior >= 0):
            raise ArgumentError(f"prior: got {self.prior}, wanted a finite number of at least 0")
        if self.threshold != "held-out" and not self.threshold >= 0:
            raise ArgumentError(f"threshold: got {self.threshold}, wanted at least 0, or 'held-out'")
        if self.penalty != "held-out" and not (np.isfinite(self.penalty) and self.penalty >= 0):
            raise ArgumentError(f"penalty: got {self.penalty}, wanted a number of at least 0, or 'held-out'")
        if self.background and (self.rank != "full" or self.support is None or self.method == "em"):
            raise ArgumentError("background: needs a support, method='fast' and rank='full'")

    def fit(
        self,
        data: Cascades,
        *,
        rng: np.random.Generator,
        start: MixtureFit | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        executor: Executor | None = None,
        quiet: bool = False,
    ) -> MixtureFit:
        """Fit both networks.

        Parameters
        ----------
        data : Cascades
        rng : numpy Generator
        start : MixtureFit, optional
            Only climb from this fit: with method "fast" (of the same rank) what is zero there stays zero.
        checkpoint : path, optional
            Factorised search: a file to keep its standing in. If it exists, the search goes on from it and
            ends where it would have ended; it is removed at the end.
        executor : Executor, optional
            Factorised search: runs blocks of cascades (threads do, the kernels release the GIL).
        quiet : bool
        """
        if self.support is not None and self.support.nodes != data.nodes:
            raise ArgumentError("support: its nodes differ from the table's in labels or order")
        if self.rank == "auto" or "held-out" in (self.penalty, self.threshold):
            if start is not None or checkpoint is not None:
                raise ArgumentError(
                    "start, checkpoint: not while settings are chosen; state them, or leave it out"
                )
            return self._chosen(data, rng, quiet)
        width, notes = bin_width(data, self.ties, self.resolution)
        line = timeline(data, as_law(self.transmission), width=width)
        factorised = self.support is not None and self.method == "fast" and self.rank != "full"
        if checkpoint is not None and not (factorised and start is None):
            raise ArgumentError("checkpoint: only the factorised search keeps one; leave it out")
        with progress(self._most_passes(), "passes", shown=not quiet) as advance:
            if factorised:
                kept = None if checkpoint is None else checkpoint_at(checkpoint, self._task(data, width))
                fit = self._factors(data, line, rng, start, kept, executor, advance)
            elif self.method == "em":
                fit = self._published(data, line, start, advance)
            elif self.support is None:
                fit = self._columns(data, line, rng, advance)
            else:
                fit = self._edges(data, line, rng, start, advance)
        return replace(fit, notes=notes + fit.notes)

    def _task(self, data: Cascades, width: float) -> Task:
        settings = (self.transmission, self.rank, self.threshold, self.prior, self.passes, width)
        return task_of(data, self._known(), *settings)

    def _most_passes(self) -> int:
        most = Plan(passes=self.passes).most_passes + MOST_PASSES + self.passes + MOST_SETTLING
        return most + self.n_starts * self.passes if self.support is None else most

    def _plan(self, tiny: float = TINY) -> Plan:
        rank = self.rank if isinstance(self.rank, int) else 0
        return Plan(rank, tiny, passes=self.passes, threshold=float(self.threshold), prior=self.prior)

    def _factors(
        self,
        data: Cascades,
        line: Timeline,
        rng: np.random.Generator,
        start: MixtureFit | None,
        checkpoint: Checkpoint | None,
        executor: Executor | None,
        tell: Callable[[int], None],
    ) -> MixtureFit:
        if start is not None:
            support = self._known()
            search = Search(line, Edges.of(support), self._plan(), executor, tell)
            end = search.refine(start.inner(support, line.scale))
            return self._made(data, search, *end)

        def searched(
            part: Cascades, clock: Timeline, tiny: float, kept: Checkpoint | None, draws: np.random.Generator
        ) -> tuple[MixtureFit, str]:
            search = Search(clock, Edges.of(self._known()), self._plan(tiny), executor, tell, kept)
            return self._searched(part, clock, search, draws)

        return searched_with_care(data, line, searched, checkpoint, rng)

    def _searched(
        self, data: Cascades, line: Timeline, search: Search, rng: np.random.Generator
    ) -> tuple[MixtureFit, str]:
        """Return the fit of a search from its start, and the layer that died in it."""
        support, plan, tell = self._known(), search.plan, search.tell
        rates = start_rates(line, search.edges, typical_rate(line))

        def begin(draws: np.random.Generator, cascades: Integers) -> Parameters:
            if plan.rank > HIGH_RANK:
                return lifted_start(line, support, plan, rates, draws, cascades, tell)
            n = line.n_nodes
            starts = [tiny_start(search.edges, n, plan.rank, rate, plan.tiny, draws) for rate in rates]
            return search.best_start(starts, cascades)

        parameters, sums = search.run(begin, rng)
        parameters, sums = restart(search, support, parameters, sums, rates)
        if search.checkpoint:
            search.checkpoint.remove()
        return self._made(data, search, parameters, sums), died_in(parameters, sums)

    def _made(self, data: Cascades, search: Search, parameters: Parameters, sums: Sums) -> MixtureFit:
        fit = fit_from_factors(data, self._law(), search.line, self._known(), parameters, sums, search.log)
        return replace(fit, notes=fit.notes + search.notes())

    def _edges(
        self,
        data: Cascades,
        line: Timeline,
        rng: np.random.Generator,
        start: MixtureFit | None,
        tell: Callable[[int], None],
    ) -> MixtureFit:
        support, plan, every = self._known(), self._plan(), np.arange(len(data))
        if start is not None:
            end = climb(line, self._inner(start, line), every, passes=self.passes, tell=tell)
            end = settle(line, end, every, count=self.prior, passes=plan.refits)
            return fit_from_layers(data, self._law(), line, support, end, [])
        first = start_edges(line, support, typical_rate(line), plan.tiny, self.background, rng)
        end, log = climb_edges(line, first, plan, rng, tell)
        end, more = cut_edges(line, end, plan, np.array([0.0, plan.threshold]), tell)
        end = settle(line, end, every, count=self.prior, passes=plan.refits)
        return fit_from_layers(data, self._law(), line, support, end, log + more)

    def _columns(
        self, data: Cascades, line: Timeline, rng: np.random.Generator, tell: Callable[[int], None]
    ) -> MixtureFit:
        rank = self.rank if isinstance(self.rank, int) else 8
        found = search_columns(
            line, rank=rank, n_starts=self.n_starts, passes=self.passes, rng=rng, tell=tell
        )
        charge = np.array([float(self.penalty), 0.0])
        every, plan = np.arange(len(data)), self._plan()
        end = climb(line, found.layers, every, passes=plan.refits, penalty=charge, tell=tell)
        end, log = cut_edges(line, end, plan, np.full(2, plan.threshold), tell)
        everywhere = Network.from_matrix(1.0 - np.eye(data.n_nodes), nodes=data.nodes)
        fit = fit_from_layers(data, self._law(), line, everywhere, end, [*found.log, *log])
        word = "no support was given: which column of a node is theta's rests on psi's low rank alone"
        return replace(fit, notes=(*fit.notes, word))

    def _published(
        self, data: Cascades, line: Timeline, start: MixtureFit | None, tell: Callable[[int], None]
    ) -> MixtureFit:
        rank = self.rank if isinstance(self.rank, int) else 8
        if start is None:
            first = start_from_netrate(line, self.support, rank)
        else:
            first = start_anywhere(line, self._inner(start, line))
        end, value = proximal_em(
            line,
            first,
            support=self.support,
            passes=self.passes,
            nuclear=float(self.penalty),
            tell=tell,
        )
        words = f"{end.passes} proximal rounds, {end.undone} halvings: penalised log-likelihood {value:.6g}"
        support = self.support or Network.from_matrix(1.0 - np.eye(data.n_nodes), nodes=data.nodes)
        return fit_from_layers(data, self._law(), line, support, end, [words])

    def _chosen(self, data: Cascades, rng: np.random.Generator, quiet: bool) -> MixtureFit:
        """Choose rank, threshold and penalty in turn by held-out likelihood; fit the choice to everything."""
        model, steps = self, []
        options: list[tuple[str, tuple[object, ...]]] = []
        if self.rank == "auto":
            options.append(("rank", RANKS if self.support is None else (*RANKS, "full")))
        if self.threshold == "held-out":
            options.append(("threshold", THRESHOLDS))
            model = replace(model, threshold=4.0)
        if self.penalty == "held-out":
            options.append(("penalty", NUCLEAR if self.method == "em" else L1))
            model = replace(model, penalty=0.0)
        for name, values in options:
            seed = int(rng.integers(2**62))
            models = {str(v): replace(model, **{name: v}) for v in values}  # type: ignore[arg-type]
            candidates = {
                key: lambda part, m=m, seed=seed: m.fit(part, rng=np.random.default_rng(seed), quiet=quiet)
                for key, m in models.items()
            }
            choice = choose(candidates, data, rng)
            model = models[choice.best]
            steps.append(choice.words(name))
        fit = model.fit(data, rng=rng, quiet=quiet)
        return replace(fit, steps=(*steps, *fit.steps))

    def _inner(self, start: MixtureFit, line: Timeline) -> Layers:
        layers, factor = start.layers(), self._law().rate_factor(line.scale)
        return layers.changed(rates=layers.rates / factor, base=layers.base * line.scale)

    def _law(self) -> Law:
        return as_law(self.transmission)

    def _known(self) -> Network:
        if self.support is None:
            raise ArgumentError("support: this search needs the observed network")
        return self.support
