"""`sosgames catalog`: the games of the literature, as a list or as files to begin with."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from sosgames.cli.exits import ExitCode
from sosgames.cli.options import AsJson, Debug

Slug = Annotated[str, typer.Argument(help="One game of the list; without it, the list.", show_default=False)]


def catalog_command(slug: Slug = "", as_json: AsJson = False, debug: Debug = False) -> ExitCode:
    """List the games of the literature, or print one as a game file.

    Example: sosgames catalog krawczyk2000 > game.toml
    """
    from sosgames.certificates.gamefiles import dumps
    from sosgames.literature import catalog

    if slug:
        print(dumps(catalog(slug).exact, "json" if as_json else "toml"), end="\n" if as_json else "")
        return ExitCode.DONE
    entries = catalog()
    if as_json:
        rows = [
            {"game": e.slug, "title": e.title, "source": e.source, "truth": dict(e.truth)} for e in entries
        ]
        print(json.dumps(rows))
        return ExitCode.DONE
    table = Table("game", "concave", "monotone", "what it is")
    for entry in entries:
        table.add_row(entry.slug, entry.truth.get("concave", ""), entry.truth["monotone"], entry.title)
    Console(markup=False, emoji=False).print(table)
    return ExitCode.DONE
