r"""Checks how far a changed game is from the user's, and how near any game with the property can be.

Write :math:`D_y` for the derivative along y, and :math:`y_i` for player i's part of y. Then y'M(x)y is minus
:math:`\sum_i D_{y_i} D_y u_i` (monotone) or :math:`\sum_i D_{y_i} D_{y_i} u_i` (concave) at x: linear in the
coefficients of the utilities, and not negative for a game with the property. So is a positive combination L
over points x in X and directions y. Every change :math:`\delta` to a game with the property has
:math:`0 \le L(u + \delta) = L(u) + \ell \cdot \delta`, and Hölder's inequality gives
:math:`-L(u) \le |\ell \cdot \delta| \le |\ell|_* |\delta|`.

Where the sum of all utilities is to stay as it is (a zero-sum game stays one), the changes of one monomial
add up to 0 over the players. Then :math:`\ell \cdot \delta` is the same for all :math:`\ell` that differ by
one number a monomial, and the smallest :math:`|\ell|_*` among these counts.
"""

from __future__ import annotations

import json
from fractions import Fraction

from sosgames.certificates.claims import VerifiedClaim, number
from sosgames.certificates.derivations import named_monomial
from sosgames.certificates.errors import CertificateError, InputError, shown
from sosgames.certificates.gamefiles import loads
from sosgames.certificates.games import ExactGame, ExactPlayer
from sosgames.certificates.parts import Numbers
from sosgames.certificates.polynomials import Monomial, Polynomial
from sosgames.certificates.proofs import NearestProof
from sosgames.certificates.refutations import check_witness
from sosgames.certificates.tangents import affine_equations

NORMS = {
    "linf": "largest change of a coefficient",
    "l1": "sum of the changes",
    "l2": "sum of the squared changes",
}


def changed_game(proof: NearestProof, problem: ExactGame) -> ExactGame:
    """The game that the proof offers: the user's own but for coefficients of changeable monomials."""
    try:
        game = loads(json.dumps(proof.game), "json")
    except (InputError, TypeError, ValueError, RecursionError) as error:
        raise CertificateError(f"claim.game: {error}") from None
    if not isinstance(game, ExactGame) or _frame(game) != _frame(problem):
        raise CertificateError("claim.game: its players, variables or strategy sets are not the user's.")
    allowed = _changeable(proof, problem)
    changes = _changes(problem, game)
    if proof.zero_sum and sum(changes.values(), Polynomial()):
        raise CertificateError("claim.game: the sum of all utilities is not the user's, as zero_sum claims.")
    for player, change in changes.items():
        for monomial in change.terms:
            if monomial not in allowed.get(player, ()):
                where = f"{Polynomial({monomial: 1})} of player {shown(player)}"
                raise CertificateError(f"claim.game: the coefficient of {where} may not change.")
    return game


def check_nearest(
    proof: NearestProof, problem: ExactGame, game: ExactGame, modulus: VerifiedClaim
) -> VerifiedClaim:
    """The claim of a nearest-game proof that holds, given the game and what its certificate proves of it."""
    if modulus.property != proof.property or modulus.weights is not None:
        raise CertificateError("certificate: it must prove the property that is claimed, without weights.")
    if modulus.mu is None or modulus.mu < 0:
        raise CertificateError("certificate: a modulus below 0 does not show the property.")
    if proof.norm not in NORMS:
        raise CertificateError(f"claim.norm: got {shown(proof.norm)}; it is one of {', '.join(NORMS)}.")
    changes = [c for change in _changes(problem, game).values() for c in change.terms.values()]
    distance = _norm(changes, proof.norm)
    if proof.distance != distance:
        raise CertificateError(f"claim.distance: the distance to the game is {number(distance)}.")
    text = f"The changed game is {proof.property} (modulus at least {number(modulus.mu)}),"
    text += f" and the {NORMS[proof.norm]} is {number(distance)}."
    if proof.distance_lower is not None:
        _check_lower_bound(proof, proof.distance_lower, problem)
        kept = " and keeps the sum of all utilities" if proof.zero_sum else ""
        text += (
            f" No {proof.property} game that differs in the changeable monomials alone{kept} is nearer than"
        )
        text += f" {number(proof.distance_lower)}."
    return VerifiedClaim("nearest", text, proof.property, modulus.mu, moduli=modulus.moduli)


