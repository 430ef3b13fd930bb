"""Refutations, equilibria, regrets and nearest games: the claims that rest on points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sosgames.certificates.claims import number
from sosgames.certificates.errors import CertificateError, InputError
from sosgames.certificates.games import ExactGame, ExactPlayer
from sosgames.certificates.gaps import first_order_gap, square_root_above
from sosgames.certificates.parts import CoordinateChart, FromConstraint, Part, TangentChart
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.prooffiles import from_dict
from sosgames.certificates.proofs import (
    EquilibriumProof,
    ModulusProof,
    NearestProof,
    RefutationProof,
    RegretProof,
    Witness,
)
from sosgames.certificates.sets import Ball, Box, Constraint, Constraints, ProbabilitySimplex, Simplex, Space
from sosgames.certificates.verifier import verify
from tests.sosgames.certificates.game_constructions import (
    MIXED,
    ROSEN,
    ROSEN_PROOF,
    TAXI,
    TAXI_PROOF,
    constant_part,
    equilibrium_cases,
    loss_proof,
    nearest_cases,
    one_player,
    plain,
    refutation_cases,
    regret_cases,
    two_players,
)

F = Fraction
x, y = Polynomial.variable("x"), Polynomial.variable("y")
TINY = F(1, 10**30)
BASES: dict[str, tuple[Any, Any]] = {
    case.name: (from_dict(case.proof), case.problem)
    for case in [*refutation_cases(), *equilibrium_cases(), *regret_cases(), *nearest_cases()]
}


def witness_of(proof: RefutationProof, **changes: Any) -> RefutationProof:
    return replace(proof, witnesses=(replace(proof.witnesses[0], **changes), *proof.witnesses[1:]))


Spoil = tuple[str, Callable[[Any], Any], str]

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


def nearest_of(proof: NearestProof, **changes: Any) -> NearestProof:
    return replace(proof, functionals=(replace(proof.functionals[0], **changes),))


NEAREST: dict[str, Spoil] = {
    "a distance too small": ("nearest-linf", lambda p: replace(p, distance=F(1) - TINY), "claim.distance:"),
    "a distance in another norm": ("nearest-linf", lambda p: replace(p, norm="l1"), "claim.distance:"),
    "an unknown norm": ("nearest-linf", lambda p: replace(p, norm="l3"), "claim.norm"),
    "another property": (
        "nearest-linf",
        lambda p: replace(p, property="concave"),
        "the property that is claimed",
    ),
    "a coefficient that may not change": (
        "nearest-linf",
        lambda p: replace(p, changeable={"P": p.changeable["P"]}),
        "may not change",
    ),
    "a change of another player": (
        "nearest-l1",
        lambda p: replace(p, changeable={"Q": p.changeable["Q"]}),
        "may not change",
    ),
    "a changeable monomial of a stranger": (
        "nearest-linf",
        lambda p: replace(p, changeable={**p.changeable, "R": ()}),
        "has no player 'R'",
    ),
    "a game with other sets": (
        "nearest-linf",
        lambda p: replace(p, game=plain(two_players(5 * x * y - x**2, -x * y - y**2, 0))),
        "not the user's",
    ),
    "a game with fewer players": (
        "nearest-linf",
        lambda p: replace(p, game=plain(one_player(x, Box({"x": (-1, 1)})))),
        "not the user's",
    ),
    "a game that is none": ("nearest-linf", lambda p: replace(p, game={"players": 3}), "claim.game"),
    "a game that is not like that": (
        "nearest-linf",
        lambda p: replace(p, game=plain(two_players(5 * x * y - x**2, -(y**2)))),
        "identity fails",
    ),
    "a lower bound above the distance": (
        "nearest-linf",
        lambda p: replace(p, distance_lower=F(1) + TINY),
        "do not prove",
    ),
    "a lower bound above the distance, l1": (
        "nearest-l1",
        lambda p: replace(p, distance_lower=F(2) + TINY),
        "do not prove",
    ),
    "a lower bound above the distance, l2": (
        "nearest-l2",
        lambda p: replace(p, distance_lower=F(2) + TINY),
        "do not prove",
    ),
    "a negative lower bound": ("nearest-linf", lambda p: replace(p, distance_lower=F(-1)), "do not prove"),
    "a lower bound without functionals": (
        "nearest-linf",
        lambda p: replace(p, functionals=(), distance_lower=TINY),
        "do not prove",
    ),
    "a functional with a negative factor": (
        "nearest-linf",
        lambda p: nearest_of(p, c=F(-1)),
        "must be positive",
    ),
    "a functional outside the set": (
        "nearest-linf",
        lambda p: nearest_of(p, x={"x": F(2), "y": F(0)}),
        "violates condition",
    ),
    "a functional that the game does not violate": (
        "nearest-linf",
        lambda p: nearest_of(p, y={"x": F(1), "y": F(-1)}),
        "do not prove",
    ),
    "a functional without violation and without slopes": (
        "nearest-linf",
        lambda p: replace(nearest_of(p, y={"x": F(1)}), distance_lower=F(100)),
        "do not prove",
    ),
    "a bound for zero-sum games of a claim about others": (
        "nearest-zero-sum-l1",
        lambda p: replace(p, zero_sum=False),
        "do not prove",
    ),
    "a bound for zero-sum games that is too high": (
        "nearest-zero-sum-l2",
        lambda p: replace(p, distance_lower=F(2) + TINY),
        "do not prove",
    ),
    "a game that is no longer zero-sum": (
        "nearest-zero-sum-linf",
        lambda p: replace(p, game=plain(two_players(0 * x, -(x**2)))),
        "sum of all utilities",
    ),
    "a certificate below zero": (
        "nearest-linf",
        lambda p: replace(
            p, certificate=replace(p.certificate, parts=(constant_part([[3], [-2, 3]], mu=-1),))
        ),
        "does not show the property",
    ),
    "a weighted certificate": (
        "nearest-linf",
        lambda p: replace(p, certificate=replace(p.certificate, weights={"P": F(1), "Q": F(1)})),
        "without weights",
    ),
}

SPOILT = {**REFUTATIONS, **{f"equilibrium: {k}": v for k, v in EQUILIBRIA.items()}}
SPOILT |= {f"regret: {k}": v for k, v in REGRETS.items()}
SPOILT |= {f"nearest: {k}": v for k, v in NEAREST.items()}


@pytest.mark.parametrize("name", SPOILT)
def test_a_spoilt_claim_is_refused_for_its_fault(name: str) -> None:
    base, spoil, message = SPOILT[name]
    proof, problem = BASES[base]
    with pytest.raises(CertificateError, match=message):
        verify(spoil(proof), problem)


# -- refutations --------------------------------------------------------------------------------------


def test_a_direction_of_a_concave_claim_stays_in_the_players_own_block() -> None:
    proof = RefutationProof(
        "concave", ("x", "y"), F(1), (Witness({"x": F(0), "y": F(0)}, {"y": F(1)}),), player="P"
    )
    with pytest.raises(CertificateError, match="has entries for"):
        verify(proof, ROSEN)


def test_a_player_without_variables_cannot_be_refuted() -> None:
    game = ExactGame((ExactPlayer("P", ("x",), x, (Box({"x": (0, 1)}),)), ExactPlayer("idle", (), x, ())))
    proof = RefutationProof("concave", ("x",), F(0), (Witness({"x": F(0)}, {}),), player="idle")
    with pytest.raises(CertificateError, match="has no variables"):
        verify(proof, game)
    assert verify(ModulusProof("concave", ("x",), (Part("P", F(0), 1, ()),)), game).moduli == {"P": 0}


def test_a_bound_may_be_rounded_up_and_then_says_less() -> None:
    proof, problem = BASES["refutation-raw"]
    assert verify(replace(proof, value=F(-4)), problem).value == -4
    assert "not concave" in verify(proof, problem).text
    above = verify(replace(proof, value=F(1)), problem)
    assert "not concave" not in above.text


def test_lower_and_upper_bounds_in_the_same_chart_meet() -> None:
    """Along (1, -1) the form is -4 |w|^2: -2 in the Euclidean measure and -4 in the coordinate x."""
    for chart, mu in [(TangentChart(((1,), (-1,))), F(-2)), (CoordinateChart(("y",)), F(-4))]:
        proof = ModulusProof("monotone", ("x", "y"), (Part(None, mu, 1, (), chart=chart),))
        assert verify(proof, MIXED).mu == mu
    for name, value in [("refutation-tangent", F(-2)), ("refutation-coordinates", F(-4))]:
        proof, problem = BASES[name]
        assert verify(proof, problem).value == value


def test_free_weights_cannot_refute_what_some_weights_prove() -> None:
    """Weights (1, 40) prove a modulus of 1/3, so no witnesses bound the free modulus below that."""
    assert verify(ROSEN_PROOF, ROSEN).mu == F(1, 3)
    origin = {"x": F(0), "y": F(0)}
    for a in range(-8, 9):
        for b in range(-8, 9):
            witnesses = (Witness(origin, {"x": F(a), "y": F(b)}), Witness(origin, {"x": F(7), "y": F(1)}))
            if a or b:
                proof = RefutationProof("monotone", ("x", "y"), F(1, 3) - TINY, witnesses, weights="free")
                with pytest.raises(CertificateError, match="do not prove"):
                    verify(proof, ROSEN)


# -- gaps ---------------------------------------------------------------------------------------------


def test_gaps_are_the_known_ones() -> None:
    def gap(utility: Polynomial, point: dict[str, F], *sets: Any) -> F:
        return first_order_gap(ExactPlayer("P", tuple(point), utility, sets), point)

    u = 3 * x - 4 * y
    at = {"x": F(1, 2), "y": F(1, 4)}
    assert gap(u, at, Box({"x": (0, 1), "y": (-1, 2)})) == F(3, 2) + 5
    assert gap(u, at, Simplex(["x", "y"])) == 3 - F(1, 2)
    assert gap(-u * u, at, Simplex(["x", "y"])) == F(9, 2)  # slope (-3, 4)
    assert gap(u, {"x": F(1, 2), "y": F(1, 2)}, ProbabilitySimplex(["x", "y"])) == 3 + F(1, 2)
    assert gap(u, at, Ball(["x", "y"], radius_squared=4)) == 10 - F(1, 2)
    assert gap(u, at, Ball(["x", "y"], center=(1, 1), radius_squared=4)) == 10 - 1 - F(1, 2)
    assert gap(u - 3 * x, at, Space(["x"]), Box({"y": (0, 1)})) == 1
    assert gap(Polynomial(), at, Space(["x", "y"])) == 0


@pytest.mark.parametrize(
    "sets",
    [
        (Space(["x"]), Box({"y": (0, 1)})),
        (Constraints([Constraint(1 - x**2 - y**2)]),),
        (Box({"x": (0, 1), "y": (0, 1)}), Ball(["x", "y"])),
    ],
)
def test_sets_without_a_closed_form_are_refused(sets: tuple[Any, ...]) -> None:
    player = ExactPlayer("P", ("x", "y"), x + y, sets)
    with pytest.raises(InputError):
        first_order_gap(player, {"x": F(0), "y": F(0)})
    proof = EquilibriumProof({"x": F(0), "y": F(0)}, {"P": F(100)})
    with pytest.raises(CertificateError, match=r"claim\.gaps"):
        verify(proof, ExactGame((player,)))


@given(st.fractions(0, 10**6), st.fractions(-5, 5, max_denominator=9), st.fractions(-5, 5, max_denominator=9))
def test_square_roots_are_rounded_up_by_little_and_are_exact_where_they_can_be(value: F, a: F, b: F) -> None:
    above = square_root_above(value)
    assert above**2 >= value
    assert above**2 <= value * (1 + F(1, 2**60))
    assert square_root_above(a * a) == abs(a)
    player = ExactPlayer("P", ("x", "y"), a * x + b * y, (Ball(["x", "y"], radius_squared=value),))
    assert first_order_gap(player, {"x": F(0), "y": F(0)}) ** 2 >= value * (a * a + b * b)


def test_true_regrets_in_place_of_gaps_would_claim_too_small_a_distance() -> None:
    """u = -x^2/2: at x the regret is x^2/2 but the gap x(x + 1) on [-1, 1]; regret/mu is below |x - 0|^2."""
    game = one_player(-(x**2) / 2, Box({"x": (-1, 1)}))
    certificate = ModulusProof("monotone", ("x",), (Part(None, F(1), 1, ()),))
    at = F(1, 2)
    regret, gap = at**2 / 2, at * (at + 1)
    with pytest.raises(CertificateError, match=r"claim\.gaps"):
        verify(EquilibriumProof({"x": at}, {"P": regret}, regret, False, certificate), game)
    verify(EquilibriumProof({"x": at}, {"P": gap}, gap, True, certificate), game)
    assert regret < at**2 < gap


def test_regret_needs_a_set_that_is_known_to_be_convex() -> None:
    """A utility that does not vary has gap 0 anywhere, also on two islands."""
    islands = one_player(Polynomial(), Constraints([Constraint(x**2 - 1), Constraint(4 - x**2)]))
    certificate = ModulusProof("monotone", ("x",), (Part(None, F(0), 1, ()),))
    proof = EquilibriumProof({"x": F(1)}, {"P": F(0)}, None, True, certificate)
    with pytest.raises(CertificateError, match="not known to be convex"):
        verify(proof, islands)
    line = one_player(Polynomial(), Constraints([Constraint(x), Constraint(4 - x)]))
    verify(proof, line)
    verify(replace(proof, regret=False), islands)


def test_a_distance_needs_a_positive_modulus() -> None:
    flat = one_player(x, Box({"x": (0, 1)}))
    certificate = ModulusProof("monotone", ("x",), (Part(None, F(0), 1, ()),))
    with pytest.raises(CertificateError, match="a modulus above 0"):
        verify(EquilibriumProof({"x": F(1)}, {"P": F(0)}, F(0), False, certificate), flat)


def test_an_equilibrium_or_a_nearest_game_of_a_matrix_is_refused() -> None:
    matrix = BASES["refutation-square"][1]
    with pytest.raises(CertificateError, match="about a game"):
        verify(EquilibriumProof({"x": F(1)}, {}), matrix)
    with pytest.raises(CertificateError, match="about a game"):
        verify(BASES["nearest-flat"][0], matrix)


def test_the_claim_of_an_equilibrium_carries_what_its_certificate_proves() -> None:
    claim = verify(*BASES["equilibrium-rosen"])
    assert (claim.kind, claim.property, claim.mu) == ("equilibrium", "monotone", F(1, 3))
    assert claim.weights == {"P": 1, "Q": 40}
    assert "each player's share times the weight" in claim.text
    assert (
        TAXI_PROOF.mu == verify(EquilibriumProof({"x": F(0)}, {"P": F(4)}, None, False, TAXI_PROOF), TAXI).mu
    )


def test_without_slopes_a_violation_excludes_every_game_of_the_family() -> None:
    proof, problem = BASES["nearest-flat"]
    steep = one_player(x**2, Box({"x": (-1, 1)}))
    frozen = replace(
        proof,
        game=plain(one_player(x**2, Box({"x": (-1, 1)}))),
        distance=F(0),
        changeable={},
        certificate=replace(proof.certificate, parts=(Part("P", F(-2), 1, ()),)),
    )
    with pytest.raises(CertificateError, match="does not show the property"):
        verify(frozen, steep)
    verify(replace(proof, changeable={"P": (((0, 2),), ((0, 1),))}), problem)


@given(st.fractions())
def test_numbers_in_words_are_exact_or_say_that_they_are_not(value: F) -> None:
    text = number(value)
    if text.startswith("about "):
        assert abs(F(text.removeprefix("about ")) - value) <= abs(value) * F(1, 10**11)
    else:
        assert F(text) == value
