"""A million users with vectors through `HistogramRadius`, every report drawn; prints seconds and peak memory.

    python benchmarks/privacy_million.py [users] [dimension]      default 1,000,000 and 128

Values are made chunk by chunk, as users hold them; making them is not timed. Noise comes from the operating
system.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator

import numpy as np

import privacy_stats as ps

CHUNK = 1 << 15


def chunks(users: int, d: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows of users and their values; the same in every round."""
    for first in range(0, users, CHUNK):
        who = np.arange(first, min(users, first + CHUNK))
        yield who, np.abs(np.random.default_rng(first).normal(0, 100, (who.size, d)))


def main() -> None:
    users = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000
    d = int(sys.argv[2]) if len(sys.argv) > 2 else 128
    levels = np.geomspace(1e-3, 2, 16)
    budgets = ps.Budgets.zcdp(levels[np.random.default_rng(1).integers(0, 16, users)])
    ledger = ps.Ledger(budgets)
    protocol = ps.HistogramRadius(1e6, d, True)
    announced, states, truth = protocol.first_round(users, budgets.levels), [], np.zeros(d)
    while True:
        aggregator, drawn, counted = ps.Aggregator(announced.round_), 0.0, 0.0
        for who, values in chunks(users, d):
            truth += values.sum(axis=0) * (not states)
            mine = ps.Budgets("zcdp", budgets.billionths[who])
            start = time.perf_counter()
            reports = ps.randomise(announced.round_, values, mine, users=who, ledger=ledger)
            middle = time.perf_counter()
            aggregator.add(reports)
            drawn, counted = drawn + middle - start, counted + time.perf_counter() - middle
        states.append(aggregator.state())
        print(f"round {len(states)}: clients {drawn:.1f} s, server {counted:.1f} s", flush=True)
        if announced.is_last:
            break
        announced = protocol.next_round(states)
    total = protocol.estimate(states)
    error = np.linalg.norm(total.value - truth) / np.linalg.norm(truth)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{users:,} users, d = {d}: relative error {100 * error:.2f} %, peak memory {peak:.2f} GB")


if __name__ == "__main__":
    main()
