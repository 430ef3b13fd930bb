"""One expectation pass over cascades for K networks given edge by edge: any law, exact or grouped times.

This is the literal form of the mixture, O(touched pairs) a cascade. What draws the network is either each
node anew (the double mixture) or the whole cascade at once (MMRate). Edges are listed by sender; layer k has
``rates[e, k]`` on edge e, so a layer without the edge has 0 there. Nodes may also be activated by nobody, at
a rate of their own in each layer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numba
import numpy as np
import scipy.sparse as sp

from cascades.exposures import Timeline
from cascades.tables.types import Floats, Integers
from cascades.transmission import cumulative_of, weight_of

STEEPEST = 200.0
"""Of the logarithm of a slope: still finite, and 0 times it is 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Layers:
    """K networks over the same edges, and how often each is drawn; internal units.

    Parameters
    ----------
    pointers, receivers : int arrays
        Edges of sender j: ``receivers[pointers[j]:pointers[j + 1]]``.
    rates : (n_edges, n_layers) float array
    base : (n_nodes, n_layers) float array
        Rate of activations by nobody.
    shares : (n_nodes, n_layers) float array
        Probability of each layer; with `whole` cascades all rows are the same.
    whole : bool
        Whether one layer carries a whole cascade.
    """

    pointers: Integers
    receivers: Integers
    rates: Floats
    base: Floats
    shares: Floats
    whole: bool

    @staticmethod
    def of(
        matrices: list[sp.csr_array], shares: Floats, *, base: Floats | None = None, whole: bool
    ) -> Layers:
        """Lay networks over each other; entry (j, i) of a matrix is the rate of j -> i."""
        n = int(matrices[0].shape[0])
        union = sp.csr_array((n, n))
        for m in matrices:
            union = sp.csr_array(union + (m > 0).astype(float))
        union.sort_indices()
        senders = np.repeat(np.arange(n), np.diff(union.indptr))
        receivers = union.indices.astype(np.int64)
        rates = [entries(m, senders, receivers) for m in matrices]
        bottom = np.zeros((n, len(matrices))) if base is None else base
        pointers = union.indptr.astype(np.int64)
        return Layers(pointers, receivers, np.stack(rates, axis=1), bottom, shares, whole)

    @property
    def senders(self) -> Integers:
        """Sender of each edge."""
        return np.repeat(np.arange(len(self.pointers) - 1), np.diff(self.pointers))

    def changed(self, **arrays: Floats) -> Layers:
        """Return a copy with some arrays replaced."""
        return replace(self, **arrays)  # type: ignore[arg-type]

    def compact(self) -> Layers:
        """Return the same layers without the edges that are 0 in all of them."""
        n = len(self.pointers) - 1
        kept = self.rates.any(axis=1)
        counts = np.bincount(self.senders[kept], minlength=n)
        pointers = np.concatenate([[0], np.cumsum(counts)])
        return replace(self, pointers=pointers, receivers=self.receivers[kept], rates=self.rates[kept])

    def matrix(self, layer: int) -> sp.csc_array:
        """Return one layer as a sparse matrix."""
        n = len(self.pointers) - 1
        return sp.csc_array((self.rates[:, layer], (self.senders, self.receivers)), shape=(n, n))


@dataclass(frozen=True, slots=True, eq=False)
class LayerSums:
    """Statistics of one pass.

    ``score`` sums posterior * weight / hazard and ``exposure`` posterior * cumulative hazard, per edge and
    layer (per node and layer for the base): the derivative of the log-likelihood in a rate is their
    difference, an EM step multiplies it by their ratio. ``information`` sums the squares of the terms of
    ``score``; ``posterior`` is per event (nan at sources) or, for whole cascades, per cascade.
    """

    score: Floats
    exposure: Floats
    information: Floats
    base_score: Floats
    base_exposure: Floats
    shares: Floats
    touched: Floats
    by_node: Floats
    by_cascade: Floats
    posterior: Floats
    unexplained: Floats

    @property
    def log_likelihood(self) -> float:
        """Of the cascades passed over, without unexplained activations."""
        return float(self.by_cascade.sum())


def entries(matrix: sp.csr_array | sp.csc_array, rows: Integers, columns: Integers) -> Floats:
    """Return ``matrix[rows, columns]`` as floats, also when there are none."""
    if not len(rows):
        return np.zeros(0)
    found: Floats = np.asarray(matrix.tocsr()[rows, columns], dtype=float).ravel()
    return found


