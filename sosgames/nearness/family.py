r"""The games that may be answered: all that differ from the user's game in chosen coefficients.

Changes are :math:`\delta = \delta_0 + N z` with z free: ties between coefficients (a zero-sum game stays one,
a matrix row without a diagonal must vanish) are solved exactly before any floating point is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import flint

from sosgames.certificates.games import ExactGame
from sosgames.certificates.polynomials import Monomial, Polynomial
from sosgames.errors import InputError

Coefficient = tuple[str, Monomial]
"""A player and a monomial of that player's utility."""
Tie = tuple[Mapping[int, Fraction], Fraction]
"""A linear equation between changes: coefficients by index, and the right-hand side."""


@dataclass(frozen=True, slots=True)
class GameFamily:
    """A game and the changes that are allowed.

    ``offset[k] + sum_j basis[k][j] z_j``, with j below ``n_free``, is the change of ``coefficients[k]``.
    """

    game: ExactGame
    coefficients: tuple[Coefficient, ...]
    offset: tuple[Fraction, ...]
    basis: tuple[Mapping[int, Fraction], ...]
    n_free: int

    @classmethod
    def free(cls, game: ExactGame, coefficients: Iterable[Coefficient]) -> GameFamily:
        """Every coefficient listed may change, independently of the others."""
        listed = tuple(dict.fromkeys(coefficients))
        unit = tuple({k: Fraction(1)} for k in range(len(listed)))
        return cls(game, listed, (Fraction(0),) * len(listed), unit, len(listed))

    def changes(self, z: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """The changes at exact parameters."""
        return tuple(
            sum((c * z[j] for j, c in row.items()), shift)
            for shift, row in zip(self.offset, self.basis, strict=True)
        )

    def game_at(self, z: Sequence[Fraction]) -> ExactGame:
        """The game at exact parameters."""
        terms: dict[str, dict[Monomial, Fraction]] = {}
        for (player, monomial), change in zip(self.coefficients, self.changes(z), strict=True):
            terms.setdefault(player, {})[monomial] = change
        players = (
            replace(player, utility=player.utility + Polynomial(terms.get(player.name, {})))
            for player in self.game.players
        )
        return replace(self.game, players=tuple(players))

    def parameters(self, changes: Sequence[float]) -> list[float]:
        """The parameters of the member with these changes: each parameter is the change of a coefficient."""
        place = {}
        for k, (shift, row) in enumerate(zip(self.offset, self.basis, strict=True)):
            if shift == 0 and list(row.values()) == [1]:
                place[next(iter(row))] = k
        return [changes[place[j]] for j in range(self.n_free)]

    def tied(self, ties: Sequence[Tie]) -> GameFamily:
        """The part of the family that satisfies linear equations between the changes.

        Raises
        ------
        InputError
            When no member satisfies them.
        """
        rows = [self._in_parameters(tie) for tie in ties]
        if not rows:
            return self
        n = self.n_free
        reduced, _ = flint.fmpq_mat(len(rows), n + 1, [_flint(v) for row in rows for v in row]).rref()
        table = [[_fraction(reduced[i, j]) for j in range(n + 1)] for i in range(len(rows))]
        pivots: dict[int, list[Fraction]] = {}
        for row in table:
            lead = next((j for j, v in enumerate(row) if v), None)
            if lead == n:
                raise InputError(
                    "nearest: no game with these fixed coefficients, ties and constraints can be certified at"
                    " this level; let more coefficients change, or try a higher level."
                )
            if lead is not None:
                pivots[lead] = row
        return self._with_pivots(pivots)

    def _in_parameters(self, tie: Tie) -> list[Fraction]:
        """The equation in terms of z, right-hand side last."""
        coefficients, right = tie
        row = [Fraction(0)] * self.n_free
        for k, c in coefficients.items():
            right -= c * self.offset[k]
            for j, b in self.basis[k].items():
                row[j] += c * b
        return [*row, right]

    def _with_pivots(self, pivots: Mapping[int, Sequence[Fraction]]) -> GameFamily:
        """Parameters with a pivot are replaced by the others, which are numbered anew."""
        kept = {j: i for i, j in enumerate(j for j in range(self.n_free) if j not in pivots)}
        offset, basis = [], []
        for shift, row in zip(self.offset, self.basis, strict=True):
            changed = {kept[j]: b for j, b in row.items() if j in kept}
            for lead in row.keys() & pivots.keys():
                pivot = pivots[lead]
                shift += row[lead] * pivot[self.n_free]
                for j, i in kept.items():
                    if pivot[j]:
                        changed[i] = changed.get(i, Fraction(0)) - row[lead] * pivot[j]
            offset.append(shift)
            basis.append({i: b for i, b in changed.items() if b})
        return replace(self, offset=tuple(offset), basis=tuple(basis), n_free=len(kept))


def _flint(value: Fraction) -> flint.fmpq:
    return flint.fmpq(value.numerator, value.denominator)


def _fraction(value: flint.fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))
