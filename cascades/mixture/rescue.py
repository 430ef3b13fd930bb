"""When a layer dies in a search: start again with that layer stronger, keep what predicts better.

A layer may be empty in truth: then the second search loses, and the first stands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from cascades.exposures import Timeline, timeline
from cascades.mixture.checkpoint import Checkpoint
from cascades.mixture.choice import choose
from cascades.mixture.result import MixtureFit
from cascades.mixture.search import LARGER_SAMPLE, TINY
from cascades.mixture.state import Parameters, Sums
from cascades.tables import Cascades

DEAD = 1e-3
WEAKER, FULL = 1e-3 * TINY, 1.0

Searched = Callable[
    [Cascades, Timeline, float, Checkpoint | None, np.random.Generator], tuple[MixtureFit, str]
]
"""A search of a table with psi starting at some part of theta's rate: the fit, and the layer that died."""


def died_in(p: Parameters, sums: Sums) -> str:
    """Return the layer expected to have carried less than a thousandth of the transmissions, or ""."""
    theta, psi = float(sums.theta.sum()), float((p.v * sums.v).sum())
    least = DEAD * (theta + psi)
    if len(p.theta) > 0 and not theta >= least:
        return "theta"
    return "" if psi >= least else "psi"


def searched_with_care(
    data: Cascades,
    line: Timeline,
    search: Searched,
    checkpoint: Checkpoint | None,
    rng: np.random.Generator,
) -> MixtureFit:
    """Search from a tiny psi; if a layer dies, from a weaker or from a full psi too, and keep the better.

    Both starts are judged by held-out likelihood on at most 15,000 cascades; a checkpoint covers the first
    search only.
    """
    fit, died = search(data, line, TINY, checkpoint, rng)
    if not died or len(data) < 5:
        return fit
    other, seed = (WEAKER if died == "theta" else FULL), int(rng.integers(2**62))

    def judged(tiny: float) -> Callable[[Cascades], MixtureFit]:
        def fitted(part: Cascades) -> MixtureFit:
            clock = timeline(part, fit.law, width=fit.width)
            return search(part, clock, tiny, None, np.random.default_rng(seed))[0]

        return fitted

    some = data.select(np.sort(rng.permutation(len(data))[:LARGER_SAMPLE]))
    choice = choose({f"psi at {tiny:g}": judged(tiny) for tiny in (TINY, other)}, some, rng)
    words = f"{died} died out, so another start was tried: {choice.words('start')}"
    if choice.best == f"psi at {TINY:g}":
        return replace(fit, steps=(*fit.steps, words))
    again = search(data, line, other, None, rng)[0]
    return replace(again, steps=(*fit.steps, words, *again.steps))
