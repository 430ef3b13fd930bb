"""Closing a bracket: an exact proof at the value that a point of X shows to be the largest possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm

from sosgames.certificates.matrices import Basis, PolyMatrix, Problem
from sosgames.faces import FaceProof, prove_exactly, prove_with_denominator
from sosgames.search.forms import Form
from sosgames.sos import SosProgram
from sosgames.sos.generators import relevant_variables, strong_description
from sosgames.witnesses import Witness, points_near_value

Point = dict[str, Fraction]

SIMPLE = 10_000
"""Largest denominator, in units of the matrix's own, of a value that may be an optimum."""
NEARLY_ZERO = Fraction(1, 10**6)


@dataclass(frozen=True, slots=True)
class Closing:
    """Attempts to prove that a modulus is exactly ``mu``.

    ``points`` are points of X where M - mu R may be singular, those where most of it vanishes first.
    """

    problem: Problem
    player: str | None
    matrix: PolyMatrix
    tangent: Basis | None
    mu: Fraction
    points: tuple[Point, ...]

    def by_faces(
        self, form: Form, program: SosProgram, solver: str, seconds: float | None, *, by_range: bool
    ) -> FaceProof:
        """By faces of the form's program for this modulus."""
        found = prove_exactly(
            program,
            self.mu,
            self.points if form.uses_points else (),
            player=self.player,
            solver=solver,
            time_limit=seconds,
            by_range=by_range,
        )
        return found if found.part is None else replace(found, part=form.part(found.part))

    def with_denominator(self, solver: str, seconds: float | None) -> FaceProof | None:
        """By a denominator at an interior zero; None when no such zero is known."""
        x0 = self.interior_zero()
        if x0 is None:
            return None
        return prove_with_denominator(
            self.matrix,
            self.problem,
            self.mu,
            x0,
            self.points,
            tangent=self.tangent,
            player=self.player,
            solver=solver,
            time_limit=seconds,
        )

    def interior_zero(self) -> Point | None:
        """The first of the points at which every generator is positive."""
        occurring = [name for entry in self.matrix.entries.values() for name in entry.variables]
        relevant = relevant_variables(occurring, self.problem.constraints)
        description = strong_description(self.problem.constraints, relevant)
        generators = [description.polynomial(index) for index in description.active]
        return next((p for p in self.points if all(g(p) > 0 for g in generators)), None)


def closings(
    problem: Problem, player: str | None, matrix: PolyMatrix, tangent: Basis | None, witness: Witness | None
) -> Sequence[Closing]:
    """One attempt for each value that the optimum may have exactly: the witness's when it is simple, and 0.

    An optimum that is no rational of small height cannot be proved exactly, and trying to is expensive.
    """
    if witness is None:
        return ()
    attempts = []
    for mu in _plausible_optima(matrix, witness.value):
        points = [*points_near_value(matrix, problem, mu, tangent=tangent), dict(witness.x)]
        attempts.append(Closing(problem, player, matrix, tangent, mu, tuple(points)))
    return attempts


def _plausible_optima(matrix: PolyMatrix, upper: Fraction) -> list[Fraction]:
    coefficients = [c for entry in matrix.entries.values() for c in entry.terms.values()]
    unit = Fraction(1, lcm(*(c.denominator for c in coefficients)))
    size = max((abs(c) for c in coefficients), default=Fraction(1))
    if (upper / unit).denominator <= SIMPLE:
        return [upper]
    return [Fraction(0)] if 0 < upper <= NEARLY_ZERO * size else []
