"""The exact game: what it knows about itself and what it refuses."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from sosgames.certificates.errors import InputError, SosgamesError
from sosgames.certificates.games import ExactGame, ExactPlayer, MatrixProblem
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import Box, Constraint, Constraints, Simplex, Space

x, y, z = (Polynomial.variable(name) for name in "xyz")


def player(name: str = "A", variables: Any = ("x",), utility: Any = x, strategies: Any = None) -> ExactPlayer:
    parts = (Box(dict.fromkeys(variables, (0, 1))),) if strategies is None else strategies
    return ExactPlayer(name, variables, utility, parts)


def two_players() -> ExactGame:
    return ExactGame(
        (
            ExactPlayer("row", ("x", "y"), x * y - z, (Simplex(["x", "y"]),)),
            ExactPlayer("dummy", (), x, ()),
            ExactPlayer("column", ("z",), z - x, (Box({"z": (0, 2)}),)),
        )
    )


def test_variables_and_conditions_are_listed_player_after_player() -> None:
    game = two_players()
    assert game.variables == ("x", "y", "z")
    assert [str(c) for c in game.constraints] == [
        "x >= 0",
        "y >= 0",
        "-x - y + 1 >= 0",
        "z >= 0",
        "-z + 2 >= 0",
    ]
    assert game.constraint_owner == ("row", "row", "row", "column", "column")
    assert [game.owner(v) for v in game.variables] == ["row", "row", "column"]
    assert game.player("column").utility == z - x


def test_labels_take_no_part_in_equality() -> None:
    game = two_players()
    assert game == ExactGame(game.players, name="a name", source="a source")
    assert game != ExactGame(game.players[::-1])


def test_a_game_can_be_sent_to_another_process() -> None:
    game = two_players()
    copy = pickle.loads(pickle.dumps(game))
    assert copy == game
    assert copy.constraints == game.constraints


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: player(name=""), "non-empty text"),
        (lambda: player(name="two\nlines"), "one line"),
        (lambda: player(utility="x"), "player 'A': the utility is 'x', not a polynomial"),
        (lambda: player(utility=x**201), "player 'A', utility: degree 201; at most 200"),
        (lambda: player(utility=x * Fraction(1, 2**9000)), "round the data"),
        (lambda: player(variables=("x", "x"), strategies=()), "listed twice"),
        (lambda: player(strategies=()), "nothing restricts x"),
        (lambda: player(strategies=(Constraints([Constraint(1 - x - y)]),)), "cannot be shared"),
        (lambda: ExactGame((player(), player())), "two players are called 'A'"),
        (lambda: ExactGame((player(), player("B"))), "the variable x belongs to both 'A' and 'B'"),
        (lambda: ExactGame((player(utility=y),)), "player 'A', utility: the variable y is unknown"),
        (lambda: ExactGame((ExactPlayer("A", (), Polynomial(), ()),)), "no player has a variable"),
        (lambda: ExactGame(()), "no player has a variable"),
        (lambda: two_players().player("nobody"), "the players are 'row', 'dummy', 'column'"),
        (lambda: two_players().owner("w"), "it has x, y, z"),
        (lambda: MatrixProblem((), ("x",), (Space(["x"]),)), "no rows"),
        (lambda: MatrixProblem(((x,),), (), ()), "name at least one"),
        (lambda: MatrixProblem(((x, x),), ("x",), (Space(["x"]),)), "must be square"),
        (lambda: MatrixProblem(((x, x), (1 + x, x)), ("x",), (Space(["x"]),)), "(2, 1) and (1, 2) differ"),
        (
            lambda: MatrixProblem(((y,),), ("x",), (Space(["x"]),)),
            "row 1, column 1: the variable y is unknown",
        ),
        (lambda: MatrixProblem(((x,),), ("x",), ()), "nothing restricts x"),
    ],
)
def test_a_problem_that_does_not_fit_together_is_refused(build: Callable[[], Any], says: str) -> None:
    with pytest.raises(InputError) as refusal:
        build()
    assert says in str(refusal.value)
    assert isinstance(refusal.value, SosgamesError)
    assert isinstance(refusal.value, ValueError)


def test_common_denominators_are_limited_not_only_each_one() -> None:
    primes = [p for p in range(2, 20_000) if all(p % q for q in range(2, int(p**0.5) + 1))]
    many = Polynomial({((f"x{p}", 1),): Fraction(1, p) for p in primes})
    with pytest.raises(InputError, match="common denominator"):
        player(utility=many)


def test_a_matrix_problem_has_the_conditions_of_its_set() -> None:
    problem = MatrixProblem(((1 + x * x, x), (x, Polynomial.constant(1))), ("x",), (Box({"x": (0, 1)}),))
    assert problem.side == 2
    assert [str(c) for c in problem.constraints] == ["x >= 0", "-x + 1 >= 0"]
