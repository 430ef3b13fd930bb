r"""The equations of a face in factors, E(RR', f) = b, solved by Gauss-Newton steps.

A solution with singular matrices H is known in floating point to about the square root of the precision only.
With the rank of H = RR' fixed, the equations in R are ordinary ones, and steps of least norm solve them to
machine precision: in a few steps where R has as many columns as the solutions of largest rank, at half the
error a step where it has more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve, lstsq
from scipy.sparse.linalg import LinearOperator, lsqr

from sosgames.conic.problem import FloatArray, svec_scale
from sosgames.faces.numeric import ScaledSystem
from sosgames.sos.program import triangle_pairs

RESIDUAL = 1e-11
"""Relative to the right side: what counts as a solution."""
ENOUGH = 1e-3
"""Of what counts as a solution: no further step."""
SMALL = 400_000
"""Entries of a derivative up to which steps come from an orthogonal factorisation."""
DENSE = 40_000_000
"""Entries of a derivative up to which it is stored; beyond, steps are iterative."""
DAMPING = 1e-12


@dataclass(frozen=True, slots=True)
class Factored:
    """Factors R, block by block, the free entries, and the largest residual that they leave."""

    factors: tuple[FloatArray, ...]
    free: FloatArray
    residual: float = np.inf

    @property
    def rank(self) -> int:
        """Columns of all factors."""
        return sum(R.shape[1] for R in self.factors)

    @property
    def n_unknowns(self) -> int:
        return sum(R.size for R in self.factors) + len(self.free)


class FactoredEquations:
    """The equations E(RR', f) = b of a scaled system."""

    def __init__(self, scaled: ScaledSystem) -> None:
        self.system = scaled.system
        self.E = scaled.map
        self.accepted = RESIDUAL * (float(np.abs(self.system.b).max(initial=0.0)) or 1.0)
        self.rows = _stacked_matrices(scaled.system.A, scaled.system.sides)

    def size(self, at: Factored) -> int:
        """Entries of the derivative there."""
        return len(self.system.b) * at.n_unknowns

    def is_solved_by(self, at: Factored) -> bool:
        return at.residual <= self.accepted

    def advanced(self, start: Factored, n_steps: int, gain: float) -> Factored:
        """Where so many steps lead, or as many as leave less than the part ``gain`` of the residual."""
        best, current = replace(start, residual=np.inf), start
        for _ in range(n_steps):
            missing = self.missing(current)
            largest = float(np.abs(missing).max(initial=0.0))
            if not np.isfinite(largest) or largest >= gain * best.residual:
                break
            best = replace(current, residual=largest)
            if largest <= ENOUGH * self.accepted:
                break
            current = self.step(current, missing)
        return best

    def missing(self, at: Factored) -> FloatArray:
        """The right side minus the left one."""
        triangles = [_svec(R @ R.T) for R in at.factors]
        return np.asarray(self.system.b - self.E @ np.concatenate([*triangles, at.free]))

    def step(self, at: Factored, missing: FloatArray) -> Factored:
        """The point after the change of least norm that solves the linearised equations."""
        size = self.size(at)
        if size > DENSE:
            change = lsqr(self.operator(at), missing, atol=1e-14, btol=1e-14, iter_lim=600)[0]
        elif size > SMALL:
            change = _by_normal_equations(self.derivative(at), missing)
        else:
            change = lstsq(self.derivative(at), missing, lapack_driver="gelsy", cond=1e-12)[0]
        factors, free = self.unpack(at, np.asarray(change))
        return Factored(tuple(R + dR for R, dR in zip(at.factors, factors, strict=True)), at.free + free)

    def unpack(self, at: Factored, unknowns: FloatArray) -> tuple[list[FloatArray], FloatArray]:
        """Matrices of the shapes of the factors, and free entries, from one vector."""
        ends = np.cumsum([0, *(R.size for R in at.factors)])
        parts = [unknowns[a : a + R.size].reshape(R.shape) for R, a in zip(at.factors, ends, strict=False)]
        return parts, unknowns[ends[-1] :]

    def derivative(self, at: Factored) -> FloatArray:
        """One row for each equation: 2 A_k R for every block, row by row, then the row of F."""
        shape = (len(self.system.b), -1)
        products = [np.asarray(B @ R) for B, R in zip(self.rows, at.factors, strict=True) if R.size]
        return np.hstack([*(2.0 * rows.reshape(shape) for rows in products), self.system.F.toarray()])

    def operator(self, at: Factored) -> LinearOperator:
        """The derivative as a map and its adjoint, without storing it."""
        n_triangles = self.system.A.shape[1]

        def forward(unknowns: FloatArray) -> FloatArray:
            changes, free = self.unpack(at, unknowns.ravel())
            triangles = [_svec(R @ dR.T + dR @ R.T) for R, dR in zip(at.factors, changes, strict=True)]
            return np.asarray(self.E @ np.concatenate([*triangles, free]))

        def adjoint(values: FloatArray) -> FloatArray:
            pulled = np.asarray(self.E.T @ values.ravel())
            matrices = self.system.grams(pulled[:n_triangles])
            parts = [2.0 * (S @ R).ravel() for S, R in zip(matrices, at.factors, strict=True)]
            return np.concatenate([*parts, pulled[n_triangles:]])

        shape = (len(self.system.b), at.n_unknowns)
        return LinearOperator(shape, matvec=forward, rmatvec=adjoint, dtype=np.float64)


def _svec(matrix: FloatArray) -> FloatArray:
    return np.asarray(matrix[np.triu_indices(len(matrix))] * svec_scale(len(matrix)))


def _stacked_matrices(
    A: sparse.csc_array[np.float64], sides: tuple[int, ...]
) -> list[sparse.csr_array[np.float64]]:
    """For each block the symmetric matrices A_k of all equations, one above the other."""
    stacked = []
    start = 0
    for side in sides:
        p, q = triangle_pairs(side)
        entries = sparse.coo_array(A[:, start : start + len(p)])
        start += len(p)
        p, q = p[entries.col], q[entries.col]
        values = entries.data * np.where(p == q, 0.5, np.sqrt(0.5))
        rows = entries.row.astype(np.int64) * side
        both = np.concatenate([rows + p, rows + q]), np.concatenate([q, p])
        shape = (A.shape[0] * side, side)
        stacked.append(sparse.csr_array((np.concatenate([values, values]), both), shape=shape))
    return stacked


def _by_normal_equations(J: FloatArray, missing: FloatArray) -> FloatArray:
    """The (nearly) shortest least-squares solution, from the smaller of J'J and JJ', slightly damped.

    An inaccurate step costs further steps, not accuracy: the next residual is formed afresh.
    """
    wide = J.shape[1] > J.shape[0]
    G = J @ J.T if wide else J.T @ J
    G[np.diag_indices_from(G)] += DAMPING * max(float(np.trace(G)) / len(G), np.finfo(float).tiny)
    try:
        factor = cho_factor(G, lower=True, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError:
        return np.zeros(J.shape[1])

    def solved(right: FloatArray) -> FloatArray:
        if wide:
            return np.asarray(J.T @ cho_solve(factor, right, check_finite=False))
        return np.asarray(cho_solve(factor, J.T @ right, check_finite=False))

    change = solved(missing)
    return change + solved(missing - J @ change)
