"""Integer proofs that a Gram matrix is positive definite, found in floating point and checked in integers."""

from __future__ import annotations

from dataclasses import dataclass

import flint
import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from sosgames.certificates.definite import semidefinite_failure
from sosgames.sos.program import ObjectArray

FACTOR_BITS = 30
MAX_ELIMINATION_SIDE = 6

Triangle = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class DefiniteProof:
    """``congruence``: the lower triangle of P with PGP' diagonally dominant; None leaves G to elimination."""

    congruence: Triangle | None


def prove_definite(gram: ObjectArray) -> DefiniteProof | None:
    """A proof that a symmetric integer matrix is positive semidefinite, or None when none was found.

    Small matrices are eliminated exactly, singular ones included. Larger ones need to be positive definite:
    P is the inverse Cholesky factor, rounded to about 30 bits, and the product PGP' is formed exactly.

    Cost: one Cholesky factorisation and two integer matrix products.
    """
    if len(gram) <= MAX_ELIMINATION_SIDE:
        return DefiniteProof(None) if semidefinite_failure(lower_triangle(gram)) is None else None
    inverse = _inverse_cholesky(gram)
    if inverse is None:
        return None
    factor = _to_integers(inverse)
    return DefiniteProof(lower_triangle(factor)) if _is_dominant(factor, gram) else None


def is_numerically_definite(gram: ObjectArray) -> bool:
    """Whether a floating-point Cholesky factorisation exists; a cheap hint, no proof."""
    return len(gram) == 0 or _inverse_cholesky(gram) is not None


def lower_triangle(matrix: ObjectArray) -> Triangle:
    """The lower triangle of a symmetric or lower triangular integer matrix, row by row."""
    return tuple(tuple(int(v) for v in row[: i + 1]) for i, row in enumerate(matrix))


def scaled_floats(gram: ObjectArray) -> NDArray[np.float64]:
    """The matrix in floating point, divided by a power of two near its largest diagonal entry."""
    bits = max(max((int(v) for v in np.diag(gram)), default=1), 1).bit_length()
    if bits < 900:
        return gram.astype(np.float64) / 2.0**bits
    shift = bits - 900
    return (gram >> shift).astype(np.float64) / 2.0**900


def _inverse_cholesky(gram: ObjectArray) -> NDArray[np.float64] | None:
    try:
        factor = np.linalg.cholesky(scaled_floats(gram))
    except np.linalg.LinAlgError:
        return None
    inverse = solve_triangular(factor, np.eye(len(gram)), lower=True, check_finite=False)
    return inverse if np.isfinite(inverse).all() else None


def _to_integers(inverse: NDArray[np.float64]) -> ObjectArray:
    scaled = np.rint(np.tril(inverse) * 2.0**FACTOR_BITS)
    if np.abs(scaled).max(initial=0.0) < 2.0**62:
        return scaled.astype(np.int64).astype(object)
    return np.array([[int(v) for v in row] for row in scaled], dtype=object)


def _is_dominant(factor: ObjectArray, gram: ObjectArray) -> bool:
    """Whether PGP' is strictly diagonally dominant with a positive diagonal, exactly."""
    P, G = flint.fmpz_mat(factor.tolist()), flint.fmpz_mat(gram.tolist())
    for i, row in enumerate((P * G * P.transpose()).tolist()):
        diagonal = row[i]
        if factor[i][i] == 0 or diagonal <= 0 or sum(abs(v) for v in row) >= 2 * diagonal:
            return False
    return True
