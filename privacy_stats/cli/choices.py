"""Options that several subcommands share, and the mechanism that they name."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from privacy_stats.budgets import Kind
from privacy_stats.errors import ArgumentError
from privacy_stats.mechanisms import Mechanism, mechanism_from_dict
from privacy_stats.rounds import Round

MechanismName = Annotated[
    str,
    typer.Option(
        "--mechanism",
        help="one-bit, piecewise, hybrid, laplace, gaussian, vector-gaussian or randomised-response.",
    ),
]
Lower = Annotated[float | None, typer.Option(help="Public lower end of the range.")]
Upper = Annotated[float | None, typer.Option(help="Public upper end of the range.")]
Steps = Annotated[int | None, typer.Option(help="Grid steps of the range, or of a vector's bound.")]
Categories = Annotated[int | None, typer.Option(help="Number of categories (randomised-response).")]
Dimension = Annotated[int | None, typer.Option(help="Coordinates of a vector (vector-gaussian).")]
Bound = Annotated[float | None, typer.Option(help="Public bound of a vector's length (vector-gaussian).")]
RoundFile = Annotated[Path, typer.Option("--round", help="The announcement, as `announce` writes it.")]
Json = Annotated[bool, typer.Option("--json", help="Write JSON to stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No talk on stderr.")]

_DEFAULT_STEPS = {"laplace": 1 << 14}


def build_mechanism(
    name: str,
    *,
    lower: float | None,
    upper: float | None,
    steps: int | None,
    categories: int | None,
    dimension: int | None,
    bound: float | None,
) -> Mechanism:
    """Return the mechanism that the options name; options of other mechanisms are refused."""
    fine = steps if steps is not None else _DEFAULT_STEPS.get(name, 1 << 16)
    if name == "randomised-response":
        wanted: dict[str, Any] = {"categories": categories}
        foreign = {"lower": lower, "upper": upper, "steps": steps, "dimension": dimension, "bound": bound}
    elif name == "vector-gaussian":
        wanted = {"dimension": dimension, "bound": bound}
        foreign = {"lower": lower, "upper": upper, "categories": categories}
    else:
        wanted = {"lower": lower, "upper": upper}
        foreign = {"categories": categories, "dimension": dimension, "bound": bound}
    for option, value in wanted.items():
        if value is None:
            raise ArgumentError(f"--{option}: {name} needs it")
    for option, value in foreign.items():
        if value is not None:
            raise ArgumentError(f"--{option}: {name} does not take it")
    if name == "vector-gaussian":
        wanted |= {"non_negative": False, "radius": fine}
    elif name != "randomised-response":
        wanted["steps"] = fine
    return mechanism_from_dict({"name": name, **wanted})


def kind_of(text: str) -> Kind:
    """Return the notion of privacy that an option names."""
    if text == "pure":
        return "pure"
    if text == "zcdp":
        return "zcdp"
    raise ArgumentError(f"--kind: got {text!r}, wanted pure or zcdp")


def read_round(path: Path) -> Round:
    """Read an announcement from a file."""
    return Round.from_json(path.read_bytes())
