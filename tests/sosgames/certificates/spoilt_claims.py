"""Valid claims that rest on points, each spoilt in one place, and the sentence that must refuse it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from sosgames.certificates.parts import CoordinateChart, FromConstraint, Part
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.prooffiles import from_dict
from sosgames.certificates.proofs import (
    ModulusProof,
    RefutationProof,
    RegretProof,
)
from tests.sosgames.certificates.game_constructions import (
    TAXI_PROOF,
    equilibrium_cases,
    loss_proof,
    nearest_cases,
    refutation_cases,
    regret_cases,
)
from tests.sosgames.certificates.spoilt_nearest import NEAREST, TINY, Spoil

F = Fraction
x, y = Polynomial.variable("x"), Polynomial.variable("y")
BASES: dict[str, tuple[Any, Any]] = {
    case.name: (from_dict(case.proof), case.problem)
    for case in [*refutation_cases(), *equilibrium_cases(), *regret_cases(), *nearest_cases()]
}


def witness_of(proof: RefutationProof, **changes: Any) -> RefutationProof:
    return replace(proof, witnesses=(replace(proof.witnesses[0], **changes), *proof.witnesses[1:]))


REFUTATIONS: dict[str, Spoil] = {
    "a value below the quotient": (
        "refutation-raw",
        lambda p: replace(p, value=p.value - TINY),
        "do not prove",
    ),
    "a point outside by 1e-30": (
        "refutation-raw",
        lambda p: witness_of(p, x={"x": -TINY, "y": F(0)}),
        "violates condition 0",
    ),
    "a point outside the last face by 1e-30": (
        "refutation-raw",
        lambda p: witness_of(p, x={"x": F(1), "y": TINY}),
        "violates condition 2",
    ),
    "a point off an equation by 1e-30": (
        "refutation-tangent",
        lambda p: witness_of(p, x={"x": F(1, 2), "y": F(1, 2) + TINY}),
        "violates condition 2",
    ),
    "a point without one variable": (
        "refutation-raw",
        lambda p: witness_of(p, x={"x": F(0)}),
        "each variable",
    ),
    "a point with a strange variable": (
        "refutation-raw",
        lambda p: witness_of(p, x={"x": F(0), "y": F(0), "z": F(0)}),
        "no other",
    ),
    "the zero direction": ("refutation-raw", lambda p: witness_of(p, y={"x": F(0), "y": F(0)}), "y is zero"),
    "no direction": ("refutation-raw", lambda p: witness_of(p, y={}), "y is zero"),
    "another direction": (
        "refutation-raw",
        lambda p: witness_of(p, y={"x": F(1), "y": F(-1)}),
        "do not prove",
    ),
    "a direction with a strange row": (
        "refutation-raw",
        lambda p: witness_of(p, y={"z": F(1)}),
        "has entries for",
    ),
    "a direction that leaves the plane": (
        "refutation-tangent",
        lambda p: witness_of(p, y={"x": F(1), "y": F(-1) + TINY}),
        "leaves the affine equations",
    ),
    "a factor of zero": ("refutation-raw", lambda p: witness_of(p, c=F(0)), "must be positive"),
    "a negative factor": ("refutation-raw", lambda p: witness_of(p, c=F(-1)), "must be positive"),
    "no witness": ("refutation-raw", lambda p: replace(p, witnesses=()), "list is empty"),
    "another player": ("refutation-raw", lambda p: replace(p, player="Q"), "no player 'Q'"),
    "no player": ("refutation-raw", lambda p: replace(p, player=None), "with a player"),
    "variables of another problem": (
        "refutation-raw",
        lambda p: replace(p, variables=("y", "x")),
        "another problem",
    ),
    "weights for a concave claim": (
        "refutation-raw",
        lambda p: replace(p, weights={"P": F(1)}),
        "with a player",
    ),
    "free weights for a concave claim": (
        "refutation-raw",
        lambda p: replace(p, weights="free"),
        "free weights",
    ),
    "free weights for a matrix": ("refutation-square", lambda p: replace(p, weights="free"), "free weights"),
    "a player of a matrix": ("refutation-square", lambda p: replace(p, player="P"), "'matrix' alone"),
    "a row that the matrix does not have": (
        "refutation-square",
        lambda p: witness_of(p, y={"2": F(1)}),
        "has entries for",
    ),
    "one missing weight": (
        "refutation-rosen-weighted",
        lambda p: replace(p, weights={"P": F(1)}),
        "one to each",
    ),
    "a value below the weighted quotient": (
        "refutation-rosen-weighted",
        lambda p: replace(p, value=F(7, 19) - TINY),
        "do not prove",
    ),
    "free weights where one player is not bounded": (
        "refutation-free",
        lambda p: replace(p, value=F(-6)),
        "do not prove",
    ),
    "free weights with a value too low": (
        "refutation-free",
        lambda p: replace(p, value=F(-4)),
        "do not prove",
    ),
    "coordinates that are not eliminated": (
        "refutation-coordinates",
        lambda p: replace(p, chart=CoordinateChart(())),
        "do not solve",
    ),
    "a value in other coordinates": (
        "refutation-coordinates",
        lambda p: replace(p, chart=None, value=F(-4)),
        "do not prove",
    ),
}


EQUILIBRIA: dict[str, Spoil] = {
    "a gap too small": (
        "equilibrium-taxi-near",
        lambda p: replace(p, gaps={"P": F(1, 2) - TINY}),
        "claim.gaps",
    ),
    "a negative gap": ("equilibrium-taxi", lambda p: replace(p, gaps={"P": -TINY}), "claim.gaps"),
    "a point outside the set": (
        "equilibrium-taxi",
        lambda p: replace(p, point={"x": F(1) + TINY}),
        "violates condition 1",
    ),
    "a point beside the optimum": (
        "equilibrium-taxi",
        lambda p: replace(p, point={"x": F(2, 3) - TINY}),
        "claim.gaps",
    ),
    "a gap for nobody": ("equilibrium-taxi", lambda p: replace(p, gaps={}), "for each player"),
    "a gap for a stranger": (
        "equilibrium-taxi",
        lambda p: replace(p, gaps={"P": F(0), "Q": F(0)}),
        "for each player",
    ),
    "one player's gap missing": (
        "equilibrium-rosen",
        lambda p: replace(p, gaps={"P": F(1)}),
        "for each player",
    ),
    "gaps exchanged": (
        "equilibrium-rosen",
        lambda p: replace(p, gaps={"P": F(1, 100), "Q": F(11, 100)}),
        "claim.gaps",
    ),
    "regret without a certificate": (
        "equilibrium-taxi",
        lambda p: replace(p, certificate=None),
        "modulus of at least 0",
    ),
    "a distance without a certificate": (
        "equilibrium-taxi-near",
        lambda p: replace(p, certificate=None),
        "modulus of at least 0",
    ),
    "a distance too small": (
        "equilibrium-taxi-near",
        lambda p: replace(p, distance_squared=F(1, 12) - TINY),
        "distance_squared",
    ),
    "a distance that forgets a weight": (
        "equilibrium-rosen",
        lambda p: replace(p, distance_squared=F(36, 100)),
        "distance_squared",
    ),
    "a distance from a concave certificate": (
        "equilibrium-disc",
        lambda p: replace(p, distance_squared=F(1)),
        "needs property 'monotone'",
    ),
    "a certificate of another game": (
        "equilibrium-taxi",
        lambda p: replace(p, certificate=ModulusProof("monotone", ("x",), (Part(None, F(7), 1, ()),))),
        "identity fails",
    ),
    "a gap of a ball rounded down": (
        "equilibrium-disc-root",
        lambda p: replace(p, gaps={"P": F(11, 10)}),
        "claim.gaps",
    ),
}


def certificates_of(proof: RegretProof, **certificates: Any) -> RegretProof:
    return replace(proof, certificates={**proof.certificates, **certificates})


REGRETS: dict[str, Spoil] = {
    "a regret too small": (
        "regret-taxi-near",
        lambda p: replace(p, regrets={"P": F(1, 12) - TINY}),
        "proves more",
    ),
    "a negative regret": ("regret-taxi", lambda p: replace(p, regrets={"P": -TINY}), "proves more"),
    "a point beside the optimum": (
        "regret-taxi",
        lambda p: replace(p, point={"x": F(2, 3) - TINY}),
        "certificates.P: proofs.0.: the identity fails",
    ),
    "a better point than the certificate's": (
        "regret-taxi-near",
        lambda p: replace(p, point={"x": F(2, 3)}),
        "identity fails",
    ),
    "a point outside the set": (
        "regret-taxi",
        lambda p: replace(p, point={"x": F(1) + TINY}),
        "violates condition 1",
    ),
    "a point of another game": ("regret-taxi", lambda p: replace(p, point={"y": F(2, 3)}), "each variable"),
    "an opponent who plays otherwise": (
        "regret-duel",
        lambda p: replace(p, point={"x": F(0), "y": F(1, 2) + TINY}),
        "certificates.P",
    ),
    "regrets exchanged": (
        "regret-duel",
        lambda p: replace(p, regrets={"P": F(0), "Q": F(1, 2)}),
        "player 'P'",
    ),
    "certificates exchanged": (
        "regret-duel",
        lambda p: certificates_of(p, P=p.certificates["Q"], Q=p.certificates["P"]),
        "another problem",
    ),
    "a regret for one player alone": (
        "regret-duel",
        lambda p: replace(p, regrets={"P": F(1, 2)}),
        "for each player",
    ),
    "a regret for a stranger": (
        "regret-taxi",
        lambda p: replace(p, regrets={"P": F(0), "R": F(0)}),
        "for each player",
    ),
    "no regret at all": ("regret-taxi", lambda p: replace(p, regrets={}, certificates={}), "for each player"),
    "one certificate missing": (
        "regret-duel",
        lambda p: replace(p, certificates={"P": p.certificates["P"]}),
        "for each player",
    ),
    "a certificate of the game in place of the loss": (
        "regret-taxi",
        lambda p: certificates_of(p, P=TAXI_PROOF),
        "'matrix' alone",
    ),
    "a weighted certificate": (
        "regret-taxi",
        lambda p: certificates_of(p, P=replace(p.certificates["P"], weights={"P": F(1)})),
        "'matrix' alone",
    ),
    "a certificate of two parts": (
        "regret-taxi",
        lambda p: certificates_of(p, P=replace(p.certificates["P"], parts=p.certificates["P"].parts * 2)),
        "one part for each",
    ),
    "a certificate that claims more": (
        "regret-taxi-near",
        lambda p: replace(certificates_of(p, P=loss_proof(3, mu=F(0))), regrets={"P": F(0)}),
        "identity fails",
    ),
    "a certificate that needs the other player's bounds": (
        "regret-duel",
        lambda p: certificates_of(
            p,
            P=replace(
                p.certificates["P"],
                parts=(replace(p.certificates["P"].parts[0], generators=(FromConstraint(3),)),),
            ),
        ),
        "certificates.P",
    ),
}

SPOILT = {**REFUTATIONS, **{f"equilibrium: {k}": v for k, v in EQUILIBRIA.items()}}
SPOILT |= {f"regret: {k}": v for k, v in REGRETS.items()}
SPOILT |= {f"nearest: {k}": v for k, v in NEAREST.items()}
