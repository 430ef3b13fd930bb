"""`privacy-stats estimate`: a whole study from a table, values and all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer

from privacy_stats.budgets import Budgets, Kind
from privacy_stats.cli.choices import Bound, Json, Lower, Quiet, Steps, Upper, kind_of
from privacy_stats.cli.protocols import build_protocol
from privacy_stats.cli.tables import read_columns, write_columns
from privacy_stats.errors import ArgumentError
from privacy_stats.estimate import estimate_sum
from privacy_stats.files import whole
from privacy_stats.protocols import Protocol
from privacy_stats.randomness import simulation_rng
from privacy_stats.results import PopulationMean, SurveyEstimate, population_mean

Result = SurveyEstimate | PopulationMean


def estimate_command(
    data: Annotated[Path, typer.Argument(help="Values, one row per user: .csv or .parquet.")],
    value: Annotated[list[str], typer.Option(help="Column of values; for vectors once per coordinate.")],
    budget: Annotated[str, typer.Option(help="Column of budgets.")],
    protocol: Annotated[str, typer.Option(help="Such as histogram-radius or hybrid-mean; auto chooses.")],
    kind: Annotated[
        str | None, typer.Option(help="What budgets are: zcdp (rho, the default) or pure (epsilon).")
    ] = None,
    bound: Bound = None,
    lower: Lower = None,
    upper: Upper = None,
    steps: Steps = None,
    non_negative: Annotated[bool, typer.Option("--non-negative", help="Negative values count as 0.")] = False,
    resolution: Annotated[float | None, typer.Option(help="Lengths below it are of no interest.")] = None,
    inner: Annotated[str | None, typer.Option(help="What hull-diameter runs around its centre.")] = None,
    mean: Annotated[bool, typer.Option("--mean", help="The users' mean instead of their sum.")] = False,
    population: Annotated[
        bool, typer.Option("--population", help="The mean of the population that users are drawn from.")
    ] = False,
    coverage: Annotated[float, typer.Option(help="Of the printed limits.")] = 0.95,
    declared: Annotated[
        str | None, typer.Option(help="Range known to hold every value, low:high; limits of the full sum.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Where the estimate goes: .json or .parquet.")] = None,
    simulate: Annotated[int | None, typer.Option(help="Seed of a study; protects nobody.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run a protocol on a table of values and print the estimate with its limits.

    For studies, and where one place may see all values. In a deployment values stay with their users:
    announce, randomise, aggregate.

    Example: privacy-stats estimate data.csv --value income --budget rho --protocol histogram-radius --bound
    1e6 --non-negative
    """
    if out is not None and out.suffix not in (".json", ".parquet"):
        raise ArgumentError(f"--out: got {out}, wanted a file that ends in .json or .parquet")
    columns = read_columns(data, [*value, budget])
    table, notion = np.column_stack(columns[:-1]), _notion(kind, budget)
    total = estimate_sum(
        table if len(value) > 1 else table[:, 0],
        Budgets.pure(columns[-1]) if notion == "pure" else Budgets.zcdp(columns[-1]),
        protocol=_protocol(
            protocol,
            {
                "bound": bound,
                "lower": lower,
                "upper": upper,
                "steps": steps,
                "non_negative": non_negative or None,
                "resolution": resolution,
                "inner": inner,
                "dimension": len(value) if len(value) > 1 else None,
            },
        ),
        rng=None if simulate is None else simulation_rng(simulate),
        bound=bound if protocol == "auto" else None,
    )
    result: Result = population_mean(total.states[-1]) if population else total.as_mean() if mean else total
    limits = _limits(result, coverage, declared)
    document = result.to_dict() | {"coverage": coverage, "limits": limits}
    if out is not None:
        _write(result, limits, document, out)
    if as_json:
        typer.echo(json.dumps(document))
    elif not quiet:
        typer.echo(_words(result, limits, coverage, declared))
        if protocol == "hull-diameter" and total.protocol["name"] != protocol:
            typer.echo(f"  no centre pays with these budgets: {total.protocol['name']} ran alone")
        typer.echo(f"  budgets were read as {'epsilon (pure)' if notion == 'pure' else 'rho (zcdp)'}")


def _notion(kind: str | None, column: str) -> Kind:
    """Return what budgets are; a column called epsilon is never taken for rho, which would overspend it."""
    if kind is None and column.lower().startswith("eps"):
        raise ArgumentError(
            f"--kind: the column {column!r} sounds like epsilon; say --kind pure, or --kind zcdp if it is rho"
        )
    return kind_of(kind or "zcdp")


def _protocol(name: str, options: dict[str, Any]) -> Protocol | Literal["auto"]:
    return "auto" if name == "auto" else build_protocol(name, options)


def _limits(result: Result, coverage: float, declared: str | None) -> Any:
    """Return lower and upper limits, or the reason why there are none."""
    try:
        if isinstance(result, PopulationMean):
            return list(result.interval(coverage))
        if declared is None:
            low, high = result.interval(coverage)
        else:
            low, high = result.interval(coverage, target="full", value_range=_range(declared))
        return [low.tolist(), high.tolist()]
    except ArgumentError as reason:
        if str(reason).startswith("interval:"):
            return str(reason)
        raise


def _range(text: str) -> tuple[float, float]:
    low, _, high = text.partition(":")
    try:
        return float(low), float(high)
    except ValueError:
        raise ArgumentError(f"--declared: got {text!r}, wanted low:high, such as 0:120") from None


def _words(result: Result, limits: Any, coverage: float, declared: str | None) -> str:
    if isinstance(result, PopulationMean) or np.ndim(result.value):
        return result.summary()
    target = "clipped values" if declared is None else f"values, all of them in {declared}"
    found = limits if isinstance(limits, str) else f"{limits[0]:.6g} .. {limits[1]:.6g}"
    return f"{result.summary()}\n  {coverage:.4g} limits for the {target}: {found}"


def _write(result: Result, limits: Any, document: dict[str, Any], out: Path) -> None:
    """Write the whole result as JSON, or its numbers as a table of one row per coordinate."""
    if out.suffix == ".json":
        with whole(out) as part:
            part.write_text(json.dumps(document), encoding="utf-8")
        return
    value, error = np.atleast_1d(result.value), np.atleast_1d(result.standard_error)
    ends = (np.nan, np.nan) if isinstance(limits, str) else limits
    low, high = (np.broadcast_to(np.array(end, dtype=np.float64), value.shape) for end in ends)
    with whole(out) as part:
        write_columns(part, {"value": value, "standard_error": error, "lower": low, "upper": high})
