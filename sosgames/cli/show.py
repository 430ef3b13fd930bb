"""`sosgames show`: the game as it was understood."""

from __future__ import annotations

from sosgames.certificates.gamefiles import dumps, read_problem
from sosgames.certificates.games import ExactGame
from sosgames.cli.exits import ExitCode
from sosgames.cli.options import AsJson, Debug, GameFile


def show_command(game: GameFile, as_json: AsJson = False, debug: Debug = False) -> ExitCode:
    """Print a game or matrix as it was understood, with exact coefficients.

    Example: sosgames show game.toml
    """
    from sosgames.games import Game

    problem = read_problem(game)
    if as_json:
        print(dumps(problem, "json"))
    elif isinstance(problem, ExactGame):
        print(Game.load(game).show())  # with the tree of an .efg file
    else:
        print(dumps(problem, "toml"), end="")
    return ExitCode.DONE
