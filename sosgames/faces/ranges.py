"""The range method: the face of a floating-point solution, by integer vectors.

A solution with singular Gram matrices is known in floating point to about the square root of the precision
only. With the rank r fixed at a gap of its eigenvalues, the factorisation H = RR' with r columns turns the
identity into ordinary equations, which Gauss-Newton steps solve to machine precision. The range of R, when
it is rational, is then spanned by short integer vectors: lattice reduction of the rows [I, c K] finds them,
K an orthonormal basis of the complement. A range that is not rational gives vectors that the exact
equations refuse.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import flint
import numpy as np
from scipy import sparse
from scipy.linalg import lstsq
from scipy.sparse.linalg import lsqr

from sosgames.conic.problem import FloatArray, svec_scale
from sosgames.faces.face import Face, to_array
from sosgames.faces.numeric import FacePoint, ScaledSystem
from sosgames.sos.exponents import IntArray
from sosgames.sos.program import triangle_pairs

MAX_GUESSES = 4
SMALL = 3e-2
"""An eigenvalue above this part of the largest one is never taken for zero."""
RESIDUAL = 1e-11
MAX_STEPS = 40
DENSE_SIZE = 400_000
LATTICE_WEIGHT = 1e9

Factors = list[FloatArray]


def rational_faces(face: Face, scaled: ScaledSystem, point: FacePoint) -> Iterator[Face]:
    """Smaller faces that the point suggests, the most plausible rank first."""
    for factors in _rank_guesses(point):
        solved = _gauss_newton(scaled, factors, point.free)
        if solved is None:
            continue
        if (smaller := _integer_face(face, solved)) is not None:
            yield smaller


def _rank_guesses(point: FacePoint) -> Iterator[Factors]:
    """Factors R of the Gram matrices, cut at the largest gaps of all eigenvalues together."""
    pairs = [np.linalg.eigh(gram) for gram in point.grams]
    spectrum = np.sort(np.concatenate([np.zeros(0), *(values for values, _ in pairs)]))[::-1]
    if not len(spectrum) or spectrum[0] <= 0:
        return
    floored = np.maximum(spectrum, 1e-14 * spectrum[0])
    gaps = [(high / low, (high * low) ** 0.5) for high, low in pairwise(floored) if low < SMALL * spectrum[0]]
    for ratio, threshold in sorted(gaps, reverse=True)[:MAX_GUESSES]:
        if ratio < 3:
            return
        yield [
            vectors[:, values > threshold] * np.sqrt(values[values > threshold]) for values, vectors in pairs
        ]


def _gauss_newton(scaled: ScaledSystem, factors: Factors, free: FloatArray) -> Factors | None:
    """Factors with E(RR', f) = b as accurately as floating point allows, or None when b is not reached.

    Where solutions are not isolated in R, an error only halves with each step; so the steps go on as long as
    they gain anything.
    """
    b = scaled.system.b
    size = float(np.abs(b).max(initial=0.0)) or 1.0
    best, before = factors, np.inf
    for _ in range(MAX_STEPS):
        residual = b - scaled.map @ np.concatenate([*(_svec(R @ R.T) for R in factors), free])
        largest = float(np.abs(residual).max(initial=0.0))
        if not np.isfinite(largest) or largest >= 0.9 * before:
            break
        best, before = factors, largest
        step = _least_norm(_jacobian(scaled, factors), residual)
        ends = np.cumsum([0, *(R.size for R in factors)])
        factors = [R + step[a : a + R.size].reshape(R.shape) for R, a in zip(factors, ends, strict=False)]
        free = free + step[ends[-1] :]
    return best if before <= RESIDUAL * size else None


def _svec(matrix: FloatArray) -> FloatArray:
    return np.asarray(matrix[np.triu_indices(len(matrix))] * svec_scale(len(matrix)))


def _jacobian(scaled: ScaledSystem, factors: Factors) -> sparse.csr_array[np.float64]:
    """The derivative of E(RR', f) in the entries of every R, row by row, and f."""
    blocks = [_derivative(R) for R in factors]
    inner = sparse.block_diag([*blocks, sparse.eye_array(scaled.system.F.shape[1])], format="csc")
    return sparse.csr_array(scaled.map @ inner)


def _derivative(R: FloatArray) -> sparse.coo_array[np.float64]:
    """The derivative of svec(RR'): entry (p, q) depends on R_pc by R_qc and on R_qc by R_pc."""
    side, rank = R.shape
    p, q = triangle_pairs(side)
    entries = np.repeat(np.arange(len(p)), rank)
    columns = np.tile(np.arange(rank), len(p))
    scale = np.repeat(svec_scale(side), rank)
    p, q = np.repeat(p, rank), np.repeat(q, rank)
    rows = np.concatenate([entries, entries])
    variables = np.concatenate([p * rank + columns, q * rank + columns])
    values = np.concatenate([R[q, columns] * scale, R[p, columns] * scale])
    return sparse.coo_array((values, (rows, variables)), shape=(side * (side + 1) // 2, side * rank))


def _least_norm(J: sparse.csr_array[np.float64], residual: FloatArray) -> FloatArray:
    if J.shape[0] * J.shape[1] <= DENSE_SIZE:
        return np.asarray(lstsq(J.toarray(), residual, lapack_driver="gelsy", cond=1e-12)[0])
    return np.asarray(lsqr(J, residual, atol=1e-14, btol=1e-14, iter_lim=600)[0])


def _integer_face(face: Face, factors: Factors) -> Face | None:
    vectors = []
    for V, R in zip(face.vectors, factors, strict=True):
        if R.shape[0] == R.shape[1]:
            vectors.append(V)
            continue
        W = _integer_range(R / np.maximum(np.linalg.norm(V.astype(np.float64), axis=0), 1.0)[:, None])
        if W is None:
            return None
        product = to_array(flint.fmpz_mat(V.tolist()) * W) if R.shape[1] else V[:, :0]
        if product is None:
            return None
        vectors.append(np.array(product))
    return Face(face.program, tuple(vectors))


def _integer_range(R: FloatArray) -> flint.fmpz_mat | None:
    """Short integer columns that span the range of R, as far as floating point can tell."""
    side, rank = R.shape
    if rank == 0:
        return flint.fmpz_mat(side, 0)
    basis, _ = np.linalg.qr(R, mode="complete")
    complement = np.rint(basis[:, rank:] * LATTICE_WEIGHT)
    if not np.isfinite(complement).all():
        return None
    lattice: IntArray = np.hstack([np.eye(side, dtype=np.int64), complement.astype(np.int64)])
    reduced = flint.fmpz_mat(lattice.tolist()).lll().tolist()
    reduced.sort(key=lambda row: sum(int(v) ** 2 for v in row))
    return flint.fmpz_mat([[int(v) for v in row[:side]] for row in reduced[:rank]]).transpose()
