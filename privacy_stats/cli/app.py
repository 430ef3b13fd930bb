"""The command itself: options that all subcommands share, exit codes, and how errors are shown.

Exit codes: 0 done; 2 bad usage or input; 4 a report was rejected; 5 a limit stopped it; 10 an audit refuted a
claim; 70 internal error; 130 interrupted.
"""

from __future__ import annotations

import sys
import traceback
from importlib.metadata import version
from typing import Annotated, Any

import typer
from rich.console import Console

from privacy_stats.cli.aggregate import aggregate_command
from privacy_stats.cli.announce import announce
from privacy_stats.cli.audit import audit_command
from privacy_stats.cli.estimate import estimate_command
from privacy_stats.cli.plan import plan_command
from privacy_stats.cli.randomise import randomise_command
from privacy_stats.errors import PrivacyStatsError, ReportRejectedError

UsageError: Any = typer.BadParameter.__mro__[1]  # typer brings its own copy of click

_INTERRUPTED = 130  # typer itself turns Ctrl-C into this code
_INTERRUPTION = "interrupted; what a checkpoint or ledger already holds stays valid"

app = typer.Typer(
    name="privacy-stats",
    help="Sums and means when every user sets an own local privacy level.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command(name="estimate")(estimate_command)
app.command()(announce)
app.command(name="randomise")(randomise_command)
app.command(name="aggregate")(aggregate_command)
app.command(name="audit")(audit_command)
app.command(name="plan")(plan_command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"privacy-stats {version('certikit')}")
        raise typer.Exit


@app.callback()
def options(
    shown: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, typer.Option(help="Show tracebacks of internal errors.")] = False,
) -> None:
    """Sums and means when every user sets an own local privacy level."""


def main() -> None:
    """Run the command and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command on `arguments` and return its exit code."""
    talk = Console(stderr=True, soft_wrap=True, highlight=False, markup=False, emoji=False)
    try:
        result = app(args=arguments, prog_name="privacy-stats", standalone_mode=False)
        code = result if isinstance(result, int) else 0
        if code == _INTERRUPTED:
            talk.print(_INTERRUPTION)
        return code
    except UsageError as error:
        error.show()
        return 2
    except (typer.Abort, KeyboardInterrupt):
        talk.print(_INTERRUPTION)
        return _INTERRUPTED
    except ReportRejectedError as error:
        talk.print(f"privacy-stats: {error}")
        return 4
    except MemoryError:
        talk.print("privacy-stats: out of memory; give fewer users per file")
        return 5
    except OSError as error:
        named = error.filename is not None and error.strerror is not None
        talk.print(
            f"privacy-stats: {error.filename}: {error.strerror}" if named else f"privacy-stats: {error}"
        )
        return 2
    except PrivacyStatsError as error:
        talk.print(f"privacy-stats: {error}")
        return 2
    except Exception as error:  # the last resort: one sentence, traceback on request
        talk.print(
            f"privacy-stats: internal error: {type(error).__name__}: {error}; privacy-stats --debug shows it"
        )
        if "--debug" in arguments:
            traceback.print_exc()
        return 70
