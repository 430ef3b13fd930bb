"""Valid proofs of a modulus, each spoilt in one place, and the sentence that must refuse it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from sosgames.certificates.games import ExactGame, ExactPlayer, MatrixProblem
from sosgames.certificates.parts import (
    Block,
    CoordinateChart,
    DirectionDenominator,
    Equality,
    FromConstraint,
    Multiple,
    OddRoot,
    Part,
    Product,
    TangentChart,
)
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.proofs import ModulusProof
from sosgames.certificates.sets import Box, Constraint, Constraints, ProbabilitySimplex, Space
from tests.sosgames.certificates.game_constructions import one_player, two_players

F = Fraction
x, y = Polynomial.variable("x"), Polynomial.variable("y")
ONE: tuple[tuple[int, int, tuple[()]], ...] = ((1, 0, ()),)

# -- a strongly concave utility: -u'' = 3 - x^2 = 2 + (1 + x)(1 - x) on [-1, 1] --------------------------

CONCAVE = one_player(x**4 / 12 - 3 * x**2 / 2, Box({"x": (-1, 1)}))
FACES = (FromConstraint(0), FromConstraint(1), Product(1, 2))
CONCAVE_PART = Part("P", F(2), 1, (Block(3, (ONE,), ((1,),)),), FACES)
CONCAVE_PROOF = ModulusProof("concave", ("x",), (CONCAVE_PART,))

PAIR = two_players(-(x**2) + x * y, -(y**2) + x * y)  # M = [[2, -1], [-1, 2]], modulus 1
PAIR_BASIS = (((1, 0, ()),), ((1, 1, ()),))
PAIR_PART = Part(None, F(1), 1, (Block(0, PAIR_BASIS, ((1,), (-1, 1))),))
PAIR_PROOF = ModulusProof("monotone", ("x", "y"), (PAIR_PART,))

names = ("x", "y", "z")
PLANE = ExactGame(  # along (1, -1, 0) and (1, 0, -1) the Hessian of x^2 - 2 x y - ... is definite
    (ExactPlayer("P", names, -(x**2) - y**2 - Polynomial.variable("z") ** 2, (ProbabilitySimplex(names),)),)
)
PLANE_BASIS = ((1, 1), (-1, 0), (0, -1))
PLANE_PART = Part("P", F(1), 1, (Block(0, PAIR_BASIS, ((2,), (1, 2))),), chart=TangentChart(PLANE_BASIS))
PLANE_PROOF = ModulusProof("concave", names, (PLANE_PART,))

CURVE = MatrixProblem(((x * y,),), ("x", "y"), (Constraints([Constraint(x * y - 1, "==")]), Space(["y"])))
CURVE_PART = Part(None, F(1), 1, (), equalities=(Equality(0, ((0, 0, ((F(1), ()),)),)),))
CURVE_PROOF = ModulusProof("matrix", ("x", "y"), (CURVE_PART,))

ODD = MatrixProblem(((1 - x**2,),), ("x",), (Constraints([Constraint((1 - x**2) ** 3)]),))
ROOT = ((F(1), ()), (F(-1), ((0, 2),)))
ODD_PART = Part(None, F(0), 1, (Block(2, (ONE,), ((1,),)),), (FromConstraint(0), OddRoot(1, ROOT, 1)))
ODD_PROOF = ModulusProof("matrix", ("x",), (ODD_PART,))


def line(matrix: Polynomial, *constraints: Constraint) -> MatrixProblem:
    return MatrixProblem(
        ((matrix,),), ("x",), (Constraints(constraints),) if constraints else (Space(["x"]),)
    )


def matrix_proof(part: Part) -> ModulusProof:
    return ModulusProof("matrix", ("x",), (part,))


BASES: dict[str, tuple[ModulusProof, ExactGame | MatrixProblem]] = {
    "concave": (CONCAVE_PROOF, CONCAVE),
    "pair": (PAIR_PROOF, PAIR),
    "plane": (PLANE_PROOF, PLANE),
    "curve": (CURVE_PROOF, CURVE),
    "odd": (ODD_PROOF, ODD),
}


def part_of(proof: ModulusProof, **changes: Any) -> ModulusProof:
    return replace(proof, parts=(replace(proof.parts[0], **changes), *proof.parts[1:]))


def block_of(proof: ModulusProof, **changes: Any) -> ModulusProof:
    return part_of(proof, blocks=(replace(proof.parts[0].blocks[0], **changes),))


SPOILT: dict[str, tuple[str, Callable[[ModulusProof], ModulusProof], str]] = {
    "mu a little higher": ("concave", lambda p: part_of(p, mu=F(2) + F(1, 10**30)), "identity fails"),
    "mu lower than the identity says": ("concave", lambda p: part_of(p, mu=F(1)), "identity fails"),
    "another player's name": ("concave", lambda p: part_of(p, player="Q"), "one part for each"),
    "no player": ("concave", lambda p: part_of(p, player=None), "one part for each"),
    "two parts for one player": ("concave", lambda p: replace(p, parts=p.parts * 2), "one part for each"),
    "a property of another problem": (
        "concave",
        lambda p: replace(p, property="matrix"),
        "one part for each",
    ),
    "an unknown property": ("pair", lambda p: replace(p, property="convex"), "property 'convex'"),
    "weights for a concave claim": ("concave", lambda p: replace(p, weights={"P": F(1)}), "with a player"),
    "another variable": ("concave", lambda p: replace(p, variables=("y",)), "another problem"),
    "one variable too many": ("concave", lambda p: replace(p, variables=("x", "y")), "another problem"),
    "variables in another order": ("pair", lambda p: replace(p, variables=("y", "x")), "another problem"),
    "a condition that does not exist": (
        "concave",
        lambda p: part_of(p, generators=(FromConstraint(0), FromConstraint(2), Product(1, 2))),
        "no condition 2",
    ),
    "a product with a later generator": (
        "concave",
        lambda p: part_of(p, generators=(FromConstraint(0), Product(1, 3), FromConstraint(1))),
        "does not come before",
    ),
    "a product with itself": (
        "concave",
        lambda p: part_of(p, generators=(FromConstraint(0), FromConstraint(1), Product(1, 3))),
        "does not come before",
    ),
    "a negative multiple": (
        "concave",
        lambda p: part_of(p, generators=(*FACES, Multiple(3, F(-1)))),
        "only if it is positive",
    ),
    "a multiple of zero": (
        "concave",
        lambda p: part_of(p, generators=(*FACES, Multiple(3, F(0)))),
        "positive",
    ),
    "a block with a later generator": ("concave", lambda p: block_of(p, generator=4), "no generator 4"),
    "a block with another generator": ("concave", lambda p: block_of(p, generator=2), "identity fails"),
    "a block for a row that does not exist": (
        "concave",
        lambda p: block_of(p, basis=(((1, 1, ()),),)),
        "no row 1",
    ),
    "a monomial in a variable that does not exist": (
        "concave",
        lambda p: block_of(p, basis=(((1, 0, ((1, 1),)),),)),
        "variable 1",
    ),
    "a negative Gram matrix": ("concave", lambda p: block_of(p, gram=((-1,),)), "pivot 1 is negative"),
    "another scale": ("concave", lambda p: part_of(p, scale=2), "identity fails"),
    "a Gram matrix that is indefinite": ("pair", lambda p: block_of(p, gram=((1,), (-2, 1))), "pivot 2"),
    "a Gram matrix for another coupling": (
        "pair",
        lambda p: block_of(p, gram=((1,), (1, 1))),
        "identity fails",
    ),
    "a congruence of a singular matrix": (
        "pair",
        lambda p: block_of(p, congruence=((1,), (1, 1))),
        "not strictly diagonally dominant",
    ),
    "a congruence with a zero on the diagonal": (
        "pair",
        lambda p: block_of(p, congruence=((1,), (1, 0))),
        "diagonal of P is zero",
    ),
    "rows exchanged in one vector": (
        "pair",
        lambda p: block_of(p, basis=(((1, 1, ()),), ((1, 1, ()),))),
        "identity fails",
    ),
    "a missing block": ("pair", lambda p: part_of(p, blocks=()), "identity fails"),
    "weights without a player": ("pair", lambda p: replace(p, weights={"P": F(1)}), "one to each"),
    "weights with a stranger": (
        "pair",
        lambda p: replace(p, weights={"P": F(1), "Q": F(1), "R": F(1)}),
        "one to each",
    ),
    "a weight of zero": ("pair", lambda p: replace(p, weights={"P": F(1), "Q": F(0)}), "must be positive"),
    "a negative weight": ("pair", lambda p: replace(p, weights={"P": F(1), "Q": F(-1)}), "must be positive"),
    "weights for which the identity is another": (
        "pair",
        lambda p: replace(p, weights={"P": F(1), "Q": F(2)}),
        "identity fails",
    ),
    "a part of a concave claim missing": (
        "pair",
        lambda p: replace(p, property="concave", parts=(replace(PAIR_PART, player="P"),)),
        "one part for each",
    ),
    "a matrix claim about a game": ("pair", lambda p: replace(p, property="matrix"), "property 'matrix'"),
    "a sphere in matrix form": ("pair", lambda p: part_of(p, sphere=()), "scalar form only"),
    "a power of y in matrix form": (
        "pair",
        lambda p: part_of(p, denominator=DirectionDenominator(1)),
        "scalar form only",
    ),
    "a basis with fewer directions": (
        "plane",
        lambda p: part_of(p, chart=TangentChart(((1,), (-1,), (0,)))),
        "2 columns",
    ),
    "a basis with dependent columns": (
        "plane",
        lambda p: part_of(p, chart=TangentChart(((1, 2), (-1, -2), (0, 0)))),
        "linearly dependent",
    ),
    "a basis that leaves the plane": (
        "plane",
        lambda p: part_of(p, chart=TangentChart(((1, 1), (-1, 0), (0, 0)))),
        "leaves the tangent space",
    ),
    "a basis of all directions": (
        "plane",
        lambda p: part_of(p, chart=TangentChart(((1, 0, 0), (0, 1, 0), (0, 0, 1)))),
        "2 columns",
    ),
    "a longer basis, as if measured by w'w": (
        "plane",
        lambda p: part_of(p, chart=TangentChart(((2, 2), (-2, 0), (0, -2)))),
        "identity fails",
    ),
    "coordinates in place of directions": (
        "plane",
        lambda p: part_of(p, chart=CoordinateChart(("x",))),
        "identity fails",
    ),
    "no coordinate eliminated": ("plane", lambda p: part_of(p, chart=CoordinateChart(())), "do not solve"),
    "an equation used as an inequality": (
        "curve",
        lambda p: part_of(
            p, generators=(FromConstraint(0),), blocks=(Block(1, (ONE,), ((1,),)),), equalities=()
        ),
        "of the kind ==",
    ),
    "a product with an equation": (
        "curve",
        lambda p: part_of(p, generators=(FromConstraint(0), Product(1, 1))),
        "of the kind ==",
    ),
    "an equality entry outside the matrix": (
        "curve",
        lambda p: part_of(p, equalities=(Equality(0, ((0, 1, ((F(1), ()),)),)),)),
        "no row 1",
    ),
    "another multiplier of the equation": (
        "curve",
        lambda p: part_of(p, equalities=(Equality(0, ((0, 0, ((F(2), ()),)),)),)),
        "identity fails",
    ),
    "a tangent chart for an equation that is not affine": (
        "curve",
        lambda p: part_of(p, chart=TangentChart(((),))),
        "1 columns",
    ),
    "a root of another polynomial": (
        "odd",
        lambda p: part_of(p, generators=(FromConstraint(0), OddRoot(1, ((F(1), ()), (F(-2), ((0, 2),))), 1))),
        "another polynomial",
    ),
    "the negative of the root": (
        "odd",
        lambda p: part_of(p, generators=(FromConstraint(0), OddRoot(1, ((F(-1), ()), (F(1), ((0, 2),))), 1))),
        "another polynomial",
    ),
    "a root of another order": (
        "odd",
        lambda p: part_of(p, generators=(FromConstraint(0), OddRoot(1, ROOT, 2))),
        "another degree",
    ),
    "a constant as a root": (
        "odd",
        lambda p: part_of(p, generators=(FromConstraint(0), OddRoot(0, ((F(1), ()),), 1))),
        "another degree",
    ),
    "a root of the root": (
        "odd",
        lambda p: part_of(p, generators=(FromConstraint(0), OddRoot(2, ROOT, 1))),
        "does not come before",
    ),
}
