"""The command line: one function a command, each ends in an exit code.

Commands import what they need when they run, so that help and `verify` answer at once.
"""

from __future__ import annotations

import importlib.metadata
from typing import Annotated

import typer

from sosgames.cli.catalog import catalog_command
from sosgames.cli.certify import certify_command
from sosgames.cli.exits import guarded
from sosgames.cli.nearest import nearest_command
from sosgames.cli.show import show_command
from sosgames.cli.solve import solve_command
from sosgames.cli.solvers import solvers_command
from sosgames.cli.verify import verify_command

app = typer.Typer(
    name="sosgames",
    help="Is a polynomial game concave? monotone? A verdict with a proof that anybody can check.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

app.command("certify")(guarded(certify_command))
app.command("verify")(guarded(verify_command))
app.command("nearest")(guarded(nearest_command))
app.command("solve")(guarded(solve_command))
app.command("show")(guarded(show_command))
app.command("catalog")(guarded(catalog_command))
app.command("solvers")(guarded(solvers_command))


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"sosgames (certikit {importlib.metadata.version('certikit')})")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options that come before the command."""
