"""`sosgames solvers`: what can be used here, and why the rest cannot."""

from __future__ import annotations

import json
from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from sosgames.cli.exits import ExitCode
from sosgames.cli.options import AsJson, Debug


def solvers_command(as_json: AsJson = False, debug: Debug = False) -> ExitCode:
    """List the solvers, whether each can be used here, and why not.

    Example: sosgames solvers
    """
    from sosgames.solvers import solver_table

    rows = solver_table()
    if as_json:
        print(json.dumps([asdict(row) for row in rows]))
        return ExitCode.DONE
    table = Table("solver", "usable", "note")
    for row in rows:
        table.add_row(row.name, "yes" if row.available else "no", row.note)
    Console(markup=False, emoji=False).print(table)
    return ExitCode.DONE
