"""Protocols against each other and against non-private oracles: a table of relative errors.

    python benchmarks/privacy_protocols.py [--runs 20] [--out privacy_protocols.json] [--only 32]

20,000 users; d = 1, 32, 128; four kinds of values; five shapes of budgets. A cell is the root mean square
over runs of ``|estimate - truth| / |truth|``. Values are not negative and every protocol knows it; the bound,
1e6, is loose. Cells that the output file already holds are not run again. `--show` prints the file as a
Markdown table.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import privacy_stats as ps

N_USERS, BOUND = 20_000, 1e6
DIMENSIONS = (1, 32, 128)
PAPER = ("sun-radius", "sun-diameter")
OURS = ("one-hot-radius", "histogram-radius", "hull-diameter")
ORACLE = "oracle-drop-conservative"


def budget_shapes(rng: np.random.Generator) -> dict[str, Any]:
    """Budgets rho of all users; more than 64 distinct values are rounded down to 64 levels."""
    n = N_USERS
    return {
        "uniform": rng.uniform(0.01, 1, n),
        "log-uniform": np.exp(rng.uniform(math.log(1e-3), math.log(2), n)),
        "two groups": np.where(rng.random(n) < 0.5, 0.01, 1.0),
        "zipf": 2.0 / np.sqrt(rng.permutation(n) + 1.0),
        "scarce": np.exp(rng.uniform(math.log(1e-4), math.log(1e-2), n)),
    }


def value_kinds(rng: np.random.Generator, d: int, rho: Any) -> dict[str, Callable[[], Any]]:
    """Values with no negative coordinates: near 0, far from 0, heavy-tailed, falling with the budget."""
    half = lambda: np.abs(rng.normal(0, 1, (N_USERS, d)))  # noqa: E731
    scale = (rho / np.median(rho)) ** -0.5
    return {
        "centred": lambda: 100 * half(),
        "shifted": lambda: 1e4 + 100 * rng.normal(0, 1, (N_USERS, d)),
        "heavy": lambda: np.exp(rng.normal(4, 1.5, (N_USERS, 1))) * half(),
        "correlated": lambda: 100 * scale[:, None] * half(),
    }


def protocols(d: int) -> list[Any]:
    histogram = ps.HistogramRadius(BOUND, d, True)
    return [
        ps.SunRadius(BOUND, d, True),
        ps.SunDiameter(BOUND, d),
        ps.OneHotRadius(BOUND, d, True),
        histogram,
        ps.HullDiameter(histogram),
        ps.OptimalUniformClip(BOUND, d, True),
        ps.DropConservative(BOUND, d, True),
    ]


def errors(protocol: Any, values: Any, budgets: ps.Budgets, runs: int) -> list[float]:
    """Relative errors of `runs` runs."""
    if protocol.name == "sun-diameter":
        runs = min(runs, 2)  # a million counts per run
    truth = values.sum(axis=0)
    if isinstance(protocol, ps.Oracle):  # its own error is known exactly
        once = ps.estimate_sum(values, budgets, protocol=protocol, rng=ps.simulation_rng(0))
        bias = float(np.linalg.norm(np.squeeze(once.details["clipped_sum"]) - truth))
        noise = float(np.linalg.norm(once.standard_error))
        return [math.hypot(bias, noise) / float(np.linalg.norm(truth))]
    found = ps.repeat_estimates(values, budgets, protocol=protocol, runs=runs)
    gaps = (found - truth).reshape(len(found), -1)
    return [float(e) for e in np.linalg.norm(gaps, axis=1) / np.linalg.norm(truth)]


def cells(runs: int, only: set[int], table: dict[str, Any], save: Callable[[], None]) -> None:
    for d in DIMENSIONS:
        if only and d not in only:
            continue
        for shape, rho in budget_shapes(np.random.default_rng(1)).items():
            budgets = ps.Budgets.zcdp(rho)
            if len(budgets.levels) > 64:
                budgets = budgets.rounded_down(np.geomspace(rho.min(), rho.max(), 64))
            for kind, draw in value_kinds(np.random.default_rng(2), d, rho).items():
                drawn = draw()
                values = drawn[:, 0] if d == 1 else drawn
                for protocol in protocols(d):
                    key = f"{d}|{shape}|{kind}|{protocol.name}"
                    if key in table:
                        continue
                    same = f"{d}|{shape}|{kind}|histogram-radius"
                    if (
                        isinstance(protocol, ps.HullDiameter)
                        and protocol.for_budgets(budgets) == protocol.inner
                    ):
                        table[key] = table[same]  # no centre is looked for
                        continue
                    start = time.perf_counter()
                    table[key] = errors(protocol, values, budgets, runs)
                    took = time.perf_counter() - start
                    print(f"{key}: {rms(table[key]):.4f} in {took:.1f} s", file=sys.stderr, flush=True)
                    save()


def rms(found: list[float]) -> float:
    return math.sqrt(sum(e * e for e in found) / len(found))


def show(table: dict[str, Any]) -> str:
    """The table in Markdown, and how often the aims are met."""
    rows, better, near, total, named = [], 0, 0, 0, []
    for cell in dict.fromkeys(key.rsplit("|", 1)[0] for key in table):
        found = {name: rms(e) for key, e in table.items() for c, name in [key.rsplit("|", 1)] if c == cell}
        if not {*PAPER, *OURS, ORACLE} <= set(found):
            continue  # not finished
        paper = min(found[name] for name in PAPER)
        best = min(found[name] for name in OURS)
        total += 1
        better += best < paper
        near += best <= 3 * found[ORACLE]
        if best >= paper or best > 3 * found[ORACLE]:
            named.append(f"{cell}: ours {best:.3g}, paper {paper:.3g}, oracle {found[ORACLE]:.3g}")
        order = (*PAPER, *OURS, "oracle-uniform-clip", ORACLE)
        numbers = " | ".join(f"{found[name]:.3g}" if name in found else "-" for name in order)
        rows.append(f"| {cell.replace('|', ' | ')} | {numbers} |")
    header = (
        "| d | budgets | values | SunRadius | SunDiameter | OneHotRadius | HistogramRadius | HullDiameter | "
    )
    header += "uniform clip (oracle) | drop-conservative (oracle) |"
    verdict = f"best of ours better than the paper's in {better} of {total} cells, "
    verdict += f"within 3x of the drop-conservative oracle in {near} of {total}"
    return "\n".join([header, "|" + "---|" * 10, *rows, "", verdict, *named])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--out", type=Path, default=Path("privacy_protocols.json"))
    parser.add_argument("--only", type=int, action="append", default=[], help="only this dimension")
    parser.add_argument("--show", action="store_true", help="print what the file holds and stop")
    options = parser.parse_args()
    table: dict[str, Any] = json.loads(options.out.read_text()) if options.out.exists() else {}

    def save() -> None:
        part = options.out.with_suffix(".part")
        part.write_text(json.dumps(table))
        part.replace(options.out)

    if not options.show:
        cells(options.runs, set(options.only), table, save)
    print(show(table))


if __name__ == "__main__":
    main()
