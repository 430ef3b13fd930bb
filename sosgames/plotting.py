"""Pictures of results; matplotlib is imported when one is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sosgames.errors import SosgamesError

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]


def axes(ax: Axes | None) -> Axes:
    """The axes given, or fresh ones."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as missing:
        raise SosgamesError("plotting needs matplotlib; install certikit[plot].") from missing
    return plt.subplots(layout="constrained")[1]


def plot_brackets(
    names: Sequence[str],
    levels: Sequence[Sequence[tuple[int, float]]],
    uppers: Sequence[float | None],
    ax: Axes | None = None,
    **style: Any,
) -> Axes:
    """Proved lower bounds over the level, one line a bracket, with the upper bounds as dashed lines."""
    ax = axes(ax)
    from matplotlib.ticker import MaxNLocator

    for index, (name, points, upper) in enumerate(zip(names, levels, uppers, strict=True)):
        color = f"C{index}"
        if points:
            ax.plot(
                *zip(*points, strict=True), "o-", color=color, label=f"proved lower bound, {name}", **style
            )
        if upper is not None:
            ax.axhline(upper, linestyle="--", color=color, label=f"upper bound at a point, {name}")
    ax.axhline(0, color="0.5", linewidth=0.8)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("level of the hierarchy")
    ax.set_ylabel("modulus")
    ax.legend(fontsize="small")
    return ax


def plot_gains(
    times: FloatArray,
    curves: Mapping[str, Sequence[FloatArray]],
    gaps: Mapping[str, float],
    ax: Axes | None = None,
) -> Axes:
    """Gains of straight deviations, a colour a player, with the players' gaps as dashed lines above them."""
    ax = axes(ax)
    for index, (player, gains) in enumerate(curves.items()):
        color = f"C{index}"
        for k, gain in enumerate(gains):
            ax.plot(times, gain, color=color, label=None if k else player)
        ax.axhline(gaps[player], linestyle="--", linewidth=0.8, color=color)
    ax.set_xlabel("share of the way to an end of the own strategy set")
    ax.set_ylabel("gain of deviating")
    ax.legend(fontsize="small")
    return ax
