"""What a table contains, in words: sizes, ties, span, and warnings about what it cannot tell."""

from __future__ import annotations

import numpy as np

from cascades.tables.table import Cascades
from cascades.tables.ties import resolution, tie_share


def summarise(data: Cascades) -> str:
    """Return a few lines on sizes, ties, time span, the reader's notes and warnings."""
    sizes, unit = data.sizes, f" {data.unit}" if data.unit else ""
    lines = [
        repr(data),
        f"cascade size: mean {sizes.mean():.1f}, median {np.median(sizes):g}, largest {sizes.max()}",
        f"time: {data.times.min():g} to {data.times.max():g}{unit}"
        + (f", 0 is {data.origin}" if data.origin else ""),
        f"watched: median {np.median(data.horizons - data.first_times):g}{unit} after the first activation",
        f"ties: {100 * tie_share(data):.1f} % of activations share their time with another in their cascade",
    ]
    lines += [f"note: {note}" for note in data.notes]
    return "\n".join(lines + [f"warning: {w}" for w in warnings(data)])


def warnings(data: Cascades) -> list[str]:
    """Return what limits any model fitted to this table."""
    found = []
    singletons = int(np.sum(data.sizes == 1))
    silent = data.n_nodes - len(np.unique(data.members))
    if singletons:
        found.append(f"{singletons} cascades reached nobody after the source; they are evidence and kept")
    if silent:
        found.append(f"{silent} nodes are never activated; what reaches or leaves them stays unknown")
    if data.n_cascades == 1:
        found.append("one cascade only: each ordered pair is seen at most once, so rates mean little")
    if np.all(data.is_source):
        found.append("all times within each cascade are equal: no order is seen, so no model can be fitted")
    if tie_share(data) > 0.05:
        grid = resolution(data)
        ending = (
            f"the grid {grid:g} will be used as a grouped likelihood"
            if grid
            else "give the models a resolution"
        )
        found.append(f"many ties: {ending} (ties='grouped')")
    if np.any(data.horizons == data.first_times):
        found.append("some cascades end at their first activation and carry no information")
    return found
