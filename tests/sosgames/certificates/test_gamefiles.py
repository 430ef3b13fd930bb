"""Files are read exactly, and reading undoes writing."""

from __future__ import annotations

import json
import os
import tomllib
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sosgames.certificates.errors import InputError
from sosgames.certificates.gamefiles import dumps, loads, read_problem, write_problem
from sosgames.certificates.games import ExactGame, ExactPlayer, MatrixProblem
from sosgames.certificates.plaindata import problem_from_data, problem_to_data
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
)

EVERY_SET = """
name = "every kind of set"
source = "made for this test"

[[players]]
name = "A"
variables = ["a", "b"]
utility = "0.1*a*p - b**2/3 + 1e-2"
[players.strategies]
box = {a = ["0", 1], b = [-0.5, "1/3"]}
constraints = ["a + b <= 1", "0 <= a*b <= 1/2"]

[[players]]
name = "B"
variables = ["p", "q", "r", "s"]
utility = 0
strategies = {simplex = [["p", "q"]], probability_simplex = [["r", "s"]]}

[[players]]
name = "C \\"the third\\" é 𝒞"
variables = ["u", "v", "w"]
utility = '''u
 + v*w'''
[players.strategies]
ball = [{variables = ["u", "v"], center = ["1/2", 0], radius_squared = 2}]
space = ["w"]

[[players]]
name = "dummy"
variables = []
utility = "a"

[truth]
anything = [nan, {here = true}]
"""


def every_set() -> ExactGame:
    game = loads(EVERY_SET)
    assert isinstance(game, ExactGame)
    return game


def test_a_file_means_what_its_digits_say() -> None:
    game = every_set()
    a, b, p = (Polynomial.variable(v) for v in "abp")
    assert game.player("A").utility == a * p / 10 - b * b / 3 + Fraction(1, 100)
    assert game.player("A").strategies == (
        Box({"a": (0, 1), "b": ("-1/2", "1/3")}),
        Constraints([Constraint(1 - a - b), Constraint(a * b), Constraint(Fraction(1, 2) - a * b)]),
    )
    assert game.player("B").strategies == (Simplex(["p", "q"]), ProbabilitySimplex(["r", "s"]))
    third = game.players[2]
    assert third.name == 'C "the third" é 𝒞'
    assert third.strategies == (Ball(["u", "v"], ["1/2", 0], 2), Space(["w"]))
    assert game.players[3].variables == ()
    assert (game.name, game.source) == ("every kind of set", "made for this test")


@pytest.mark.parametrize("format", ["toml", "json"])
def test_writing_and_reading_every_kind_of_set_is_the_identity(format: Literal["toml", "json"]) -> None:
    game = every_set()
    text = dumps(game, format)
    copy = loads(text, format)
    assert copy == game
    assert (copy.name, copy.source) == (game.name, game.source)
    assert dumps(copy, format) == text
    parsed = tomllib.loads(text) if format == "toml" else json.loads(text)
    assert parsed == problem_to_data(game)


def test_what_a_test_expects_changes_nothing() -> None:
    data = tomllib.loads(EVERY_SET, parse_float=str)
    for truth in ({"concave": "no"}, {"monotone": "strict", "players": []}, None, 5, [[]]):
        assert problem_from_data({**data, "truth": truth}) == every_set()


def test_the_order_of_keys_in_a_file_changes_nothing() -> None:
    def reversed_keys(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: reversed_keys(value[key]) for key in reversed(value)}
        return [reversed_keys(item) for item in value] if isinstance(value, list) else value

    game = every_set()
    copy = loads(json.dumps(reversed_keys(problem_to_data(game))), "json")
    assert isinstance(copy, ExactGame)
    assert copy == game
    assert copy.constraints == game.constraints


VARIABLES = ("x", "y", "z", "w")
coefficients = st.fractions(min_value=-(10**6), max_value=10**6)
monomials = st.dictionaries(st.sampled_from(VARIABLES), st.integers(1, 6)).map(
    lambda d: tuple(sorted(d.items()))
)
polynomials = st.dictionaries(monomials, coefficients, max_size=5).map(Polynomial)
labels = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=9)


@st.composite
def sets(draw: st.DrawFn, variables: tuple[str, ...]) -> tuple[StrategySet, ...]:
    own = [Polynomial.variable(v) for v in variables]
    numbers = st.tuples(coefficients, coefficients).map(sorted)
    box = Box({v: draw(numbers) for v in variables})
    ball = Ball(variables, [draw(coefficients) for _ in variables], abs(draw(coefficients)))
    written = Constraints(
        [Constraint(own[0] * own[-1] - draw(coefficients), draw(st.sampled_from([">=", "=="])))]
    )
    simplex = draw(st.sampled_from([Simplex, ProbabilitySimplex, Space]))(variables)
    return (simplex, *draw(st.lists(st.sampled_from([box, ball, written]), unique=True)))


