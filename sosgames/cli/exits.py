"""Exit codes, and the one place where errors become them."""

from __future__ import annotations

import enum
import functools
import os
import sys
import traceback
from collections.abc import Callable
from typing import ParamSpec

import typer

from sosgames.errors import CertificateError, LimitError, SosgamesError

P = ParamSpec("P")


class ExitCode(enum.IntEnum):
    """What a command's exit code means; 1 is never used on purpose."""

    DONE = 0
    BAD_INPUT = 2
    REJECTED = 4
    LIMIT = 5
    REFUTED = 10
    UNDECIDED = 11
    INTERNAL = 70
    INTERRUPTED = 130
    NOBODY_READS = 141


def say(text: str) -> None:
    """Talk, which goes to standard error; standard output is for data."""
    print(text, file=sys.stderr)


def guarded(command: Callable[P, ExitCode]) -> Callable[P, None]:
    """Run a command, turn what it raises into one sentence and a code, and exit with it."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            code = command(*args, **kwargs)
            sys.stdout.flush()
        except KeyboardInterrupt:
            say("interrupted")
            code = ExitCode.INTERRUPTED
        except BrokenPipeError:
            code = ExitCode.NOBODY_READS
        except (SosgamesError, OSError) as error:
            say(f"error: {_sentence(error)}")
            code = _code_of(error)
        except MemoryError:
            say("error: out of memory; give a smaller problem, or a --memory-limit below what is free.")
            code = ExitCode.LIMIT
        except Exception as error:
            if kwargs.get("debug"):
                traceback.print_exc()
            say(f"internal error: {type(error).__name__}: {error}; run again with --debug for the traceback")
            code = ExitCode.INTERNAL
        _drop_unwritable_output()
        raise typer.Exit(int(code))

    return run


def _drop_unwritable_output() -> None:
    """What standard output did not take would be tried again, and reported, when Python ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _code_of(error: Exception) -> ExitCode:
    if isinstance(error, CertificateError):
        return ExitCode.REJECTED
    return ExitCode.LIMIT if isinstance(error, LimitError) else ExitCode.BAD_INPUT
