"""The answer of `nearest`."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING, Any

from sosgames import plotting
from sosgames.certificates.claims import VerifiedClaim, number
from sosgames.certificates.games import ExactGame
from sosgames.certificates.gaps import square_root_above
from sosgames.certificates.nearness import changed_game
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.prooffiles import from_dict
from sosgames.certificates.proofs import ModulusProof, NearestProof
from sosgames.certificates.verifier import verify
from sosgames.errors import InputError, reading
from sosgames.games import Game
from sosgames.nearness.kept import KeptConstraint, read_kept
from sosgames.results.bracket import pair

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROOT_BITS = 64


@dataclass(frozen=True, slots=True)
class Change:
    """A coefficient that differs: of which monomial of whose utility, before and after."""

    player: str
    monomial: str
    old: Fraction
    new: Fraction

    @property
    def size(self) -> Fraction:
        """The absolute difference."""
        return abs(self.new - self.old)


@dataclass(frozen=True, slots=True, repr=False)
class NearestGame:
    """A game near the user's that has the property, with proofs that it has and that none is much nearer.

    Attributes
    ----------
    problem
        The user's game.
    game
        The game that has the property; exact rational coefficients.
    changes
        The coefficients that differ, largest change first.
    proof
        What is claimed, for `sosgames.verify`; the verifier has accepted it.
    seconds
        Wall time.
    constraints
        The constraints that the user gave, each with its violation. The proof says nothing about them, and
        ``distance_lower`` leaves them out: with them no game is nearer either.
    """

    problem: ExactGame
    game: Game
    changes: tuple[Change, ...]
    proof: NearestProof
    seconds: float
    constraints: tuple[KeptConstraint, ...] = ()

    @builtins.property
    def property(self) -> str:
        """The property, "concave" or "monotone"."""
        return self.proof.property

    @builtins.property
    def norm(self) -> str:
        """How changes are measured: "linf", "l1" or "l2"."""
        return self.proof.norm

    @builtins.property
    def distance(self) -> Fraction:
        """The norm of the changes; exact, for "l2" rounded up."""
        squared = self.proof.distance
        return square_root_above(squared) if self.norm == "l2" else squared

    @builtins.property
    def distance_lower(self) -> Fraction:
        """No game with the property that differs in these coefficients alone is nearer (l2: rounded down)."""
        lower = self.proof.distance_lower or Fraction(0)
        return _square_root_below(lower) if self.norm == "l2" else lower

    @builtins.property
    def certificate(self) -> ModulusProof:
        """The proof that the game has the property."""
        return self.proof.certificate

    def verify(self) -> VerifiedClaim:
        """Check the proof again, from the user's game alone; raises `CertificateError` when it fails."""
        return verify(self.proof, self.problem)

    def table(self, most: int | None = 20) -> str:
        """What changed, one coefficient a line."""
        shown = self.changes[:most]
        width = max((len(c.monomial) for c in shown), default=0)
        lines = [f"  {c.player}: {c.monomial:{width}}  {number(c.old)} -> {number(c.new)}" for c in shown]
        if len(self.changes) > len(shown):
            lines.append(f"  ... and {len(self.changes) - len(shown)} more")
        return "\n".join(lines)

    def summary(self) -> str:
        """In words: how far, what is proved, what changed."""
        name = self.problem.name or "game"
        distance, lower = _short(self.distance, ROUND_CEILING), _short(self.distance_lower)
        lines = [
            f"{name}: the nearest {self.property} game is between {lower} and {distance} away ({self.norm})",
            f"  modulus of the game that was found: at least {_short(self.certificate.mu)}",
            f"  {len(self.changes)} coefficients change",
        ]
        if self.changes:
            lines.append(self.table(8))
        lines += [f"  {constraint}" for constraint in self.constraints]
        if self.constraints:
            lines.append("  the lower end of the bracket leaves these constraints out; it holds with them")
        return "\n".join(lines)

    def __repr__(self) -> str:
        bracket = f"{_short(self.distance_lower)} <= distance <= {_short(self.distance, ROUND_CEILING)}"
        return f"<nearest {self.property} game: {bracket} ({self.norm}), {self.seconds:.2f} s>"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw old and new coefficients, largest change first."""
        names = [f"{c.player}: {c.monomial}" for c in self.changes]
        pairs = [(float(c.old), float(c.new)) for c in self.changes]
        return plotting.plot_changes(names, pairs, ax)

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON values; exact numbers are pairs of integers."""
        return {
            "property": self.property,
            "norm": self.norm,
            "distance": pair(self.distance),
            "distance_lower": pair(self.distance_lower),
            "changes": [
                {"player": c.player, "monomial": c.monomial, "old": pair(c.old), "new": pair(c.new)}
                for c in self.changes
            ],
            "constraints": [c.to_dict() for c in self.constraints],
            "proof": self.proof.to_dict(),
            "seconds": self.seconds,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], problem: ExactGame) -> NearestGame:
        """The result that `to_dict` wrote about this game; call `verify` to check its proof again.

        Everything but the constraints comes from the proof. Constraints between single coefficients are
        computed again and refused where they disagree with the game; the others say that a file says so.

        Raises
        ------
        InputError
            When the values are no such result; `CertificateError` when its proof is malformed.
        """
        with reading("a nearest game"):
            proof = from_dict(data["proof"])
            if not isinstance(proof, NearestProof):
                raise InputError(f"a nearest game: got a {type(proof).__name__}, not a NearestProof.")
            found = changed_game(proof, problem)
            written = enumerate(data.get("constraints", ()), 1)
            kept = tuple(read_kept(values, k, found) for k, values in written)
            return cls.of(problem, found, proof, float(data["seconds"]), kept)

    @classmethod
    def of(
        cls,
        problem: ExactGame,
        found: ExactGame,
        proof: NearestProof,
        seconds: float,
        constraints: tuple[KeptConstraint, ...] = (),
    ) -> NearestGame:
        """The result about a game that was found."""
        pairs = zip(problem.players, found.players, strict=True)
        changes = [
            Change(old.name, str(Polynomial({m: 1})), old.utility.coefficient(m), new.utility.coefficient(m))
            for old, new in pairs
            for m in (new.utility - old.utility).terms
        ]
        changes.sort(key=lambda change: -change.size)
        return cls(problem, Game.from_exact(found), tuple(changes), proof, seconds, constraints)


def _short(bound: Fraction, rounding: str = ROUND_FLOOR) -> str:
    """A bound for people: exact if it is short, otherwise six digits, rounded to the safe side.

    >>> _short(Fraction(51313972077, 10**11)), _short(Fraction(51313972077, 10**11), ROUND_CEILING)
    ('0.513139', '0.513140')
    """
    if len(str(bound)) <= 12:
        return str(bound)
    with localcontext(Context(prec=6, rounding=rounding, Emax=MAX_EMAX, Emin=MIN_EMIN)):
        return f"{Decimal(bound.numerator) / Decimal(bound.denominator)}"


def _square_root_below(value: Fraction) -> Fraction:
    root = isqrt((value.numerator << 2 * ROOT_BITS) // value.denominator)
    return Fraction(root, 1 << ROOT_BITS)
