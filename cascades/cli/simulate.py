"""`cascades simulate`: a table of cascades from a random or a given network."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from cascades.cli import reading as r
from cascades.designs import random_network
from cascades.errors import ArgumentError, InputError
from cascades.networks import Network
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
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 0,
    truth: Annotated[Path | None, typer.Option(help="CSV file for the network simulated from.")] = None,
    as_json: r.Json = False,
    quiet: r.Quiet = False,
) -> int:
    """Simulate cascades: cascades simulate table.csv --nodes 50 --cascades 1000 --truth network.csv"""
    if cascades < 1:
        raise ArgumentError(f"--cascades: got {cascades}, wanted at least 1")
    rng = np.random.default_rng(seed)
    net = _given(network) if network else random_network(nodes, degree, rng=rng)
    data = simulate(
        net,
        n_cascades=cascades,
        horizon=horizon,
        rng=rng,
        transmission=r.read_law(law),
        background=background,
    )
    with open(out, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["cascade", "node", "time"])
        writer.writerows((name, node, t) for name, times in data for node, t in times.items())
    if truth:
        with open(truth, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("sender", "receiver", "rate"), *net.edges()])
    facts = {"cascades": len(data), "nodes": data.n_nodes, "activations": data.n_events, "edges": net.n_edges}
    if as_json:
        print(json.dumps({**facts, "out": str(out)}))
    elif not quiet:
        print(f"{out}: {data!r} from a network of {net.n_edges} edges")
    return 0


def _given(path: Path) -> Network:
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))[1:]
    if not rows or any(len(row) < 3 for row in rows):
        raise InputError(f"{path}: wanted a header and lines sender,receiver,rate")
    labels = sorted({name for row in rows for name in row[:2]})
    try:
        return Network.from_edges({(row[0], row[1]): float(row[2]) for row in rows}, nodes=labels)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error
