"""Where the factorised search starts: theta at one rate for all of its edges, psi tiny noise.

One start of theta's rate is too low where another is too high. The lag to the latest earlier activation gives
an upper guess, far too high when a cascade holds hundreds of nodes; observed edges that all share one rate
and explain everything give a lower one, since nodes that psi reaches late look slow.
"""

from __future__ import annotations

import numpy as np

from cascades.exposures import Timeline
from cascades.mixture.passes import expectation
from cascades.mixture.state import Edges, Parameters
from cascades.mixture.steps import mean_rate

SAMPLE = 4000


def start_rates(line: Timeline, edges: Edges, upper: float) -> tuple[float, float]:
    """Return two rates to start theta from: the geometric mean of both guesses, and the lower guess."""
    lower = common_rate(line, edges, upper)
    return float(np.sqrt(lower * upper)), lower


def common_rate(line: Timeline, edges: Edges, otherwise: float) -> float:
    """Return the rate of maximum likelihood if all observed edges had one rate and there were no psi.

    It is the number of activations that an observed edge can explain over all exposures, in the first 4,000
    cascades; for grouped times it is one EM step towards it. `otherwise` is returned when none can.
    """
    some = np.arange(min(len(line.horizons), SAMPLE))
    none = np.zeros((line.n_nodes, 1))
    alone = Parameters(np.ones(len(edges.senders)), none, none, np.ones(line.n_nodes))
    sums = expectation(line, edges, alone, some)
    return mean_rate(sums) if float(sums.theta.sum()) > 0.0 else otherwise


def tiny_start(
    edges: Edges, n: int, rank: int, rate: float, tiny: float, draws: np.random.Generator
) -> Parameters:
    """Return theta at `rate` and psi noise at `tiny` of it: theta first takes what its edges explain."""
    size = np.sqrt(tiny * rate)
    u, v = (draws.uniform(0.5, 1.5, (n, rank)) * size for _ in "uv")
    return Parameters(np.full(len(edges.senders), rate), u, v, np.full(n, 0.5))
