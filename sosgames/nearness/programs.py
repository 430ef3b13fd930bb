"""The matrix-SOS program of a whole family of games: its right-hand side is affine in the changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm

import numpy as np

from sosgames.certificates.games import ExactGame, ExactPlayer
from sosgames.certificates.matrices import PolyMatrix, congruent, modulus_matrix, weighted_matrix
from sosgames.certificates.polynomials import Monomial, Polynomial
from sosgames.certificates.tangents import tangent_basis
from sosgames.nearness.family import GameFamily, Tie
from sosgames.sos import MultiGradedBases, SosProgram, build_program
from sosgames.sos.exponents import monomial_of

Entries = Mapping[tuple[int, int], Polynomial]
Place = tuple[int, int, Monomial]
"""A matrix entry and a monomial in the program's coordinates."""


@dataclass(frozen=True, slots=True)
class Question:
    """One matrix that must be positive semidefinite: a player's (concave) or the game's (monotone).

    ``effects[k]`` is the matrix that a change of coefficient k by 1 adds; it is linear in the utilities.
    """

    player: str | None
    matrix: PolyMatrix
    tangent: tuple[tuple[int, ...], ...] | None
    effects: Mapping[int, Entries]

    @property
    def n_directions(self) -> int:
        """The number of directions that are asked about."""
        return self.matrix.side if self.tangent is None else len(self.tangent[0])

    def outward(self, w: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """The direction with these coordinates along the affine equations."""
        if self.tangent is None:
            return tuple(w)
        return tuple(sum((b * v for b, v in zip(row, w, strict=True)), Fraction(0)) for row in self.tangent)

    def generic(self, family: GameFamily) -> PolyMatrix:
        """The matrix of a member in general position: it has every monomial that some member has."""
        entries = dict(self.matrix.entries)
        z = [Fraction((j + 1) * 7919 % 104729 + 1, 104729) for j in range(family.n_free)]
        changes = family.changes(z)
        for k, effect in self.effects.items():
            for key, p in effect.items():
                entries[key] = entries.get(key, Polynomial()) + p * changes[k]
        return replace(self.matrix, entries={key: p for key, p in entries.items() if p})

    def compressed(self, entries: Entries) -> Entries:
        """The entries along the affine equations."""
        return entries if self.tangent is None else congruent(entries, self.tangent)


def questions(family: GameFamily, prop: str) -> list[Question]:
    """The matrices of a property, with the effect of every coefficient on each."""
    game = family.game
    owners = [p for p in game.players if p.variables] if prop == "concave" else [None]
    return [_question(family, prop, owner) for owner in owners]


def _question(family: GameFamily, prop: str, owner: ExactPlayer | None) -> Question:
    game = family.game
    matrix = modulus_matrix(game, prop, player=owner.name if owner else None)
    effects = {}
    for k, (player, monomial) in enumerate(family.coefficients):
        if owner is None or owner.name == player:
            changed = replace(game.player(player), utility=Polynomial({monomial: 1}))
            effect = weighted_matrix([(changed, Fraction(1))], matrix.rows).entries
            if effect:
                effects[k] = effect
    return Question(owner.name if owner else None, matrix, tangent_basis(game, matrix.rows), effects)


@dataclass(frozen=True, slots=True)
class FamilyProgram:
    """A program whose target is ``constant + sum_k columns[k] delta_k``, equation by equation, exactly."""

    question: Question
    program: SosProgram
    constant: Mapping[int, Fraction]
    columns: Mapping[int, Mapping[int, Fraction]]

    def at(self, game: ExactGame, changes: tuple[Fraction, ...]) -> SosProgram:
        """The program of one member of the family."""
        target = dict(self.constant)
        for k, column in self.columns.items():
            for equation, value in column.items() if changes[k] else ():
                target[equation] = target.get(equation, Fraction(0)) + value * changes[k]
        program, known = self.program, self.program.denominator
        denominator = lcm(known, *(v.denominator for v in target.values()))
        numbers = np.zeros(program.n_equations, dtype=object)
        for equation, value in target.items():
            numbers[equation] = int(value * denominator)
        entries = modulus_matrix(game, self._property, player=self.question.player).entries
        return replace(
            program,
            entries=self.question.compressed(entries),
            target=numbers,
            metric=program.metric * (denominator // known),
            denominator=denominator,
        )

    def ties(self) -> Iterator[Tie]:
        """Equations without an unknown: a member with a certificate at this level satisfies them.

        They arise where a diagonal entry vanishes for all members, or a Gram matrix can have no interior.
        """
        covered = np.zeros(self.program.n_equations, dtype=bool)
        covered[self.program.coefficients.equations] = True
        margin = self.program.modulus or Fraction(0)
        for i in np.flatnonzero(~covered).tolist():
            fixed = margin * Fraction(int(self.program.metric[i]), self.program.denominator)
            row = {k: column[i] for k, column in self.columns.items() if i in column}
            yield row, fixed - self.constant.get(i, Fraction(0))

    @property
    def _property(self) -> str:
        return "monotone" if self.question.player is None else "concave"


def family_program(
    question: Question, family: GameFamily, margin: Fraction, level: int | None
) -> FamilyProgram:
    """The program at one level, with multi-graded bases and products of faces across players."""
    generic = question.generic(family)
    program = build_program(
        generic,
        family.game,
        level,
        tangent=question.tangent,
        bases=MultiGradedBases(tuple(p.variables for p in family.game.players if p.variables)),
        cross_products=True,
        modulus=margin,
    )
    places = {place: i for i, place in enumerate(_places(program))}
    return FamilyProgram(
        question,
        program,
        _placed(question.compressed(question.matrix.entries), program, places),
        {k: _placed(question.compressed(effect), program, places) for k, effect in question.effects.items()},
    )


def _places(program: SosProgram) -> Iterator[Place]:
    keys = program.keys
    for a, b, exponents in zip(keys.rows, keys.columns, keys.exponents, strict=True):
        yield int(a), int(b), monomial_of(exponents, program.coordinates.names)


def _placed(entries: Entries, program: SosProgram, places: Mapping[Place, int]) -> dict[int, Fraction]:
    """The coefficients of a matrix by the program's equations.

    A coefficient without an equation is 0 for every member of the family.
    """
    placed: dict[int, Fraction] = {}
    for (a, b), polynomial in entries.items():
        for monomial, value in program.coordinates.to_coordinates(polynomial).terms.items():
            if (place := places.get((a, b, monomial))) is not None:
                placed[place] = value
    return placed
