"""False claims whose identity is true: each would pass if one single check of the verifier were missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from sosgames.certificates.errors import CertificateError
from sosgames.certificates.games import ExactGame, ExactPlayer, MatrixProblem
from sosgames.certificates.parts import Part
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.proofs import ModulusProof
from sosgames.certificates.sets import Box, Constraint, Constraints, ProbabilitySimplex, Space
from sosgames.certificates.verifier import verify
from tests.sosgames.certificates.game_constructions import two_players

x, y = Polynomial.variable("x"), Polynomial.variable("y")
NEGATIVE = MatrixProblem(((Polynomial.constant(-1),),), ("x",), (Space(["x"]),))
SADDLE = MatrixProblem(
    ((Polynomial.constant(1), Polynomial()), (Polynomial(), Polynomial.constant(-1))), ("x",), (Space(["x"]),)
)
ZERO = MatrixProblem(((Polynomial(),),), ("x",), (Space(["x"]),))
BOWL = MatrixProblem(((x**2 - 1,),), ("x",), (Constraints([Constraint(1 - x**2)]),))  # negative at 0
LINE = MatrixProblem(((x,),), ("x",), (Constraints([Constraint(x**2)]),))  # negative at -1
CONVEX = two_players(x**2, -(y**2))  # neither concave nor monotone
FLAT = ExactGame((ExactPlayer("P", ("x", "y"), x * y + 3 * x**2, (ProbabilitySimplex(["x", "y"]),)),))


@dataclass(frozen=True)
class Attack:
    """A part that is harmless as it stands, and how to bend it."""

    problem: Any
    bend: Callable[[dict[str, Any]], Any]
    property: str = "matrix"
    player: str | None = None


def block(row: int = 0, monomial: Any = (), gram: int = 1, generator: int = 0) -> dict[str, Any]:
    vector = [[1, row, [list(pair) for pair in monomial]]]
    return {"generator": generator, "basis": [vector], "gram": [[gram]], "proof": "ldl"}


def bend(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda proof: proof["proofs"][0].update(changes)


def weights_below_zero(proof: dict[str, Any]) -> None:
    proof["claim"]["weights"] = {"P": [-1, 1], "Q": [1, 1]}
    proof["proofs"][0]["blocks"] = [
        {"generator": 0, "basis": IN_TWO_ROWS, "gram": [[2], [0, 2]], "proof": "ldl"}
    ]


def weight_of_zero(proof: dict[str, Any]) -> None:
    proof["claim"]["weights"] = {"P": [0, 1], "Q": [1, 1]}
    proof["proofs"][0]["blocks"] = [block(1, gram=2)]


def only_the_concave_player(proof: dict[str, Any]) -> None:
    proof["proofs"][0] |= {"player": "Q", "blocks": [block(gram=2)]}


def a_claim_above_its_part(proof: dict[str, Any]) -> None:
    proof["claim"] |= {"mu": [1, 1], "strict": True}
    proof["proofs"][0] |= {"mu": [-1, 1]}


def strict_without_modulus(proof: dict[str, Any]) -> None:
    proof["claim"]["strict"] = True


def flat(chart: dict[str, Any]) -> Attack:
    """Along (1, -1) the form is -4; a chart that is wrong looks elsewhere, where it vanishes."""
    return Attack(FLAT, bend(chart=chart), "concave", "P")


HALF_ROOT = {"odd_root": 1, "root": [[1, 1, [[0, 1]]]], "k": 0.5}
IN_TWO_ROWS = [[[1, 0, []]], [[1, 1, []]]]
ATTACKS = {
    "a negative scale": Attack(NEGATIVE, bend(scale=-1, blocks=[block()])),
    "a scale of zero": Attack(NEGATIVE, bend(scale=0)),
    "a negative square": Attack(NEGATIVE, bend(blocks=[block(gram=-1)])),
    "a text for a number": Attack(NEGATIVE, bend(blocks=[block() | {"gram": [["-1"]]}])),
    "a proof that is a promise": Attack(NEGATIVE, bend(blocks=[block(gram=-1) | {"proof": "solver"}])),
    "a congruence without dominance": Attack(
        NEGATIVE, bend(blocks=[block(gram=-1) | {"proof": {"congruence": [[1]]}}])
    ),
    "a congruence by zero": Attack(
        NEGATIVE, bend(blocks=[block(gram=-1) | {"proof": {"congruence": [[0]]}}])
    ),
    "a congruence that hides one row": Attack(
        SADDLE,
        bend(
            blocks=[
                {
                    "generator": 0,
                    "basis": IN_TWO_ROWS,
                    "gram": [[1], [0, -1]],
                    "proof": {"congruence": [[1], [0, 0]]},
                }
            ]
        ),
    ),
    "a negative multiple": Attack(
        BOWL,
        bend(generators=[{"constraint": 0}, {"multiple": 1, "by": [-1, 1]}], blocks=[block(generator=2)]),
    ),
    "a multiple whose denominator is negative": Attack(
        BOWL,
        bend(generators=[{"constraint": 0}, {"multiple": 1, "by": [1, -1]}], blocks=[block(generator=2)]),
    ),
    "an even root": Attack(
        LINE, bend(generators=[{"constraint": 0}, HALF_ROOT], blocks=[block(generator=2)])
    ),
    "half a power": Attack(LINE, bend(blocks=[block(monomial=((0, 0.5),))])),
    "negative weights": Attack(CONVEX, weights_below_zero, "monotone"),
    "a weight of zero": Attack(CONVEX, weight_of_zero, "monotone"),
    "only the concave player's part": Attack(CONVEX, only_the_concave_player, "concave", "P"),
    "a claim above its part": Attack(NEGATIVE, a_claim_above_its_part),
    "strict without a modulus": Attack(ZERO, strict_without_modulus),
    "no direction": flat({"basis": [[], []], "metric": "euclidean"}),
    "the zero direction": flat({"basis": [[0], [0]], "metric": "euclidean"}),
    "another direction": flat({"basis": [[0], [1]], "metric": "euclidean"}),
    "all coordinates eliminated": flat({"eliminated": ["x", "y"], "metric": "coordinates"}),
}


def harmless(attack: Attack) -> dict[str, Any]:
    part = Part(attack.player, Fraction(0), 1, ())
    proof = ModulusProof(attack.property, attack.problem.variables, (part,))
    return proof.to_dict()


@pytest.mark.parametrize("name", ATTACKS)
def test_a_false_claim_is_refused_though_its_identity_holds(name: str) -> None:
    attack = ATTACKS[name]
    proof = harmless(attack)
    attack.bend(proof)
    with pytest.raises(CertificateError):
        verify(proof, attack.problem)


def test_an_empty_set_proves_anything_and_that_is_right() -> None:
    """X = {-1 - x^2 >= 0} is empty, -1 = x^2 + (-1 - x^2), and 'for every x in X' is true."""
    empty = MatrixProblem(((Polynomial.constant(-1),),), ("x",), (Constraints([Constraint(-1 - x**2)]),))
    proof = ModulusProof("matrix", ("x",), (Part(None, Fraction(0), 1, ()),)).to_dict()
    proof["proofs"][0] |= {
        "generators": [{"constraint": 0}],
        "blocks": [block(monomial=((0, 1),)), block(generator=1)],
    }
    assert verify(proof, empty).mu == 0


def test_a_player_fixed_at_a_point_has_no_directions_and_any_modulus() -> None:
    fixed = ExactGame((ExactPlayer("P", ("x",), x**2, (ProbabilitySimplex(["x"]),)),))
    proof = ModulusProof("concave", ("x",), (Part("P", Fraction(7), 1, ()),)).to_dict()
    proof["proofs"][0]["chart"] = {"basis": [[]], "metric": "euclidean"}
    assert verify(proof, fixed).mu == 7
    box = ExactGame((ExactPlayer("P", ("x",), x**2, (Box({"x": (1, 1)}),)),))
    with pytest.raises(CertificateError, match="1 columns"):
        verify(proof, box)
