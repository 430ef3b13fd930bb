"""The tables of Huang, Yuan and Adeel (2025) with our double mixture; printed figures beside ours.

    make study-cascades                                                     # everything; a day
    python benchmarks/study_cascades.py run results.jsonl --only 'table1/*' --seeds 3
    python benchmarks/study_cascades.py show results.jsonl > tables.md

A cell is table/key, as in tests/papers/huang2025.toml. Each finished (cell, seed) is one line of the results,
so the study can be stopped and started again. Beside each fit stands its floor: EM started at the truth, with
the true zeros known. Nothing is tuned on the truth.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import resource
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import cascades as cs
from cascades.designs import Design
from cascades.exposures import Timeline, timeline
from cascades.mixture.decays import power_law_decays
from cascades.mixture.layered import layered_expectation
from cascades.mixture.passes import expectation
from cascades.mixture.proximal import start_anywhere
from cascades.mixture.state import Edges, Parameters
from cascades.tables.types import Integers

ROOT = Path(__file__).resolve().parent.parent
PRINTED = tomllib.loads((ROOT / "tests" / "papers" / "huang2025.toml").read_text(encoding="utf-8"))
TABLES = ("table1", "table2", "table3", "table4", "table5", "table6")
HORIZON = 10.0
LARGE = 50000
Work = Callable[[Timeline, Integers], object]
TIMED = {"500": 10000, "1000": 4000, "2000": 1500, "4000": 500}  # cascades that a pass is timed on


def cells() -> list[str]:
    """Return the names of all cells, in the order of the paper."""
    return [f"{t}/{key}" for t in TABLES for key in PRINTED[t] if key != "columns"]


def setting(cell: str, rng: np.random.Generator) -> tuple[Design, cs.Law, int, bool]:
    """Return the design, the law, the number of cascades and whether A is known."""
    table, key = cell.split("/")
    if table == "table1":
        return cs.designs.b1(key, rng=rng), cs.Exponential(), 2000, True  # type: ignore[arg-type]
    if table in ("table3", "table4"):
        return cs.designs.b3(n_nodes=int(key), rng=rng), cs.Exponential(), LARGE, True
    name, _, count = key.rpartition("-")
    if table == "table5":
        return cs.designs.c1(float(name), rng=rng), cs.Exponential(), int(count), True
    law = {"exponential": cs.Exponential(), "rayleigh": cs.Rayleigh(), "power-law": cs.PowerLaw(1.0)}[name]
    if table == "table2":
        return cs.designs.b2(name, rng=rng), law, int(count), True  # type: ignore[arg-type]
    known = count == "known"
    return cs.designs.c3(rng=rng), law, 5000 if known else int(count), known


def model_for(cell: str, design: Design, law: cs.Law, known: bool) -> cs.DoubleMixture:
    """Return the model: defaults, except where the design says that the rank is high, entries weak."""
    support = design.support if known else None
    if cell.startswith("table5"):
        return cs.DoubleMixture(support, law, rank=40, threshold=2.0)
    if cell.startswith("table6"):
        return cs.DoubleMixture(support, law, rank=20 if known else 15)
    return cs.DoubleMixture(support, law)


def simulated(
    cell: str, rng: np.random.Generator, count: int = 0
) -> tuple[Design, cs.Law, cs.Cascades, bool]:
    """Draw the design and its cascades."""
    design, law, whole, known = setting(cell, rng)
    data = cs.simulate(
        design.theta,
        design.psi,
        design.pi,
        n_cascades=count or whole,
        horizon=HORIZON,
        rng=rng,
        transmission=law,
    )
    return design, law, data, known


def scores(fit: cs.MixtureFit, design: Design) -> dict[str, float]:
    """Return every column that some table prints."""
    found = cs.Network.from_matrix(fit.theta.matrix + fit.psi.matrix, nodes=fit.theta.nodes)
    union = cs.Network.from_matrix(design.theta.matrix + design.psi.matrix, nodes=fit.theta.nodes)
    m, values = cs.metrics, {"pi": float(np.mean(np.abs(fit.pi - design.pi) / design.pi))}
    for name, guess, truth in (("theta", fit.theta, design.theta), ("psi", fit.psi, design.psi)):
        values[name] = m.mean_relative_error(guess, truth)
        values[f"{name}_l1"] = m.relative_l1_error(guess, truth)
    values["theta_f1"] = m.f1(fit.theta, design.theta)
    for prefix, guess, truth in (("", fit.psi, design.psi), ("union_", found, union)):
        values[f"{prefix}f1"] = m.f1(guess, truth)
        values[f"{prefix}precision"] = m.precision(guess, truth)
        values[f"{prefix}recall"] = m.recall(guess, truth)
    return {name: round(value, 4) for name, value in values.items()}


def truth_of(design: Design, law: cs.Law) -> cs.MixtureFit:
    """Return the truth in the form of a fit, to start from."""
    return cs.MixtureFit(
        support=design.support,
        theta=design.theta,
        psi=design.psi,
        u=design.senders,
        v=design.receivers,
        pi=design.pi,
        touched=np.zeros(len(design.pi)),
        log_likelihood=0.0,
        n_unexplained=0,
        law=law,
    )


def run(cell: str, seed: int) -> dict[str, Any]:
    """Simulate, fit and score one cell; cells of table 3 are timed only."""
    rng = np.random.default_rng(seed)
    if cell.startswith("table3"):
        return {"cell": cell, "seed": seed, **timed(cell, rng)}
    design, law, data, known = simulated(cell, rng)
    model = model_for(cell, design, law, known)
    began = (time.process_time(), time.monotonic())
    fit = model.fit(data, rng=rng, quiet=True)
    line: dict[str, Any] = {"cell": cell, "seed": seed, "mean_size": round(float(data.sizes.mean()), 1)}
    line |= {"cpu": round(time.process_time() - began[0], 1), "wall": round(time.monotonic() - began[1], 1)}
    line |= {"mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, "rank": fit.rank}
    line |= scores(fit, design)
    line["value"] = round(fit.log_likelihood, 2)
    floor = cs.DoubleMixture(design.support, law).fit(data, rng=rng, start=truth_of(design, law), quiet=True)
    return line | {"floor": scores(floor, design), "floor_value": round(floor.log_likelihood, 2)}


def timed(cell: str, rng: np.random.Generator) -> dict[str, Any]:
    """Return CPU seconds of one pass over 50,000 cascades, from a part of them: a pass is linear in cascades.

    "em" is the pass of the published method (psi any pair), "fast" the factorised one from a dense start with
    eight factors, "sparse" the same once pruned to the true entries. "power_law" has the factorised passes
    over cascades of a power law, by pairs and by sums of exponentials.
    """
    design, law, data, _ = simulated(cell, rng, TIMED[cell.split("/")[1]])
    dense, pruned = _dense_and_pruned(design, data, law, rng)
    edges, layers = (
        Edges.of(design.support),
        start_anywhere(timeline(data, law), truth_of(design, law).layers()),
    )
    found: dict[str, Any] = _seconds(
        data,
        law,
        {
            "fast": lambda line, rows: expectation(line, edges, dense, rows),
            "sparse": lambda line, rows: expectation(line, edges, pruned, rows),
            "em": lambda line, rows: layered_expectation(line, layers, rows),
        },
    )
    found |= {"cascades": len(data), "mean_size": round(float(data.sizes.mean()), 1)}
    return found | {"power_law": timed_power_law(design, len(data), rng)}


def timed_power_law(design: Design, count: int, rng: np.random.Generator) -> dict[str, float]:
    """Return CPU seconds of a pass over 50,000 cascades of a power law, by pairs and by sums."""
    law = cs.PowerLaw(1.0)
    data = cs.simulate(
        design.theta, design.psi, design.pi, n_cascades=count, horizon=HORIZON, rng=rng, transmission=law
    )
    line, edges = timeline(data, law), Edges.of(design.support)
    decays = power_law_decays(line.law.parameter, float(line.horizons.max()))
    works: dict[str, Work] = {}
    for name, p in zip(("fast", "sparse"), _dense_and_pruned(design, data, law, rng), strict=True):
        works[f"{name}_pairs"] = lambda line, rows, p=p: expectation(line, edges, p, rows)
        works[f"{name}_sums"] = lambda line, rows, p=p: expectation(line, edges, p, rows, decays=decays)
    found = _seconds(data, law, works)
    return {**found, "terms": len(decays.hazard), "mean_size": round(float(data.sizes.mean()), 1)}


def _dense_and_pruned(
    design: Design, data: cs.Cascades, law: cs.Law, rng: np.random.Generator
) -> tuple[Parameters, Parameters]:
    pruned = truth_of(design, law).inner(design.support, timeline(data, law).scale)
    u, v = (rng.uniform(0.01, 0.02, (data.n_nodes, 8)) for _ in "uv")
    return pruned.changed(u=u, v=v), pruned


def _seconds(data: cs.Cascades, law: cs.Law, works: dict[str, Work]) -> dict[str, float]:
    """Return CPU seconds of each pass over all cascades, scaled to 50,000."""
    found, few = dict.fromkeys(works, 0.0), data.select(np.arange(10))
    for table in (few, data):  # the first round compiles
        line, rows = timeline(table, law), np.arange(len(table))
        for name, work in works.items():
            began = time.process_time()
            work(line, rows)
            found[name] = round((time.process_time() - began) * LARGE / len(table), 3)
    return found


def read(path: Path) -> list[dict[str, Any]]:
    """Return the finished lines."""
    return [json.loads(x) for x in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def study(path: Path, pattern: str, seeds: int) -> None:
    """Run what is missing, seed by seed."""
    done = {(line["cell"], line["seed"]) for line in read(path)}
    for seed in range(seeds):
        for cell in fnmatch.filter(cells(), pattern):
            if (cell, seed) not in done:
                line = run(cell, seed)
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")


def show(lines: list[dict[str, Any]]) -> str:
    """Return the tables as Markdown: printed, ours with standard errors, floor."""
    return "\n\n".join(_table(table, lines) for table in TABLES) + "\n"


def _table(table: str, lines: list[dict[str, Any]]) -> str:
    timing = table == "table3"
    columns = ["fast", "sparse", "em"] if timing else PRINTED[table]["columns"]
    rows = [f"## Table {table[-1]}", "", f"| cell | | {' | '.join(columns)} |"]
    rows.append("|---" * (len(columns) + 2) + "|")
    for key in PRINTED[table]:
        if key == "columns":
            continue
        mine = [line for line in lines if line["cell"] == f"{table}/{key}"]
        printed = [f"{x:.3f}" for x in PRINTED[table][key]]
        rows.append(_row(key, "printed", ["", "", printed[0]] if timing else printed))
        if mine:
            rows.append(_row("", f"ours, {len(mine)}", [_cell([line[c] for line in mine]) for c in columns]))
        floors = [line["floor"] for line in mine if "floor" in line]
        if floors:
            rows.append(_row("", "floor", [_cell([floor[c] for floor in floors]) for c in columns]))
    return "\n".join(rows)


def _row(*cells: str | list[str]) -> str:
    flat = [c for cell in cells for c in ([cell] if isinstance(cell, str) else cell)]
    return f"| {' | '.join(flat)} |"


def _cell(values: list[float]) -> str:
    if len(values) == 1:
        return f"{values[0]:.3f}"
    return f"{np.mean(values):.3f} ({np.std(values, ddof=1) / np.sqrt(len(values)):.3f})"


def main() -> None:
    """Run what is missing, or print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["run", "show"])
    parser.add_argument("results", type=Path)
    parser.add_argument("--only", default="*", help="pattern of cells, as in table2/rayleigh-*")
    parser.add_argument("--seeds", type=int, default=10)
    arguments = parser.parse_args()
    if arguments.what == "run":
        study(arguments.results, arguments.only, arguments.seeds)
    else:
        print(show(read(arguments.results)), end="")


if __name__ == "__main__":
    main()
