"""Axes to draw on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privacy_stats.errors import MissingPackageError

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
    try:
        from matplotlib import pyplot
    except ImportError:
        raise MissingPackageError("plots need matplotlib: pip install 'certikit[plot]'") from None
    return pyplot.subplots(figsize=(5.0, 3.5), layout="constrained")[1] if ax is None else ax
