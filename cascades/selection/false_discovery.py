"""False-discovery control by Benjamini and Hochberg (1995)."""

from __future__ import annotations

import numpy as np

from cascades.errors import ArgumentError
from cascades.tables.types import Floats


def adjusted_p_values(p_values: Floats, n_tests: int) -> Floats:
    """Return Benjamini-Hochberg adjusted p-values when `n_tests` hypotheses were tested in all.

    Hypotheses not listed have p-value 1 (rates estimated as 0). The k-th smallest p becomes
    min over l >= k of p_(l) n_tests / l, so sets selected at smaller rates lie inside those at larger ones.

    Examples
    --------
    >>> import numpy as np
    >>> adjusted_p_values(np.array([0.01, 0.04]), 4).tolist()
    [0.04, 0.08]
    """
    if n_tests < len(p_values):
        raise ArgumentError(f"n_tests: got {n_tests}, fewer than the {len(p_values)} p-values")
    order = np.argsort(p_values, kind="stable")
    scaled = p_values[order] * n_tests / np.arange(1, len(order) + 1)
    adjusted = np.empty(len(order))
    adjusted[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return adjusted
