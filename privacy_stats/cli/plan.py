"""`privacy-stats plan`: users or budget that an interval of a wanted width takes."""

from __future__ import annotations

import json
from typing import Annotated

import numpy as np
import typer

from privacy_stats.budgets import Budgets, parse_amount
from privacy_stats.cli.choices import Json, Lower, MechanismName, Steps, Upper, build_mechanism, kind_of
from privacy_stats.cli.figures import Figure, save_figure
from privacy_stats.errors import ArgumentError
from privacy_stats.mechanisms.on_grid import GridMechanism
from privacy_stats.planning import plan


def plan_command(
    mechanism: MechanismName,
    half_width: Annotated[float, typer.Option(help="Half-width that is wanted, in the values' unit.")],
    level: Annotated[
        list[str], typer.Option(help="Budget and how many users have it, such as 0.5:2000; repeat it.")
    ],
    kind: Annotated[str, typer.Option(help="pure (epsilon) or zcdp (rho).")] = "pure",
    lower: Lower = None,
    upper: Upper = None,
    steps: Steps = None,
    coverage: Annotated[float, typer.Option(help="Of the interval.")] = 0.95,
    spread: Annotated[
        float | None, typer.Option(help="Expected RMS distance of values from the middle; default: worst.")
    ] = None,
    population: Annotated[
        bool, typer.Option("--population", help="Plan for the population's mean, not the users' own.")
    ] = False,
    figure: Figure = None,
    as_json: Json = False,
) -> None:
    """Predict the interval of a mean; no data is looked at.

    Example: privacy-stats plan --mechanism one-bit --lower 0 --upper 100 --level 1:10000 --half-width 2
    """
    built = build_mechanism(
        mechanism, lower=lower, upper=upper, steps=steps, categories=None, dimension=None, bound=None
    )
    if not isinstance(built, GridMechanism):
        raise ArgumentError(f"--mechanism: {mechanism} has no mean of one number to plan for")
    found = plan(
        _budgets(level, kind),
        mechanism=built,
        half_width=half_width,
        coverage=coverage,
        spread=spread,
        estimand="population mean" if population else "finite-population mean",
    )
    save_figure(found.plot, figure)
    typer.echo(json.dumps(found.to_dict()) if as_json else found.summary())


def _budgets(levels: list[str], kind: str) -> Budgets:
    """Read ``budget:users`` pairs."""
    notion, amounts, counts = kind_of(kind), [], []
    for text in levels:
        budget, _, users = text.partition(":")
        if not users.isascii() or not users.isdigit() or not 1 <= int(users) <= 10**8:
            raise ArgumentError(f"--level: got {text!r}, wanted budget:users, such as 0.5:2000")
        amounts.append(parse_amount(budget, notion))
        counts.append(int(users))
    return Budgets(notion, np.repeat(np.array(amounts, dtype=np.int64), counts))
