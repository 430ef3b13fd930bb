"""`cascades compare`: which law, with or without a background, predicts cascades it has not seen?"""

from __future__ import annotations

import json
from typing import Annotated

import numpy as np
import typer

from cascades.cli import reading as r
from cascades.models import NetRate
from cascades.selection import held_out


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
    ties: r.TiesChoice = "auto",
    resolution: r.Resolution = None,
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed of the folds.")] = 0,
    as_json: r.Json = False,
    quiet: r.Quiet = False,
) -> int:
    """Compare laws by held-out likelihood: cascades compare t.csv --window 3 --law rayleigh"""
    data = r.read_table(table, cascade, node, time, horizon, window, unit, never)
    models = {
        name: NetRate(
            r.read_law(name), background=True, ties=ties, resolution=resolution, standard_errors=False
        )
        for name in (law or ["exponential", "rayleigh"])
    }
    scores = held_out(models, data, n_folds=folds, rng=np.random.default_rng(seed))
    if as_json:
        rows = zip(scores.names, scores.means.tolist(), scores.n_impossible.tolist(), strict=True)
        print(json.dumps([{"law": n, "log_likelihood": m, "impossible": int(k)} for n, m, k in rows]))
    else:
        print(scores.summary() if quiet else f"{data.summary()}\n{scores.summary()}\nbest: {scores.best}")
    return 0
