"""The command itself: options that all subcommands share, exit codes, and how errors are shown.

Exit codes: 0 done; 2 bad usage or input; 5 a limit stopped it; 70 internal error; 130 interrupted.
"""

from __future__ import annotations

import sys
import traceback
from importlib.metadata import version
from typing import Annotated, Any

import typer
from rich.console import Console

from cascades.cli.compare import compare
from cascades.cli.fit import fit
from cascades.cli.show import show
from cascades.cli.simulate import simulate_command
from cascades.cli.words import in_shell
from cascades.errors import CascadesError, SizeError

UsageError: Any = typer.BadParameter.__mro__[1]  # typer brings its own copy of click

app = typer.Typer(
    name="cascades",
    help="Who passes things on to whom, from who was activated when.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(fit)
app.command(name="simulate")(simulate_command)
app.command()(compare)
app.command()(show)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"cascades {version('certikit')}")
        raise typer.Exit


@app.callback()
def options(
    shown: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, typer.Option(help="Show tracebacks of internal errors.")] = False,
) -> None:
    """Who passes things on to whom, from who was activated when."""


def main() -> None:
    """Run the command and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command on `arguments` and return its exit code."""
    talk = Console(stderr=True, soft_wrap=True, highlight=False, markup=False, emoji=False)
    try:
        result = app(args=arguments, prog_name="cascades", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except UsageError as error:
        error.show()
        return 2
    except (typer.Abort, KeyboardInterrupt):
        talk.print("interrupted; no file was left half written")
        return 130
    except (SizeError, MemoryError) as error:
        talk.print(f"cascades: {error or 'out of memory; give fewer cascades'}")
        return 5
    except CascadesError as error:
        talk.print(f"cascades: {in_shell(str(error))}")
        return 2
    except OSError as error:
        talk.print(
            f"cascades: {error.filename}: {error.strerror}" if error.filename else f"cascades: {error}"
        )
        return 2
    except Exception as error:  # the last resort: one sentence, traceback on request
        talk.print(f"cascades: internal error: {type(error).__name__}: {error}; cascades --debug shows it")
        if "--debug" in arguments:
            traceback.print_exc()
        return 70
