"""The verifier accepts what is true, for a reason, and refuses what is false or not proved."""

from __future__ import annotations

import hashlib
import json
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sosgames.certificates.errors import CertificateError, InputError
from sosgames.certificates.gamefiles import dumps
from sosgames.certificates.games import ExactGame, ExactPlayer, MatrixProblem
from sosgames.certificates.parts import (
    Block,
    DirectionDenominator,
    FromConstraint,
    Multiple,
    Part,
    PointDenominator,
    Product,
)
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.proofs import ModulusProof
from sosgames.certificates.sets import Box, Constraint, Constraints, Space
from sosgames.certificates.verifier import verify
from tests.sosgames.certificates.constructions import Case
from tests.sosgames.certificates.game_constructions import all_cases, one_player, two_players
from tests.sosgames.certificates.second_claims import SecondChecker
from tests.sosgames.certificates.spoilt_proofs import (
    BASES,
    CONCAVE,
    CONCAVE_PROOF,
    ODD,
    ODD_PROOF,
    PAIR,
    PAIR_PROOF,
    PLANE,
    PLANE_PROOF,
    SPOILT,
    block_of,
    line,
    matrix_proof,
    part_of,
)

F = Fraction
x, y = Polynomial.variable("x"), Polynomial.variable("y")
ONE: tuple[tuple[int, int, tuple[()]], ...] = ((1, 0, ()),)
CASES = all_cases()


