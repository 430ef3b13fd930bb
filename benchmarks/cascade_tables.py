"""Table 1 of Huang, Yuan and Adeel (2025) with our double mixture, printed figures beside ours.

    python benchmarks/cascade_tables.py results.jsonl --seeds 10      # resumable; a minute a row
    python benchmarks/cascade_tables.py results.jsonl --show          # only print what is there

Each finished run is a line of the file, so the study can be stopped and started again. N = 200, C = 2,000,
T = 10, exponential; the paper prints means over its own draws. pi is uniform on .3 to .7 here.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Literal

import numpy as np

import cascades as cs

Kind = Literal["random", "community", "scale-free"]
KINDS: tuple[Kind, ...] = ("random", "community", "scale-free")
COLUMNS = ("theta", "psi", "pi", "f1", "precision", "recall", "union_f1", "union_precision", "union_recall")
PRINTED = {
    "random": (0.315, 0.544, 0.047, 0.842, 0.757, 0.948, 0.889, 0.829, 0.958),
    "community": (0.264, 0.507, 0.049, 0.846, 0.767, 0.942, 0.888, 0.832, 0.954),
    "scale-free": (0.312, 0.545, 0.050, 0.833, 0.750, 0.937, 0.883, 0.826, 0.949),
}


def run(kind: Kind, seed: int) -> dict[str, float]:
    """Simulate, fit and score one row."""
    rng = np.random.default_rng(seed)
    design = cs.designs.b1(kind, rng=rng)
    data = cs.simulate(design.theta, design.psi, design.pi, n_cascades=2000, horizon=10.0, rng=rng)
    began = time.process_time()
    fit = cs.DoubleMixture(design.support).fit(data, rng=rng)
    seconds = time.process_time() - began
    found = cs.Network.from_matrix(fit.theta.matrix + fit.psi.matrix, nodes=data.nodes)
    union = cs.Network.from_matrix(design.theta.matrix + design.psi.matrix, nodes=data.nodes)
    scores = (
        cs.metrics.mean_relative_error(fit.theta, design.theta),
        cs.metrics.mean_relative_error(fit.psi, design.psi),
        float(np.mean(np.abs(fit.pi - design.pi) / design.pi)),
        *(f(fit.psi, design.psi) for f in (cs.metrics.f1, cs.metrics.precision, cs.metrics.recall)),
        *(f(found, union) for f in (cs.metrics.f1, cs.metrics.precision, cs.metrics.recall)),
    )
    return {**dict(zip(COLUMNS, scores, strict=True)), "seconds": seconds}


def show(rows: list[dict[str, object]]) -> None:
    """Print means with standard errors below the printed figures."""
    print(f"{'network A':<22}" + "".join(f"{c:>17}" for c in (*COLUMNS, "seconds")))
    for kind in KINDS:
        print(f"{kind + ' (paper)':<22}" + "".join(f"{x:>17.3f}" for x in PRINTED[kind]))
        mine = [row for row in rows if row["kind"] == kind]
        cells = []
        for column in (*COLUMNS, "seconds"):
            values = np.array([row[column] for row in mine], dtype=float)
            error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
            cells.append(f"{values.mean():.3f} ({error:.3f})" if len(values) else "-")
        print(f"{f'{kind} (ours, {len(mine)})':<22}" + "".join(f"{c:>17}" for c in cells))


def main() -> None:
    """Run what is missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    lines = arguments.results.read_text().splitlines() if arguments.results.exists() else []
    rows = [json.loads(line) for line in lines]
    done = {(row["kind"], row["seed"]) for row in rows}
    for seed in range(0 if arguments.show else arguments.seeds):
        for kind in KINDS:
            if (kind, seed) in done:
                continue
            rows.append({"kind": kind, "seed": seed, **run(kind, seed)})
            with arguments.results.open("a") as file:
                file.write(json.dumps(rows[-1]) + "\n")
    show(rows)


if __name__ == "__main__":
    main()
