r"""Floating-point points of a face: the Gram matrices with the largest smallest eigenvalue.

The columns of V are scaled to length 1, the equations to size about 1; both are undone exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import lsqr

from sosgames.conic.forms import GramSolution
from sosgames.conic.problem import FloatArray, svec_scale
from sosgames.conic.systems import (
    MARGIN_CAP,
    GramSystem,
    Scaling,
    program_scaling,
    to_floats,
)
from sosgames.faces.face import Face, IntMap
from sosgames.solvers.registry import AUTO, solve_system
from sosgames.solvers.status import SolverAnswer, SolverOptions
from sosgames.sos.program import ObjectArray, SosProgram, triangle_pairs

RESIDUAL = 1e-6
"""Relative to the size of the equations; points refined onto solvable ones leave far less."""


@dataclass(frozen=True, slots=True)
class FacePoint:
    """Matrices H and free entries in scaled units, with every H at least ``margin`` times I."""

    grams: tuple[FloatArray, ...]
    free: FloatArray
    margin: float


@dataclass(frozen=True, slots=True)
class ScaledSystem:
    """The equations of a face in floating point, on svec triangles.

    An exact unknown is about the scaled one times its entry of ``units`` times ``size``.
    """

    system: GramSystem
    units: FloatArray
    size: Fraction

    def vector(self, point: FacePoint) -> FloatArray:
        """The svec triangles and free entries of a point."""
        triangles = [gram[np.triu_indices(len(gram))] * svec_scale(len(gram)) for gram in point.grams]
        return np.concatenate([*triangles, point.free])

    def point(self, vector: FloatArray, margin: float) -> FacePoint:
        """The inverse of `vector`."""
        n = self.system.A.shape[1]
        return FacePoint(tuple(self.system.grams(vector[:n])), vector[n:], margin)

    def is_met_by(self, point: FacePoint) -> bool:
        """Whether the point meets the equations, as far as floating point can tell."""
        missing = self.system.b - self.map @ self.vector(point)
        return bool(
            np.abs(missing).max(initial=0.0) <= RESIDUAL * (1.0 + np.abs(self.system.b).max(initial=0.0))
        )

    @property
    def map(self) -> sparse.csc_array[np.float64]:
        return sparse.csc_array(sparse.hstack([self.system.A, self.system.F]))


def right_side(program: SosProgram, mu: Fraction) -> tuple[ObjectArray, int]:
    """The coefficients of M - mu R as integers, and their common denominator."""
    wanted = program.target * mu.denominator - program.metric * mu.numerator
    return wanted, program.denominator * mu.denominator


def scaled_system(face: Face, equations: IntMap, mu: Fraction) -> ScaledSystem:
    """The margin problem of a face at the modulus mu."""
    scaling = program_scaling(face.program)
    factors = [_block_factors(V, bits) for V, bits in zip(face.vectors, scaling.block_bits, strict=True)]
    factors.append(_free_factors(face.program, scaling))
    n = sum(rank * (rank + 1) // 2 for rank in face.ranks)
    units = np.concatenate(factors)
    scaled = equations.astype(np.float64) @ sparse.diags_array(units, format="csc")
    A, F = sparse.csc_array(scaled[:, :n]), sparse.csc_array(scaled[:, n:])
    wanted, denominator = right_side(face.program, mu)
    b = to_floats(wanted, denominator * scaling.size)
    identities = [np.equal(*triangle_pairs(rank)).astype(np.float64) for rank in face.ranks]
    c = A @ np.concatenate([np.zeros(0), *identities])
    return ScaledSystem(GramSystem(A, F, b, c, face.ranks, MARGIN_CAP), units, scaling.size)


def _block_factors(V: np.ndarray, bits: int) -> FloatArray:
    lengths = np.maximum(np.linalg.norm(V.astype(np.float64), axis=0), 1.0)
    r, s = triangle_pairs(V.shape[1])
    return np.asarray(np.ldexp(1.0 / (lengths[r] * lengths[s] * svec_scale(V.shape[1])), -bits))


def _free_factors(program: SosProgram, scaling: Scaling) -> FloatArray:
    parts = [np.full(len(f.rows), 2.0**-k) for f, k in zip(program.free, scaling.free_bits, strict=True)]
    return np.concatenate([np.zeros(0), *parts])


def interior_point(
    scaled: ScaledSystem, solver: str = AUTO, options: SolverOptions | None = None
) -> tuple[SolverAnswer | None, FacePoint | None]:
    """The point that the solver takes for the most interior one, moved onto the equations."""
    if not scaled.system.A.shape[1]:
        return None, scaled.point(_least_squares(scaled, np.zeros(scaled.map.shape[1])), MARGIN_CAP)
    answer, solution = solve_system(scaled.system, solver, options)
    if solution is None:
        return answer, None
    return answer, refined(scaled, _lifted(solution))


def _lifted(solution: GramSolution) -> FacePoint:
    grams = tuple(gram + solution.tau * np.eye(len(gram)) for gram in solution.grams)
    return FacePoint(grams, solution.free, solution.tau)


def refined(scaled: ScaledSystem, point: FacePoint) -> FacePoint:
    """The nearest point that meets the equations to about machine precision."""
    return scaled.point(_least_squares(scaled, scaled.vector(point)), point.margin)


def _least_squares(scaled: ScaledSystem, vector: FloatArray) -> FloatArray:
    E = scaled.map
    for _ in range(2):
        step = lsqr(E, scaled.system.b - E @ vector, atol=1e-15, btol=1e-15, iter_lim=4 * max(E.shape))[0]
        vector = vector + step
    return np.asarray(vector)


def smallest_eigenvalue(point: FacePoint) -> float:
    """The smallest eigenvalue of all matrices H; infinite when there are none."""
    return min((float(np.linalg.eigvalsh(gram)[0]) for gram in point.grams if len(gram)), default=np.inf)
