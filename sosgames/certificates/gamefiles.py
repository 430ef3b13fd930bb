"""Problems in files: TOML and JSON, written and read without loss, and Gambit's ``.efg``, read only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from sosgames.certificates.errors import InputError, shown
from sosgames.certificates.games import ExactGame, MatrixProblem
from sosgames.certificates.limits import MAX_FILE_BYTES, MAX_WORK
from sosgames.certificates.markup import read_json, read_toml, toml_value
from sosgames.certificates.plaindata import problem_from_data, problem_to_data
from sosgames.certificates.tokens import tokens

Format = Literal["toml", "json"]


def read_problem(path: str | Path) -> ExactGame | MatrixProblem:
    """Read a game or a matrix problem from a file; its ending says the format.

    Raises
    ------
    InputError
        When the file cannot be read, is larger than 4 MiB, or its content is refused; the text begins with
        the file's name.
    """
    file = Path(path)
    suffix = _known_suffix(file)
    try:
        return loads(_content(file), suffix)
    except InputError as error:
        raise InputError(f"{file.name}: {error}") from None


def loads(text: str, format: Format = "toml") -> ExactGame | MatrixProblem:
    """Read a problem from text; limits and errors as in `read_problem`.

    Examples
    --------
    >>> text = '''
    ... [[players]]
    ... name = "driver"
    ... variables = ["x"]
    ... utility = "4*x - 3*x**2"
    ... [players.strategies]
    ... box = {x = [0, 1]}
    ... '''
    >>> print(loads(text).players[0].utility)
    -3*x**2 + 4*x
    """
    if len(text) > MAX_FILE_BYTES:
        raise InputError(f"the text has {len(text):,} characters; at most {MAX_FILE_BYTES:,} are read.")
    if format == "toml":
        return problem_from_data(read_toml(text, "file"))
    if format == "json":
        return problem_from_data(read_json(text, "file"))
    raise InputError(f"the format {shown(format)} is unknown; use 'toml' or 'json'.")


def dumps(problem: ExactGame | MatrixProblem, format: Format = "toml") -> str:
    """The text that `loads` reads back to an equal problem, labels included.

    Raises
    ------
    InputError
        When the format is unknown, or the text would pass the limits of reading.
    """
    data = problem_to_data(problem)
    if format == "json":
        text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    elif format == "toml":
        text = _toml(data)
    else:
        raise InputError(f"the format {shown(format)} is unknown; use 'toml' or 'json'.")
    _refuse_unreadable(data, text)
    return text


def write_problem(problem: ExactGame | MatrixProblem, path: str | Path) -> None:
    """Write a problem to a ``.toml`` or ``.json`` file that `read_problem` reads back to an equal one.

    The file appears whole or not at all: it is written under another name first.
    """
    file = Path(path)
    suffix = _known_suffix(file)
    text = dumps(problem, suffix)
    unfinished = file.with_name(file.name + ".part")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(file)
    except OSError as error:
        raise InputError(f"{file.name}: the file cannot be written; {error.strerror}.") from None


def _known_suffix(file: Path) -> Format:
    match file.suffix.lower():
        case ".toml":
            return "toml"
        case ".json":
            return "json"
    raise InputError(f"{file.name}: the ending {shown(file.suffix)} is unknown; use .toml or .json.")


def _content(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        raise InputError(f"the file cannot be read; {getattr(error, 'strerror', error)}.") from None
    if len(content) > MAX_FILE_BYTES:
        raise InputError(f"the file is larger than {MAX_FILE_BYTES:,} bytes, more than is read.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"the file is not UTF-8 text; byte {error.start + 1:,} does not belong.") from None


def _toml(data: dict[str, Any]) -> str:
    lines = [f"{key} = {toml_value(data[key])}" for key in ("name", "source", "variables") if key in data]
    if "matrix" in data:
        lines += ["matrix = [", *(f"  {toml_value(row)}," for row in data["matrix"]), "]"]
        lines += ["", "[strategies]", *_toml_sets(data["strategies"])]
    for player in data.get("players", []):
        lines += ["", "[[players]]"]
        lines += [f"{key} = {toml_value(player[key])}" for key in ("name", "variables", "utility")]
        lines += ["[players.strategies]", *_toml_sets(player["strategies"])]
    return "\n".join(lines).lstrip("\n") + "\n"


def _toml_sets(strategies: dict[str, Any]) -> list[str]:
    return [f"{key} = {toml_value(value)}" for key, value in strategies.items()]


def _refuse_unreadable(data: dict[str, Any], text: str) -> None:
    """A file that could not be read back is not written."""
    words = 0
    if len(text) > MAX_WORK:  # a word has at least one character
        expressions = [entry for row in data.get("matrix", []) for entry in row]
        expressions += [player["utility"] for player in data.get("players", [])]
        words = sum(1 for expression in expressions for _ in tokens(expression, "utility"))
    if words > MAX_WORK or len(text.encode()) > MAX_FILE_BYTES:
        raise InputError(
            f"the problem takes {len(text):,} characters and {words:,} words; a file holds at most"
            f" {MAX_FILE_BYTES:,} bytes and {MAX_WORK:,} words."
        )
