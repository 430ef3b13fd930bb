"""Microseconds per user, every user with an own epsilon: this package beside others.

    python benchmarks/privacy_peers.py [users]        pip install opendp diffprivlib python-dp for their rows

Each row is timed in turn with numpy's Laplace noise, which is fast and not private (see the audit
example), in processor time, and the ratio is the median of the paired ratios, so that a busy machine
disturbs both sides alike. "Own epsilon" means one of 1,000 public levels, log-uniform from 0.1 to 4.
"Whole" rows time `randomise` from values to reports, levels and checks included; the other rows time the
draws alone, as numpy's row does. Peers that build one object per epsilon are timed on fewer users.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np
from rich.console import Console
from rich.table import Table

import privacy_stats as ps
from privacy_stats.mechanisms import Mechanism

REPEATS = 7
MECHANISMS: list[Mechanism] = [
    ps.OneBit(0, 1),
    ps.RandomisedResponse(5),
    ps.Piecewise(0, 1),
    ps.Hybrid(0, 1),
    ps.Laplace(0, 1),
    ps.Gaussian(0, 1),
]
Row = tuple[str, Callable[[int], object], int]


def rows(users: int) -> list[Row]:
    """Name, function that randomises n users, and how many users it is timed on."""
    rng = np.random.default_rng(0)
    values = rng.random(users)
    levels = np.exp(np.linspace(np.log(0.1), np.log(4.0), 1000))
    epsilon = rng.choice(levels, users)
    pure, zcdp = ps.Budgets.pure(epsilon), ps.Budgets.zcdp(epsilon**2 / 2)

    found: list[Row] = []
    for mechanism in MECHANISMS:
        budgets = pure if "pure" in mechanism.kinds else zcdp
        column = values if mechanism.name != "randomised-response" else (values * 5).astype(np.int64)
        found += ours(mechanism, column, budgets)
    for make in (opendp, diffprivlib, python_dp):
        try:
            found.append(make(values, epsilon))
        except ImportError as error:
            print(f"not installed: {error.name}", file=sys.stderr)
    return found


def ours(mechanism: Mechanism, column: np.ndarray, budgets: ps.Budgets) -> list[Row]:
    """The draws alone, and everything from values to reports."""
    round_ = ps.Round.of("timing", mechanism, budgets)
    level, system = round_.levels_of(budgets), ps.SystemRandomness()
    channels = [round_.channels(k) for k in range(len(round_.levels))]
    return [
        (mechanism.name, lambda _: mechanism.randomise(column, level, channels, system), column.size),
        (f"  {mechanism.name}, whole", lambda _: ps.randomise(round_, column, budgets), column.size),
    ]


def opendp(values: np.ndarray, epsilon: np.ndarray) -> Row:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)

    def run(n: int) -> object:
        return [
            dp.m.make_laplace(*space, scale=1 / e)(v) for v, e in zip(values[:n], epsilon[:n], strict=True)
        ]

    return "OpenDP 1-user loop", run, 1000


def diffprivlib(values: np.ndarray, epsilon: np.ndarray) -> Row:
    from diffprivlib.mechanisms import Laplace

    def run(n: int) -> object:
        pairs = zip(values[:n], epsilon[:n], strict=True)
        return [Laplace(epsilon=e, sensitivity=1.0).randomise(v) for v, e in pairs]

    return "diffprivlib loop", run, 2000


def python_dp(values: np.ndarray, epsilon: np.ndarray) -> Row:
    from pydp.algorithms.numerical_mechanisms import LaplaceMechanism

    def run(n: int) -> object:
        return [LaplaceMechanism(e, 1.0).add_noise(v) for v, e in zip(values[:n], epsilon[:n], strict=True)]

    return "python-dp loop", run, 2000


def seconds(run: Callable[[int], object], users: int) -> float:
    start = time.process_time()
    run(users)
    return (time.process_time() - start) / users


def main() -> None:
    users = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    noise, scales = np.random.default_rng(1), np.random.default_rng(2).uniform(0.25, 10.0, users)
    table = Table("randomiser", "us per user", "times numpy's unsafe Laplace", title=f"{users:,} users")
    for name, run, count in rows(users):
        run(min(count, 1000) if "loop" in name else count)  # compile and warm up
        pairs = []
        for _ in range(REPEATS):
            unsafe = seconds(lambda n: noise.laplace(0.0, scales[:n]), users)
            pairs.append((seconds(run, count), unsafe))
        mine = median(a for a, _ in pairs)
        table.add_row(name, f"{mine * 1e6:.3f}", f"{median(a / b for a, b in pairs):.2f}")
    table.add_row("numpy, unsafe", f"{median(b for _, b in pairs) * 1e6:.3f}", "1")
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
