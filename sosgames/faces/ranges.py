"""The range method: the face of a floating-point solution, by integer vectors.

With the rank r fixed at a gap of the eigenvalues, the factors of H = RR' solve the equations to machine
precision. The range of R, when it is rational, is then spanned by short integer vectors: lattice reduction of
the rows [I, c K] finds them, K an orthonormal basis of the complement. A range that is not rational gives
vectors that the exact equations refuse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import flint
import numpy as np

from sosgames.conic.problem import FloatArray
from sosgames.faces.face import Face, to_array
from sosgames.faces.factored import Factored, FactoredEquations
from sosgames.faces.numeric import FacePoint, ScaledSystem
from sosgames.sos.exponents import IntArray

MAX_GUESSES = 4
SMALL = 3e-2
"""An eigenvalue above this part of the largest one is never taken for zero."""
QUICK_STEPS, QUICK_GAIN = 6, 0.1
"""Steps of quadratic convergence, and the part of the residual that each may leave at most."""
MAX_STEPS, ANY_GAIN = 40, 0.9
CHEAP = 4_000_000
"""Entries of a derivative up to which slow convergence is waited for."""
LATTICE_WEIGHT = 1e9


def rational_faces(
    face: Face, scaled: ScaledSystem, point: FacePoint, *, only_small: bool = False
) -> Iterator[Face]:
    """Smaller faces that the point suggests, found when they are asked for.

    First those whose equations are solved quickly, small ones before large ones; then, where steps are cheap,
    the others, the most plausible rank first. ``only_small`` leaves out ranks above a third of the
    side, whose steps cost the most.
    """
    equations = FactoredEquations(scaled)
    largest = sum(face.ranks) // 3 if only_small else sum(face.ranks)
    guesses = [guess for guess in _rank_guesses(point) if guess.rank <= largest]
    begun = {}
    for k in sorted(range(len(guesses)), key=lambda k: guesses[k].rank):
        begun[k] = equations.advanced(guesses[k], QUICK_STEPS, QUICK_GAIN)
        if equations.is_solved_by(begun[k]):
            yield from _integer_face(face, begun[k].factors)
    for k in range(len(guesses)):
        if equations.is_solved_by(begun[k]) or equations.size(begun[k]) > CHEAP:
            continue
        found = equations.advanced(begun[k], MAX_STEPS, ANY_GAIN)
        if equations.is_solved_by(found):
            yield from _integer_face(face, found.factors)


def _rank_guesses(point: FacePoint) -> Iterator[Factored]:
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
        kept = ((values, vectors, values > threshold) for values, vectors in pairs)
        factors = tuple(vectors[:, large] * np.sqrt(values[large]) for values, vectors, large in kept)
        yield Factored(factors, point.free)


def _integer_face(face: Face, factors: Sequence[FloatArray]) -> Iterator[Face]:
    """The face spanned by the ranges of the factors, if short integer vectors span them."""
    vectors = []
    for V, R in zip(face.vectors, factors, strict=True):
        if R.shape[0] == R.shape[1]:
            vectors.append(V)
            continue
        W = _integer_range(R / np.maximum(np.linalg.norm(V.astype(np.float64), axis=0), 1.0)[:, None])
        if W is None:
            return
        product = to_array(flint.fmpz_mat(V.tolist()) * W) if R.shape[1] else V[:, :0]
        if product is None:
            return
        vectors.append(np.array(product))
    yield Face(face.program, tuple(vectors))


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
