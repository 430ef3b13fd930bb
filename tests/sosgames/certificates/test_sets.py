"""Sets of strategies: their conditions, their order and what they refuse."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from sosgames.certificates.errors import InputError
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import (
    Ball,
    Box,
    Constraint,
    Constraints,
    ProbabilitySimplex,
    Simplex,
    Space,
    StrategySet,
    normal_form,
)

x, y = Polynomial.variable("x"), Polynomial.variable("y")


def written(part: StrategySet) -> list[str]:
    return [str(c) for c in part.constraints]


def test_each_set_lists_its_conditions_in_the_documented_order() -> None:
    assert written(Box({"b": (-1, "1/2"), "a": (0, 0.5)})) == [
        "b + 1 >= 0", "-b + 1/2 >= 0", "a >= 0", "-a + 1/2 >= 0",
    ]  # fmt: skip
    assert written(Simplex(["b", "a"])) == ["b >= 0", "a >= 0", "-a - b + 1 >= 0"]
    assert written(ProbabilitySimplex(["b", "a"])) == ["b >= 0", "a >= 0", "a + b - 1 == 0"]
    assert written(Ball(["x", "y"], [1, "-1/2"], 4)) == ["-x**2 - y**2 + 2*x - y + 11/4 >= 0"]
    assert written(Space(["x"])) == []
    assert written(Constraints([Constraint(x - y, "=="), Constraint(x)])) == ["x - y == 0", "x >= 0"]


def test_symbols_stand_for_their_names() -> None:
    a, b = sympy.symbols("a b")
    assert Box({a: (0, sympy.Rational(1, 3))}) == Box({"a": (0, "1/3")})
    assert Simplex([a, b]) == Simplex(["a", "b"])
    assert Ball([a], [sympy.Integer(2)], 1) == Ball(["a"], [2], 1)


@given(st.fractions(-3, 3), st.fractions(-3, 3))
def test_a_point_is_in_a_set_exactly_when_the_definition_says_so(a: Fraction, b: Fraction) -> None:
    def inside(part: StrategySet) -> bool:
        return all(c.holds({"x": a, "y": b}) for c in part.constraints)

    assert inside(Box({"x": (-1, 1), "y": (0, 2)})) == (-1 <= a <= 1 and 0 <= b <= 2)
    assert inside(Simplex(["x", "y"])) == (a >= 0 and b >= 0 and a + b <= 1)
    assert inside(ProbabilitySimplex(["x", "y"])) == (a >= 0 and b >= 0 and a + b == 1)
    assert inside(Ball(["x", "y"], (1, 0), 2)) == ((a - 1) ** 2 + b**2 <= 2)
    assert inside(Space(["x"]))


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: Box({}), "non-empty mapping"),
        (lambda: Box({"x": (1, 0)}), "lower bound 1 is above the upper bound 0"),
        (lambda: Box({"x": (0, float("inf"))}), "x, upper bound: got inf"),
        (lambda: Box({"x": (0, 1, 2)}), "two bounds"),
        (lambda: Box({"x": 5}), "two bounds"),
        (lambda: Box({"x": "01"}), "two bounds"),
        (lambda: Box({"2x": (0, 1)}), "'2x' cannot name a variable"),
        (lambda: Box({"α": (0, 1)}), "cannot name a variable"),
        (lambda: Box({"x" * 101: (0, 1)}), "cannot name a variable"),
        (lambda: Simplex(["x", "x"]), "listed twice"),
        (lambda: Simplex("xy"), "list of variables"),
        (lambda: Simplex([]), "name at least one"),
        (lambda: ProbabilitySimplex(["x", sympy.Symbol("x")]), "listed twice"),
        (lambda: Ball(["x"], [0, 0]), "2 center coordinates for 1 variables"),
        (lambda: Ball(["x"], radius_squared=-1), "a square is at least 0"),
        (lambda: Ball(["x"], radius_squared=True), "radius_squared: got True"),
        (lambda: Space([]), "name at least one"),
        (lambda: Constraints([]), "use Space"),
        (lambda: Constraint(Polynomial.constant(1)), "restricts nothing"),
        (lambda: Constraint(x, "<="), "'>=' or '=='"),  # type: ignore[arg-type]
        (lambda: Constraint(x**201), "degree 201"),
    ],
)
def test_a_malformed_set_is_refused_with_the_reason(build: Callable[[], Any], says: str) -> None:
    with pytest.raises(InputError) as refusal:
        build()
    assert says in str(refusal.value)


def test_equal_bounds_fix_a_variable() -> None:
    fixed = Box({"x": ("1/3", "1/3")})
    assert [all(c.holds({"x": Fraction(k, 3)}) for c in fixed.constraints) for k in range(3)] == [
        False,
        True,
        False,
    ]


def test_sets_have_one_normal_form_whatever_the_order_they_are_given_in() -> None:
    parts = (
        Constraints([Constraint(x - y)]),
        Space(["y"]),
        Box({"y": (0, 1)}),
        Constraints([Constraint(x + y)]),
        Box({"x": (0, 1)}),
    )
    expected = (
        Box({"x": (0, 1), "y": (0, 1)}),
        Space(["y"]),
        Constraints([Constraint(x - y), Constraint(x + y)]),
    )
    assert normal_form(parts, ("x", "y"), "player") == expected
    assert normal_form(expected, ("x", "y"), "player") == expected
    assert normal_form(Simplex(["x"]), ("x",), "player") == (Simplex(["x"]),)


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ([Box({"x": (0, 1)})], 'nothing restricts y; give a set, or say `space = ["y"]`'),
        ([Box({"x": (0, 1), "y": (0, 1)}), Box({"x": (0, 2)})], "two intervals for x"),
        ([Simplex(["x", "y", "z"])], "a set restricts z, which is none of its variables (x, y)"),
        ([Constraints([Constraint(x * Polynomial.variable("z"))]), Space(["x", "y"])], "cannot be shared"),
        (["x"], "got 'x' as a set"),
    ],
)
def test_sets_that_do_not_fit_the_variables_are_refused(parts: Any, says: str) -> None:
    with pytest.raises(InputError) as refusal:
        normal_form(parts, ("x", "y"), "player 'A'")
    assert says in str(refusal.value)
    assert str(refusal.value).startswith("player 'A': ")


def test_sets_can_be_printed_and_sent_to_another_process() -> None:
    parts: list[StrategySet] = [
        Box({"x": (0, "1/3")}),
        Simplex(["x"]),
        ProbabilitySimplex(["x", "y"]),
        Ball(["x", "y"], [0, "1/2"], 2),
        Space(["x"]),
    ]
    names = {
        "Box": Box,
        "Simplex": Simplex,
        "ProbabilitySimplex": ProbabilitySimplex,
        "Ball": Ball,
        "Space": Space,
    }
    for part in parts:
        assert pickle.loads(pickle.dumps(part)) == part
        assert hash(part) == hash(pickle.loads(pickle.dumps(part)))
        assert eval(repr(part), names) == part
    assert repr(Constraints([Constraint(x)])) == "Constraints(['x >= 0'])"