def test_there_are_at_least_fifty_valid_proofs_of_every_kind() -> None:
    assert len(CASES) >= 50
    assert {case.proof["claim"]["type"] for case in CASES} == {
        "modulus",
        "refutation",
        "equilibrium",
        "regret",
        "nearest",
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_valid_proof_is_accepted_with_the_claim_that_it_makes(case: Case) -> None:
    claim = verify(case.proof, case.problem)
    stated = case.proof["claim"]
    assert claim.kind == stated["type"]
    if claim.kind == "modulus":
        assert claim.mu == F(*stated["mu"])
        assert (claim.property, claim.strict) == (stated["property"], stated["strict"])
        assert claim.moduli == {p["player"]: F(*p["mu"]) for p in case.proof["proofs"] if p["player"]}
    if claim.kind == "refutation":
        assert claim.value == F(*stated["value"])
    assert SecondChecker(case.problem).proves(case.proof)


@pytest.mark.parametrize("base", BASES)
def test_the_proofs_that_are_spoilt_below_are_valid_before(base: str) -> None:
    proof, problem = BASES[base]
    verify(proof, problem)


@pytest.mark.parametrize("name", SPOILT)
def test_a_spoilt_proof_is_refused_for_its_fault(name: str) -> None:
    base, spoil, message = SPOILT[name]
    proof, problem = BASES[base]
    with pytest.raises(CertificateError, match=message):
        verify(spoil(proof), problem)


def test_there_are_at_least_fifty_hand_made_invalid_proofs() -> None:
    assert len(SPOILT) >= 50


# -- the problem is the user's, not the proof's -------------------------------------------------------


def test_a_proof_about_a_problem_of_the_same_shape_is_refused() -> None:
    harder = one_player(x**4 / 12 - x**2, Box({"x": (-1, 1)}))
    larger = one_player(x**4 / 12 - 3 * x**2 / 2, Box({"x": (-2, 2)}))
    for problem in (harder, larger):
        with pytest.raises(CertificateError, match="identity fails"):
            verify(CONCAVE_PROOF, problem)


def test_a_right_hash_does_not_help_a_proof_about_another_problem() -> None:
    game = one_player(x**4 / 12 - x**2, Box({"x": (-1, 1)}))
    digest = hashlib.sha256(dumps(game, "json").encode()).hexdigest()
    values = CONCAVE_PROOF.to_dict()
    with pytest.raises(CertificateError, match="unknown"):
        verify({**values, "hash": digest}, game)
    with pytest.raises(CertificateError, match="unknown"):
        verify({**values, "claim": {**values["claim"], "hash": digest}}, game)
    with pytest.raises(CertificateError, match="identity fails"):
        verify(values, game)


def test_a_proof_does_not_hold_for_the_game_with_players_exchanged() -> None:
    u, v = -(x**2) + 4 * x * y, -3 * y**2
    parts = (
        Part("P", F(2), 1, ()),
        Part("Q", F(6), 1, ()),
    )
    proof = ModulusProof("concave", ("x", "y"), parts)
    verify(proof, two_players(u, v))
    box_x, box_y = (Box({"x": (-1, 1)}),), (Box({"y": (-1, 1)}),)
    exchanged = [
        ExactGame((ExactPlayer("Q", ("x",), u, box_x), ExactPlayer("P", ("y",), v, box_y))),
        ExactGame((ExactPlayer("Q", ("y",), v, box_y), ExactPlayer("P", ("x",), u, box_x))),
        ExactGame((ExactPlayer("P", ("y",), v, box_y), ExactPlayer("Q", ("x",), u, box_x))),
        two_players(v, u),
    ]
    for game in exchanged:
        with pytest.raises(CertificateError):
            verify(proof, game)


def test_what_does_not_enter_the_matrix_may_change() -> None:
    same = one_player(x**4 / 12 - 3 * x**2 / 2 + 7 * x - 11, Box({"x": (-1, 1)}))
    assert verify(CONCAVE_PROOF, same).mu == 2


# -- denominators -------------------------------------------------------------------------------------


def test_a_denominator_that_vanishes_on_the_whole_set_proves_nothing() -> None:
    problem = line(Polynomial.constant(-1), Constraint(-(x**2)))  # X is the point 0, where M is -1
    part = Part(
        None,
        F(0),
        1,
        (Block(1, (ONE,), ((1,),)),),
        (FromConstraint(0),),
        denominator=PointDenominator({"x": F(0)}, 1),
    )
    with pytest.raises(CertificateError, match="not semidefinite at its zero"):
        verify(matrix_proof(part), problem)
    higher = replace(
        part,
        blocks=(Block(1, (((1, 0, ((0, 1),)),),), ((1,),)),),
        denominator=PointDenominator({"x": F(0)}, 2),
    )
    with pytest.raises(CertificateError, match="not semidefinite at its zero"):
        verify(matrix_proof(higher), problem)
    scalar = replace(part, form="scalar", blocks=(Block(1, (((1, 0, ((1, 1),)),),), ((1,),)),))
    with pytest.raises(CertificateError, match="not semidefinite at its zero"):
        verify(matrix_proof(scalar), problem)


def test_the_denominator_must_see_every_variable_of_the_matrix() -> None:
    """x^2 (y - 1) = y'(...)y fails at x = 0 along a whole line, not at a point."""
    free = (Constraints([Constraint(-(x**2)), Constraint(y), Constraint(2 - y)]),)
    problem = MatrixProblem(((y - 1,),), ("x", "y"), free)
    blocks = (Block(1, (ONE,), ((1,),)), Block(2, (((1, 0, ((0, 1),)),),), ((1,),)))
    generators = (FromConstraint(0), FromConstraint(1))
    part = Part(None, F(0), 1, blocks, generators, denominator=PointDenominator({"x": F(0)}, 1))
    proof = ModulusProof("matrix", ("x", "y"), (part,))
    with pytest.raises(CertificateError, match="all that the matrix has"):
        verify(proof, problem)
    for x0 in ({}, {"x": F(0), "q": F(0)}):
        with pytest.raises(CertificateError, match="x0 must name variables"):
            verify(part_of(proof, denominator=PointDenominator(x0, 1)), problem)
    with pytest.raises(CertificateError, match="identity fails"):
        verify(part_of(proof, denominator=PointDenominator({"x": F(0), "y": F(1)}, 1)), problem)


def test_variables_that_the_matrix_does_not_have_may_be_left_out_of_the_denominator() -> None:
    problem = MatrixProblem(((x**2,),), ("x", "y"), (Space(["x", "y"]),))
    block = Block(0, (((1, 0, ((0, 2),)),),), ((1,),))
    part = Part(None, F(0), 1, (block,), denominator=PointDenominator({"x": F(0)}, 1))
    assert verify(ModulusProof("matrix", ("x", "y"), (part,)), problem).mu == 0


def test_powers_out_of_proportion_are_refused_before_they_are_computed() -> None:
    for denominator in (PointDenominator({"x": F(1, 3)}, 10**9), PointDenominator({"x": F(0)}, 10**9)):
        with pytest.raises(CertificateError, match="a power has a degree above"):
            verify(part_of(ODD_PROOF, denominator=denominator), ODD)
    scalar = part_of(ODD_PROOF, form="scalar", denominator=DirectionDenominator(10**9))
    with pytest.raises(CertificateError, match="a power has a degree above"):
        verify(scalar, ODD)
    doubling = (FromConstraint(0), *(Product(k, k) for k in range(1, 60)))
    with pytest.raises(CertificateError, match=r"product|steps of arithmetic"):
        verify(part_of(ODD_PROOF, generators=doubling), ODD)
    huge = (FromConstraint(0), *(Multiple(k, F(10**3_000)) for k in range(1, 9)), *(Product(9, 9),) * 2)
    with pytest.raises(CertificateError, match=r"product|steps of arithmetic"):
        verify(part_of(ODD_PROOF, generators=(*huge, *(Product(k, k) for k in range(10, 30)))), ODD)


def test_matrices_too_large_for_their_proof_are_refused() -> None:
    many = tuple(((1, 0, ((0, e),)),) for e in range(1, 62))
    gram = tuple(tuple(int(i == j) for j in range(i + 1)) for i in range(61))
    with pytest.raises(CertificateError, match="side 61"):
        verify(block_of(ODD_PROOF, basis=many, gram=gram), ODD)


# -- the front door -----------------------------------------------------------------------------------


def test_files_objects_values_and_games_of_the_layer_above_are_all_taken(tmp_path: Path) -> None:
    proof_file, game_file = tmp_path / "proof.json", tmp_path / "game.toml"
    CONCAVE_PROOF.save(proof_file)
    game_file.write_text(dumps(CONCAVE, "toml"), encoding="utf-8")
    wrapped = SimpleNamespace(exact=CONCAVE)
    for proof in (CONCAVE_PROOF, CONCAVE_PROOF.to_dict(), proof_file, str(proof_file)):
        for game in (CONCAVE, wrapped, game_file, str(game_file)):
            assert verify(proof, game).mu == 2


@pytest.mark.parametrize("game", [None, 3, {"players": []}, SimpleNamespace(exact=3)])
def test_a_game_that_is_none_is_refused(game: Any) -> None:
    with pytest.raises(InputError, match="game"):
        verify(CONCAVE_PROOF, game)


@pytest.mark.parametrize("proof", [None, 3, [], SimpleNamespace(claim=3)])
def test_a_proof_that_is_none_is_refused(proof: Any) -> None:
    with pytest.raises(CertificateError, match="proof"):
        verify(proof, CONCAVE)


def test_numbers_that_overflow_or_round_do_not_enter_through_objects() -> None:
    """An int64 that wraps around could make a false identity hold."""
    for bad in (np.int64(1), 1.0, True):
        with pytest.raises(CertificateError, match="must be an integer"):
            verify(block_of(CONCAVE_PROOF, gram=((bad,),)), CONCAVE)
    for bad in (2.0, np.float64(2)):
        with pytest.raises(CertificateError, match="exact numbers"):
            verify(part_of(CONCAVE_PROOF, mu=bad), CONCAVE)


def test_the_words_of_a_claim_say_what_was_proved_and_about_which_directions() -> None:
    assert verify(CONCAVE_PROOF, CONCAVE).text == (
        "At every x in X, every player's utility is strongly concave in the player's own variables,"
        " with modulus at least 2."
    )
    assert "along the affine equations" in verify(PLANE_PROOF, PLANE).text
    everywhere = Part("P", F(2), 1, ())
    assert "also those that leave" in verify(replace(PLANE_PROOF, parts=(everywhere,)), PLANE).text
    assert str(verify(PAIR_PROOF, PAIR)).startswith("At every x in X, the game is strongly monotone")
    below = block_of(part_of(PAIR_PROOF, mu=F(-1)), gram=((3,), (-1, 3)))
    assert "does not show" in verify(below, PAIR).text


def test_a_claim_with_enormous_numbers_can_still_be_put_in_words() -> None:
    huge = 10**2_000
    problem = line(Polynomial.constant(F(1, huge)))
    assert "about 1E-2000" in verify(matrix_proof(Part(None, F(1, huge), 1, ())), problem).text


def test_a_dense_gram_matrix_of_side_200_is_checked_in_seconds() -> None:
    """That it ends within the suite is the test. The diagonals of G and P dominate."""
    side = 200
    basis = tuple(((1, a % 10, ((0, 1 + a // 10),)),) for a in range(side))
    gram = tuple(tuple(10**9 if i == j else (i * j) % 97 for j in range(i + 1)) for i in range(side))
    identity = tuple(tuple(10**9 if i == j else (i + j) % 7 for j in range(i + 1)) for i in range(side))
    block = Block(0, basis, gram, identity)
    terms: dict[tuple[int, int], dict[Any, int]] = {}
    for i in range(side):
        for j in range(side):
            exponent = 2 + i // 10 + j // 10
            entry = terms.setdefault((i % 10, j % 10), {})
            key = (("x", exponent),)
            entry[key] = entry.get(key, 0) + gram[max(i, j)][min(i, j)]
    rows = tuple(tuple(Polynomial(terms[a, b]) for b in range(10)) for a in range(10))
    problem = MatrixProblem(rows, ("x",), (Space(["x"]),))
    proof = matrix_proof(Part(None, F(0), 1, (block,)))
    assert verify(proof, problem).mu == 0


def test_a_verified_proof_is_verified_again_after_a_round_trip_through_text() -> None:
    for case in CASES[::5]:
        verify(json.loads(json.dumps(deepcopy(case.proof))), case.problem)
