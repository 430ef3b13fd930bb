"""What a proof has been found to prove, in words and as values."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from typing import Literal

from sosgames.certificates.errors import CertificateError, shown
from sosgames.certificates.matrices import Problem
from sosgames.certificates.parts import CoordinateChart, Numbers, Part, TangentChart
from sosgames.certificates.proofs import ModulusProof, RefutationProof

Kind = Literal["modulus", "refutation", "equilibrium", "regret", "nearest"]


@dataclass(frozen=True, slots=True)
class VerifiedClaim:
    """A claim about the user's own problem that has been proved; made by the verifier only.

    Attributes
    ----------
    kind
        "modulus", "refutation", "equilibrium", "regret" or "nearest".
    text
        The claim in words.
    property
        "concave", "monotone" or "matrix"; None for regrets and for an equilibrium without a certificate.
    mu
        Proved lower bound on the modulus (of the nearest game, where that is the claim), or None.
    value
        Proved upper bound on the modulus, for a refutation.
    moduli
        Proved lower bounds by player, for "concave".
    weights
        Positive weights by player, "free" (the bound holds for all), or None.
    regrets
        What each player could gain at most by deviating from the claimed point, where that is proved.
    """

    kind: Kind
    text: str
    property: str | None = None
    mu: Fraction | None = None
    value: Fraction | None = None
    moduli: Mapping[str, Fraction] = field(default_factory=dict)
    weights: Mapping[str, Fraction] | Literal["free"] | None = None
    regrets: Mapping[str, Fraction] = field(default_factory=dict)

    @builtins.property
    def strict(self) -> bool:
        """Whether a modulus above 0 has been proved."""
        return self.mu is not None and self.mu > 0

    def __str__(self) -> str:
        return self.text


_NOUNS = {"concave": "every player's utility", "monotone": "the game", "matrix": "the matrix"}
_ADJECTIVES = {
    "concave": ("strongly concave in the player's own variables", "concave in the player's own variables"),
    "monotone": ("strongly monotone", "monotone"),
    "matrix": ("positive definite", "positive semidefinite"),
}


def modulus_claim(proof: ModulusProof, bound: bool) -> VerifiedClaim:
    """The claim of a modulus proof that holds; ``bound``: affine equations restrict the directions."""
    strongly, plainly = _ADJECTIVES[proof.property]
    noun = _NOUNS[proof.property]
    if proof.mu < 0:
        text = (
            f"The modulus is at least {number(proof.mu)} at every x in X;"
            f" this bound alone does not show that {noun} is {plainly}."
        )
    else:
        text = f"At every x in X, {noun} is {strongly if proof.strict else plainly}"
        text += f", with modulus at least {number(proof.mu)}." if proof.strict else "."
    moduli = {part.player: part.mu for part in proof.parts if part.player is not None}
    if len(moduli) > 1:
        text += f" Player by player: {listing(moduli)}."
    if proof.weights is not None:
        text += f" Weights of the players: {listing(proof.weights)}."
    text += _directions(proof.parts, bound)
    return VerifiedClaim("modulus", text, proof.property, proof.mu, None, moduli, proof.weights)


def _directions(parts: tuple[Part, ...], bound: bool) -> str:
    charts = [part.chart for part in parts]
    gone = [name for chart in charts if isinstance(chart, CoordinateChart) for name in chart.eliminated]
    if gone:
        return f" Measured in the coordinates that are left without {', '.join(gone[:6])}."
    if not bound:
        return ""
    if any(isinstance(chart, TangentChart) for chart in charts):
        return " Directions: along the affine equations of X."
    return " Directions: all, also those that leave the affine equations of X."


def check_variables(proof: ModulusProof | RefutationProof, problem: Problem) -> None:
    """The proof's list of variables must be the problem's own, since indices refer to it."""
    if proof.variables != problem.variables:
        raise CertificateError(
            f"variables: the proof has {shown(list(proof.variables))}, the problem"
            f" {shown(list(problem.variables))}; this is a proof about another problem."
        )


def check_point(x: Numbers, problem: Problem, where: str) -> None:
    """The point must have a value for each variable and lie in X, decided exactly."""
    if x.keys() != set(problem.variables):
        raise CertificateError(f"{where}: the point must have a value for each variable and no other.")
    for index, constraint in enumerate(problem.constraints):
        if not constraint.holds(x):
            raise CertificateError(f"{where}: it violates condition {index}, {shown(str(constraint))}.")


def number(value: Fraction) -> str:
    """A number for people: exact if it is short, otherwise 12 digits and a sign that says so.

    >>> number(Fraction(1, 3)), number(Fraction(-(10**30), 3 * 10**29 + 1))
    ('1/3', 'about -3.33333333333')
    """
    if max(value.numerator.bit_length(), value.denominator.bit_length()) <= 64:
        return str(value)
    with localcontext(Context(prec=12, Emax=MAX_EMAX, Emin=MIN_EMIN)):
        return f"about {Decimal(value.numerator) / Decimal(value.denominator)}"


def listing(numbers: Mapping[str, Fraction], most: int = 6) -> str:
    """Names with their numbers, cut after ``most``."""
    shown_items = [f"{name} = {number(value)}" for name, value in list(numbers.items())[:most]]
    return ", ".join(shown_items) + (f", and {len(numbers) - most} more" if len(numbers) > most else "")
