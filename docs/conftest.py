"""Runs the ```console blocks of how-to pages: what a reader types and sees.

A line that begins with ``$ `` is given to the shell; the lines up to the next one are what it prints,
standard error included, where ``...`` stands for anything. A command that fails must be followed by
``$ echo $?``, which shows its exit code. All blocks of a page share one folder, in which the games of
``docs/examples/games`` lie.
"""

from __future__ import annotations

import doctest
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser

GAMES = Path(__file__).parent / "examples" / "games"
SECONDS = 300


@dataclass(frozen=True, slots=True)
class Command:
    """One command and what it is said to print."""

    line: str
    expected: str


def commands(block: str) -> Iterator[Command]:
    """The commands of a block, each with the lines that follow it."""
    line, expected = "", ""
    for text in block.splitlines(keepends=True):
        if text.startswith("$ "):
            if line:
                yield Command(line, expected)
            line, expected = text[2:].rstrip("\n"), ""
        elif line:
            expected += text
        else:
            raise ValueError(f"a console block begins with a command, as in '$ ls', not with {text!r}")
    if line:
        yield Command(line, expected)


class ConsoleBlockParser(CodeBlockParser):
    """A Sybil parser for ```console blocks."""

    language = "console"

    def evaluate(self, example: Example) -> str | None:
        code = 0
        for command in commands(example.parsed):
            if command.line == "echo $?":
                got, code = f"{code}\n", 0
            elif code:
                return f"the command before {command.line!r} ended with exit code {code}"
            else:
                got, code = run(command.line, example.namespace["folder"])
            if not doctest.OutputChecker().check_output(command.expected, got, doctest.ELLIPSIS):
                return f"$ {command.line}\nexpected:\n{command.expected}\ngot:\n{got}"
        return f"the last command ended with exit code {code}" if code else None


def run(line: str, folder: str) -> tuple[str, int]:
    """What a shell command prints in a folder, and its exit code."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        line,
        shell=True,
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return done.stdout, done.returncode


def with_games(namespace: dict[str, Any]) -> None:
    """A folder for the page, with the games in it."""
    namespace["folder"] = tempfile.mkdtemp()
    for game in GAMES.iterdir():
        shutil.copy(game, namespace["folder"])


def without_games(namespace: dict[str, Any]) -> None:
    """The folder is removed when the page is done."""
    shutil.rmtree(namespace["folder"])


pages = Sybil(
    parsers=[ConsoleBlockParser()], patterns=["howto/*.md"], setup=with_games, teardown=without_games
)
pytest_collect_file = pages.pytest()
