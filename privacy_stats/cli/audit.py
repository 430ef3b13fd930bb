"""`privacy-stats audit`: attack a mechanism at given levels."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from privacy_stats.audits import AuditResult, FitResult, audit, goodness_of_fit, mechanism_sampler
from privacy_stats.cli.choices import (
    Bound,
    Categories,
    Dimension,
    Json,
    Lower,
    MechanismName,
    Quiet,
    Steps,
    Upper,
    build_mechanism,
    kind_of,
)


def audit_command(
    mechanism: MechanismName,
    level: Annotated[list[str], typer.Option(help="Budget to audit at; give it once per level.")],
    kind: Annotated[str, typer.Option(help="pure (epsilon) or zcdp (rho).")] = "pure",
    lower: Lower = None,
    upper: Upper = None,
    steps: Steps = None,
    categories: Categories = None,
    dimension: Dimension = None,
    bound: Bound = None,
    draws: Annotated[int, typer.Option(help="Draws per audit.")] = 400_000,
    false_alarm: Annotated[float, typer.Option(help="Probability of refuting a true claim.")] = 1e-6,
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Bound the privacy loss of a mechanism from below and test its distribution.

    Leaves with 10 if a claim is refuted or a distribution is wrong.

    Example: privacy-stats audit --mechanism one-bit --lower 0 --upper 1 --level 0.5 --level 2
    """
    built = build_mechanism(
        mechanism,
        lower=lower,
        upper=upper,
        steps=steps,
        categories=categories,
        dimension=dimension,
        bound=bound,
    )
    notion = kind_of(kind)
    rows: list[tuple[AuditResult, FitResult]] = []
    for text in level:
        claim = {"epsilon" if notion == "pure" else "rho": float(text)}
        sampler = mechanism_sampler(built, notion, text)
        found = audit(sampler, n_draws=draws, false_alarm=false_alarm, **claim)
        rows.append((found, goodness_of_fit(built, notion, text, n_draws=draws)))
    if as_json:
        typer.echo(json.dumps([found.to_dict() | {"chi_square_p": fit.p_value} for found, fit in rows]))
    elif not quiet:
        _print(rows)
    sound = all(found.passed and fit.p_value > false_alarm for found, fit in rows)
    return 0 if sound else 10


def _print(rows: list[tuple[AuditResult, FitResult]]) -> None:
    table = Table("claim", "lower bound", "verdict", "chi-square p", "event")
    for found, fit in rows:
        verdict = "consistent" if found.passed else "REFUTED"
        table.add_row(
            f"{found.claim:g}", f"{found.lower_bound:.4g}", verdict, f"{fit.p_value:.3g}", found.event
        )
    Console(markup=False, emoji=False).print(table)
