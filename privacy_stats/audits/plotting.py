"""A picture of audits: lower bound against claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from privacy_stats.audits.audit import AuditResult
from privacy_stats.plotting import new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_audits(audits: Sequence[AuditResult], *, labels: Sequence[str] = (), ax: Axes | None = None) -> Any:
    """Draw every audit's lower bound over its claim; points above the diagonal refute their claim.

    Parameters
    ----------
    audits : sequence of AuditResult
        What to draw.
    labels : sequence of str
        Series each audit belongs to; by default all are one series.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    """
    axes = new_axes(ax)
    names = list(labels) or ["audits"] * len(audits)
    for name in dict.fromkeys(names):
        mine = [a for a, label in zip(audits, names, strict=True) if label == name]
        axes.plot([a.claim for a in mine], [max(a.lower_bound, 1e-4) for a in mine], "o", ms=4, label=name)
    ends = [min(a.claim for a in audits), max(a.claim for a in audits)]
    axes.plot(ends, ends, color="black", lw=1, label="bound = claim")
    axes.set(xscale="log", yscale="log", xlabel="claimed level", ylabel="certified lower bound")
    axes.legend(fontsize=7)
    return axes
