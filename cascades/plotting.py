"""Figures; matplotlib is imported here only, when a figure is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cascades.errors import MissingPackageError
from cascades.networks import Network
from cascades.tables.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def axes(ax: Axes | None) -> Axes:
    """Return `ax`, or new axes."""
    if ax is not None:
        return ax
    new: Axes = _pyplot().subplots(layout="constrained")[1]
    return new


def axes_row(n: int) -> tuple[Axes, ...]:
    """Return `n` new axes side by side."""
    row = _pyplot().subplots(1, n, figsize=(4.5 * n, 4), layout="constrained", squeeze=False)[1]
    return tuple(row[0])


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise MissingPackageError("plots need matplotlib: pip install certikit[plot]") from error
    return plt


def rate_matrix(network: Network, *, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw the matrix of weights, senders as rows."""
    ax = axes(ax)
    shown = np.ma.masked_equal(network.matrix.toarray(), 0.0)
    image = ax.imshow(shown, cmap="viridis", interpolation="nearest")
    ax.set(xlabel="receiver", ylabel="sender", title=title or repr(network))
    ax.figure.colorbar(image, ax=ax, label="rate")
    return ax


def rate_distribution(network: Network, *, ax: Axes | None = None, **labels: Any) -> Axes:
    """Draw a histogram of the rates on a logarithmic axis."""
    ax = axes(ax)
    if network.n_edges:
        low, high = network.weights.min(), network.weights.max()
        ax.hist(network.weights, bins=np.geomspace(low, max(high, low * 1.001), 30).tolist())
    ax.set(xscale="log", xlabel="rate", ylabel="edges", **labels)
    return ax


def precision_recall(estimate: Network, truth: Network, *, ax: Axes | None = None) -> Axes:
    """Draw precision against recall as edges are taken in order of weight."""
    ax = axes(ax)
    order = np.argsort(-estimate.weights, kind="stable")
    matrix = truth.matrix.toarray()
    hit = matrix[estimate.senders[order], estimate.receivers[order]] > 0
    found = np.cumsum(hit)
    ax.plot(found / max(truth.n_edges, 1), found / np.arange(1, len(hit) + 1))
    ax.set(xlabel="recall", ylabel="precision", xlim=(0, 1.02), ylim=(0, 1.02))
    return ax


def quantiles(expected: Floats, observed: Floats, *, ax: Axes | None = None) -> Axes:
    """Draw observed against expected with the line on which they agree."""
    ax = axes(ax)
    ax.plot(expected, observed, drawstyle="steps-post")
    top = float(max(np.max(expected, initial=0.0), np.max(observed, initial=0.0)))
    ax.plot([0, top], [0, top], color="grey", linewidth=1)
    ax.set(xlabel="expected", ylabel="observed")
    return ax
