r"""Gram matrices in the units of their basis elements: :math:`Q = W^{1/2} \tilde Q W^{1/2}`, W diagonal.

Solvers see how far :math:`\tilde Q` is from semidefinite in the Frobenius norm. First-order ones need several
times fewer iterations where W has the weights of all squares in the identity for the metric
(`sosgames.sos.interior`), so that the identity matrix is the interior point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from sosgames.conic.gram_cones import Assembly
from sosgames.conic.problem import FloatArray
from sosgames.conic.systems import GramSystem
from sosgames.sos.program import triangle_pairs


def weighted(system: GramSystem, weights: Sequence[FloatArray]) -> tuple[GramSystem, Assembly]:
    """The system in the matrices :math:`\\tilde Q`, the diagonals of W given, and the way back."""
    factors = [np.zeros(0)]
    for diagonal in weights:
        p, q = triangle_pairs(len(diagonal))
        factors.append(np.sqrt(diagonal[p] * diagonal[q]))
    L = sparse.csc_array(sparse.diags_array(np.concatenate(factors), format="csc"))
    return replace(system, A=sparse.csc_array(system.A @ L)), Assembly(system, L)
