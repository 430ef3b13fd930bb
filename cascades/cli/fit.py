"""`cascades fit`: a table in, a network with uncertainty out."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer

from cascades.cli import reading as r
from cascades.diagnostics import residuals
from cascades.errors import ArgumentError
from cascades.models import ConNIe, DoubleMixture, NetInf, NetRate, Superposition
from cascades.selection import EdgeTests, edge_tests
from cascades.tables import Cascades
from cascades.transmission import Law

Model = Literal["netrate", "netinf", "connie", "superposition", "double-mixture"]


def fit(
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
    out: Annotated[Path | None, typer.Option(help="Folder for fit.json, edges.csv and summary.txt.")] = None,
    as_json: r.Json = False,
    quiet: r.Quiet = False,
) -> int:
    """Fit a network: cascades fit laws.csv --cascade law --node state --time year --horizon 2017"""
    data = r.read_table(table, cascade, node, time, horizon, window, unit, never)
    transmission = r.read_law(law)
    if model == "netrate":
        rates = NetRate(transmission, background=background, ties=ties, resolution=resolution)
        document, rows, words = _netrate(rates, data, fdr, quiet)
    else:
        document, rows, words = _other(model, data, transmission, edges, support, nuclear, quiet)
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


def _other(
    model: str, data: Cascades, law: Law, edges: int, support: Path | None, nuclear: float, quiet: bool
) -> tuple[dict[str, Any], Rows, str]:
    if model == "netinf" and edges < 1:
        raise ArgumentError("--edges: NetInf returns as many edges as asked for; give --edges N")
    known = r.read_edges(support, data.nodes) if support else None
    if model == "double-mixture" and known is None:
        raise ArgumentError("--support: the double mixture needs the known network; give an edge table")
    found: Any
    if model == "netinf":
        found = NetInf(edges, law).fit(data, quiet=quiet)
    elif model == "connie":
        found = ConNIe(law).fit(data, quiet=quiet)
    elif model == "double-mixture" and known is not None:
        found = DoubleMixture(known, law).fit(data, rng=np.random.default_rng(0), quiet=quiet)
    else:
        found = Superposition(known, law, nuclear=nuclear).fit(data, quiet=quiet)
    if model in ("superposition", "double-mixture"):
        parts = {"theta": found.theta, "psi": found.psi}
        rows = [_row(e, part) for part, net in parts.items() for e in net.edges()]
    else:
        rows = [_row(e, found.meaning) for e in found.network.edges()]
    return found.to_dict(), rows, f"{data.summary()}\n{found.summary()}"


def _row(edge: tuple[Any, Any, float], meaning: str) -> dict[str, Any]:
    return {"sender": edge[0], "receiver": edge[1], "weight": edge[2], "meaning": meaning}


def _write(out: Path | None, document: dict[str, Any], rows: Rows, words: str) -> None:
    if out is None:
        return
    out.mkdir(parents=True, exist_ok=True)
    (out / "fit.json").write_text(json.dumps(document), encoding="utf-8")
    (out / "summary.txt").write_text(words + "\n", encoding="utf-8")
    with open(out / "edges.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]) if rows else ["sender", "receiver"])
        writer.writeheader()
        writer.writerows(rows)
