"""A start for many factors: psi edge by edge first, then its best factorisation.

From a tiny start a factorised psi of high rank gets stuck. Edge by edge receivers share nothing and the climb
is easier; what it expects to have been transmitted over each pair, T, and the exposures E are factorised:

    minimise  sum E (U V')  -  T log(U V')   over U, V >= 0

by multiplicative steps, which are EM steps of the factorised model with the posteriors held fixed. They touch
no cascade, so several random starts are cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from cascades.exposures import Timeline
from cascades.mixture.climb import best_by_receiver, climb
from cascades.mixture.free import start_edges
from cascades.mixture.layered import entries, layered_expectation
from cascades.mixture.search import FROZEN_PASSES, Plan
from cascades.mixture.state import Parameters
from cascades.networks import Network
from cascades.tables.types import Floats, Integers

EDGE_PASSES = 30  # twice as many fit noise: factors found from them end lower
N_STARTS = 3
STEPS = 300
FLOOR = 1e-12


def lifted_start(
    line: Timeline,
    support: Network,
    plan: Plan,
    rates: Sequence[float],
    draws: np.random.Generator,
    sample: Integers,
    tell: Callable[[int], None],
) -> Parameters:
    """Return theta, pi and the factors of psi after a climb edge by edge on the first sample.

    It is climbed once with theta at each of the `rates`; each receiver keeps its better end.
    """
    ends = []
    for rate in rates:
        first = start_edges(line, support, rate, plan.tiny, False, draws)
        ends.append(climb(line, first, sample, passes=EDGE_PASSES, frozen=FROZEN_PASSES, tell=tell))
    layers = best_by_receiver(ends)
    sums = layered_expectation(line, layers, sample)
    transmissions, exposures = np.zeros((2, line.n_nodes, line.n_nodes))
    where = (layers.senders, layers.receivers)
    transmissions[where], exposures[where] = sums.score[:, 1] * layers.rates[:, 1], sums.exposure[:, 1]
    starts = [factorise(transmissions, exposures, plan.rank, draws) for _ in range(N_STARTS)]
    _, u, v = max(starts, key=lambda found: found[0])
    theta = entries(layers.matrix(0), support.senders, support.receivers)
    return Parameters(theta, u, v, layers.shares[:, 0].copy())


def factorise(
    transmissions: Floats, exposures: Floats, rank: int, draws: np.random.Generator
) -> tuple[float, Floats, Floats]:
    """Return the objective, sum T log(U V') - E (U V'), and the factors it was reached with."""
    shape = (len(transmissions), rank)
    u, v = (draws.uniform(0.5, 1.5, shape) * draws.gamma(0.3, 1.0, shape) for _ in "uv")
    u *= transmissions.sum() / max(float((exposures * (u @ v.T)).sum()), FLOOR)
    for _ in range(STEPS):
        share = transmissions / np.maximum(u @ v.T, FLOOR)
        u = u * (share @ v) / np.maximum(exposures @ v, FLOOR)
        share = transmissions / np.maximum(u @ v.T, FLOOR)
        v = v * (share.T @ u) / np.maximum(exposures.T @ u, FLOOR)
    psi = u @ v.T
    value = transmissions * np.log(np.maximum(psi, FLOOR)) - exposures * psi
    return float(value.sum()), u, v
