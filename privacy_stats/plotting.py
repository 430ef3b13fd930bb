"""Axes to draw on, and estimates with nested bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from privacy_stats.lazy import optional

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def new_axes(ax: Axes | None = None) -> Axes:
    """Return `ax`, or the axes of a new figure.

    Parameters
    ----------
    ax : matplotlib Axes, optional
        Where to draw.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    """
    if ax is not None:
        return ax
    pyplot = optional("matplotlib.pyplot", "plots need matplotlib: pip install 'certikit[plot]'")
    axes: Axes = pyplot.subplots(figsize=(5.0, 3.5), layout="constrained")[1]
    return axes


def plot_bands(names: Sequence[str], values: Any, bands: Mapping[str, Any], ax: Axes | None = None) -> Axes:
    """Draw values with nested bands, the widest first.

    Parameters
    ----------
    names : sequence of str
        What each value is.
    values : array_like, shape (k,)
        The values.
    bands : mapping of str to array_like, shape (k,)
        Half-widths by name, from the widest band to the narrowest; at most three.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    """
    axes, place = new_axes(ax), list(range(len(names)))
    looks = ((2.0, "0.7"), (6.0, "C0"), (10.0, "C1"))
    for (label, reach), (width, colour) in zip(bands.items(), looks, strict=False):
        ends = [(value - half, value + half) for value, half in zip(values, reach, strict=True)]
        axes.vlines(place, [low for low, _ in ends], [high for _, high in ends], lw=width, color=colour)
        axes.plot([], [], lw=width, color=colour, label=label)
    axes.plot(place, values, "k_", ms=12)
    if len(names) <= 20:
        axes.set_xticks(place, names)
    axes.legend()
    return axes
