"""Exact or grouped times? The one decision on ties that all models share."""

from __future__ import annotations

from typing import Literal

import numpy as np

from cascades.errors import ArgumentError, InputError
from cascades.tables import Cascades
from cascades.tables.ties import resolution as grid_of
from cascades.tables.ties import tie_share

Ties = Literal["auto", "strict", "grouped"]
THRESHOLD = 0.05


def bin_width(data: Cascades, ties: Ties, resolution: float | None) -> tuple[float, tuple[str, ...]]:
    """Return the width of the bins (0: exact times) and what to tell the user.

    "auto" groups when more than 5 % of activations are tied. "strict" takes times as exact and lets equal
    times have no influence on each other.
    """
    if ties not in ("auto", "strict", "grouped"):
        raise ArgumentError(f"ties: got {ties!r}, wanted 'auto', 'strict' or 'grouped'")
    if resolution is not None and not (np.isfinite(resolution) and resolution > 0):
        raise ArgumentError(f"resolution: got {resolution}, wanted a finite number above 0")
    _refuse_orderless(data)
    share = tie_share(data)
    if ties == "strict" or (ties == "auto" and share <= THRESHOLD):
        unused = f"resolution {resolution} was not used: times are taken as exact; ties='grouped' uses it"
        return 0.0, () if resolution is None else (unused,)
    width = resolution if resolution is not None else grid_of(data)
    if width is None or not width > 0:
        raise ArgumentError(
            f"resolution: {100 * share:.0f} % of activations are tied but the times lie on no common grid; "
            "give resolution= (how coarsely times were recorded), or ties='strict' to take them as exact"
        )
    _refuse_off_grid(data, width)
    bins = f"bins of {width:g} {data.unit}".strip()
    return width, (f"{100 * share:.0f} % of activations are tied: grouped likelihood, {bins}",)


def _refuse_orderless(data: Cascades) -> None:
    if np.all(data.is_source):
        raise InputError(
            "no cascade has one activation after another, so nothing can be learnt about who passes on to "
            "whom; give times in a finer resolution, or cascades with more than one activation"
        )


def _refuse_off_grid(data: Cascades, width: float) -> None:
    steps = data.since_source / width
    off = np.abs(steps - np.round(steps)) > 1e-6 * np.maximum(1.0, steps)
    if np.any(off):
        e = int(np.argmax(off))
        raise InputError(
            f"cascade {data.names[data.cascade_of[e]]!r}, node {data.nodes[data.members[e]]!r}: "
            f"{data.times[e]:g} is not a whole number of steps of {width:g} after the source; round with "
            "Cascades.round(resolution) first, or give the resolution that the times have"
        )
