"""`cascades show`: what a saved fit says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from cascades.cli import reading as r
from cascades.mixture.layers_fit import LayersFit
from cascades.mixture.result import MixtureFit
from cascades.results import NetworkFit, load_fit


def show(
    path: Annotated[Path, typer.Argument(help="fit.json, or the folder that holds it.")],
    top: Annotated[int, typer.Option(help="How many edges to list.")] = 20,
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
    table = Table("sender", "receiver", "weight", "lower", "upper")
    if isinstance(fit, NetworkFit):
        for e in fit.edges(level=level)[:top]:
            table.add_row(str(e.sender), str(e.receiver), *(f"{v:.4g}" for v in (e.rate, e.lower, e.upper)))
    elif isinstance(fit, MixtureFit):
        for layer in ("theta", "psi"):
            strongest = sorted(fit.network(layer).edges(), key=lambda edge: -edge[2])[:top]
            for j, i, weight in strongest:
                table.add_row(str(j), str(i), f"{weight:.4g}", layer, "")
    elif isinstance(fit, LayersFit):
        for k, network in enumerate(fit.networks):
            for j, i, weight in sorted(network.edges(), key=lambda edge: -edge[2])[:top]:
                table.add_row(str(j), str(i), f"{weight:.4g}", f"layer {k}", "")
    else:
        for j, i, weight in sorted(fit.network.edges(), key=lambda edge: -edge[2])[:top]:
            table.add_row(str(j), str(i), f"{weight:.4g}", "", "")
    Console().print(table)
    return 0
