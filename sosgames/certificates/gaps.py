r"""How far a point is from an equilibrium, bounded exactly.

The gap of player i at x is :math:`\max_{z \in X_i} \nabla_i u_i(x) \cdot (z - x_i)`: what a first-order model
of the utility promises for the best change. Where u_i is concave in own variables and X_i convex, no change
gains more. Where the game is monotone with modulus mu > 0 and weights r, every equilibrium x* satisfies
:math:`\sum_i r_i |x_i - x_i^*|^2 \le \sum_i r_i \, gap_i / \mu`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import isqrt

from sosgames.certificates.claims import VerifiedClaim, check_point, listing, number
from sosgames.certificates.errors import CertificateError, InputError, shown
from sosgames.certificates.games import ExactGame, ExactPlayer
from sosgames.certificates.parts import CoordinateChart, Numbers
from sosgames.certificates.proofs import EquilibriumProof
from sosgames.certificates.sets import Ball, Box, Constraints, ProbabilitySimplex, Simplex, StrategySet

SQUARE_ROOT_BITS = 64
"""Relative precision, in bits, of a square root that is rounded up."""


def first_order_gap(player: ExactPlayer, x: Mapping[str, Fraction]) -> Fraction:
    """The gap of a player at a point: exact, or rounded up at a ball.

    Raises
    ------
    InputError
        Where the maximum of a linear function over the player's set is not known in closed form.

    Examples
    --------
    >>> from sosgames.certificates.polynomials import Polynomial
    >>> u = 4 * Polynomial.variable("x") - 3 * Polynomial.variable("x") ** 2
    >>> first_order_gap(ExactPlayer("driver", ("x",), u, (Box({"x": (0, 1)}),)), {"x": Fraction(1, 2)})
    Fraction(1, 2)
    """
    slope = {name: player.utility.derivative(name)(x) for name in player.variables}
    listed = [name for part in player.strategies for name in part.variables]
    if len(set(listed)) < len(listed):
        raise InputError(
            f"player {shown(player.name)}: sets that share a variable have no closed form for gaps."
        )
    best = sum((_linear_maximum(part, slope) for part in player.strategies), Fraction(0))
    return best - sum((slope[name] * x[name] for name in player.variables), Fraction(0))


def _linear_maximum(part: StrategySet, slope: Mapping[str, Fraction]) -> Fraction:
    slopes = [slope[name] for name in part.variables]
    if not any(slopes):
        return Fraction(0)
    match part:
        case Box():
            pairs = zip(slopes, part.bounds, strict=True)
            return sum((max(s * lower, s * upper) for s, (lower, upper) in pairs), Fraction(0))
        case Simplex():
            return max(Fraction(0), *slopes)
        case ProbabilitySimplex():
            return max(slopes)
        case Ball():
            center = sum((s * c for s, c in zip(slopes, part.center, strict=True)), Fraction(0))
            return center + square_root_above(part.radius_squared * sum(s * s for s in slopes))
        case _:
            raise InputError(
                f"the maximum of a linear function over {type(part).__name__} is not known in closed form;"
                " gaps are exact on boxes, simplices and balls."
            )


def square_root_above(value: Fraction) -> Fraction:
    """A rational number not below the square root; equal to it where it is rational.

    >>> square_root_above(Fraction(9, 4)), square_root_above(Fraction(2)) ** 2 > 2
    (Fraction(3, 2), True)
    """
    product = value.numerator * value.denominator  # sqrt(p/q) = sqrt(pq)/q
    root = isqrt(product)
    if root * root == product:
        return Fraction(root, value.denominator)
    above = isqrt(product << 2 * SQUARE_ROOT_BITS) + 1
    return Fraction(above, value.denominator << SQUARE_ROOT_BITS)


def known_convex(player: ExactPlayer) -> bool:
    """Whether the set is convex by its form: boxes, balls, simplices, affine conditions, products of them."""
    conditions = [part.constraints for part in player.strategies if isinstance(part, Constraints)]
    return all(c.polynomial.degree <= 1 for listed in conditions for c in listed)


def check_equilibrium(
    proof: EquilibriumProof, game: ExactGame, modulus: VerifiedClaim | None
) -> VerifiedClaim:
    """The claim of an equilibrium proof that holds, given what its certificate was found to prove."""
    check_point(proof.point, game, "claim.point")
    movers = [player for player in game.players if player.variables]
    if proof.gaps.keys() != {player.name for player in movers}:
        raise CertificateError("claim.gaps: there must be one for each player who has variables.")
    for player in movers:
        try:
            gap = first_order_gap(player, proof.point)
        except InputError as error:
            raise CertificateError(f"claim.gaps: {error}") from None
        if proof.gaps[player.name] < gap:
            raise CertificateError(f"claim.gaps: player {shown(player.name)} has {number(gap)}.")
    text = f"At ({listing(proof.point)}) the first-order gaps are at most {listing(proof.gaps)}."
    if proof.regret or proof.distance_squared is not None:
        text += _consequences(proof, movers, modulus)
    known = modulus or VerifiedClaim("equilibrium", text)
    return replace(known, kind="equilibrium", text=text, regrets=dict(proof.gaps) if proof.regret else {})


def _consequences(proof: EquilibriumProof, movers: list[ExactPlayer], modulus: VerifiedClaim | None) -> str:
    if modulus is None or modulus.mu is None or modulus.mu < 0:
        raise CertificateError("certificate: regret and distance need one with a modulus of at least 0.")
    for player in movers:
        if not known_convex(player):
            raise CertificateError(f"claim: player {shown(player.name)} has a set not known to be convex.")
    text = " No player gains more than that by deviating." if proof.regret else ""
    if proof.distance_squared is None:
        return text
    if modulus.property != "monotone" or modulus.mu == 0:
        raise CertificateError("certificate: a distance needs property 'monotone' and a modulus above 0.")
    weights: Numbers = modulus.weights if isinstance(modulus.weights, Mapping) else {}
    total = sum((weights.get(name, Fraction(1)) * gap for name, gap in proof.gaps.items()), Fraction(0))
    if proof.distance_squared * modulus.mu < total:
        raise CertificateError(f"claim.distance_squared: proved is {number(total / modulus.mu)} only.")
    text += f" The squared distance to every equilibrium is at most {number(proof.distance_squared)}"
    text += ", each player's share times the weight" if weights else ""
    eliminated = proof.certificate and isinstance(proof.certificate.parts[0].chart, CoordinateChart)
    return text + (", in the coordinates of the certificate." if eliminated else ".")