def layered_expectation(line: Timeline, layers: Layers, cascades: Integers) -> LayerSums:
    """Return the sums over `cascades`; an activation that no layer can explain is counted and left out."""
    n, n_layers = layers.base.shape
    rows = len(line.horizons) if layers.whole else len(line.times)
    edge, node = layers.rates.shape, (n, n_layers)
    arrays = [np.zeros(shape) for shape in (edge, edge, edge, node, node, node, n, n, len(line.horizons))]
    sums = LayerSums(*arrays, *[np.full((rows, n_layers), np.nan), np.zeros(1)])
    table = (line.starts, line.members, line.times, line.horizons)
    how = (line.law.code, line.law.parameter, line.width, layers.whole)
    parts = (layers.pointers, layers.receivers, layers.rates, layers.base, layers.shares)
    _sweep(cascades, table, parts, how, tuple(getattr(sums, name) for name in LayerSums.__slots__))
    return sums


@numba.njit(cache=True, nogil=True)
def _sweep(cascades: Integers, table: Any, layers: Any, how: Any, sums: Any) -> None:
    n, n_layers = layers[3].shape
    position = np.full(n, -1, dtype=np.int64)
    hazard, exposure = np.zeros((n, n_layers)), np.zeros((n, n_layers))
    posterior = np.zeros((n, n_layers))
    starts, members = table[0], table[1]
    for c in cascades:
        for p in range(starts[c], starts[c + 1]):
            position[members[p]] = p
        hazard[:] = 0.0
        exposure[:] = 0.0
        scratch = (position, hazard, exposure, posterior)
        _collect(c, table, layers, how, scratch)
        if how[3]:
            _judge_whole(c, table, layers, how, scratch, sums)
        else:
            _judge_nodes(c, table, layers, how, scratch, sums)
        _credit(c, table, layers, how, scratch, sums)
        for p in range(starts[c], starts[c + 1]):
            position[members[p]] = -1


@numba.njit(cache=True, nogil=True)
def _collect(c: int, table: Any, layers: Any, how: Any, scratch: Any) -> None:
    """Hazard at activation and cumulative hazard before it (or until the horizon), per node and layer."""
    starts, members, times, horizons = table
    pointers, receivers, rates, base, _ = layers
    code, parameter, width, _ = how
    position, hazard, exposure, _ = scratch
    n, n_layers = base.shape
    first = times[starts[c]]
    for p in range(starts[c], starts[c + 1]):
        until = cumulative_of(code, parameter, horizons[c] - times[p] + 0.5 * width)
        for e in range(pointers[members[p]], pointers[members[p] + 1]):
            i = receivers[e]
            q = position[i]
            if q < 0:
                for k in range(n_layers):
                    exposure[i, k] += rates[e, k] * until
                continue
            lag = times[q] - times[p]
            if times[q] == first or lag < 0.0 or (width == 0.0 and lag == 0.0):
                continue
            early = cumulative_of(code, parameter, max(lag - 0.5 * width, 0.0))
            x = weight_of(code, parameter, width, lag)
            for k in range(n_layers):
                hazard[i, k] += rates[e, k] * x
                exposure[i, k] += rates[e, k] * early
    for i in range(n):
        q = position[i]
        t = horizons[c] + width if q < 0 else times[q]
        for k in range(n_layers):
            exposure[i, k] += base[i, k] * max(t - first - 0.5 * width, 0.0)
            hazard[i, k] += base[i, k] * (width if width > 0.0 else 1.0)


@numba.njit(cache=True, nogil=True)
def _log_likelihood(active: bool, width: float, hazard: float, exposure: float) -> float:
    if not active:
        return -exposure
    if hazard <= 0.0:
        return -np.inf
    return float((np.log(hazard) if width == 0.0 else np.log(-np.expm1(-hazard))) - exposure)


@numba.njit(cache=True, nogil=True)
def _normalise(values: Any) -> float:
    """Turn logs into probabilities in place; return the log of their sum (-inf: left as zeros)."""
    top = -np.inf
    for k in range(len(values)):
        top = max(top, values[k])
    total = 0.0
    for k in range(len(values)):
        values[k] = np.exp(values[k] - top) if top > -np.inf else 0.0
        total += values[k]
    if total == 0.0:
        return -np.inf
    for k in range(len(values)):
        values[k] /= total
    return float(top + np.log(total))


@numba.njit(cache=True, nogil=True)
def _log(share: float) -> float:
    return float(np.log(share)) if share > 0.0 else -np.inf


