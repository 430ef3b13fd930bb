"""Pictures of results; matplotlib is imported when one is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sosgames.errors import SosgamesError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
