"""Protocols against each other and against non-private oracles: a table of relative errors.

    python benchmarks/privacy_protocols.py [--runs 20] [--out privacy_protocols.json] [--only 32]
        [--protocol histogram-radius] [--rounds 3]

20,000 users; d = 1, 32, 128; four kinds of values; five shapes of budgets. A cell is the root mean square
over runs of ``|estimate - truth| / |truth|``. Values are not negative and every protocol knows it; the bound,
1e6, is loose. Cells that the output file already holds are not run again. `--show` prints the file as a
Markdown table. `--rounds` makes `HullDiameter` look for a centre where public facts say that none pays.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from relative_errors import Table, few_levels, rms

import privacy_stats as ps

N_USERS, BOUND = 20_000, 1e6
DIMENSIONS = (1, 32, 128)
PAPER = ("sun-radius", "sun-diameter")
OURS = ("one-hot-radius", "histogram-radius", "hull-diameter")
ORACLE = "oracle-drop-conservative"
CLEARLY = 0.99
"""Clearly better: an error at least 1 % smaller. Estimates near 0 all have errors near 1."""


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


def protocols(d: int, rounds: int) -> list[Any]:
    histogram = ps.HistogramRadius(BOUND, d, True)
    return [
        ps.SunRadius(BOUND, d, True),
        ps.SunDiameter(BOUND, d),
        ps.OneHotRadius(BOUND, d, True),
        histogram,
        ps.HullDiameter(histogram, rounds),
        ps.OptimalUniformClip(BOUND, d, True),
        ps.DropConservative(BOUND, d, True),
    ]


def fill(table: Table, runs: int, only: set[int], named: list[str], rounds: int) -> None:
    """Run all cells, or those of the dimensions in `only`, and the protocols `named`, or all."""
    often = {"all": runs, "sun-diameter": min(runs, 2)}  # a million counts per run
    for d in DIMENSIONS:
        if only and d not in only:
            continue
        for shape, rho in budget_shapes(np.random.default_rng(1)).items():
            budgets = few_levels(rho)
            for kind, draw in value_kinds(np.random.default_rng(2), d, rho).items():
                drawn = draw()
                values = drawn[:, 0] if d == 1 else drawn
                chosen = [p for p in protocols(d, rounds) if not named or p.name in named]
                table.fill(f"{d}|{shape}|{kind}", chosen, (values, budgets), often)


def show(table: dict[str, Any]) -> str:
    """The table in Markdown, and how often the aims are met."""
    rows, named, better, clearly, near, total = [], [], 0, 0, 0, 0
    for cell in dict.fromkeys(key.rsplit("|", 1)[0] for key in table):
        found = {name: rms(e) for key, e in table.items() for c, name in [key.rsplit("|", 1)] if c == cell}
        if not {*PAPER, *OURS, ORACLE} <= set(found):
            continue  # not finished
        paper = min(found[name] for name in PAPER)
        best = min(found[name] for name in OURS)
        total += 1
        wins, close = best < CLEARLY * paper, best <= 3 * found[ORACLE]
        better += best < paper
        clearly += wins
        near += close
        if not (wins and close):
            why = [] if wins else ["not clearly better than the paper's"]
            why += [] if close else ["beyond 3x of the oracle"]
            numbers = f"ours {best:.3g}, paper {paper:.3g}, oracle {found[ORACLE]:.3g}"
            named.append(f"* {cell.replace('|', ', ')}: {' and '.join(why)}: {numbers}")
        order = (*PAPER, *OURS, "oracle-uniform-clip", ORACLE)
        numbers = " | ".join(f"{found[name]:.3g}" if name in found else "-" for name in order)
        rows.append(f"| {cell.replace('|', ' | ')} | {numbers} |")
    header = (
        "| d | budgets | values | SunRadius | SunDiameter | OneHotRadius | HistogramRadius | HullDiameter | "
    )
    header += "uniform clip (oracle) | drop-conservative (oracle) |"
    verdict = (
        f"Best of ours better than the paper's in {better} of {total} cells, by 1 % or more in {clearly}; "
    )
    verdict += f"within 3x of the drop-conservative oracle in {near} of {total}."
    return "\n".join([header, "|" + "---|" * 10, *rows, "", verdict, "", *named])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--out", type=Path, default=Path("privacy_protocols.json"))
    parser.add_argument("--only", type=int, action="append", default=[], help="only this dimension")
    parser.add_argument("--protocol", action="append", default=[], help="only protocols of this name")
    parser.add_argument("--rounds", type=int, default=0, help="of hull-diameter, 0 as public facts say")
    parser.add_argument("--show", action="store_true", help="print what the file holds and stop")
    options = parser.parse_args()
    table = Table(options.out)
    if not options.show:
        fill(table, options.runs, set(options.only), options.protocol, options.rounds)
    print(show(table.errors))


if __name__ == "__main__":
    main()
