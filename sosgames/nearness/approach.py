"""From a family of games to one member that has the property, exactly: solve, round the changes, prove."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import floor, log10
from typing import TYPE_CHECKING

import numpy as np

from sosgames.certificates.games import ExactGame
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.parts import Part, TangentChart
from sosgames.certificates.proofs import ModulusProof
from sosgames.conic import GramSolution
from sosgames.conic.problem import FloatArray
from sosgames.errors import InputError
from sosgames.nearness.candidate import Candidate
from sosgames.nearness.distances import (
    FloatQuestion,
    TieBreak,
    distance_problem,
    float_family,
    gram_solutions,
    parameters,
)
from sosgames.nearness.family import GameFamily
from sosgames.nearness.kept import KeptConstraint
from sosgames.nearness.programs import FamilyProgram, Question
from sosgames.rounding import prove, prove_constant
from sosgames.rounding.dyadic import round_to_identity
from sosgames.rounding.parts import assemble_part
from sosgames.solvers.registry import AUTO, accurate_solver, find_solver, model_solver
from sosgames.solvers.status import SolverOptions

if TYPE_CHECKING:
    from sosgames.nearness.constraints import OwnConstraints

FLOORS = (2e-5, 2e-4, 2e-3, 2e-2)
"""Smallest eigenvalues of the scaled Gram matrices that leave room for rounding, tried in turn."""
DIGITS = 6
"""Decimal digits of the changes, counted from the largest coefficient."""
SIMPLE_DENOMINATORS = (1, 2, 3, 4, 6, 8, 12)
SIMPLE_WITHIN = 1e-5
"""How far from the solution, in units of the largest coefficient, a simple fraction may be."""
TIE_BREAKING_ITERATIONS = 800
CAP_SLACK = 1e-4
"""The share by which the norm may grow while ties are broken."""
TIE_BREAKING_WEIGHT = 0.2
"""Of the euclidean change, in units of the norm, at the first solution."""
SHARES = (1.0, 0.9, 0.75, 0.5)
"""How far from the first solution towards the one with the smallest euclidean change a proof is tried."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of the family with the proof that it has the property."""

    game: ExactGame
    certificate: ModulusProof
    constraints: tuple[KeptConstraint, ...] = ()


