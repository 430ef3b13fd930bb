"""The search: a tiny start, growing subsamples, over-relaxed passes, pruning, refits; all of it logged."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field

import numpy as np

from cascades.exposures import Timeline
from cascades.mixture.passes import expectation
from cascades.mixture.state import Edges, Parameters, Sums
from cascades.mixture.steps import prune, update
from cascades.tables.types import Integers

FROZEN_PASSES = 6
ACCELERATION = 1.8


@dataclass(frozen=True, slots=True)
class Plan:
    """How long to search, and how hard to prune."""

    rank: int = 8
    tiny: float = 1e-5
    passes: int = 100
    refits: int = 10
    rounds: int = 3
    threshold: float = 4.0
    tolerance: float = 1e-6


@dataclass(slots=True, eq=False)
class Search:
    """A search under way: the data, where it stands, and what it has done."""

    line: Timeline
    edges: Edges
    plan: Plan
    executor: Executor | None
    tell: Callable[[int], None]
    log: list[str] = field(default_factory=list)

    def expectation(self, parameters: Parameters, cascades: Integers) -> Sums:
        """One pass over `cascades`, in blocks on the executor when there is one."""
        self.tell(1)
        if self.executor is None:
            return expectation(self.line, self.edges, parameters, cascades)[0]
        blocks = np.array_split(cascades, 8)
        jobs = [self.executor.submit(expectation, self.line, self.edges, parameters, b) for b in blocks]
        total = jobs[0].result()[0]
        for job in jobs[1:]:
            total.add(job.result()[0])
        return total

    def climb(
        self, p: Parameters, cascades: Integers, passes: int, frozen: int = 0
    ) -> tuple[Parameters, Sums]:
        """Run up to `passes` passes, factors in turn; an accelerated step that loses likelihood is undone."""
        sums = self.expectation(p, cascades)
        undone, eta = 0, ACCELERATION
        for k in range(passes):
            step = {"factor": "uv"[k % 2], "free_pi": k >= frozen}
            tried = update(p, sums, eta=eta, **step)  # type: ignore[arg-type]
            new = self.expectation(tried, cascades)
            if eta > 1.0 and new.log_likelihood[0] < sums.log_likelihood[0]:
                undone, eta = undone + 1, 1.0
                tried = update(p, sums, eta=eta, **step)  # type: ignore[arg-type]
                new = self.expectation(tried, cascades)
            else:
                eta = ACCELERATION
            gain = float(new.log_likelihood[0] - sums.log_likelihood[0])
            p, sums = tried, new
            if k > frozen + 20 and gain < self.plan.tolerance * abs(float(sums.log_likelihood[0])):
                break
        value = float(sums.log_likelihood[0])
        note = (
            f"{k + 1} passes over {len(cascades)} cascades, {undone} steps undone: log-likelihood {value:.6g}"
        )
        self.log.append(note)
        return p, sums

    def start(self, rate: float, rng: np.random.Generator) -> Parameters:
        """Theta at a typical rate, psi tiny noise: theta first takes what its edges explain, psi the rest."""
        n, shape = self.line.n_nodes, (self.line.n_nodes, self.plan.rank)
        size = np.sqrt(self.plan.tiny * rate)
        u, v = (rng.uniform(0.5, 1.5, shape) * size for _ in "uv")
        return Parameters(np.full(len(self.edges.senders), rate), u, v, np.full(n, 0.5))

    def run(self, rate: float, rng: np.random.Generator) -> tuple[Parameters, Sums]:
        """Search on a subsample, then on all cascades; prune and refit."""
        n_cascades = len(self.line.starts) - 1
        every = np.arange(n_cascades)
        p = self.start(rate, rng)
        sample = every if n_cascades <= 4000 else np.sort(rng.choice(n_cascades, 4000, replace=False))
        p, sums = self.climb(p, sample, self.plan.passes, frozen=FROZEN_PASSES)
        if len(sample) < n_cascades:
            larger = np.sort(rng.choice(n_cascades, min(15000, n_cascades), replace=False))
            p, sums = self.climb(p, larger, self.plan.passes // 4)
        for _ in range(self.plan.rounds):
            before = int(np.count_nonzero(p.u) + np.count_nonzero(p.v))
            p = prune(p, sums, self.plan.threshold)
            after = int(np.count_nonzero(p.u) + np.count_nonzero(p.v))
            self.log.append(f"pruned {before - after} of {before} factor entries")
            p, sums = self.climb(p, every, self.plan.refits)
        return p, sums
