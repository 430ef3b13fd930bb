"""Are draws fresh? Two sources that should have nothing in common, compared place by place."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from privacy_stats.errors import ArgumentError


def repeats(first: NDArray[Any], second: NDArray[Any]) -> float:
    """Return the p-value of two columns of reports agreeing as often as they do, were they independent.

    Given for the same inputs by two users, processes, threads or calls. A shared seed, a generator cloned by
    a fork or a snapshot, or a buffer handed out twice makes them agree far too often. If column values have
    the frequencies p and q, independent columns agree at a place with probability ``sum(p q)``.

    Parameters
    ----------
    first, second : ndarray, shape (n,)
        Reports to the same values, n at least 100.

    Returns
    -------
    float
        One-sided p-value; below 1e-6 the columns share randomness.

    Raises
    ------
    ArgumentError
        If the columns differ in length or are short.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.integers(0, 2, 1000), rng.integers(0, 2, 1000)
    >>> repeats(a, b) > 1e-6, repeats(a, a) < 1e-6
    (True, True)
    """
    if first.shape != second.shape or first.ndim != 1 or first.size < 100:
        raise ArgumentError("second: wanted two columns of the same length, at least 100")
    values = np.unique(np.concatenate([first, second]))
    p = np.bincount(np.searchsorted(values, first), minlength=values.size) / first.size
    q = np.bincount(np.searchsorted(values, second), minlength=values.size) / first.size
    chance = min(1.0, float((p * q).sum()))
    agree = int(np.count_nonzero(first == second))
    return float(stats.binom.sf(agree - 1, first.size, chance))
