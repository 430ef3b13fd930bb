"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

GameFile = Annotated[
    Path, typer.Argument(help="Game or matrix file: .toml, .json or .efg.", show_default=False)
]
ProofFile = Annotated[Path, typer.Argument(help="Proof written by `certify --save`.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No talk on standard error.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an internal error.")]
