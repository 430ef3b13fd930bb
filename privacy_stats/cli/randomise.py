"""`privacy-stats randomise`: turn a table of values into reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from privacy_stats.budgets import BILLION, Budgets, Ledger
from privacy_stats.cli.choices import Json, Quiet, RoundFile, read_round
from privacy_stats.cli.tables import read_columns
from privacy_stats.clients import randomise
from privacy_stats.errors import ArgumentError
from privacy_stats.files import whole
from privacy_stats.lazy import optional
from privacy_stats.randomness import simulation_rng
from privacy_stats.reports import Reports, to_arrow, write_lines
from privacy_stats.rounds import Round


def randomise_command(
    data: Annotated[Path, typer.Argument(help="Values, one row per user: .csv or .parquet.")],
    round_file: RoundFile,
    value: Annotated[list[str], typer.Option(help="Column of values; for vectors once per coordinate.")],
    budget: Annotated[str, typer.Option(help="Column of budgets.")],
    out: Annotated[Path, typer.Option(help="Where reports go: .jsonl or .parquet; must not exist.")],
    user: Annotated[
        str | None, typer.Option(help="Column of enrolment numbers; default: row number.")
    ] = None,
    ledger: Annotated[
        Path | None, typer.Option(help="Ledger file; made on first use from a table of all users.")
    ] = None,
    simulate: Annotated[int | None, typer.Option(help="Seed of a study; protects nobody.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Randomise a table of values under each user's own budget.

    Run it where the values may be seen. Reports are drawn once; a second run would spend the budgets again,
    so an existing output is never overwritten and a ledger refuses a second answer.

    Example: privacy-stats randomise data.csv --round round.json --value minutes --budget epsilon --out
    reports.jsonl
    """
    round_ = read_round(round_file)
    if out.suffix not in (".jsonl", ".parquet"):
        raise ArgumentError(f"--out: got {out}, wanted a file that ends in .jsonl or .parquet")
    if out.exists():
        raise ArgumentError(f"--out: {out} exists; drawing again would spend the budgets again")
    columns = read_columns(data, [*value, budget] + ([user] if user else []))
    values = np.column_stack(columns[: len(value)])
    amounts = columns[len(value)]
    budgets = Budgets.pure(amounts) if round_.kind == "pure" else Budgets.zcdp(amounts)
    users = _users(columns[-1]) if user else np.arange(len(budgets))
    account = _ledger(ledger, round_, budgets, users)
    reports = randomise(
        round_,
        values if round_.mechanism.width > 1 else values[:, 0],
        budgets,
        users=users,
        ledger=account,
        rng=None if simulate is None else simulation_rng(simulate),
    )
    if account is not None and ledger is not None:
        account.save(ledger)  # first the account, then the reports: a crash in between loses reports only
    _write(reports, out)
    lowered = _lowered(round_, budgets)
    if as_json:
        facts = {"n_reports": len(reports), "n_enrolled": round_.n_users, "n_lowered": lowered}
        typer.echo(json.dumps({"out": str(out), **facts, "round": round_.fingerprint}))
    elif not quiet:
        typer.echo(f"{out}: {reports!r}", err=True)
        if lowered:
            typer.echo(
                f"  {lowered} with a budget that is no announced level: the next lower one is spent", err=True
            )
        if len(reports) < round_.n_users:
            typer.echo(f"  {len(reports)} of {round_.n_users} enrolled users are in the table", err=True)


def _lowered(round_: Round, budgets: Budgets) -> int:
    """Return how many users grant more than the level that they answer at."""
    announced = [int(level * BILLION) for level in round_.levels]
    return int(np.count_nonzero(~np.isin(budgets.billionths, announced)))


def _users(column: NDArray[np.float64]) -> NDArray[np.int64]:
    whole = column == np.floor(column)
    if not whole.all():
        row = int(np.argmin(whole))
        raise ArgumentError(f"--user: {column[row]} in row {row} is no enrolment number")
    return column.astype(np.int64)


def _ledger(path: Path | None, round_: Round, budgets: Budgets, users: NDArray[np.int64]) -> Ledger | None:
    if path is None:
        return None
    if path.exists():
        return Ledger.load(path)
    if not np.array_equal(np.sort(users), np.arange(round_.n_users)):
        raise ArgumentError(
            f"--ledger: to start {path}, the table must hold each of {round_.n_users} users once"
        )
    return Ledger(Budgets(budgets.kind, budgets.billionths[np.argsort(users)]))


def _write(reports: Reports, out: Path) -> None:
    """Write to a file beside and rename it, so that half a file never looks like reports."""
    with whole(out) as part:
        if out.suffix == ".jsonl":
            with part.open("w", encoding="utf-8") as file:
                write_lines(reports, file)
        else:
            parquet = optional("pyarrow.parquet", "Parquet files need pyarrow: pip install pyarrow")
            parquet.write_table(to_arrow(reports), part)