@dataclass(slots=True)
class Approach:
    """The search for the nearest member that can be proved; ``status`` says how the last solve ended."""

    family: GameFamily
    questions: Sequence[Question]
    programs: Sequence[FamilyProgram]
    norm: str
    margin: Fraction
    own: OwnConstraints | None = None
    break_ties: bool = True
    solver: str = AUTO
    options: SolverOptions = field(default_factory=SolverOptions)
    status: str = "nothing was tried"

    @property
    def is_constant(self) -> bool:
        """Whether no matrix depends on x: then singular matrices are proved as well as others."""
        return all(not program.program.keys.exponents.any() for program in self.programs)

    def members(self) -> Iterator[Member]:
        """Members with a proof, nearest first as far as the floors tell.

        Those that keep an affine constraint of the user's only nearly come last.
        """
        late = []
        for member in self.tried():
            if self.own is None or self.own.hold_exactly(member.constraints):
                yield member
            else:
                late.append(member)
        yield from late

    def tried(self) -> Iterator[Member]:
        """Every member that could be proved, by growing floors."""
        for floor_ in (0.0, *FLOORS) if self.is_constant else FLOORS:
            questions = [FloatQuestion.of(p, self.family, self.margin, floor_) for p in self.programs]
            candidates = list(self.closest(questions))
            for may_solve in (False, True):
                for candidate in candidates:
                    for family, exact in self.rounded(candidate.z):
                        member = self.proved(family, exact, questions, candidate.grams, may_solve=may_solve)
                        if member is not None:
                            yield member

    def closest(self, questions: Sequence[FloatQuestion]) -> Iterator[Candidate]:
        """The smallest euclidean change among the smallest ones, then any of the smallest ones.

        The second solve may end early: what can be proved counts, and points between the two solutions have
        the property as the solutions have.
        """
        first = self.solved(questions)
        if first is None:
            return
        euclidean = self.euclidean(first)
        if self.break_ties and self.norm != "l2" and first.distance > 0 and euclidean > 0:
            weight = TIE_BREAKING_WEIGHT * first.distance / euclidean
            least = self.solved(questions, TieBreak(first.distance * (1 + CAP_SLACK), weight))
            if least is not None and self.euclidean(least) < euclidean:
                yield from (first.towards(least, share) for share in SHARES)
        yield first

    def euclidean(self, candidate: Candidate) -> float:
        """The euclidean norm of the changes."""
        offset, basis = float_family(self.family)
        return float(np.linalg.norm(offset + basis @ candidate.z))

    def solved(
        self, questions: Sequence[FloatQuestion], tie_break: TieBreak | None = None
    ) -> Candidate | None:
        """The point where the solver ended; None where it left none."""
        limit = None if tie_break is None else TIE_BREAKING_ITERATIONS
        options = replace(self.options, max_iterations=limit)
        if self.own is None:
            candidate, status = self.solved_directly(questions, tie_break, options)
        else:
            candidate, status = self.solved_by_model(self.own, questions, tie_break, options)
        if tie_break is None:
            self.status = status
        return candidate

    def solved_directly(
        self, questions: Sequence[FloatQuestion], tie_break: TieBreak | None, options: SolverOptions
    ) -> tuple[Candidate | None, str]:
        """The moment form, by a solver that takes the conic data."""
        problem = distance_problem(questions, self.family, self.norm, tie_break)
        name = accurate_solver(problem.cones.semidefinite) if self.solver == AUTO else self.solver
        answer = find_solver(name)(problem, options)
        status, point = f"{name}: {answer.status.value}", answer.usable_point
        if point is None:
            return None, status
        z, grams = parameters(point, questions, self.family), gram_solutions(point, questions)
        return Candidate(z, grams, -float(problem.c @ point.x)), status

    def solved_by_model(
        self,
        own: OwnConstraints,
        questions: Sequence[FloatQuestion],
        tie_break: TieBreak | None,
        options: SolverOptions,
    ) -> tuple[Candidate | None, str]:
        """The form with Gram matrices and the user's constraints, by a solver that cvxpy calls."""
        from sosgames.nearness.modelled import solve_with_constraints

        sides = [side for q in questions for side in q.system.sides]
        name = model_solver(self.solver, sides)
        candidate, status = solve_with_constraints(
            questions, self.family, own, self.norm, tie_break, name, options
        )
        return candidate, f"{name}: {status.value}"

    def rounded(self, z: FloatArray) -> Iterator[tuple[GameFamily, list[Fraction]]]:
        """Exact parameters near z: simple fractions where matrices are constant, then decimals.

        With constraints of the user's, first those of the members that keep the active affine ones exactly.
        """
        coefficients = [abs(c) for p in self.family.game.players for c in p.utility.terms.values()]
        size = float(max(coefficients, default=Fraction(1)))
        digits = DIGITS - floor(log10(size)) if size > 0 else DIGITS
        for family, values in self.narrowed(z):
            for q in SIMPLE_DENOMINATORS if self.is_constant else ():
                simple = [Fraction(v).limit_denominator(q) for v in values]
                if all(abs(v - w) <= SIMPLE_WITHIN * size for v, w in zip(simple, values, strict=True)):
                    yield family, simple
            yield family, [round(Fraction(v), max(digits, 0)) for v in values]

    def narrowed(self, z: FloatArray) -> Iterator[tuple[GameFamily, list[float]]]:
        """The families in which a member near z is sought, and its parameters there."""
        if self.own is not None:
            offset, basis = float_family(self.family)
            changes = np.asarray(offset + basis @ z)
            active = self.own.nearly_active(changes)
            try:
                narrow = self.family.tied(active)
            except InputError:  # active ones that contradict each other by a little
                narrow = self.family
            if narrow != self.family:
                yield narrow, narrow.parameters(changes.tolist())
        yield self.family, z.tolist()

    def proved(
        self,
        family: GameFamily,
        z: Sequence[Fraction],
        questions: Sequence[FloatQuestion],
        grams: Sequence[GramSolution],
        *,
        may_solve: bool,
    ) -> Member | None:
        """The member at exact parameters, if it keeps the constraints and its property can be proved.

        From the Gram matrices at hand, or else, if it ``may_solve``, from a solve for this member alone.
        """
        game, changes = family.game_at(z), family.changes(z)
        constraints = () if self.own is None else self.own.check(changes)
        if self.own is not None and not self.own.are_kept(constraints):
            worst = max(constraints, key=lambda kept: kept.violation)
            self.status = f"after rounding {worst.text} is violated by {worst.violation:.1e}"
            return None
        known = {
            p.question.player: (p, q, g) for p, q, g in zip(self.programs, questions, grams, strict=True)
        }
        parts = []
        for question in self.questions:
            part = self.constant_part(question, game)
            if part is None and question.player in known:
                part = self.program_part(*known[question.player], game, changes, may_solve)
            if part is None:
                return None
            parts.append(part)
        proof = ModulusProof(self.property, game.variables, tuple(parts))
        return Member(game, proof, constraints)

    @property
    def property(self) -> str:
        return "monotone" if self.questions[0].player is None else "concave"

    def constant_part(self, question: Question, game: ExactGame) -> Part | None:
        """The part where there is no direction, or the matrix is constant."""
        if question.n_directions == 0:
            chart = None if question.tangent is None else TangentChart(question.tangent)
            return Part(player=question.player, mu=self.margin, scale=1, blocks=(), chart=chart)
        matrix = modulus_matrix(game, self.property, player=question.player)
        if not all(entry.is_constant() for entry in matrix.entries.values()):
            return None
        return prove_constant(matrix, self.margin, player=question.player, tangent=question.tangent)

    def program_part(
        self,
        program: FamilyProgram,
        question: FloatQuestion,
        grams: GramSolution,
        game: ExactGame,
        changes: tuple[Fraction, ...],
        may_solve: bool,
    ) -> Part | None:
        """The part from the Gram matrices at hand, or else from a solve for this member alone, if it may."""
        member, player = program.at(game, changes), program.question.player
        identity = round_to_identity(member, question.scaling, grams, self.margin)
        part = None if identity is None else assemble_part(member, identity, player=player)
        if part is not None or not may_solve:
            return part
        return prove(
            member, player=player, solver=self.solver, target=self.margin, time_limit=self.options.time_limit
        ).part
