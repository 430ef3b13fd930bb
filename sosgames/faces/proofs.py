"""The ladder of faces: an exact proof of one given modulus, where every Gram matrix may be singular."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from fractions import Fraction

import numpy as np

from sosgames.certificates.parts import Part
from sosgames.faces.diagonal import without_forced_zeros
from sosgames.faces.equations import solve_near
from sosgames.faces.face import Face, IntMap, restricted, whole_face
from sosgames.faces.numeric import (
    FacePoint,
    ScaledSystem,
    interior_point,
    right_side,
    scaled_system,
    smallest_eigenvalue,
)
from sosgames.faces.ranges import rational_faces
from sosgames.faces.zeros import Point, on_face, zero_kernels
from sosgames.rounding.dyadic import ExactIdentity
from sosgames.rounding.parts import assemble_part
from sosgames.solvers.registry import AUTO
from sosgames.solvers.status import SolverOptions
from sosgames.sos.program import ObjectArray, SosProgram

BITS = 44
"""Bits after the point of an entry of H, in units of the scaled system."""
HOPELESS = -1e-4
"""A margin below it says that no Gram matrices satisfy the identity."""
FINE = 1e-8
"""Tolerance of a first-order solver whose eigenvalues have no clear gap at its usual one."""
MAX_ROUNDS = 3
"""How often a face may be cut by the range method."""


class FaceStatus(Enum):
    """How the ladder ended; the value is the diagnosis."""

    PROVED = "an exact identity was found."
    HOPELESS = "no Gram matrices satisfy the identity."
    NO_FACE = "the face has no interior, and no smaller one with rational vectors was found."
    INCONSISTENT = (
        "the exact equations of the face have no solution although the floating-point ones seem to: "
        "sums of squares may exist over the real numbers only."
    )


class Rung(StrEnum):
    """The idea that found a proof; the value is what tables show."""

    CONSTANT = "constant"
    STRICT = "strict"
    ZEROS = "face: zeros"
    RANGE = "face: range"
    DENOMINATOR = "denominator"
    EMPTY = "empty"
    AVERAGES = "averages"


@dataclass(frozen=True, slots=True)
class FaceProof:
    """What the ladder reached: the part, or why there is none.

    ``face`` is the last one tried.
    """

    part: Part | None
    rung: Rung
    status: FaceStatus
    face: Face
    solver: str
    seconds: float


def prove_exactly(
    program: SosProgram,
    mu: Fraction,
    points: Sequence[Point] = (),
    *,
    player: str | None = None,
    solver: str = AUTO,
    time_limit: float | None = None,
    by_range: bool = True,
) -> FaceProof:
    """A proof that M - mu R is positive semidefinite on the set, for a mu that may be the optimum itself.

    Parameters
    ----------
    program
        The program; built for the modulus ``mu``, it is smaller.
    mu
        The modulus to prove.
    points
        Points of the set where the matrix may be singular; where it is, their kernel vectors cut the face.
    player
        Recorded in the part.
    solver, time_limit
        The back end's name, and seconds for all of it.
    by_range
        Go on with the range method when the face of the points has no interior.

    Notes
    -----
    One solve and one exact sparse solution on the face of the points; the range method takes up to a few
    more. Nothing is trusted: the part is for the verifier to accept.
    """
    ladder = _Ladder(program, mu, player, solver, time_limit)
    return ladder.climb(points, by_range=by_range)


class _Ladder:
    """The state of one call of `prove_exactly`."""

    def __init__(
        self, program: SosProgram, mu: Fraction, player: str | None, solver: str, time_limit: float | None
    ) -> None:
        self.program, self.mu, self.player, self.solver = program, mu, player, solver
        self.start = time.perf_counter()
        self.deadline = math.inf if time_limit is None else self.start + time_limit
        self.right, self.denominator = right_side(program, mu)
        self.face = whole_face(program)
        self.rung = Rung.STRICT
        self.status = FaceStatus.NO_FACE
        self.used_solver = "exact"
        self.margin = math.nan
        self.refined = False

    def climb(self, points: Sequence[Point], *, by_range: bool) -> FaceProof:
        first = restricted(self.face, on_face(self.face, zero_kernels(self.program, self.mu, points)))
        if first is not None and not first.is_whole:
            self.rung = Rung.ZEROS
        pending = [] if first is None else [iter([first])]  # faces within faces, found one by one
        while pending and time.perf_counter() < self.deadline:
            face = next(pending[-1], None)
            if face is None:
                pending.pop()
                continue
            part, smaller = self.attempt(face)
            if part is not None:
                return self.end(part)
            if len(pending) == 1 and not self.margin > HOPELESS:
                self.status = FaceStatus.HOPELESS
            if by_range and len(pending) <= MAX_ROUNDS and self.margin > HOPELESS:
                self.rung = Rung.RANGE
                pending.append(smaller)
        return self.end(None)

    def attempt(self, face: Face) -> tuple[Part | None, Iterator[Face]]:
        """The part that a face gives; otherwise the smaller faces to try, found when they are asked for."""
        cut = without_forced_zeros(face, self.right)
        if cut is None:
            return None, iter(())
        self.face, equations = cut
        scaled = scaled_system(self.face, equations, self.mu)
        point = self.interior_point(scaled)
        if point is None:
            return None, iter(())
        self.margin = point.margin
        if not scaled.is_met_by(point):
            self.status = FaceStatus.HOPELESS
            return None, iter(())
        part = self.round(equations, scaled, point) if smallest_eigenvalue(point) > 0 else None
        return part, self.smaller(self.face, scaled, point)

    def smaller(self, face: Face, scaled: ScaledSystem, point: FacePoint) -> Iterator[Face]:
        """Faces that the point suggests; then, where it is known to few digits, those of a better point."""
        is_coarse = self.used_solver == "scs" and not self.refined
        yield from self.smaller_than(face, rational_faces(face, scaled, point, only_small=is_coarse))
        if is_coarse and time.perf_counter() < self.deadline:
            self.refined = True
            better = self.interior_point(scaled, FINE)
            if better is not None:
                yield from self.smaller_than(face, rational_faces(face, scaled, better))

    def smaller_than(self, face: Face, faces: Iterator[Face]) -> Iterator[Face]:
        for smaller in faces:
            if time.perf_counter() > self.deadline:
                return
            if smaller.ranks != face.ranks:
                yield smaller

    def interior_point(self, scaled: ScaledSystem, tolerance: float | None = None) -> FacePoint | None:
        remaining = self.deadline - time.perf_counter()
        options = SolverOptions(tolerance, None if math.isinf(remaining) else max(remaining, 0.01))
        answer, point = interior_point(scaled, self.solver, options)
        if answer is not None:
            self.used_solver = answer.solver
        return point

    def round(self, equations: IntMap, scaled: ScaledSystem, point: FacePoint) -> Part | None:
        """The part, if the exact solution near a definite point is definite."""
        solution = solve_near(equations, self.right, *_integers(scaled, point, self.denominator))
        if solution is None:
            self.status = FaceStatus.INCONSISTENT
            return None
        identity = ExactIdentity(
            self.mu,
            solution.scale * self.denominator,
            tuple(_matrices(self.face, solution.values)),
            solution.values[len(solution.values) - self.program.n_free :],
        )
        return assemble_part(self.program, identity, player=self.player, vectors=self.face.vectors)

    def end(self, part: Part | None) -> FaceProof:
        seconds = time.perf_counter() - self.start
        status = FaceStatus.PROVED if part is not None else self.status
        return FaceProof(part, self.rung, status, self.face, self.used_solver, seconds)


def _integers(scaled: ScaledSystem, point: FacePoint, denominator: int) -> tuple[ObjectArray, int]:
    """A point as integers, and the scale by which the equations' right side is multiplied for them."""
    factor = scaled.size * denominator
    smallest = float(scaled.units.min(initial=1.0))
    bits = BITS - math.floor(math.log2(smallest))
    bits += factor.denominator.bit_length() - factor.numerator.bit_length()
    scale = 1 << max(bits, 0)
    values = scaled.vector(point) * scaled.units
    integers = [round(Fraction(float(v)) * factor * scale) for v in values]
    return np.array(integers, dtype=object), scale


def _matrices(face: Face, values: ObjectArray) -> Iterator[ObjectArray]:
    start = 0
    for rank in face.ranks:
        n = rank * (rank + 1) // 2
        matrix = np.zeros((rank, rank), dtype=object)
        matrix[np.triu_indices(rank)] = values[start : start + n]
        matrix.T[np.triu_indices(rank)] = values[start : start + n]
        yield matrix
        start += n
