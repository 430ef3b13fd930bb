"""Refutations, equilibria, regrets and nearest games: the claims that rest on points."""

from __future__ import annotations

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
from sosgames.certificates.parts import CoordinateChart, Part, TangentChart
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.proofs import (
    EquilibriumProof,
    ModulusProof,
    RefutationProof,
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
    one_player,
    plain,
)
from tests.sosgames.certificates.spoilt_claims import BASES, SPOILT, TINY

F = Fraction
x, y = Polynomial.variable("x"), Polynomial.variable("y")


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
