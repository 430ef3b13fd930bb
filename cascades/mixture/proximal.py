"""The published EM (Huang, Yuan and Adeel 2025, Algorithm 1): projected and proximal steps on dense rates.

From a NetRate fit L the start is theta = L on A and psi = L off A (without A: psi the truncated singular
value decomposition of L, theta the largest of what is left). Each round takes the posteriors, then one
projected gradient step on theta, one proximal step on psi (soft-thresholded singular values, then projection
to rates of at least 0) and the closed form for pi. The step length is halved until the penalised observed
likelihood does not fall, and grows again by half after each round.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from cascades.exposures import Timeline
from cascades.mixture.climb import EDGE, Climbed
from cascades.mixture.layered import Layers, LayerSums, layered_expectation
from cascades.mixture.single import single_network
from cascades.networks import Network
from cascades.tables.types import Floats

HALVINGS = 40
FAINT = 1e-3


def start_anywhere(line: Timeline, layers: Layers) -> Layers:
    """Return the same rates over all pairs, so that steps can reach each of them.

    Activations that no edge explains do not count in the likelihood, so that a small step which explains them
    badly would seem a loss. If there are any, psi starts at no less than a thousandth of the median rate.
    """
    n = len(layers.pointers) - 1
    edges = sp.csr_array((~np.eye(n, dtype=bool)).astype(float))
    frame = Layers.of([edges, edges], layers.shares, whole=False)
    where = (frame.senders, frame.receivers)
    rates = np.stack([layers.matrix(k).toarray()[where] for k in (0, 1)], axis=1)
    start = frame.changed(rates=rates)
    if layered_expectation(line, start, np.arange(len(line.horizons))).unexplained[0] == 0.0:
        return start
    typical = float(np.median(rates[rates > 0.0])) if rates.any() else 1.0
    return start.changed(rates=np.maximum(rates, [0.0, FAINT * typical]))


def start_from_netrate(line: Timeline, support: Network | None, rank: int) -> Layers:
    """Return the published start; psi may be any pair, theta any edge of the support (or any pair)."""
    n = line.n_nodes
    whole = single_network(line).toarray()
    everywhere = ~np.eye(n, dtype=bool)
    if support is not None:
        allowed = support.matrix.toarray() > 0
        theta, psi = whole * allowed, whole * ~allowed
    else:
        left, values, right = np.linalg.svd(whole)
        psi = np.maximum((left[:, :rank] * values[:rank]) @ right[:rank], 0.0) * everywhere
        rest = np.maximum(whole - psi, 0.0)
        theta = np.where(rest >= np.sort(rest, axis=None)[-n], rest, 0.0)
    edges = sp.csr_array(everywhere.astype(float))
    layers = Layers.of([edges, edges], np.full((n, 2), 0.5), whole=False)
    where = (layers.senders, layers.receivers)
    return layers.changed(rates=np.stack([theta[where], psi[where]], axis=1))


def proximal_em(
    line: Timeline,
    layers: Layers,
    *,
    support: Network | None,
    passes: int,
    nuclear: float,
    l1: float = 0.0,
    tolerance: float = 1e-6,
    tell: Callable[[int], None] = lambda _: None,
) -> tuple[Climbed, float]:
    """Run up to `passes` rounds; return where they end and the penalised observed log-likelihood there.

    The log-likelihood minus `nuclear` times the nuclear norm of psi minus `l1` times the sum of theta never
    falls.
    """
    every = np.arange(len(line.horizons))
    where = (layers.senders, layers.receivers)
    mask = np.ones(len(layers.receivers))
    if support is not None:
        mask = (support.matrix.toarray()[where] > 0).astype(float)
    sums = layered_expectation(line, layers, every)
    value = _objective(layers, sums, nuclear, l1)
    length, halved, k = _first_length(layers, sums), 0, 0
    for k in range(1, passes + 1):
        tell(1)
        for _ in range(HALVINGS):
            tried = _round(layers, sums, mask, length, nuclear, l1)
            new = layered_expectation(line, tried, every)
            reached = _objective(tried, new, nuclear, l1)
            if new.unexplained[0] <= sums.unexplained[0] and reached >= value:
                break
            length, halved = 0.5 * length, halved + 1
        else:
            break  # no step of any length helps: a stationary point to rounding
        gain = reached - value
        layers, sums, value, length = tried, new, reached, 1.5 * length
        if k > 20 and gain < tolerance * abs(value):
            break
    return Climbed(layers, sums, k, halved), value


def _round(layers: Layers, sums: LayerSums, mask: Floats, length: float, nuclear: float, l1: float) -> Layers:
    slope = sums.score - sums.exposure
    rates = layers.rates + length * slope
    theta = np.maximum(rates[:, 0] - length * l1, 0.0) * mask
    psi = rates[:, 1]
    if nuclear > 0.0:
        psi = _shrink(layers, psi, length * nuclear)
    share = sums.shares / np.maximum(sums.touched, 1.0)[:, None]
    pi = np.where(sums.touched > 0, np.clip(share[:, 0], EDGE, 1.0 - EDGE), layers.shares[:, 0])
    shares = np.stack([pi, 1.0 - pi], axis=1)
    return layers.changed(rates=np.stack([theta, np.maximum(psi, 0.0)], axis=1), shares=shares)


def _shrink(layers: Layers, psi: Floats, threshold: float) -> Floats:
    n = len(layers.pointers) - 1
    where = (layers.senders, layers.receivers)
    matrix = np.zeros((n, n))
    matrix[where] = psi
    left, values, right = np.linalg.svd(matrix)
    shrunk: Floats = ((left * np.maximum(values - threshold, 0.0)) @ right)[where]
    return shrunk


def _objective(layers: Layers, sums: LayerSums, nuclear: float, l1: float) -> float:
    norm = float(np.linalg.norm(layers.matrix(1).toarray(), "nuc")) if nuclear > 0.0 else 0.0
    return sums.log_likelihood - nuclear * norm - l1 * float(layers.rates[:, 0].sum())


def _first_length(layers: Layers, sums: LayerSums) -> float:
    """Return a length at which the steepest rate moves by a tenth of a typical one."""
    steepest = float(np.abs(sums.score - sums.exposure).max())
    typical = float(np.median(layers.rates[layers.rates > 0.0])) if layers.rates.any() else 1.0
    return 0.1 * typical / steepest if steepest > 0.0 else 1.0
