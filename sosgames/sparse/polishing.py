"""Constant matrices that a first-order solver found stay; everything else is solved again, precisely."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy import sparse

from sosgames.conic.problem import FloatArray, svec_scale
from sosgames.conic.systems import GramSystem
from sosgames.solvers.status import SolverOptions
from sosgames.sos.program import symmetric_of, triangle_pairs
from sosgames.sparse.decomposition import BoolArray
from sosgames.sparse.solving import INTERIOR_POINT, scales_of, solve

DEFINITE = 1e-6
"""By how much constant matrices are made definite, in units of the system."""


def polished(
    system: GramSystem, entries: FloatArray, tau: float, fixed: BoolArray, options: SolverOptions
) -> tuple[FloatArray, float]:
    """The constant matrices as they are, all others and the modulus solved again by an interior point.

    A first-order solver finds constant matrices well and the modulus less so. What equations between fixed
    entries alone miss is left to rounding.
    """
    scales = scales_of(system.sides)
    free = np.flatnonzero(~fixed)
    A = system.A[:, free]
    met = np.diff(sparse.csr_array(A).indptr) > 0
    rows = np.flatnonzero(met)
    constants = _repaired(system, np.where(fixed, entries * scales, 0.0), fixed, ~met)
    rest = (system.b - system.A @ constants)[rows]
    sides = tuple(
        side for side, (first, _) in zip(system.sides, _spans(system.sides), strict=True) if not fixed[first]
    )
    reduced = GramSystem(sparse.csc_array(A[rows]), system.F[rows], rest, system.c[rows], sides, system.cap)
    better = solve(reduced, INTERIOR_POINT, options)
    if better.entries is None:
        return entries, tau
    everything = constants / scales
    everything[free] = better.entries
    return everything, better.tau


def _repaired(system: GramSystem, q: FloatArray, fixed: BoolArray, equations: BoolArray) -> FloatArray:
    """Scaled entries that meet these equations between fixed entries, and Gram matrices made definite."""
    A = sparse.csr_array(system.A)[np.flatnonzero(equations)] @ sparse.diags_array(fixed.astype(float))
    missing = system.b[equations] - A @ q
    q = q + A.T @ (missing / np.maximum(np.asarray(A.multiply(A).sum(axis=1)), 1e-300))
    for side, (first, last) in zip(system.sides, _spans(system.sides), strict=True):
        if fixed[first]:
            gram = symmetric_of(q[first:last] / svec_scale(side), side)
            short = max(0.0, -float(np.linalg.eigvalsh(gram)[0])) + DEFINITE
            q[first:last] += short * np.equal(*triangle_pairs(side))
    return q


def _spans(sides: tuple[int, ...]) -> list[tuple[int, int]]:
    """First and last column of each Gram matrix."""
    return list(pairwise(np.cumsum([0, *(side * (side + 1) // 2 for side in sides)]).tolist()))
