"""What the arrays of a table must satisfy; one walk over the events, with memory for the nodes alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numpy.typing import NDArray

from cascades.errors import InputError
from cascades.tables.types import Floats, Integers

if TYPE_CHECKING:
    from cascades.tables.table import Cascades

OUTSIDE, ENDLESS, BACKWARDS, TWICE, LATE = range(5)


def check(data: Cascades) -> None:
    """Refuse arrays that do not fit together.

    Raises
    ------
    InputError
        Which names the cascade and the node.
    """
    _check_shapes(data)
    faults = np.full(5, -1, dtype=np.int64)
    _walk(data.starts, data.members, data.times, data.horizons, np.full(data.n_nodes, -1), faults)
    if faults[OUTSIDE] >= 0:
        raise InputError(f"members: got an index outside 0..{data.n_nodes - 1}")
    if (e := faults[ENDLESS]) >= 0:
        raise InputError(f"{_where(data, e)}: time is {data.times[e]}; leave out nodes never activated")
    if faults[BACKWARDS] >= 0:
        raise InputError("times do not ascend within a cascade; build the table with from_records")
    if (e := faults[TWICE]) >= 0:
        raise InputError(f"{_where(data, e)}: activated twice; keep one activation")
    if faults[LATE] >= 0 or not np.all(np.isfinite(data.horizons)):
        raise InputError(_horizon_faults(data, data.times > data.horizons[data.cascade_of]))


@numba.njit(cache=True)
def _walk(
    starts: Integers, members: Integers, times: Floats, horizons: Floats, seen: Integers, faults: Integers
) -> None:
    """Write the first event of each kind of fault into `faults`; a node outside ends the walk."""
    for c in range(len(horizons)):
        for e in range(starts[c], starts[c + 1]):
            i = members[e]
            if i < 0 or i >= len(seen):
                faults[0] = e
                return
            for kind, found in (
                (1, not np.isfinite(times[e])),
                (2, e > starts[c] and times[e] < times[e - 1]),
                (3, seen[i] == c),
                (4, times[e] > horizons[c]),
            ):
                if found and faults[kind] < 0:
                    faults[kind] = e
            seen[i] = c


def _check_shapes(data: Cascades) -> None:
    if not data.names:
        raise InputError("no cascades: the table is empty; give at least one cascade with one activation")
    if len(set(data.nodes)) != len(data.nodes):
        raise InputError("nodes: the same label stands twice; give each node its own label")
    if data.starts.shape != (data.n_cascades + 1,) or data.starts[0] != 0:
        raise InputError(f"starts: got shape {data.starts.shape}, wanted ({data.n_cascades + 1},) from 0")
    if data.members.shape != data.times.shape or data.times.ndim != 1 or data.starts[-1] != data.n_events:
        raise InputError("members, times and starts do not describe the same number of events")
    if data.horizons.shape != (data.n_cascades,):
        raise InputError(f"horizons: got shape {data.horizons.shape}, wanted ({data.n_cascades},)")
    if np.any(data.sizes < 1):
        c = int(np.argmax(data.sizes < 1))
        raise InputError(f"cascade {data.names[c]!r} has no activation, so no source; leave it out")


def _horizon_faults(data: Cascades, late: NDArray[np.bool_]) -> list[str]:
    faults = [
        f"cascade {data.names[c]!r}: horizon is {data.horizons[c]}; give a finite time"
        for c in np.flatnonzero(~np.isfinite(data.horizons))
    ]
    for e in np.flatnonzero(late):
        horizon = data.horizons[data.cascade_of[e]]
        faults.append(
            f"{_where(data, e)}: activated at {data.times[e]:g}, after the horizon {horizon:g}; "
            "give the time until which the cascade was really watched, or drop the activation"
        )
    return faults


def _where(data: Cascades, event: int | np.integer[Any]) -> str:
    c = int(np.searchsorted(data.starts, event, side="right")) - 1
    return f"cascade {data.names[c]!r}, node {data.nodes[data.members[event]]!r}"
