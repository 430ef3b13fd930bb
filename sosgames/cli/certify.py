"""`sosgames certify`: a verdict, and the proof saved on request."""

from __future__ import annotations

import enum
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sosgames.certificates.errors import shown
from sosgames.certificates.gamefiles import read_problem
from sosgames.certificates.games import MatrixProblem
from sosgames.certificates.rationals import read_number
from sosgames.cli.exits import ExitCode, say
from sosgames.cli.options import AsJson, Debug, GameFile, Quiet
from sosgames.cli.progress import progress
from sosgames.cli.saving import refuse_unwritable
from sosgames.errors import InputError

if TYPE_CHECKING:
    from sosgames.results import Certification


class FormName(enum.StrEnum):
    """The form of the identity."""

    AUTO = "auto"
    MATRIX = "matrix"
    SCHMUEDGEN = "schmuedgen"
    SCALAR = "scalar"


class Cone(enum.StrEnum):
    """Where Gram matrices are sought."""

    SOS = "sos"
    SDSOS = "sdsos"
    DSOS = "dsos"


class Property(enum.StrEnum):
    """What can be asked of a game."""

    CONCAVE = "concave"
    MONOTONE = "monotone"


class Structure(enum.StrEnum):
    """How the matrix is taken."""

    AUTO = "auto"
    CLIQUES = "cliques"
    WHOLE = "whole"


def certify_command(
    game: GameFile,
    prop: Annotated[
        Property, typer.Option("--property", "-p", help="What to decide; matrix files have their own.")
    ] = Property.MONOTONE,
    save: Annotated[Path | None, typer.Option(help="Write the proof of the verdict here.")] = None,
    weights: Annotated[
        str | None, typer.Option(help="Rosen's weights, such as 'P1=1,P2=40', or 'free'; all 1 by default.")
    ] = None,
    level: Annotated[int | None, typer.Option(help="Use this level only; climbs by default.")] = None,
    max_level: Annotated[int | None, typer.Option(help="Highest level to climb to.")] = None,
    gap: Annotated[float, typer.Option(help="Improve a decided bracket to this relative width.")] = 1e-3,
    solver: Annotated[str, typer.Option(help="'auto', or a name from `sosgames solvers`.")] = "auto",
    structure: Annotated[
        Structure, typer.Option(help="Prove the matrix as one, or as a sum over cliques of the players.")
    ] = Structure.AUTO,
    time_limit: Annotated[float | None, typer.Option(help="Seconds for the whole search.")] = None,
    memory_limit: Annotated[
        float, typer.Option(help="GiB that a program may take, by an estimate made before.")
    ] = 4.0,
    form: Annotated[FormName, typer.Option(help="The form of the identity.")] = FormName.AUTO,
    cone: Annotated[Cone, typer.Option(help="Where Gram matrices are sought.")] = Cone.SOS,
    as_json: AsJson = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> ExitCode:
    """Decide whether a game is concave or monotone, and save the proof.

    Exit code 0: certified; 10: refuted; 11: undecided; 5: a limit stopped it; 2: bad input.

    Example: sosgames certify game.toml --property monotone --save proof.json
    """
    from sosgames.search import FreeWeightsSearch, Limits, Search

    refuse_unwritable(save)
    if not 0 < memory_limit < math.inf:
        raise InputError(f"--memory-limit: got {memory_limit}; give a positive number of GiB.")
    problem = read_problem(game)
    limits = Limits(
        level,
        max_level,
        gap,
        time_limit,
        solver,
        structure.value,
        int(memory_limit * 2**30),
        form.value,
        cone.value,
    )
    asked = "matrix" if isinstance(problem, MatrixProblem) else prop.value
    interrupted = False
    with progress(quiet=quiet) as report:
        search: Search | FreeWeightsSearch
        if weights == "free":
            search = FreeWeightsSearch(problem, asked, limits=limits, report=report)
        else:
            search = Search(problem, asked, weights=weights_from(weights), limits=limits, report=report)
        try:
            search.run()
        except KeyboardInterrupt:
            interrupted = True
    result = search.result()
    if save is not None and result.certificate is not None:  # first: who reads the output may be gone
        result.certificate.save(save)
    _print(result, as_json=as_json, quiet=quiet)
    if save is not None:
        _say_saved(result, save, game, quiet=quiet)
    return ExitCode.INTERRUPTED if interrupted else _exit_code(result)


def _print(result: Certification, *, as_json: bool, quiet: bool) -> None:
    if as_json:
        print(json.dumps(result.to_dict()))
    elif not quiet:
        print(result.summary())


def _say_saved(result: Certification, path: Path, game: Path, *, quiet: bool) -> None:
    if result.certificate is None:
        say("nothing is proved, so no proof was saved")
    elif not quiet:
        say(f"proof saved; check it with: sosgames verify {path} {game}")


def _exit_code(result: Certification) -> ExitCode:
    if result.verdict.name == "UNDECIDED":
        return ExitCode.LIMIT if result.stopped_by_limit else ExitCode.UNDECIDED
    return ExitCode.DONE if result.verdict.name == "CERTIFIED" else ExitCode.REFUTED


def weights_from(text: str | None) -> dict[str, Fraction] | None:
    """Weights from 'P1=1,P2=40'."""
    if text is None:
        return None
    weights: dict[str, Fraction] = {}
    for item in text.split(","):
        player, separator, number = item.partition("=")
        if not separator or player.strip() in weights:
            raise InputError(f"--weights: got {shown(item)}; write each player once, as in 'P1=1,P2=40'.")
        weights[player.strip()] = read_number(number.strip(), f"--weights, {player.strip()}")
    return weights
