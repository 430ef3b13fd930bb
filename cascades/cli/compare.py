"""`cascades compare`: which law, or which model, predicts cascades it has not seen?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import typer

from cascades.cli import reading as r
from cascades.cli.edges import read_edges
from cascades.errors import ArgumentError
from cascades.mixture.choice import floor_of
from cascades.models import DoubleMixture, MMRate, NetRate, Superposition
from cascades.models.clocks import Ties
from cascades.networks import Network
from cascades.selection import held_out
from cascades.selection.held_out import Model
from cascades.transmission import Law

Kind = Literal["one-network", "superposition", "whole-cascade", "double-mixture"]
KINDS: tuple[Kind, ...] = ("one-network", "superposition", "whole-cascade", "double-mixture")


def compare(
    table: r.Table,
    cascade: r.CascadeColumn = "cascade",
    node: r.NodeColumn = "node",
    time: r.TimeColumn = "time",
    horizon: r.HorizonText = "",
    window: r.Window = None,
    unit: r.Unit = "",
    never: r.NeverText = "",
    law: Annotated[list[str] | None, typer.Option(help="Laws to compare; repeat the option.")] = None,
    models: Annotated[
        bool, typer.Option("--models", help="Compare models under one law instead: one network, ...")
    ] = False,
    model: Annotated[list[str] | None, typer.Option(help=f"Only these: {', '.join(KINDS)}.")] = None,
    support: Annotated[
        Path | None, typer.Option(help="Edge table of the known network, for the models that use one.")
    ] = None,
    layers: Annotated[int, typer.Option(help="Layers of the whole-cascade mixture.")] = 2,
    ties: r.TiesChoice = "auto",
    resolution: r.Resolution = None,
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the folds and of random starts.")] = 0,
    as_json: r.Json = False,
    quiet: r.Quiet = False,
) -> int:
    """Compare by held-out likelihood: cascades compare t.csv --window 3 --models --support known.csv"""
    data = r.read_table(table, cascade, node, time, horizon, window, unit, never)
    laws = law or ["exponential", "rayleigh"]
    floor, candidates, what = 0.0, {}, "law"
    if models or model:
        if law and len(law) > 1:
            raise ArgumentError("--law: models are compared under one law; give one")
        known = read_edges(support, data.nodes) if support else None
        candidates = _models(model or KINDS, r.read_law(laws[0]), known, layers, ties, resolution)
        floor, what = floor_of(data), "model"
    else:
        candidates = {
            name: NetRate(
                r.read_law(name), background=True, ties=ties, resolution=resolution, standard_errors=False
            )
            for name in laws
        }
    scores = held_out(candidates, data, n_folds=folds, floor=floor, rng=np.random.default_rng(seed))
    if as_json:
        means = [m if np.isfinite(m) else None for m in scores.means.tolist()]  # JSON has no infinity
        rows = zip(scores.names, means, scores.n_impossible.tolist(), strict=True)
        print(json.dumps([{what: n, "log_likelihood": m, "impossible": int(k)} for n, m, k in rows]))
    else:
        print(scores.summary() if quiet else f"{data.summary()}\n{scores.summary()}\nbest: {scores.best}")
    return 0


def _models(
    kinds: Sequence[str],
    law: Law,
    support: Network | None,
    layers: int,
    ties: Ties,
    resolution: float | None,
) -> dict[str, Model]:
    """Return the models by name; those that need a support are left out without one, unless asked for."""
    unknown = [k for k in kinds if k not in KINDS]
    if unknown:
        raise ArgumentError(f"--model: got {unknown[0]!r}, wanted one of {', '.join(KINDS)}")
    if support is None and kinds is not KINDS and "double-mixture" in kinds:
        raise ArgumentError(
            "--support: comparing the double mixture needs the known network; give an edge table"
        )
    every: dict[str, Model] = {
        "one-network": NetRate(law, background=True, standard_errors=False, ties=ties, resolution=resolution),
        "superposition": Superposition(support, law, ties=ties, resolution=resolution),
        "whole-cascade": MMRate(layers, law, background=True, ties=ties, resolution=resolution),
    }
    if support is not None:
        every["double-mixture"] = DoubleMixture(
            support, law, rank="full", background=True, ties=ties, resolution=resolution
        )
    return {kind: every[kind] for kind in kinds if kind in every}
