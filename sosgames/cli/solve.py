"""`sosgames solve`: an equilibrium with its proved gaps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sosgames.certificates.gamefiles import read_problem
from sosgames.certificates.games import ExactGame
from sosgames.cli.certify import weights_from
from sosgames.cli.exits import ExitCode, say
from sosgames.cli.options import AsJson, Debug, GameFile, Quiet
from sosgames.cli.progress import progress
from sosgames.cli.saving import refuse_unwritable
from sosgames.errors import InputError


def solve_command(
    game: GameFile,
    save: Annotated[Path | None, typer.Option(help="Write the proof of the gaps here.")] = None,
    weights: Annotated[
        str | None, typer.Option(help="Rosen's weights for the certificate, such as 'P1=1,P2=40', or 'free'.")
    ] = None,
    tolerance: Annotated[float, typer.Option(help="A regret up to this counts as solved.")] = 1e-6,
    starts: Annotated[int, typer.Option(help="Starting points where monotonicity is not certified.")] = 8,
    solver: Annotated[str, typer.Option(help="'auto', or a name from `sosgames solvers`.")] = "auto",
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds in all; one point is always sought.")
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> ExitCode:
    """Find an equilibrium or, for one player, a best strategy, and prove how much could still be gained.

    Exit code 0: a regret up to the tolerance is proved; 11: it is not, and there may be no such point; 2: bad
    input.

    Example: sosgames solve game.toml --save proof.json
    """
    from sosgames.equilibria import solve
    from sosgames.games import Game

    if not tolerance >= 0:
        raise InputError(f"--tolerance: got {tolerance}; it must be at least 0.")
    refuse_unwritable(save)
    if not isinstance(read_problem(game), ExactGame):
        raise InputError(f"{game.name}: the file holds a matrix; equilibria belong to games.")
    with progress(quiet=quiet) as report:
        result = solve(
            Game.load(game),  # with the tree of an .efg file
            weights="free" if weights == "free" else weights_from(weights),
            starts=starts,
            solver=solver,
            time_limit=time_limit,
            report=report,
        )
    if save is not None:  # first: the reader of standard output may be gone
        result.proof.save(save)
    if as_json:
        print(json.dumps(result.to_dict()))
    elif not quiet:
        print(result.summary())
    if save is not None and not quiet:
        say(f"proof saved; check it with: sosgames verify {save} {game}")
    solved = result.regret is not None and result.regret <= tolerance
    return ExitCode.DONE if solved else ExitCode.UNDECIDED
