"""Games and matrix problems as plain data, lists and mappings of texts, and back without loss."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from sosgames.certificates.constraints import Constraint, variable_name
from sosgames.certificates.errors import InputError, listed, shown
from sosgames.certificates.expressions import parse_constraint, parse_expression
from sosgames.certificates.games import ExactGame, ExactPlayer, MatrixProblem
from sosgames.certificates.limits import MAX_PLAYERS, MAX_VARIABLES, Work, check_count
from sosgames.certificates.markup import NumberText
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.rationals import exact, read_number
from sosgames.certificates.sets import (
    Ball,
    Box,
    Constraints,
    ProbabilitySimplex,
    Simplex,
    Space,
    StrategySet,
)

_LABELS = ("name", "source", "truth")  # `truth` is what a test expects; it is never looked at
_PLAYERS = "write a list of tables with `name`, `variables`, `utility`, `strategies` ([[players]] in TOML)"
_SETS = ("box", "simplex", "probability_simplex", "ball", "space", "constraints")


# -- reading ------------------------------------------------------------------------------------------


def problem_from_data(data: Any, where: str = "game") -> ExactGame | MatrixProblem:
    """The problem that plain data describes: ``players``, or else ``variables`` and a ``matrix``.

    Numbers may be texts or integers. Keys that are not known are refused, with the nearest known one.

    Raises
    ------
    InputError
        With the place in the data, for whatever is missing, unknown, of another kind or past a limit.

    Examples
    --------
    >>> driver = {"name": "driver", "variables": ["x"], "utility": "4*x - 3*x**2"}
    >>> problem_from_data({"players": [{**driver, "strategies": {"box": {"x": [0, 1]}}}]}).variables
    ('x',)
    """
    table = _table(data, where)
    if "claim" in table and "format" in table:
        raise InputError(
            f"{where}: this is a proof; the proof is given first, and then the game it is about."
        )
    labels = _labels(table, where)
    if "matrix" in table:
        return _matrix_problem(table, labels, where)
    _refuse_unknown_keys(table, ("players", *_LABELS), where)
    entries = _list(_needed(table, "players", where), f"{where}, players", _PLAYERS)
    check_count(len(entries), MAX_PLAYERS, "players")
    tables = [_table(entry, f"{where}, player {k}") for k, entry in enumerate(entries, start=1)]
    known = {
        name
        for k, entry in enumerate(tables, start=1)
        for name in _names(_needed(entry, "variables", f"{where}, player {k}"), f"{where}, player {k}")
    }
    check_count(len(known), MAX_VARIABLES, "variables")
    work = Work()
    return ExactGame(
        tuple(_player(entry, known, k, work) for k, entry in enumerate(tables, start=1)), **labels
    )


def _labels(table: dict[str, Any], where: str) -> dict[str, str]:
    return {key: _text(value, f"{where}, {key}") for key, value in table.items() if key in ("name", "source")}


def _player(table: dict[str, Any], known: set[str], position: int, work: Work) -> ExactPlayer:
    name = _text(_needed(table, "name", f"player {position}"), f"player {position}, name")
    where = f"player {shown(name)}"
    _refuse_unknown_keys(table, ("name", "variables", "utility", "strategies"), where)
    utility = _expression(_needed(table, "utility", where), known, f"{where}, utility", work)
    variables = tuple(_names(table["variables"], f"{where}, variables"))
    return ExactPlayer(name, variables, utility, tuple(_sets(table, known, where, work)))


def _matrix_problem(table: dict[str, Any], labels: dict[str, str], where: str) -> MatrixProblem:
    _refuse_unknown_keys(table, ("variables", "matrix", "strategies", *_LABELS), where)
    names = _names(_needed(table, "variables", where), f"{where}, variables")
    check_count(len(names), MAX_VARIABLES, "variables")
    known, work = set(names), Work()
    rows = [
        [
            _expression(entry, known, f"matrix, row {i}, column {j}", work)
            for j, entry in enumerate(row, start=1)
        ]
        for i, row in enumerate(map(_row, _list(table["matrix"], "matrix")), start=1)
    ]
    sets = tuple(_sets(table, known, "matrix", work))
    return MatrixProblem(tuple(map(tuple, rows)), tuple(names), sets, **labels)


def _row(value: Any) -> list[Any]:
    return _list(value, "matrix, each row")


def _sets(table: dict[str, Any], known: set[str], where: str, work: Work) -> Iterator[StrategySet]:
    where = f"{where}, strategies"
    parts = _table(table.get("strategies", {}), where)
    _refuse_unknown_keys(parts, _SETS, where)
    if "box" in parts:
        intervals = _table(parts["box"], f"{where}, box")
        yield Box({name: _bounds(pair, f"{where}, box, {name}") for name, pair in intervals.items()})
    for key, kind in (("simplex", Simplex), ("probability_simplex", ProbabilitySimplex)):
        for names in _list(parts.get(key, []), f"{where}, {key}"):
            yield kind(_names(names, f"{where}, {key}"))
    for entry in _list(parts.get("ball", []), f"{where}, ball"):
        yield _ball(_table(entry, f"{where}, ball"), f"{where}, ball")
    if "space" in parts:
        yield Space(_names(parts["space"], f"{where}, space"))
    if "constraints" in parts:
        texts = _list(parts["constraints"], f"{where}, constraints")
        yield Constraints(
            c for text in texts for c in _constraint(text, known, f"{where}, constraints", work)
        )


def _bounds(pair: Any, where: str) -> list[Fraction]:
    return [_number(bound, where) for bound in _list(pair, where)]


def _ball(table: dict[str, Any], where: str) -> Ball:
    _refuse_unknown_keys(table, ("variables", "center", "radius_squared"), where)
    names = _names(_needed(table, "variables", where), where)
    center = [
        _number(c, f"{where}, center") for c in _list(_needed(table, "center", where), f"{where}, center")
    ]
    return Ball(names, center, _number(_needed(table, "radius_squared", where), f"{where}, radius_squared"))


def _expression(value: Any, known: set[str], where: str, work: Work) -> Polynomial:
    if isinstance(value, str) and not isinstance(value, NumberText):
        return parse_expression(value, known, where, work)
    return Polynomial.constant(_number(value, where))


def _constraint(value: Any, known: set[str], where: str, work: Work) -> list[Constraint]:
    text = _text(value, where)
    return parse_constraint(text, known, f"{where}, {shown(text)}", work)


def _number(value: Any, where: str) -> Fraction:
    if isinstance(value, str):
        return read_number(value, where)
    if isinstance(value, int) and not isinstance(value, bool):
        return exact(value, where)
    raise InputError(f'{where}: got {shown(value)}; write a number such as 2 or "1/3".')


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or isinstance(value, NumberText):
        raise InputError(f"{where}: got {shown(value)}; write a quoted text.")
    return value


def _list(value: Any, where: str, remedy: str = "write a list in brackets") -> list[Any]:
    if not isinstance(value, list):
        raise InputError(f"{where}: got {shown(value)}; {remedy}.")
    return value


def _table(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{where}: got {shown(value)}; write a table of keys and values.")
    return value


def _names(value: Any, where: str) -> list[str]:
    return [variable_name(_text(name, where), where) for name in _list(value, where)]


def _needed(table: Mapping[str, Any], key: str, where: str) -> Any:
    if key not in table:
        raise InputError(f"{where}: the key '{key}' is missing; add it.")
    return table[key]


def _refuse_unknown_keys(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key[:100], known, n=1)
            remedy = f"did you mean '{near[0]}'?" if near else f"known are {listed(known)}."
            raise InputError(f"{where}: the key {shown(key)} is unknown; {remedy}")


# -- writing ------------------------------------------------------------------------------------------


def problem_to_data(problem: ExactGame | MatrixProblem) -> dict[str, Any]:
    """Plain data that `problem_from_data` reads back to an equal problem; every number is a text."""
    labels = {key: text for key, text in (("name", problem.name), ("source", problem.source)) if text}
    if isinstance(problem, MatrixProblem):
        return {
            **labels,
            "variables": list(problem.variables),
            "matrix": [[str(entry) for entry in row] for row in problem.rows],
            "strategies": _sets_to_data(problem.strategies),
        }
    return {**labels, "players": [_player_to_data(player) for player in problem.players]}


def _player_to_data(player: ExactPlayer) -> dict[str, Any]:
    return {
        "name": player.name,
        "variables": list(player.variables),
        "utility": str(player.utility),
        "strategies": _sets_to_data(player.strategies),
    }


def _sets_to_data(parts: tuple[StrategySet, ...]) -> dict[str, Any]:
    """The parts under their keys; `normal_form` has left at most one box, space and list of constraints."""
    data: dict[str, Any] = {}
    for part in parts:
        match part:
            case Box():
                data["box"] = {name: [str(a), str(b)] for name, (a, b) in part.intervals.items()}
            case Simplex():
                data.setdefault("simplex", []).append(list(part.variables))
            case ProbabilitySimplex():
                data.setdefault("probability_simplex", []).append(list(part.variables))
            case Ball():
                data.setdefault("ball", []).append(
                    {
                        "variables": list(part.variables),
                        "center": [str(c) for c in part.center],
                        "radius_squared": str(part.radius_squared),
                    }
                )
            case Space():
                data["space"] = list(part.variables)
            case Constraints():
                data["constraints"] = [str(c) for c in part.constraints]
    return data
