"""The factorised search: a tiny start, growing subsamples, over-relaxed passes, pruning, refits, mergers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import numpy as np

from cascades.exposures import Timeline
from cascades.mixture.checkpoint import Checkpoint, Standing
from cascades.mixture.decays import Decays, decays_for
from cascades.mixture.merging import cheapest_pair, criterion, merge
from cascades.mixture.passes import expectation
from cascades.mixture.state import Edges, Parameters, Sums
from cascades.mixture.steps import awaken, grow, hint, mean_rate, prune, shrink, trim, update
from cascades.tables.types import Integers

TINY = 1e-5
FROZEN_PASSES = 6
ACCELERATION = 1.8
SAMPLE = 4000
LARGER_SAMPLE = 15000
ACTIVATIONS = 500
"""A cascade, above which samples are of fewer cascades: what a sample tells and costs is activations."""
BLOCKS = 8
FAILURES = 2
N_STARTS = 2
SETTLING = 10
MOST_SETTLING = SETTLING + 1  # the last is exact
PARTS = (0.1, 0.2, 0.4, 0.7, 1.0)  # of the threshold: entries that are weak together must not all go at once
TRIMMING = 10
SURE = 2.5  # times the threshold: on many cascades what is slightly wrong elsewhere is significant too
TAKING_OFF = 21  # a tiny psi first grows without much gain
SPONTANEOUS = 0.01


Change = Literal["prune", "merge", "grow"]


@dataclass(frozen=True, slots=True)
class Plan:
    """How long to search, and how hard to prune."""

    rank: int = 8
    tiny: float = TINY
    passes: int = 100
    refits: int = 10
    rounds: int = 3
    threshold: float = 4.0
    tolerance: float = 1e-6
    prior: float = 1.0

    @property
    def trial(self) -> int:
        """Passes from each start before the best one goes on."""
        return 3 * self.passes // 10

    @property
    def most_passes(self) -> int:
        """No search on this plan needs more passes."""
        refits = len(PARTS) + 6 + 2 * (self.rank + FAILURES)
        climbs = N_STARTS * (self.trial + 1) + self.passes + self.passes // 2
        extra = 3  # two before entries are added, one after the last pruning
        return climbs + refits * (self.refits + 1) + extra + MOST_SETTLING


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """Some passes over some cascades; `first` weak entries are pruned, factors merged, or lost entries added.

    Pruning and adding are at `part` of the plan's threshold.
    """

    cascades: Integers
    passes: int
    frozen: int = 0
    first: Change | None = None
    part: float = 1.0


@dataclass(slots=True, eq=False)
class Search:
    """A search under way: the data, where it stands, and what it has done.

    With `decays` psi's hazard is a sum of exponentials until the last pass, which is exact.
    """

    line: Timeline
    edges: Edges
    plan: Plan
    executor: Executor | None
    tell: Callable[[int], None]
    checkpoint: Checkpoint | None = None
    seed: int = 0
    log: list[str] = field(default_factory=list)
    decays: Decays | None = field(init=False)

    def __post_init__(self) -> None:
        self.decays = decays_for(self.line)

    def run(
        self, begin: Callable[[np.random.Generator, Integers], Parameters], rng: np.random.Generator
    ) -> tuple[Parameters, Sums]:
        """Search on a subsample, then on all cascades; prune, refit, merge. Goes on from a checkpoint.

        The checkpoint stays, since what is found may be worked on before it is safe.
        `begin` draws the parameters to start from, given the first subsample.
        """
        at = self.checkpoint.load() if self.checkpoint else None
        self.seed = at.seed if at else int(rng.integers(2**62))
        draws = np.random.default_rng(self.seed)
        stages = self.stages(draws)
        if at is None:
            p = begin(draws, stages[0].cascades)
        else:
            p, self.log = at.parameters, [*at.log, f"resumed in stage {at.stage + 1}"]
        sums: Sums | None = None
        for number in range(at.stage if at else 0, len(stages)):
            stage, resumed = stages[number], at if at and number == at.stage else None
            if stage.first == "prune" and resumed is None:
                p = self.pruned(p, sums or self.expectation(p, stage.cascades), stage.part)
            elif stage.first == "merge" and resumed is None:
                p = self._merge(p, stages[0].cascades)
            elif stage.first == "grow" and resumed is None:
                p = self._grow(p, stage)
            if resumed is None:
                p = awaken(p)
            p, sums = self.climb(p, stage, number, resumed)
        every = stages[-1].cascades
        sums = sums or self.expectation(p, every)
        end = self.pruned(p, sums, stages[-1].part)
        if not (np.array_equal(end.u, p.u) and np.array_equal(end.v, p.v)):
            sums = self.expectation(end, every)  # without a prior nothing after this would renew them
        return self.settle(end, sums)

    def refine(self, p: Parameters) -> tuple[Parameters, Sums]:
        """Climb from `p` over all cascades; what is zero stays zero."""
        return self.settle(*self.climb(p, Stage(np.arange(len(self.line.horizons)), self.plan.passes)))

    def settle(self, p: Parameters, sums: Sums) -> tuple[Parameters, Sums]:
        """Take plain EM steps with the prior on theta; `sums` are those of all cascades at `p`.

        What is returned is exact.
        """
        every, mean = np.arange(len(self.line.horizons)), mean_rate(sums)
        for k in range(SETTLING if self.plan.prior > 0.0 else 0):
            p = shrink(p, sums, self.plan.prior, mean, factor="uv"[k % 2])
            sums = self.expectation(p, every)
        return p, sums if self.decays is None else self.expectation(p, every, exact=True)

    def stages(self, draws: np.random.Generator) -> list[Stage]:
        """Return the plan in stages: subsamples first when there are many cascades, all of them last."""
        n, plan = len(self.line.horizons), self.plan
        sizes = sorted({self.size(SAMPLE), self.size(LARGER_SAMPLE)})
        samples = [
            np.sort(draws.choice(n, size, replace=False)) if size < n else np.arange(n) for size in sizes
        ]
        found = [Stage(samples[0], plan.passes, frozen=FROZEN_PASSES)]
        found += [Stage(sample, plan.passes // 2) for sample in samples[1:]]
        found += [Stage(samples[-1], plan.refits, first="prune", part=part) for part in PARTS]
        every = np.arange(n)
        changes: list[Change] = ["merge", "grow", "prune", "prune"]
        found += [Stage(samples[-1], plan.refits, first=change) for change in changes]
        found.append(Stage(every, plan.refits, first="grow", part=SURE))
        last = SURE if len(samples[-1]) < n else 1.0
        return [*found, Stage(every, plan.refits, first="prune", part=last)]

    def size(self, sample: int) -> int:
        """Return how many cascades a sample has: `sample` or all, fewer where cascades are large."""
        n = len(self.line.horizons)
        room = min(1.0, ACTIVATIONS * n / max(len(self.line.members), 1))
        return min(int(np.ceil(room * sample)), n)

    def notes(self) -> tuple[str, ...]:
        """Say what is approximate in the search."""
        return () if self.decays is None else (self.decays.words(),)

    def value(self, sums: Sums) -> float:
        """Return the log-likelihood if what no edge explains had come by itself.

        The rate of that is a hundredth of the activations per node and time watched. Left out altogether, an
        activation that a step or a merger makes impossible would count in its favour.
        """
        watched = self.line.n_nodes * float(self.line.horizons.sum())
        rate = SPONTANEOUS * len(self.line.members) / watched * (self.line.width or 1.0)
        return float(sums.log_likelihood[0]) + float(sums.unexplained[0]) * float(np.log(rate))

    def best_start(self, starts: Sequence[Parameters], cascades: Integers) -> Parameters:
        """Climb a while from each start; return where the likelihood got highest."""
        trial = Stage(cascades, self.plan.trial, frozen=FROZEN_PASSES)
        ends = [self.climb(p, trial) for p in starts]
        values = [self.value(sums) for _, sums in ends]
        self.log.append(f"went on from start {int(np.argmax(values)) + 1} of {len(starts)}")
        return ends[int(np.argmax(values))][0]

    def climb(
        self, p: Parameters, stage: Stage, number: int | None = None, resumed: Standing | None = None
    ) -> tuple[Parameters, Sums]:
        """Run a stage's passes, factors in turn; an accelerated step that loses likelihood is undone."""
        sums = self.expectation(p, stage.cascades)
        k, undone, eta = 0, 0, ACCELERATION
        if resumed is not None:
            k, undone, eta = resumed.passes, resumed.undone, resumed.eta
        while k < stage.passes:
            step = {"factor": "uv"[k % 2], "free_pi": k >= stage.frozen}
            tried = update(p, sums, eta=eta, **step)  # type: ignore[arg-type]
            new = self.expectation(tried, stage.cascades)
            lost = eta > 1.0 and not self.value(new) >= self.value(sums)
            if lost:
                tried = update(p, sums, eta=1.0, **step)  # type: ignore[arg-type]
                new = self.expectation(tried, stage.cascades)
            undone, eta, k = undone + lost, 1.0 if lost else ACCELERATION, k + 1
            gain = self.value(new) - self.value(sums)
            p, sums = tried, new
            if k % TRIMMING == 0 and k > stage.frozen + TRIMMING:
                p = trim(p, sums)
            least = TAKING_OFF if stage.frozen else 4
            if k > stage.frozen + least and gain < self.plan.tolerance * abs(float(sums.log_likelihood[0])):
                break
            if self.checkpoint and number is not None:
                self.checkpoint.save(Standing(self.seed, number, k, undone, eta, tuple(self.log), p))
        self.log.append(
            f"{k} passes over {len(stage.cascades)} cascades, {undone} steps undone: "
            f"log-likelihood {float(sums.log_likelihood[0]):.6g} (internal units)"
        )
        return p, sums

    def expectation(self, parameters: Parameters, cascades: Integers, *, exact: bool = False) -> Sums:
        """One pass over `cascades`, in blocks on the executor when there is one."""
        self.tell(1)
        passed = partial(
            expectation, self.line, self.edges, parameters, decays=None if exact else self.decays
        )
        if self.executor is None:
            return passed(cascades)
        jobs = [self.executor.submit(passed, block) for block in np.array_split(cascades, BLOCKS)]
        try:
            total = jobs[0].result()
            for job in jobs[1:]:
                total.add(job.result())
        finally:
            for job in jobs:
                job.cancel()
        return total

    def _merge(self, p: Parameters, cascades: Integers) -> Parameters:
        """Merge pairs of factors while the information criterion falls; judged on the first sample."""
        stage = Stage(cascades, self.plan.refits)
        starts, members = self.line.starts, self.line.members
        n_events = int((starts[cascades + 1] - starts[cascades] - 1).sum()) if len(members) else 0
        kept, log = p, list(self.log)
        p, sums = self.climb(p, stage)
        value = criterion(p, self.value(sums), n_events)
        tried: set[tuple[int, int]] = set()
        while len(tried) < FAILURES and (pair := cheapest_pair(p, tried)) is not None:
            new, sums = self._polish(merge(p, *pair), stage)
            reached = criterion(new, self.value(sums), n_events)
            tried.add(pair)
            if reached < value:
                log.append(f"merged two factors: information criterion {value:.6g} to {reached:.6g}")
                p, kept, value, tried = new, new, reached, set()
        self.log = log
        return kept

    def _polish(self, p: Parameters, stage: Stage) -> tuple[Parameters, Sums]:
        """Climb, prune, and climb again."""
        p, sums = self.climb(p, stage)
        return self.climb(self.pruned(p, sums), stage)

    def pruned(self, p: Parameters, sums: Sums, part: float = 1.0) -> Parameters:
        """Drop entries of the factors that are weak at `part` of the threshold; `sums` are those at `p`."""
        before = int(np.count_nonzero(p.u) + np.count_nonzero(p.v))
        p = prune(p, sums, part * self.plan.threshold)
        after = int(np.count_nonzero(p.u) + np.count_nonzero(p.v))
        self.log.append(f"pruned {before - after} of {before} factor entries")
        return p

    def _grow(self, p: Parameters, stage: Stage) -> Parameters:
        """Add entries that were lost early: dropped before the factors had parted, or judged on a sample."""
        sums = self.expectation(hint(p), stage.cascades)
        p, count = grow(p, sums, stage.part * self.plan.threshold)
        self.log.append(f"added {count} factor entries")
        return p
