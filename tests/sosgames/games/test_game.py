"""Games from SymPy: exact inside, plain outside."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational, Symbol, symbols

import sosgames as sg
from sosgames.certificates.polynomials import Polynomial
from sosgames.games import expression_from, matrix_problem, polynomial_from

x, y, z = symbols("x y z")
BOX = sg.Box({x: (0, 1)})

monomials = st.dictionaries(st.sampled_from("xyz"), st.integers(1, 5)).map(lambda d: tuple(sorted(d.items())))
polynomials = st.dictionaries(monomials, st.fractions(), max_size=6).map(Polynomial)


def one_player(utility: Any, strategies: Any = BOX) -> sg.Game:
    return sg.Game({"A": utility}, {"A": strategies})


@settings(max_examples=40)
@given(polynomials)
def test_to_sympy_and_back_is_the_identity(p: Polynomial) -> None:
    assert polynomial_from(expression_from(p)) == p
    assert polynomial_from(sympy.factor(expression_from(p))) == p
    assert polynomial_from(str(p)) == p


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ((x - y) ** 2, "x**2 - 2*x*y + y**2"),
        (sympy.Poly(x**2 / 3 + 1, x), "x**2/3 + 1"),
        ("x**2/3 + 0.1", "x**2/3 + 1/10"),
        (Rational(2, 7), "2/7"),
        (3, "3"),
        (np.int64(3), "3"),
        (Fraction(1, 3), "1/3"),
        (0.5 * x, "x/2"),
        (sympy.Mul(2, x + 1, evaluate=False), "2*x + 2"),
        (sympy.S.Zero, "0"),
        (Symbol("x") + Symbol("x", real=True), "2*x"),
        (Symbol("x") * Symbol("x", positive=True), "x**2"),
        (Polynomial.variable("x"), "x"),
    ],
)
def test_every_way_to_write_a_polynomial_gives_the_same(value: Any, text: str) -> None:
    assert str(polynomial_from(value)) == text


@pytest.mark.parametrize(
    "value",
    [
        sympy.sin(x), 1 / x, sympy.sqrt(2) * x, sympy.I * x, sympy.sqrt(x), sympy.pi + x, 2**x, x / y,
        sympy.nan + x, sympy.oo, sympy.Abs(x), sympy.MatrixSymbol("A", 2, 2)[0, 0],
        Symbol("n", commutative=False) * x, x**201, (x + 1) ** 10**9, x**150 * y**51,
        sympy.true, None, [x], float("nan"), Symbol("α"), Symbol("x y"), Symbol("A_{1}"),
        "__import__('os')", sympy.Integral(x, x), sympy.zoo * x,
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_rational_polynomial_is_refused(value: Any) -> None:
    with pytest.raises(sg.InputError, match=r"^player 'A', utility"):
        one_player(value)


def test_floats_keep_their_binary_value_and_are_reported() -> None:
    game = one_player(0.1 * x + Rational(1, 10) * x**2)
    assert game.exact.players[0].utility.coefficient((("x", 1),)) == Fraction(0.1) != Fraction(1, 10)
    assert game.exact.players[0].utility.coefficient((("x", 2),)) == Fraction(1, 10)
    (note,) = game.notes
    assert "the utility of A" in note
    assert "3602879701896397/36028797018963968" in note
    assert note in game.show()
    assert one_player("0.1*x").notes == ()


def test_a_game_knows_its_players_variables_and_utilities() -> None:
    game = sg.Game(
        {"A": x * z - y, "B": -(z**3), "C": x},
        {"A": [sg.Simplex([y, x]), sg.Constraints([x**2 + y**2 <= 1])], "B": sg.Ball([z])},
        name="example",
        source="this test",
    )
    assert game.players == ("A", "B", "C")
    assert game.variables == ("y", "x", "z")
    assert game.symbols == (y, x, z)
    assert (game.degree, game.name, game.exact.source) == (3, "example", "this test")
    assert sympy.expand(game.utility("A") - x * z + y) == 0
    assert repr(game) == "Game('A', 'B', 'C': 3 variables, degree 3)"
    assert len(game.strategies("A")) == 2
    text = game.show()
    assert "example: 3 players, 3 variables, degree 3" in text
    assert "A chooses y, x from Simplex(['y', 'x']) and Constraints(['-x**2 - y**2 + 1 >= 0'])" in text
    assert "C chooses nothing" in text


def test_sympy_relations_become_constraints() -> None:
    relations = sg.Constraints([x <= y, x >= 2 * y, sympy.Eq(x, y**2), "0 <= x <= 1", x <= 0.5])
    assert [str(c) for c in relations.constraints] == [
        "-x + y >= 0",
        "x - 2*y >= 0",
        "-y**2 + x == 0",
        "x >= 0",
        "-x + 1 >= 0",
        "-x + 1/2 >= 0",
    ]


@pytest.mark.parametrize(
    ("item", "says"),
    [
        (x < y, "strategy sets are closed"),
        (x > y, "strategy sets are closed"),
        (sympy.Ne(x, y), "strategy sets are closed"),
        (sympy.sin(x) <= 1, "not a polynomial"),
        (sympy.true, "pass a relation"),
        (x, "pass a relation"),
        (5, "pass a relation"),
    ],
)
def test_what_is_no_closed_polynomial_relation_is_refused(item: Any, says: str) -> None:
    with pytest.raises(sg.InputError, match=says):
        sg.Constraints([item])


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (
            lambda: sg.Game({"A": x}, {"A": BOX, "B": BOX}),
            "'B' has strategies but no utility; players are 'A'",
        ),
        (lambda: sg.Game({"A": x}, {}), "no player has a variable"),
        (lambda: sg.Game({"A": x, "B": y}, {"A": BOX}), "the variable y is unknown"),
        (lambda: sg.Game({"A": x, "B": x}, {"A": BOX, "B": BOX}), "the variable x belongs to both"),
        (lambda: one_player(x, "x >= 0"), "as a set; use Box, Simplex"),
        (lambda: one_player(x, {x: (0, 1)}), "as a set"),
        (lambda: one_player(x, 5), "got 5 as a set"),
        (lambda: sg.Game({1: x}, {1: BOX}), "give a non-empty text"),  # type: ignore[dict-item]
    ],
)
def test_a_game_whose_parts_do_not_fit_is_refused(build: Callable[[], Any], says: str) -> None:
    with pytest.raises(sg.InputError) as refusal:
        build()
    assert says in str(refusal.value)


def test_saving_and_loading_a_game_is_the_identity(tmp_path: Path) -> None:
    game = sg.Game({"A": 0.1 * x - x**2 / 3}, {"A": BOX}, name="a name", source="a source")
    for ending in ("toml", "json"):
        path = tmp_path / f"game.{ending}"
        game.save(path)
        copy = sg.load(str(path))
        assert copy == game == sg.Game.load(path)
        assert (copy.name, copy.exact.source) == ("a name", "a source")
    with pytest.raises(sg.InputError, match=r"^game\.txt"):
        game.save(tmp_path / "game.txt")
    with pytest.raises(sg.InputError, match=r"game\.toml: the file holds a game, not a matrix; use load\."):
        sg.load_matrix(tmp_path / "game.toml")


def test_a_matrix_file_is_told_from_a_game_file(tmp_path: Path) -> None:
    path = tmp_path / "choi.toml"
    path.write_text('variables = ["x"]\nmatrix = [["x**2"]]\nstrategies = {space = ["x"]}\n')
    assert (
        sg.load_matrix(path) == matrix_problem([[x**2]], sg.Space([x])) == matrix_problem(x**2, sg.Space([x]))
    )
    with pytest.raises(
        sg.InputError, match=r"choi\.toml: the file holds a matrix, not a game; use load_matrix\."
    ):
        sg.load(path)


def test_a_matrix_problem_reads_sympy_matrices() -> None:
    M = sympy.Matrix([[1 + x**2, x * y], [x * y, 2.5]])
    problem = matrix_problem(M, (sg.Box({y: (0, 1)}), sg.Space([x])))
    assert problem.variables == ("y", "x")
    assert [[str(entry) for entry in row] for row in problem.rows] == [["x**2 + 1", "x*y"], ["x*y", "5/2"]]
    with pytest.raises(sg.InputError, match="must be symmetric"):
        matrix_problem([[x, 1], [2, x]], BOX)
    with pytest.raises(sg.InputError, match="pass rows of entries"):
        matrix_problem([x, x], BOX)
    with pytest.raises(sg.InputError, match="row 1, column 1"):
        matrix_problem([[sympy.sin(x)]], BOX)


def test_a_game_can_be_sent_to_another_process_and_cannot_be_changed() -> None:
    game = one_player(0.1 * x)
    assert pickle.loads(pickle.dumps(game)) == game
    assert pickle.loads(pickle.dumps(game)).notes == game.notes
    with pytest.raises(AttributeError):
        game.exact = game.exact  # type: ignore[misc]
