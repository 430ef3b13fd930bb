"""`cascades fit`: a table in, a network with uncertainty out."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer

from cascades.cli import reading as r
from cascades.cli.edges import read_edges
from cascades.cli.show import parts
from cascades.diagnostics import residuals
from cascades.errors import ArgumentError
from cascades.files import write_whole
from cascades.models import ConNIe, DoubleMixture, MMRate, NetInf, NetRate, Superposition
from cascades.networks import Network
from cascades.results import Fit
from cascades.selection import EdgeTests, edge_tests
from cascades.tables import Cascades
from cascades.transmission import Law

Model = Literal["netrate", "netinf", "connie", "superposition", "mmrate", "double-mixture"]


USED_BY = {
    "background": ("netrate", "mmrate", "double-mixture"),
    "ties": ("netrate", "mmrate", "superposition", "double-mixture"),
    "resolution": ("netrate", "mmrate", "superposition", "double-mixture"),
    "fdr": ("netrate",),
    "edges": ("netinf",),
    "support": ("superposition", "double-mixture"),
    "nuclear": ("superposition",),
    "rank": ("double-mixture",),
    "layers": ("mmrate",),
}
"""The models that an option is for."""


def fit(
    context: typer.Context,
    table: r.Table,
    cascade: r.CascadeColumn = "cascade",
    node: r.NodeColumn = "node",
    time: r.TimeColumn = "time",
    horizon: r.HorizonText = "",
    window: r.Window = None,
    unit: r.Unit = "",
    never: r.NeverText = "",
    model: Annotated[Model, typer.Option(help="Which model.")] = "netrate",
    law: r.LawName = "exponential",
    background: Annotated[bool, typer.Option(help="Nodes may also be activated by nobody.")] = True,
    ties: r.TiesChoice = "auto",
    resolution: r.Resolution = None,
    fdr: Annotated[float, typer.Option(help="False-discovery rate of the edges marked as kept.")] = 0.05,
    edges: Annotated[int, typer.Option(help="NetInf: how many edges.")] = 0,
    support: Annotated[
        Path | None, typer.Option(help="Edge table of the known network (superposition, double-mixture).")
    ] = None,
    nuclear: Annotated[float, typer.Option(help="Superposition: weight of the nuclear norm.")] = 1.0,
    rank: Annotated[str, typer.Option(help="Double mixture: a number of factors, full or auto.")] = "8",
    layers: Annotated[int, typer.Option(help="MMRate: how many networks.")] = 2,
    out: Annotated[Path | None, typer.Option(help="Folder for fit.json, edges.csv and summary.txt.")] = None,
    as_json: r.Json = False,
    quiet: r.Quiet = False,
) -> int:
    """Fit a network: cascades fit laws.csv --cascade law --node state --time year --horizon 2017"""
    _refuse_unused(context, model)
    _refuse_unwritable(out)
    if not 0 < fdr <= 1:
        raise ArgumentError(f"--fdr: got {fdr}, wanted a number above 0 and at most 1")
    transmission = r.read_law(law)
    data = r.read_table(table, cascade, node, time, horizon, window, unit, never)
    if model == "netrate":
        rates = NetRate(transmission, background=background, ties=ties, resolution=resolution)
        document, rows, words = _netrate(rates, data, fdr, quiet)
    else:
        known = read_edges(support, data.nodes) if support else None
        clock = {"ties": ties, "resolution": resolution}
        sizes = (edges, nuclear, rank, layers)
        found = _fit_other(model, data, transmission, known, clock, sizes, background, quiet)
        document, rows, words = found.to_dict(), _edges_of(found), f"{data.summary()}\n{found.summary()}"
    _write(out, document, rows, words)
    print(json.dumps(document) if as_json else words)
    if out is not None and not quiet:
        print(f"written: {out}/fit.json, edges.csv, summary.txt", file=sys.stderr)
    return 0


Rows = list[dict[str, Any]]


def _netrate(model: NetRate, data: Cascades, fdr: float, quiet: bool) -> tuple[dict[str, Any], Rows, str]:
    tests = edge_tests(model, data, quiet=quiet)
    check = residuals(tests.fit, data, rng=np.random.default_rng(0))
    rows = _rows(tests, fdr)
    words = "\n".join(
        [
            data.summary(),
            tests.fit.summary(),
            tests.summary(fdr=fdr),
            f"time-rescaling residuals: largest deviation {check.deviation:.3f} (0 is perfect)",
        ]
    )
    selection = {"fdr": fdr, "kept": sum(row["kept"] for row in rows), "deviation": check.deviation}
    return {**tests.fit.to_dict(), "selection": selection, "edges": rows}, rows, words


def _rows(tests: EdgeTests, fdr: float) -> Rows:
    estimates = {(e.sender, e.receiver): e for e in tests.fit.edges()}
    pairs = [(j, i) for j, i, _ in tests.fit.network.edges()]
    rows = [
        {
            "sender": j,
            "receiver": i,
            "rate": estimates[j, i].rate,
            "standard_error": _finite(estimates[j, i].standard_error),
            "lower": _finite(estimates[j, i].lower),
            "upper": _finite(estimates[j, i].upper),
            "p_value": float(p),
            "adjusted_p": float(q),
            "kept": bool(q <= fdr),
        }
        for (j, i), p, q in zip(pairs, tests.p_values, tests.adjusted, strict=True)
    ]
    return sorted(rows, key=lambda row: (not row["kept"], -row["rate"]))


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _refuse_unused(context: typer.Context, model: str) -> None:
    """Refuse an option that the model would ignore."""
    for name, models in USED_BY.items():
        source = context.get_parameter_source(name)
        if model not in models and source is not None and source.name == "COMMANDLINE":
            raise ArgumentError(
                f"--{name}: {model} does not use it; drop it, or give --model {' or '.join(models)}"
            )


def _fit_other(
    model: str,
    data: Cascades,
    law: Law,
    known: Network | None,
    clock: dict[str, Any],
    sizes: tuple[int, float, str, int],
    background: bool,
    quiet: bool,
) -> Fit:
    edges, nuclear, rank, layers = sizes
    rng = np.random.default_rng(0)
    if model == "netinf":
        if edges < 1:
            raise ArgumentError("--edges: NetInf returns as many edges as asked for; give --edges N")
        return NetInf(edges, law).fit(data, quiet=quiet)
    if model == "connie":
        return ConNIe(law).fit(data, quiet=quiet)
    if model == "mmrate":
        return MMRate(layers, law, background=background, **clock).fit(data, rng=rng, quiet=quiet)
    if model == "superposition":
        return Superposition(known, law, nuclear=nuclear, **clock).fit(data, quiet=quiet)
    if known is None:
        raise ArgumentError("--support: the double mixture needs the known network; give an edge table")
    factors: Any = int(rank) if rank.isdecimal() else rank
    mixture = DoubleMixture(known, law, rank=factors, background=background and rank == "full", **clock)
    return mixture.fit(data, rng=rng, quiet=quiet)


def _edges_of(found: Fit) -> Rows:
    """Return one row per edge, with the part or layer it belongs to, or what its weight means."""
    return [
        {"sender": j, "receiver": i, "weight": weight, "meaning": part}
        for part, network in parts(found).items()
        for j, i, weight in network.edges()
    ]


def _refuse_unwritable(out: Path | None) -> None:
    """Ask before the work whether a folder can stand there."""
    if out is None:
        return
    standing = next(p for p in (out, *out.absolute().parents) if p.exists())
    if not standing.is_dir():
        raise ArgumentError(f"--out: {standing} is a file; name a folder")
    if not os.access(standing, os.W_OK):
        raise ArgumentError(f"--out: the folder {standing} cannot be written to; name another one")


def _write(out: Path | None, document: dict[str, Any], rows: Rows, words: str) -> None:
    if out is None:
        return
    table = io.StringIO(newline="")
    writer = csv.DictWriter(table, fieldnames=list(rows[0]) if rows else ["sender", "receiver"])
    writer.writeheader()
    writer.writerows(rows)
    texts = {"fit.json": json.dumps(document), "summary.txt": words + "\n", "edges.csv": table.getvalue()}
    out.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_whole(out / name, text)
