"""From a family of games to one member that has the property, exactly: solve, round the changes, prove."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import floor, log10

import numpy as np

from sosgames.certificates.games import ExactGame
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.parts import Part, TangentChart
from sosgames.certificates.proofs import ModulusProof
from sosgames.conic import GramSolution
from sosgames.conic.problem import ConicPoint, FloatArray
from sosgames.nearness.distances import FloatQuestion, distance_problem, gram_solutions, parameters
from sosgames.nearness.family import GameFamily
from sosgames.nearness.programs import FamilyProgram, Question
from sosgames.rounding import prove, prove_constant
from sosgames.rounding.dyadic import round_to_identity
from sosgames.rounding.parts import assemble_part
from sosgames.solvers.registry import AUTO, find_solver, solvers_for
from sosgames.solvers.status import SolverOptions, SolverStatus

FLOORS = (2e-5, 2e-4, 2e-3, 2e-2)
"""Smallest eigenvalues of the scaled Gram matrices that leave room for rounding, tried in turn."""
DIGITS = 6
"""Decimal digits of the changes, counted from the largest coefficient."""
SIMPLE_DENOMINATORS = (1, 2, 3, 4, 6, 8, 12)
SIMPLE_WITHIN = 1e-5
"""How far from the solution, in units of the largest coefficient, a simple fraction may be."""
TIE_BREAKING_ITERATIONS = 1000
CAP_SLACK = 1e-4
"""The share by which the norm may grow while ties are broken."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of the family with the proof that it has the property."""

    game: ExactGame
    certificate: ModulusProof


@dataclass(slots=True)
class Approach:
    """The search for the nearest member that can be proved; ``status`` says how the last solve ended."""

    family: GameFamily
    questions: Sequence[Question]
    programs: Sequence[FamilyProgram]
    norm: str
    margin: Fraction
    solver: str = AUTO
    options: SolverOptions = field(default_factory=SolverOptions)
    status: str = "nothing was tried"

    @property
    def is_constant(self) -> bool:
        """Whether no matrix depends on x: then singular matrices are proved as well as others."""
        return all(not program.program.keys.exponents.any() for program in self.programs)

    def members(self) -> Iterator[Member]:
        """Members with a proof, nearest first as far as the floors tell."""
        for floor_ in (0.0, *FLOORS) if self.is_constant else FLOORS:
            questions = [FloatQuestion.of(p, self.family, self.margin, floor_) for p in self.programs]
            for point in self.closest(questions):
                z = parameters(point, questions, self.family)
                for exact in self.rounded(z):
                    member = self.proved(exact, questions, gram_solutions(point, questions))
                    if member is not None:
                        yield member

    def closest(self, questions: Sequence[FloatQuestion]) -> Iterator[ConicPoint]:
        """The smallest euclidean change among the smallest ones, then any of the smallest ones."""
        point, distance = self.solved(questions, None, self.options)
        if point is not None and self.norm != "l2" and distance > 0:
            limited = replace(self.options, max_iterations=TIE_BREAKING_ITERATIONS)
            better, _ = self.solved(questions, distance * (1 + CAP_SLACK), limited)
            if better is not None:
                yield better
        if point is not None:
            yield point

    def solved(
        self, questions: Sequence[FloatQuestion], cap: float | None, options: SolverOptions
    ) -> tuple[ConicPoint | None, float]:
        """A point and its distance; None where the solver left no point, or did not finish breaking ties."""
        problem = distance_problem(questions, self.family, self.norm, cap)
        suited = solvers_for(problem.cones.semidefinite, problem.n_variables)
        name = suited[0] if self.solver == AUTO else self.solver
        answer = find_solver(name)(problem, options)
        self.status = f"{name}: {answer.status.value}"
        ended_early = cap is not None and answer.status is SolverStatus.ITERATION_LIMIT
        usable = answer.status.has_point and not ended_early
        if answer.point is None or not usable or not np.isfinite(answer.point.z).all():
            return None, 0.0
        return answer.point, -float(problem.c @ answer.point.x)

    def rounded(self, z: FloatArray) -> Iterator[list[Fraction]]:
        """Exact parameters near z: simple fractions where matrices are constant, then decimals."""
        coefficients = [abs(c) for p in self.family.game.players for c in p.utility.terms.values()]
        size = float(max(coefficients, default=Fraction(1)))
        digits = DIGITS - floor(log10(size)) if size > 0 else DIGITS
        for q in SIMPLE_DENOMINATORS if self.is_constant else ():
            simple = [Fraction(float(v)).limit_denominator(q) for v in z]
            if all(abs(float(v) - w) <= SIMPLE_WITHIN * size for v, w in zip(simple, z, strict=True)):
                yield simple
        yield [round(Fraction(float(v)), max(digits, 0)) for v in z]

    def proved(
        self, z: Sequence[Fraction], questions: Sequence[FloatQuestion], grams: Sequence[GramSolution]
    ) -> Member | None:
        """The member at exact parameters, if its property can be proved there."""
        game, changes = self.family.game_at(z), self.family.changes(z)
        known = {
            p.question.player: (p, q, g) for p, q, g in zip(self.programs, questions, grams, strict=True)
        }
        parts = []
        for question in self.questions:
            part = self.constant_part(question, game)
            if part is None and question.player in known:
                part = self.program_part(*known[question.player], game, changes)
            if part is None:
                return None
            parts.append(part)
        return Member(game, ModulusProof(self.property, game.variables, tuple(parts)))

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
    ) -> Part | None:
        """The part from the Gram matrices at hand, or else from a solve for this member alone."""
        member, player = program.at(game, changes), program.question.player
        identity = round_to_identity(member, question.scaling, grams, self.margin)
        part = None if identity is None else assemble_part(member, identity, player=player)
        if part is not None:
            return part
        return prove(
            member, player=player, solver=self.solver, target=self.margin, time_limit=self.options.time_limit
        ).part