def _check_lower_bound(proof: NearestProof, lower: Fraction, problem: ExactGame) -> None:
    equations = affine_equations(problem, problem.variables)
    for k, witness in enumerate(proof.functionals):
        check_witness(witness, problem, problem.variables, equations, f"functionals[{k}]")
    violation = -sum((_functional(proof, p, p.utility) for p in problem.players), Fraction(0))
    by_monomial: dict[Monomial, list[Fraction]] = {}
    for name, monomials in _changeable(proof, problem).items():
        for monomial in monomials:
            slope = _functional(proof, problem.player(name), Polynomial({monomial: 1}))
            by_monomial.setdefault(monomial, []).append(slope)
    groups = [shifted(group, proof.norm) if proof.zero_sum else group for group in by_monomial.values()]
    slopes = [slope for group in groups for slope in group]
    if proof.norm == "l2":
        violation, dual = violation * abs(violation), _norm(slopes, "l2")
    else:
        dual = _norm(slopes, "l1" if proof.norm == "linf" else "linf")
    # Without a violation nothing is proved, whatever the slopes; without slopes any bound is.
    if lower < 0 or (lower > 0 and (violation <= 0 or lower * dual > violation)):
        raise CertificateError(f"claim.distance_lower: the functionals do not prove {number(lower)}.")


def shifted(slopes: list[Fraction], norm: str) -> list[Fraction]:
    """The slopes minus the one number that makes their norm, dual to the one given, as small as possible.

    >>> shifted([Fraction(-2), Fraction(0)], "l1")
    [Fraction(-1, 1), Fraction(1, 1)]
    """
    match norm:
        case "linf":  # the dual is l1: a median
            centre = sorted(slopes)[len(slopes) // 2]
        case "l1":  # the dual is linf: the middle between the ends
            centre = (min(slopes) + max(slopes)) / 2
        case _:  # a mean
            centre = sum(slopes, Fraction(0)) / len(slopes)
    return [slope - centre for slope in slopes]


def _functional(proof: NearestProof, player: ExactPlayer, utility: Polynomial) -> Fraction:
    """The part of sum_k c_k y_k'M(x_k)y_k that comes from one player's utility."""
    total = Fraction(0)
    for witness in proof.functionals:
        own = {name: witness.y[name] for name in player.variables if name in witness.y}
        across = own if proof.property == "concave" else witness.y
        second = _directional(_directional(utility, own), across)
        total -= witness.c * second(witness.x)
    return total


def _directional(polynomial: Polynomial, y: Numbers) -> Polynomial:
    return sum((value * polynomial.derivative(name) for name, value in y.items() if value), Polynomial())


def _norm(numbers: list[Fraction], norm: str) -> Fraction:
    """The norm, squared for l2."""
    sizes = [abs(value) for value in numbers]
    if norm == "linf":
        return max(sizes, default=Fraction(0))
    return sum((size * size if norm == "l2" else size for size in sizes), Fraction(0))


def _changes(problem: ExactGame, game: ExactGame) -> dict[str, Polynomial]:
    pairs = zip(problem.players, game.players, strict=True)
    return {old.name: new.utility - old.utility for old, new in pairs}


def _changeable(proof: NearestProof, problem: ExactGame) -> dict[str, frozenset[Monomial]]:
    players = {player.name for player in problem.players}
    if not proof.changeable.keys() <= players:
        raise CertificateError(
            f"changeable: the game has no player {shown(min(proof.changeable.keys() - players))}."
        )
    return {
        name: frozenset(named_monomial(monomial, problem.variables) for monomial in monomials)
        for name, monomials in proof.changeable.items()
    }


def _frame(game: ExactGame) -> list[tuple[object, ...]]:
    return [(player.name, player.variables, player.strategies) for player in game.players]
