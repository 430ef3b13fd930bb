"""Problems in files: TOML and JSON, written and read without loss, and Gambit's ``.efg``, read only."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Literal, Protocol

from sosgames.certificates.errors import InputError, shown
from sosgames.certificates.gambit import GameTree, read_efg
from sosgames.certificates.games import ExactGame, MatrixProblem
from sosgames.certificates.limits import MAX_FILE_BYTES, MAX_WORK
from sosgames.certificates.markup import read_json, read_toml, toml_value
from sosgames.certificates.plaindata import problem_from_data, problem_to_data
from sosgames.certificates.uncollected import uncollected
from sosgames.certificates.writing import write_whole

Format = Literal["toml", "json", "efg"]


class HasExact(Protocol):
    """A game of the layer above, which holds its exact problem."""

    @property
    def exact(self) -> ExactGame | MatrixProblem: ...


def problem_of(
    game: ExactGame | MatrixProblem | HasExact | str | os.PathLike[str],
) -> ExactGame | MatrixProblem:
    """The problem itself, that of a game of the layer above, or that in a file."""
    if isinstance(game, (str, os.PathLike)):
        return read_problem(Path(game))
    problem = game if isinstance(game, (ExactGame, MatrixProblem)) else getattr(game, "exact", None)
    if not isinstance(problem, (ExactGame, MatrixProblem)):
        raise InputError(f"game: got {shown(game)}; pass a game, a matrix problem or the path of a file.")
    return problem


def read_problem(path: str | Path) -> ExactGame | MatrixProblem:
    """Read a game or a matrix problem from a file; its ending says the format.

    Raises
    ------
    InputError
        When the file cannot be read, is larger than 16 MiB, or its content is refused; the text begins with
        the file's name.
    """
    file = Path(path)
    try:
        format = _known_format(file)
        with uncollected():
            return loads(_text(file), format)
    except InputError as error:
        raise InputError(f"{file.name or file}: {error}") from None


def read_tree(path: str | Path) -> GameTree:
    """Read the game tree of a Gambit ``.efg`` file; errors as in `read_problem`."""
    file = Path(path)
    try:
        return read_efg(_text(file))
    except InputError as error:
        raise InputError(f"{file.name or file}: {error}") from None


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
        return problem_from_data(read_toml(text))
    if format == "json":
        return problem_from_data(read_json(text))
    if format == "efg":
        return read_efg(text).to_game()
    raise InputError(f"the format {shown(format)} is unknown; use 'toml', 'json' or 'efg'.")


def dumps(problem: ExactGame | MatrixProblem, format: Format = "toml") -> str:
    """The text that `loads` reads back to an equal problem, labels included.

    Raises
    ------
    InputError
        When the format is another one, or the text would pass the limits of reading.
    """
    data = problem_to_data(problem)
    if format == "json":
        text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    elif format == "toml":
        text = _toml(data)
    else:
        raise InputError(f"games are not written in the format {shown(format)}; use 'toml' or 'json'.")
    _refuse_unreadable(text, format)
    return text


def write_problem(problem: ExactGame | MatrixProblem, path: str | Path) -> None:
    """Write a problem to a ``.toml`` or ``.json`` file that `read_problem` reads back to an equal one.

    The file appears whole or not at all: it is written under another name first.
    """
    file = Path(path)
    try:
        write_whole(file, dumps(problem, _known_format(file)))
    except InputError as error:
        raise InputError(f"{file.name or file}: {error}") from None
    except OSError as error:
        raise InputError(f"{file.name}: the file cannot be written; {error.strerror}.") from None


def _known_format(file: Path) -> Format:
    match file.suffix.lower():
        case ".toml":
            return "toml"
        case ".json":
            return "json"
        case ".efg":
            return "efg"
        case ".nfg":
            raise InputError(
                "Gambit's strategic form (.nfg) is not read; save the game as a tree (.efg) in Gambit, or"
                " write the payoffs as polynomials of the probabilities in a .toml file."
            )
    raise InputError(f"the ending {shown(file.suffix)} is unknown; use .toml, .json or .efg.")


def _text(file: Path) -> str:
    """The text of a file of at most 16 MiB; `InputError` when there is none."""
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        raise InputError(f"the file cannot be read; {getattr(error, 'strerror', error)}.") from None
    if len(content) > MAX_FILE_BYTES:
        raise InputError(f"the file is larger than {MAX_FILE_BYTES:,} bytes, more than is read.")
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
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


def _refuse_unreadable(text: str, format: Format) -> None:
    """A text that could not be read back is not handed out; a short one always can."""
    if len(text) < MAX_WORK // 10:  # reading takes at most ten steps a character
        return
    try:
        loads(text, format)
    except InputError as error:
        raise InputError(f"the problem is too large for a file; reading it back ends with: {error}") from None
