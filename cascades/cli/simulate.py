"""`cascades simulate`: a table of cascades from a random or a given network."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from cascades.cli import reading as r
from cascades.cli.edges import read_edges
from cascades.designs import random_network
from cascades.files import whole
from cascades.simulation import simulate


def simulate_command(
    out: Annotated[Path, typer.Argument(help="CSV file to write: cascade,node,time.")],
    nodes: Annotated[int, typer.Option(help="Nodes of a random network.")] = 50,
    degree: Annotated[float, typer.Option(help="Mean out-degree of a random network.")] = 2.0,
    network: Annotated[Path | None, typer.Option(help="Or: edge table sender,receiver,rate.")] = None,
    cascades: Annotated[int, typer.Option(help="How many cascades.")] = 1000,
    horizon: Annotated[float, typer.Option(help="How long each is watched.")] = 3.0,
    law: r.LawName = "exponential",
    background: Annotated[float, typer.Option(help="Rate of activations by nobody.")] = 0.0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random numbers.")] = 0,
    truth: Annotated[Path | None, typer.Option(help="CSV file for the network simulated from.")] = None,
    as_json: r.Json = False,
    quiet: r.Quiet = False,
) -> int:
    """Simulate cascades: cascades simulate table.csv --nodes 50 --cascades 1000 --truth network.csv"""
    rng = np.random.default_rng(seed)
    net = read_edges(network, weighted=True) if network else random_network(nodes, degree, rng=rng)
    data = simulate(
        net,
        n_cascades=cascades,
        horizon=horizon,
        rng=rng,
        transmission=r.read_law(law),
        background=background,
    )
    if truth:
        _write(truth, ("sender", "receiver", "rate"), net.edges())
    _write(out, ("cascade", "node", "time"), ((c, i, t) for c, times in data for i, t in times.items()))
    facts = {"cascades": len(data), "nodes": data.n_nodes, "activations": data.n_events, "edges": net.n_edges}
    if as_json:
        print(json.dumps({**facts, "out": str(out)}))
    elif not quiet:
        print(f"{out}: {data!r} from a network of {net.n_edges} edges")
    return 0


def _write(path: Path, header: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> None:
    with whole(path) as part, open(part, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
