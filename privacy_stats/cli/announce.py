"""`privacy-stats announce`: write the public announcement of a round."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

import typer

from privacy_stats.budgets import BILLION, parse_amount
from privacy_stats.cli.choices import (
    Bound,
    Categories,
    Dimension,
    Lower,
    MechanismName,
    Steps,
    Upper,
    build_mechanism,
    kind_of,
)
from privacy_stats.rounds import Round


def announce(
    survey: Annotated[str, typer.Argument(help="Name of the survey.")],
    mechanism: MechanismName,
    users: Annotated[int, typer.Option(help="Number of enrolled users.")],
    level: Annotated[list[str], typer.Option(help="Public budget level; give it once per level.")],
    kind: Annotated[str, typer.Option(help="pure (epsilon) or zcdp (rho).")] = "pure",
    lower: Lower = None,
    upper: Upper = None,
    steps: Steps = None,
    categories: Categories = None,
    dimension: Dimension = None,
    bound: Bound = None,
    number: Annotated[int, typer.Option(help="Number of the round in the survey.")] = 1,
    share: Annotated[str, typer.Option(help="Part of the budget that the round spends.")] = "1/1",
) -> None:
    """Write the announcement of a round to stdout.

    Example: privacy-stats announce commuting --mechanism hybrid --lower 0 --upper 120 --users 1000
    --level 0.5 --level 1 --level 2 > round.json
    """
    notion = kind_of(kind)
    built = build_mechanism(
        mechanism,
        lower=lower,
        upper=upper,
        steps=steps,
        categories=categories,
        dimension=dimension,
        bound=bound,
    )
    levels = sorted({Fraction(parse_amount(text, notion), BILLION) for text in level})
    part = Fraction(parse_amount(share, "zcdp"), BILLION) if "/" not in share else Fraction(share)
    round_ = Round(survey, built, notion, tuple(levels), users, number, part)
    for k in range(len(levels)):
        round_.channels(k)  # refuse here what no client could answer
    typer.echo(round_.to_json())
