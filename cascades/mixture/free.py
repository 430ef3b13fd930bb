"""The search with psi edge by edge, for latent networks of high rank, other laws' backgrounds and ties.

The same idea as the factorised search: psi starts tiny on every pair ever seen in order, so that theta first
takes what its edges explain; then weak entries are pruned and the rest refitted. Receivers share nothing
here: each is a mixture of two columns.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from cascades.exposures import Timeline, exposure_of
from cascades.mixture.climb import Climbed, climb, prune
from cascades.mixture.layered import Layers
from cascades.mixture.search import FROZEN_PASSES, SAMPLE, Plan
from cascades.networks import Network
from cascades.tables.types import Floats

BASE = 0.02


def seen_pairs(line: Timeline) -> sp.csr_array:
    """Return the 0-1 matrix of (sender, receiver) pairs seen in that order in some cascade."""
    n = line.n_nodes
    columns = [exposure_of(line, i).senders for i in range(n)]
    receivers = np.repeat(np.arange(n), [len(c) for c in columns])
    senders = np.concatenate(columns)
    return sp.csr_array((np.ones(len(senders)), (senders, receivers)), shape=(n, n))


def start_edges(
    line: Timeline, support: Network, rate: float, tiny: float, background: bool, rng: np.random.Generator
) -> Layers:
    """Return theta at a typical rate on the support and psi tiny noise on every pair seen."""
    seen = seen_pairs(line)
    noise = sp.csr_array(
        (rate * tiny * rng.uniform(0.5, 1.5, seen.nnz), seen.indices, seen.indptr), seen.shape
    )
    theta = sp.csr_array((support.matrix > 0).astype(float) * rate)
    n = line.n_nodes
    base = np.full((n, 2), BASE if background else 0.0)
    return Layers.of([theta, noise], np.full((n, 2), 0.5), base=base, whole=False)


def climb_edges(
    line: Timeline, start: Layers, plan: Plan, rng: np.random.Generator, tell: Callable[[int], None]
) -> tuple[Climbed, list[str]]:
    """Climb on a subsample when there are many cascades, then on all of them."""
    n_cascades = len(line.horizons)
    every, log = np.arange(n_cascades), []
    layers = start
    if n_cascades > SAMPLE:
        sample = np.sort(rng.choice(n_cascades, SAMPLE, replace=False))
        layers = climb(line, start, sample, passes=plan.passes, frozen=FROZEN_PASSES, tell=tell).layers
        log.append(f"{plan.passes} passes over {SAMPLE} cascades")
        end = climb(line, layers, every, passes=plan.refits, tell=tell)
    else:
        end = climb(line, layers, every, passes=plan.passes, frozen=FROZEN_PASSES, tell=tell)
    return end, [*log, _words(end, n_cascades)]


def cut_edges(
    line: Timeline, end: Climbed, plan: Plan, threshold: Floats, tell: Callable[[int], None]
) -> tuple[Climbed, list[str]]:
    """Prune and refit, `plan.rounds` times."""
    every, log = np.arange(len(line.horizons)), []
    for _ in range(plan.rounds):
        before = int(np.count_nonzero(end.layers.rates))
        layers = prune(end.layers, end.sums, threshold)
        log.append(f"pruned {before - int(np.count_nonzero(layers.rates))} of {before} rates")
        end = climb(line, layers, every, passes=plan.refits, tell=tell)
        log.append(_words(end, len(every)))
    return end, log


def _words(end: Climbed, n_cascades: int) -> str:
    return (
        f"{end.passes} passes over {n_cascades} cascades, {end.undone} steps undone: "
        f"log-likelihood {end.value:.6g}"
    )
