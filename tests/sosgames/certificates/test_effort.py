"""A proof that asks for years of arithmetic is refused at once; honest ones are far below the limit."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from sosgames.certificates.effort import MAX_STEPS, _Effort
from sosgames.certificates.errors import CertificateError
from sosgames.certificates.games import ExactGame, ExactPlayer, MatrixProblem
from sosgames.certificates.jsonvalues import load_json
from sosgames.certificates.parts import (
    Block,
    CoordinateChart,
    Equality,
    FromConstraint,
    IndexPolynomial,
    Multiple,
    OddRoot,
    Part,
    PointDenominator,
    Product,
    TangentChart,
)
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.prooffiles import from_dict
from sosgames.certificates.proofs import (
    EquilibriumProof,
    ModulusProof,
    NearestProof,
    Proof,
    RefutationProof,
    RegretProof,
    Witness,
)
from sosgames.certificates.sets import Box, Constraint, Constraints, Space
from sosgames.certificates.verifier import verify
from tests.sosgames.certificates.constructions import Case
from tests.sosgames.certificates.game_constructions import all_cases

F = Fraction
x, y = Polynomial.variable("x"), Polynomial.variable("y")
LINE = MatrixProblem(((x**2 + 1,),), ("x",), (Box({"x": (-1, 1)}),))
CURVE = MatrixProblem(((x**2 + 1,),), ("x", "y"), (Constraints([Constraint((1 + x + y) ** 20 - 1, "==")]),))
DENSE = MatrixProblem(((x**2 + 1,),), ("x", "y"), (Constraints([Constraint((1 + x + y) ** 20)]),))
NAMES = tuple(f"x{i}" for i in range(400))
MANY = ExactGame(
    tuple(
        ExactPlayer(f"P{i}", (n,), -(Polynomial.variable(n) ** 2), (Space([n]),)) for i, n in enumerate(NAMES)
    )
)
WIDEST = tuple(f"v{i}" for i in range(8_000))
HUGE = 10**3_900
POLYNOMIAL: IndexPolynomial = tuple((F(1, 2 * i + 3), ((0, i + 1),)) for i in range(400))


def part(**changes: Any) -> ModulusProof:
    return ModulusProof("matrix", ("x",), (Part(None, F(0), 1, **{"blocks": (), **changes}),))


def powers(n: int) -> Any:
    """The vectors x, x**2, ..., x**n, each of one term."""
    return tuple(((1, 0, ((0, i + 1),)),) for i in range(n))


def triangle(side: int, entry: int = 0) -> Any:
    return tuple((entry,) * i + (2 * side * max(entry, 1),) for i in range(side))


def far(k: int) -> Witness:
    """A witness whose denominator no other one has."""
    return Witness({"x": F(1, 10**9 + 2 * k + 1)}, {"1": F(1)})


def in_each(value: F) -> dict[str, F]:
    return {name: value / (10**9 + 2 * k + 1) for k, name in enumerate(NAMES)}


HOSTILE: dict[str, tuple[Callable[[], Proof], Any]] = {
    "one vector of many terms": (
        lambda: part(blocks=(Block(0, (tuple((1, 0, ((0, i + 1),)) for i in range(20_000)),), ((1,),)),)),
        LINE,
    ),
    "factoring numbers of thousands of digits": (
        lambda: part(blocks=(Block(0, powers(60), triangle(60, HUGE)),)),
        LINE,
    ),
    "a congruence of two thousand rows": (
        lambda: part(blocks=(Block(0, powers(2_000), triangle(2_000), triangle(2_000)),)),
        LINE,
    ),
    "a thousand blocks": (lambda: part(blocks=(Block(0, powers(60), triangle(60, 10**40)),) * 1_000), LINE),
    "a long chain of products": (
        lambda: part(generators=(FromConstraint(0), *(Product(1, 1),) * 1_000)),
        DENSE,
    ),
    "multiples that pile up": (
        lambda: part(generators=(FromConstraint(0), *(Multiple(i, F(HUGE, 7)) for i in range(1, 5_000)))),
        DENSE,
    ),
    "a long root": (lambda: part(generators=(FromConstraint(0), OddRoot(1, POLYNOMIAL, 1))), LINE),
    "a small square of a generator of many terms": (
        lambda: part(
            generators=(FromConstraint(0), Product(1, 1)),
            blocks=(Block(2, (tuple((1, 0, ((0, i + 1),)) for i in range(400)),), ((1,),)),),
        ),
        DENSE,
    ),
    "an equation a thousand times": (
        lambda: part(equalities=(Equality(0, ((0, 0, POLYNOMIAL),)),) * 1_000),
        CURVE,
    ),
    "a high power of the distance": (
        lambda: part(denominator=PointDenominator({"x": F(1, HUGE)}, 150)),
        LINE,
    ),
    "a basis that is full": (
        lambda: ModulusProof(
            "monotone",
            NAMES,
            (Part(None, F(0), 1, (), chart=TangentChart(tuple((i + 7,) * 400 for i in range(400)))),),
        ),
        MANY,
    ),
    "a chart of thousands of coordinates": (
        lambda: ModulusProof("monotone", WIDEST, (Part(None, F(0), 1, (), chart=CoordinateChart(())),)),
        ExactGame((ExactPlayer("P", WIDEST, -(Polynomial.variable("v0") ** 2), (Space(WIDEST),)),)),
    ),
    "witnesses without a common denominator": (
        lambda: RefutationProof("matrix", ("x",), F(9), tuple(far(k) for k in range(30_000))),
        LINE,
    ),
    "a long point": (
        lambda: RefutationProof("matrix", ("x",), F(9), (Witness({"x": F(1, HUGE)}, {"1": F(1)}),)),
        MatrixProblem((((x + 1) ** 200,),), ("x",), (Space(["x"]),)),
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_proof_that_asks_for_years_is_refused_at_once(name: str) -> None:
    build, problem = HOSTILE[name]
    with pytest.raises(CertificateError, match="steps of arithmetic"):
        verify(build(), problem)


WIDE = HOSTILE["one vector of many terms"][0]()
DRIVER = ExactGame((ExactPlayer("P", ("x",), -(x**2), (Box({"x": (-1, 1)}),)),))


@pytest.mark.parametrize(
    "around",
    [
        lambda inner: EquilibriumProof({"x": F(0)}, {"P": F(0)}, certificate=inner),
        lambda inner: RegretProof({"x": F(0)}, {"P": F(0)}, {"P": inner}),
        lambda inner: NearestProof("monotone", {}, "linf", F(0), inner, {}),
    ],
    ids=["equilibrium", "regret", "nearest"],
)
def test_what_a_proof_holds_inside_counts_too(around: Callable[[Any], Proof]) -> None:
    with pytest.raises(CertificateError, match="steps of arithmetic"):
        verify(around(WIDE), DRIVER)


def test_many_changeable_monomials_at_many_points_are_refused() -> None:
    monomials = tuple(((0, i + 1),) for i in range(3_000))
    functionals = (Witness({"x": F(1, 3)}, {"x": F(1)}),) * 20_000
    proof = NearestProof("monotone", {}, "linf", F(0), part(), {"P": monomials}, F(1), functionals)
    with pytest.raises(CertificateError, match="steps of arithmetic"):
        verify(proof, DRIVER)


def test_a_direction_over_ten_thousand_players_costs_what_the_matrix_has() -> None:
    names = tuple(f"x{k}" for k in range(10_000))
    one = F(1, 2)
    players = tuple(
        ExactPlayer(
            name,
            (name,),
            -(Polynomial.variable(name) ** 2) - Polynomial.variable(name) * Polynomial.variable(after),
            (Space([name]),),
        )
        for name, after in zip(names, (*names[1:], names[0]), strict=True)
    )
    everywhere = Witness(dict.fromkeys(names, one), dict.fromkeys(names, one))
    proof = RefutationProof("monotone", names, F(9), (everywhere,))
    assert _Effort(ExactGame(players)).of_proof(proof) < MAX_STEPS // 100


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)
def test_proofs_by_construction_are_a_thousand_times_below_the_limit(case: Case) -> None:
    assert _Effort(case.problem).of_proof(from_dict(case.proof)) < MAX_STEPS // 1_000


def test_a_sparse_proof_of_thousands_of_blocks_is_far_below_the_limit() -> None:
    blocks = tuple(Block(0, powers(10), triangle(10, 2**50), triangle(10, 2**30)) for _ in range(10_000))
    assert _Effort(LINE).of_proof(part(blocks=blocks)) < MAX_STEPS // 10


def test_long_numbers_are_told_from_too_long_ones_by_one_pass_over_the_text() -> None:
    text = "[" + ",".join(["9" * 3_999] * 500) + "]"
    assert len(load_json(text)) == 500
    with pytest.raises(CertificateError, match="more than 4,000 digits"):
        load_json(text[:-1] + ",1" + "0" * 4_000 + "]")
