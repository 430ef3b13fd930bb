"""Does one of the times stand for "never activated"? A question to the user, never a silent guess."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cascades.errors import NeverCodeQuestion

SHARE = 0.05
EXCESS = 2.0


def ask_about_never(times: NDArray[np.float64]) -> None:
    """Raise `NeverCodeQuestion` when one time looks like a code for "never".

    Two codings are common: one step after the last real time ("last + 1"), and -1 among times that are not
    negative. The first is asked about when times lie on a whole-number grid, the last value is exactly one
    step after the one before, and it holds at least 5 % of the rows and twice the mean count of the others.
    """
    values, counts = np.unique(times, return_counts=True)
    if len(values) < 3:
        return
    if values[0] == -1 and values[1] >= 0:
        raise NeverCodeQuestion(_question(-1.0, int(counts[0]), len(times), "stands before all other times"))
    whole = np.all(values == np.round(values))
    step = values[-1] - values[-2]
    often = counts[-1] >= max(SHARE * len(times), EXCESS * counts[:-1].mean(), 3)
    if whole and step == 1 and often:
        excess = counts[-1] / counts[:-1].mean()
        reason = f"is one step after {values[-2]:g} and {excess:.1f} times as frequent as other times"
        raise NeverCodeQuestion(_question(float(values[-1]), int(counts[-1]), len(times), reason))


def _question(code: float, count: int, total: int, reason: str) -> str:
    return (
        f"{count} of {total} activations have time {code:g}, which {reason}. Does {code:g} stand for 'never "
        f"activated'? If so, read with never={code:g} and a horizon before it; if they are real, "
        "read with never=None"
    )
