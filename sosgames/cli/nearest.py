"""`sosgames nearest`: the nearest game with a property, and the proof of both."""

from __future__ import annotations

import enum
import json
from pathlib import Path
from typing import Annotated

import typer

from sosgames.certificates.gamefiles import read_problem
from sosgames.certificates.games import ExactGame
from sosgames.cli.certify import Property
from sosgames.cli.exits import ExitCode, say
from sosgames.cli.options import AsJson, Debug, GameFile, Quiet
from sosgames.cli.progress import progress
from sosgames.cli.saving import refuse_unwritable
from sosgames.errors import InputError


class Norm(enum.StrEnum):
    """How changes are measured."""

    LINF = "linf"
    L1 = "l1"
    L2 = "l2"
    GAUGE = "gauge"


def nearest_command(
    game: GameFile,
    prop: Annotated[
        Property, typer.Option("--property", "-p", help="What the game must become.")
    ] = Property.MONOTONE,
    norm: Annotated[Norm, typer.Option(help="How changes of coefficients are measured.")] = Norm.LINF,
    zero_sum: Annotated[bool, typer.Option("--zero-sum", help="Keep a zero-sum game zero-sum.")] = False,
    margin: Annotated[str, typer.Option(help="The modulus that it must have, such as 1/10.")] = "0",
    save_game: Annotated[Path | None, typer.Option(help="Write the game that was found here.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the proof here.")] = None,
    level: Annotated[int | None, typer.Option(help="Use this level only.")] = None,
    solver: Annotated[str, typer.Option(help="'auto', or a name from `sosgames solvers`.")] = "auto",
    time_limit: Annotated[float | None, typer.Option(help="Seconds for each solve.")] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> ExitCode:
    """Find the nearest game that is concave or monotone, and prove both.

    Exit code 0: found and proved; 2: bad input, or no such game exists.

    Example: sosgames nearest game.toml --save-game nearest.toml --save proof.json
    """
    from sosgames.nearness import nearest

    refuse_unwritable(save)
    refuse_unwritable(save_game, "--save-game")
    problem = read_problem(game)
    if not isinstance(problem, ExactGame):
        raise InputError(f"{game.name}: the file holds a matrix; nearest games belong to games.")
    with progress(quiet=quiet) as report:
        result = nearest(
            problem,
            prop.value,
            norm=norm.value,
            zero_sum=zero_sum,
            margin=margin,
            level=level,
            solver=solver,
            time_limit=time_limit,
            report=report,
        )
    if save_game is not None:  # first: who reads the output may be gone
        result.game.save(save_game)
    if save is not None:
        result.proof.save(save)
    if as_json:
        print(json.dumps(result.to_dict()))
    elif not quiet:
        print(result.summary())
    if save is not None and not quiet:
        say(f"proof saved; check it with: sosgames verify {save} {game}")
    return ExitCode.DONE