@numba.njit(cache=True, nogil=True)
def _judge_nodes(c: int, table: Any, layers: Any, how: Any, scratch: Any, sums: Any) -> None:
    """Posterior of the layer of each node; from here on `exposure` holds the slopes of activated ones."""
    starts, _, times, _ = table
    position, hazard, exposure, posterior = scratch
    n, n_layers = hazard.shape
    for i in range(n):
        posterior[i] = 0.0
        q = position[i]
        if q >= 0 and times[q] == times[starts[c]]:
            exposure[i] = 0.0
            continue
        if q < 0 and exposure[i].sum() == 0.0:  # untouched: only rates of 0 were exposed here
            posterior[i] = layers[4][i]
            continue
        for k in range(n_layers):
            likelihood = _log_likelihood(q >= 0, how[2], hazard[i, k], exposure[i, k])
            posterior[i, k] = _log(layers[4][i, k]) + likelihood
        value = _normalise(posterior[i])
        if value == -np.inf:
            sums[10][0] += 1.0
            exposure[i] = 0.0
            continue
        for k in range(n_layers):
            if q >= 0 and hazard[i, k] <= 0.0:
                exposure[i, k] = np.exp(min(_log(layers[4][i, k]) - exposure[i, k] - value, STEEPEST))
            else:
                exposure[i, k] = _slope(how[2], hazard[i, k], posterior[i, k])
        sums[5][i] += posterior[i]
        sums[6][i] += 1.0
        sums[7][i] += value
        sums[8][c] += value
        if q >= 0:
            sums[9][q] = posterior[i]


@numba.njit(cache=True, nogil=True)
def _judge_whole(c: int, table: Any, layers: Any, how: Any, scratch: Any, sums: Any) -> None:
    """Posterior of the layer of the whole cascade; activations no layer can explain are left out."""
    starts, _, times, _ = table
    position, hazard, exposure, posterior = scratch
    n, n_layers = hazard.shape
    total = np.zeros(n_layers)
    for k in range(n_layers):
        total[k] = _log(layers[4][0, k])
    for i in range(n):
        q = position[i]
        posterior[i] = 0.0
        if q >= 0 and times[q] == times[starts[c]]:
            continue
        if q >= 0 and hazard[i].max() <= 0.0:
            sums[10][0] += 1.0
            continue
        posterior[i] = 1.0
        for k in range(n_layers):
            total[k] += _log_likelihood(q >= 0, how[2], hazard[i, k], exposure[i, k])
    value = _normalise(total)
    sums[9][c] = total
    if value == -np.inf:
        sums[10][0] += 1.0
        value = 0.0
    sums[8][c] += value
    for i in range(n):
        posterior[i] *= total
        for k in range(n_layers):
            exposure[i, k] = _slope(how[2], hazard[i, k], posterior[i, k])
        sums[5][i] += total
        sums[6][i] += 1.0


@numba.njit(cache=True, nogil=True)
def _slope(width: float, hazard: float, posterior: float) -> float:
    """Return posterior / P(activated): times rate and weight, an expected number of transmissions.

    Its limit where a layer's hazard is 0, which the derivative in a rate of 0 needs, is taken where
    the posterior is.
    """
    if hazard <= 0.0:
        return 0.0
    return float(posterior / (hazard if width == 0.0 else -np.expm1(-hazard)))


@numba.njit(cache=True, nogil=True)
def _credit(c: int, table: Any, layers: Any, how: Any, scratch: Any, sums: Any) -> None:
    """Add what each edge and each node's base explained, and what they were exposed for."""
    starts, members, times, horizons = table
    pointers, receivers, _, base, _ = layers
    code, parameter, width, _ = how
    position, hazard, exposure, posterior = scratch
    n, n_layers = base.shape
    first = times[starts[c]]
    for i in range(n):  # `exposure` holds slopes by now
        q = position[i]
        t = horizons[c] + 0.5 * width if q < 0 else times[q] + 0.5 * width
        for k in range(n_layers):
            if base[i, k] > 0.0 and q >= 0:
                sums[3][i, k] += exposure[i, k] * (width if width > 0.0 else 1.0)
            if base[i, k] > 0.0:
                sums[4][i, k] += posterior[i, k] * (t - first)
    for p in range(starts[c], starts[c + 1]):
        until = cumulative_of(code, parameter, horizons[c] - times[p] + 0.5 * width)
        for e in range(pointers[members[p]], pointers[members[p] + 1]):
            i = receivers[e]
            q = position[i]
            if q < 0:
                for k in range(n_layers):
                    sums[1][e, k] += posterior[i, k] * until
                continue
            lag = times[q] - times[p]
            if times[q] == first or lag < 0.0 or (width == 0.0 and lag == 0.0):
                continue
            early = cumulative_of(code, parameter, max(lag - 0.5 * width, 0.0))
            x = weight_of(code, parameter, width, lag)
            for k in range(n_layers):
                share = exposure[i, k] * x
                sums[0][e, k] += share
                sums[2][e, k] += share * share * (np.exp(-hazard[i, k]) if width > 0.0 else 1.0)
                sums[1][e, k] += posterior[i, k] * (early + (x if width > 0.0 else 0.0))
