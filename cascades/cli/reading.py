"""Options that say how a table is read, shared by the subcommands."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from cascades.errors import ArgumentError
from cascades.tables import Cascades, load
from cascades.transmission import Exponential, Law, PowerLaw, Rayleigh, Weibull

Table = Annotated[
    Path, typer.Argument(help="CSV (long table), .txt (NetInf, InfoPath, FOREST), .json or .parquet.")
]
CascadeColumn = Annotated[str, typer.Option("--cascade", help="Column that names the cascade.")]
NodeColumn = Annotated[str, typer.Option("--node", help="Column that names the node.")]
TimeColumn = Annotated[str, typer.Option("--time", help="Column of times: numbers or ISO dates.")]
HorizonText = Annotated[str, typer.Option("--horizon", help="Watched until: a number, a date, or 'last'.")]
Window = Annotated[float | None, typer.Option(help="Or: watched for this long after the first activation.")]
Unit = Annotated[str, typer.Option(help="Unit of time; required for dates (day, week, year, ...).")]
NeverText = Annotated[str, typer.Option("--never", help="Code for 'never activated', or 'none'.")]
LawName = Annotated[
    str, typer.Option("--law", help="exponential, rayleigh, power-law:DELTA or weibull:SHAPE.")
]
TiesChoice = Annotated[Literal["auto", "strict", "grouped"], typer.Option(help="How equal times are read.")]
Resolution = Annotated[float | None, typer.Option(help="Bin width of grouped times; by default their grid.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress and no talk on stderr.")]
Json = Annotated[bool, typer.Option("--json", help="Print data as JSON on stdout.")]


def read_table(
    path: Path, cascade: str, node: str, time: str, horizon: str, window: float | None, unit: str, never: str
) -> Cascades:
    """Read a table by the suffix of its file."""
    if path.suffix in (".json", ".parquet"):
        return load(path)
    watched: dict[str, Any] = {"horizon": _horizon(horizon), "window": window}
    code: Any = "ask" if not never else None if never == "none" else _float("--never", never)
    if path.suffix == ".txt":
        return Cascades.from_text(path, unit=unit, never=code, **watched)
    return Cascades.from_csv(path, cascade=cascade, node=node, time=time, unit=unit, never=code, **watched)


def read_law(text: str) -> Law:
    """Read "exponential", "rayleigh", "power-law:1.0" or "weibull:0.7"."""
    plain: dict[str, Law] = {"exponential": Exponential(), "rayleigh": Rayleigh()}
    with_parameter: dict[str, type[PowerLaw | Weibull]] = {"power-law": PowerLaw, "weibull": Weibull}
    name, _, parameter = text.partition(":")
    if text in plain:
        return plain[text]
    if name not in with_parameter:
        raise ArgumentError(
            f"--law: got {text!r}, wanted exponential, rayleigh, power-law:DELTA or weibull:SHAPE"
        )
    if not parameter:
        raise ArgumentError(f"--law: {name} needs its parameter, as in --law {name}:1.0")
    try:
        return with_parameter[name](_float("--law", parameter))
    except ArgumentError as error:
        raise ArgumentError(f"--law {text}: {error}") from None


def _horizon(text: str) -> Any:
    if not text or text == "last":
        return text or None
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return dt.datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentError(f"--horizon: got {text!r}, wanted a number, an ISO date or 'last'") from None


def _float(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArgumentError(f"{name}: got {text!r}, wanted a number") from None
