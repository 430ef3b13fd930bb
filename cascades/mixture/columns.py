"""The search without an observed network: each receiver is a mixture of two columns of rates.

Given everything that was seen, receivers share no parameter, so each is started several times and keeps its
own best end. Which of its two columns is theta's and which psi's the likelihood cannot say; the structure
can: psi has low rank, so its columns lie in a common subspace. Labels are swapped until psi fits into one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from cascades.exposures import Timeline
from cascades.mixture.climb import Climbed, best_by_receiver, climb
from cascades.mixture.free import seen_pairs
from cascades.mixture.layered import Layers
from cascades.mixture.single import single_network
from cascades.tables.types import Floats

FAINT = 0.01
LABELLINGS = 20


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The best end of each receiver, labelled, and what each start reached."""

    layers: Layers
    values: tuple[float, ...]
    log: tuple[str, ...]


def search_columns(
    line: Timeline,
    *,
    rank: int,
    n_starts: int,
    passes: int,
    rng: np.random.Generator,
    tell: Callable[[int], None],
) -> Columns:
    """Start every receiver `n_starts` times, keep the best of each, and label the columns by structure."""
    every = np.arange(len(line.horizons))
    frame = _frame(line)
    ends: list[Climbed] = []
    for _ in range(n_starts):
        split = rng.beta(0.5, 0.5, len(frame.receivers))
        rates = 2.0 * frame.rates * np.stack([split, 1.0 - split], axis=1)
        ends.append(climb(line, frame.changed(rates=rates), every, passes=passes, tell=tell, tolerance=1e-7))
    best = best_by_receiver(ends)
    swap = label(best, rank, rng)
    rates = np.where(swap[frame.receivers][:, None], best.rates[:, ::-1], best.rates)
    shares = np.where(swap[:, None], best.shares[:, ::-1], best.shares)
    values = tuple(e.value for e in ends)
    differ = int(np.sum(np.ptp(np.stack([e.sums.by_node for e in ends]), axis=0) > 2.0))
    log = (
        f"{n_starts} starts without a support ended from {min(values):.6g} to {max(values):.6g}; "
        f"{differ} of {line.n_nodes} receivers ended more than 2 apart, each kept its best",
        f"labels of {int(swap.sum())} receivers swapped so that psi has low rank",
    )
    return Columns(frame.changed(rates=rates, shares=shares), values, log)


def _frame(line: Timeline) -> Layers:
    """Every pair seen in order, both layers at the rates of a single network (faint where that has none)."""
    whole = single_network(line)
    faint = FAINT * float(whole.data.mean())
    start = sp.csr_array(whole + faint * seen_pairs(line))
    return Layers.of([start, start], np.full((line.n_nodes, 2), 0.5), whole=False)


def label(layers: Layers, rank: int, rng: np.random.Generator) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return, per receiver, whether its columns should be swapped so that psi lies in `rank` dimensions.

    From several random labellings, columns move to the layer whose label they fit until none does; the
    labelling whose psi leaves least outside its subspace is returned.
    """
    pair = [layers.matrix(k).toarray() for k in (0, 1)]
    norms = [np.linalg.norm(m, axis=0) for m in pair]
    units = [m / np.where(n > 0, n, 1.0) for m, n in zip(pair, norms, strict=True)]
    best, least = np.zeros(len(norms[0]), dtype=bool), np.inf
    for k in range(LABELLINGS):
        fewer = (units[1] > 0.05).sum(axis=0) < (units[0] > 0.05).sum(axis=0)
        swap = fewer if k == 0 else rng.random(len(fewer)) < 0.5
        swap, outside = _settle(units, norms, swap, rank)
        if outside < least:
            best, least = swap, outside
    return best


def _settle(
    units: list[Floats], norms: list[Floats], swap: np.ndarray[tuple[int], np.dtype[np.bool_]], rank: int
) -> tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], float]:
    for _ in range(50):
        latent = np.where(swap, units[0], units[1])
        basis = np.linalg.svd(latent)[0][:, :rank]
        outside = [1.0 - ((basis.T @ u) ** 2).sum(axis=0) for u in units]
        outside = [np.where(n > 0, o, 0.5) for n, o in zip(norms, outside, strict=True)]
        better = outside[0] < outside[1]
        if np.array_equal(better, swap):
            break
        swap = better
    return swap, float(np.minimum(*outside).sum())
