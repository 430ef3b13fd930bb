"""`cascades show`: what a saved fit says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from cascades.cli import reading as r
from cascades.mixture.layers_fit import LayersFit
from cascades.networks import Network
from cascades.ranked import RankedNetwork
from cascades.results import Fit, NetworkFit, load_fit


def show(
    path: Annotated[Path, typer.Argument(help="fit.json, or the folder that holds it.")],
    top: Annotated[int, typer.Option(min=1, help="How many edges to list, of each network.")] = 20,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    as_json: r.Json = False,
    quiet: r.Quiet = False,
) -> int:
    """Show a saved fit: cascades show fit/ --top 10"""
    fit = load_fit(path / "fit.json" if path.is_dir() else path)
    if as_json:
        print(json.dumps(fit.to_dict()))
        return 0
    if not quiet:
        print(fit.summary())
    Console(markup=False, emoji=False, highlight=False).print(_table(fit, top, level))
    return 0


def _table(fit: Fit, top: int, level: float) -> Table:
    """Return the strongest edges under headers that say what stands below them."""
    if isinstance(fit, NetworkFit):
        table = Table("sender", "receiver", "rate", "lower", "upper")
        for e in fit.edges(level=level)[:top]:
            table.add_row(str(e.sender), str(e.receiver), *(f"{v:.4g}" for v in (e.rate, e.lower, e.upper)))
        return table
    if isinstance(fit, RankedNetwork):
        table = Table("sender", "receiver", fit.meaning)
        for row in _strongest(fit.network, top):
            table.add_row(*row)
        return table
    table = Table("sender", "receiver", "rate", "network")
    for name, network in parts(fit).items():
        for row in _strongest(network, top):
            table.add_row(*row, name)
    return table


def parts(fit: Fit) -> dict[str, Network]:
    """Return the networks of a fit by the name that tables give them."""
    if isinstance(fit, LayersFit):
        return {f"layer {k}": network for k, network in enumerate(fit.networks)}
    if isinstance(fit, RankedNetwork):
        return {fit.meaning: fit.network}
    if isinstance(fit, NetworkFit):
        return {"rate": fit.network}
    return {"theta": fit.theta, "psi": fit.psi}


def _strongest(network: Network, top: int) -> Iterator[tuple[str, str, str]]:
    for j, i, weight in sorted(network.strongest(top).edges(), key=lambda edge: -edge[2]):
        yield str(j), str(i), f"{weight:.4g}"
