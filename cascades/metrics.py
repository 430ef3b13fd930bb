"""How close an estimated network is to the true one; every definition is written out."""

from __future__ import annotations

import numpy as np

from cascades.errors import ArgumentError
from cascades.networks import Network
from cascades.tables.types import Floats


def precision(estimate: Network, truth: Network) -> float:
    """Return the share of estimated edges that are true (nan without estimated edges).

    Examples
    --------
    >>> import cascades as cs
    >>> truth = cs.Network.from_edges([("a", "b"), ("b", "c")], nodes="abc")
    >>> guess = cs.Network.from_edges([("a", "b"), ("a", "c")], nodes="abc")
    >>> cs.metrics.precision(guess, truth), cs.metrics.recall(guess, truth), cs.metrics.f1(guess, truth)
    (0.5, 0.5, 0.5)
    """
    return _ratio(_common(estimate, truth), estimate.n_edges)


def recall(estimate: Network, truth: Network) -> float:
    """Return the share of true edges that are estimated (nan without true edges)."""
    return _ratio(_common(estimate, truth), truth.n_edges)


def f1(estimate: Network, truth: Network) -> float:
    """Return ``2 |both| / (|estimated| + |true|)``, the harmonic mean of precision and recall."""
    return _ratio(2 * _common(estimate, truth), estimate.n_edges + truth.n_edges)


def f1_at(estimate: Network, truth: Network, n_edges: int | None = None) -> float:
    """Return F1 of the `n_edges` largest weights; by default as many as there are true edges."""
    return f1(estimate.strongest(truth.n_edges if n_edges is None else n_edges), truth)


def average_precision(estimate: Network, truth: Network) -> float:
    """Return the mean, over true edges, of the precision at that edge's rank; edges not found count 0."""
    _check(estimate, truth)
    order = np.argsort(-estimate.weights, kind="stable")
    hit = np.isin(_keys(estimate)[order], _keys(truth))
    at_rank = np.cumsum(hit) / np.arange(1, len(hit) + 1)
    return _ratio(float(at_rank[hit].sum()), truth.n_edges)


def mean_relative_error(estimate: Network, truth: Network) -> float:
    """Return the mean over true edges of ``|estimated - true| / true`` (0 if not estimated)."""
    _check(estimate, truth)
    guess = _lookup(estimate, truth)
    return float(np.mean(np.abs(guess - truth.weights) / truth.weights)) if truth.n_edges else float("nan")


def relative_l1_error(estimate: Network, truth: Network) -> float:
    """Return the sum of ``|estimated - true|`` over all pairs, over the sum of true weights."""
    _check(estimate, truth)
    return _ratio(float(abs(estimate.matrix - truth.matrix).sum()), float(truth.weights.sum()))


def _keys(network: Network) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return network.receivers * network.n_nodes + network.senders


def _lookup(estimate: Network, truth: Network) -> Floats:
    dense = dict(zip(_keys(estimate).tolist(), estimate.weights.tolist(), strict=True))
    return np.array([dense.get(k, 0.0) for k in _keys(truth).tolist()])


def _common(estimate: Network, truth: Network) -> int:
    _check(estimate, truth)
    return len(np.intersect1d(_keys(estimate), _keys(truth), assume_unique=True))


def _check(estimate: Network, truth: Network) -> None:
    if estimate.nodes != truth.nodes:
        raise ArgumentError(
            "estimate and truth: different nodes; build both with the same labels in the same order"
        )


def _ratio(above: float, below: float) -> float:
    return above / below if below else float("nan")
