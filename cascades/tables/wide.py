"""Wide matrices: one row per cascade, one column per node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from cascades.errors import InputError
from cascades.tables.events import Events, Horizon, Never, Reading, build
from cascades.tables.types import Label

if TYPE_CHECKING:
    from cascades.tables.table import Cascades


def from_wide(
    matrix: ArrayLike,
    *,
    nodes: Sequence[Label] | None = None,
    names: Sequence[Label] | None = None,
    horizon: Horizon = None,
    window: float | None = None,
    unit: str = "",
    never: Never = "ask",
) -> Cascades:
    """Read an (n_cascades, n_nodes) matrix of activation times.

    NaN and infinity mean "not activated" here, because a matrix has no other way to say it; other codes are
    named by `never`. Rows without any activation are left out and counted in ``notes``.

    Examples
    --------
    >>> import numpy as np
    >>> import cascades as cs
    >>> cs.Cascades.from_wide([[0.0, 1.0, np.nan], [np.inf, 0.0, 2.5]], nodes=["a", "b", "c"], window=4.0)
    Cascades(2 cascades, 3 nodes, 4 activations)
    """
    table = np.asarray(matrix)
    if table.ndim != 2:
        raise InputError(f"matrix: got shape {table.shape}, wanted (n_cascades, n_nodes)")
    if table.dtype.kind not in "iuf":
        raise InputError(f"matrix: got {table.dtype} entries, wanted numbers; dates go through from_frame")
    table = table.astype(float)
    labels = _matching(nodes, table.shape[1], "nodes", "columns")
    rows = _matching(names, table.shape[0], "names", "rows")
    active = np.isfinite(table)
    if never not in ("ask", None):
        active &= table != never
    r, c = np.nonzero(np.isfinite(table))
    events = Events([f"row {k + 1}" for k in r], [rows[k] for k in r], [labels[k] for k in c], table[r, c])
    empty = [rows[k] for k in np.flatnonzero(~active.any(axis=1))]
    return build(events, Reading(labels, horizon, window, unit, "", never), empty)


def _matching(labels: Sequence[Label] | None, count: int, name: str, what: str) -> list[Label]:
    if labels is None:
        return list(range(count))
    if len(labels) != count:
        raise InputError(f"{name}: got {len(labels)} labels for {count} {what}; give one each")
    return list(labels)