@st.composite
def games(draw: st.DrawFn) -> ExactGame:
    cut = draw(st.integers(0, len(VARIABLES)))
    owned = [VARIABLES[:cut], VARIABLES[cut:]]
    names = draw(st.lists(labels, min_size=2, max_size=2, unique=True))
    players = [
        ExactPlayer(name, own, draw(polynomials), draw(sets(own)) if own else ())
        for name, own in zip(names, owned, strict=True)
    ]
    return ExactGame(tuple(players), name=draw(labels))


@settings(max_examples=40)
@given(games(), st.sampled_from(["toml", "json"]))
def test_writing_and_reading_a_random_game_is_the_identity(
    game: ExactGame, format: Literal["toml", "json"]
) -> None:
    copy = loads(dumps(game, format), format)
    assert copy == game
    assert copy.name == game.name


@settings(max_examples=40)
@given(games(), st.permutations(range(2)), st.randoms())
def test_permuting_players_and_terms_permutes_the_game(
    game: ExactGame, order: list[int], random: Any
) -> None:
    data = problem_to_data(game)
    data["players"] = [data["players"][k] for k in order]
    for player in data["players"]:
        terms = player["utility"].replace(" - ", " + -").split(" + ")
        random.shuffle(terms)
        player["utility"] = " + ".join(terms)
    copy = problem_from_data(data)
    assert isinstance(copy, ExactGame)
    assert copy.players == tuple(game.players[k] for k in order)
    assert sorted(map(str, copy.constraints)) == sorted(map(str, game.constraints))


def test_writing_and_reading_a_matrix_problem_is_the_identity() -> None:
    text = """
variables = ["x", "y"]
matrix = [["1 + x**2", "x*y"], ["y*x", "2"]]
[strategies]
space = ["x"]
constraints = ["y**2 <= 1"]
"""
    problem = loads(text)
    assert isinstance(problem, MatrixProblem)
    assert problem.side == 2
    assert [str(c) for c in problem.constraints] == ["-y**2 + 1 >= 0"]
    for format in ("toml", "json"):
        assert loads(dumps(problem, format), format) == problem  # type: ignore[arg-type]


def test_files_are_told_apart_by_their_ending(tmp_path: Path) -> None:
    game = every_set()
    for name in ("game.toml", "game.json", "GAME.JSON"):
        write_problem(game, tmp_path / name)
        assert read_problem(tmp_path / name) == game
    with pytest.raises(InputError, match=r"^game\.txt: the ending '\.txt' is unknown; use \.toml"):
        read_problem(tmp_path / "game.txt")
    with pytest.raises(InputError, match="the ending '' is unknown"):
        write_problem(game, tmp_path / "game")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["GAME.JSON", "game.json", "game.toml"]


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    for format in ("toml", "json"):
        path = tmp_path / f"game.{format}"
        path.write_text(dumps(every_set(), format), encoding="utf-8-sig")  # type: ignore[arg-type]
        assert read_problem(path) == every_set()


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "game.toml").mkdir()
    with pytest.raises(InputError, match="cannot be written"):
        write_problem(every_set(), tmp_path / "game.toml")
    with pytest.raises(InputError, match="cannot be written"):
        write_problem(every_set(), tmp_path / "nowhere" / "game.toml")


def test_a_game_too_large_to_be_read_back_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    names = tuple(f"x{k:02}" for k in range(40))
    terms = {tuple((v, 1) for v in chosen): 2 for chosen in combinations(names, 3)}
    game = ExactGame((ExactPlayer("A", names, Polynomial(terms), (Space(names),)),))
    assert loads(dumps(game)) == game
    monkeypatch.setattr("sosgames.certificates.gamefiles.MAX_FILE_BYTES", 100_000)
    with pytest.raises(InputError, match="too large for a file; reading it back ends with: the text has"):
        dumps(game)


@pytest.mark.parametrize("format", ["yaml", "TOML", None])
def test_an_unknown_format_is_refused(format: Any) -> None:
    with pytest.raises(InputError, match="use 'toml', 'json' or 'efg'"):
        loads("", format)
    with pytest.raises(InputError, match="use 'toml' or 'json'"):
        dumps(every_set(), format)


@pytest.mark.skipif("CERTIKIT_CASES" not in os.environ, reason="CERTIKIT_CASES names no folder of case files")
def test_every_case_file_is_read_and_written_without_loss() -> None:
    files = sorted(Path(os.environ["CERTIKIT_CASES"], "games").glob("*.toml"))
    assert len(files) >= 20
    for file in files:
        game = read_problem(file)
        assert loads(dumps(game)) == game == loads(dumps(game, "json"), "json")
