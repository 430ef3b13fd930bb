"""Aggregate very many reports in chunks; prints reports per second and the peak memory.

    python benchmarks/privacy_scale.py [reports]      default 100,000,000

Reports are made on the fly, chunk by chunk, as a stream from many clients would arrive; that is not timed.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

import privacy_stats as ps

CHUNK = 1 << 20


def main() -> None:
    users = int(float(sys.argv[1])) if len(sys.argv) > 1 else 100_000_000
    levels = ps.Budgets.pure(np.linspace(0.5, 4, 8))
    round_ = ps.Round.of("scale", ps.Laplace(0, 1), levels, n_users=users)
    aggregator = ps.Aggregator(round_)
    header = ps.Header.of(round_, simulated=False)
    rng = np.random.default_rng(0)
    total, spent = 0, 0.0
    for first in range(0, users, CHUNK):
        count = min(CHUNK, users - first)
        stratum = rng.integers(0, 8, count, dtype=np.int32)
        report = rng.integers(-(1 << 20), 1 << 20, count, dtype=np.int32)
        reports = ps.Reports(header, np.arange(first, first + count), stratum, report)
        total += int(report.sum(dtype=np.int64))
        start = time.perf_counter()
        aggregator.add(reports)
        spent += time.perf_counter() - start
    state = aggregator.state()
    if sum(row[0] for row in state.sums) != total or state.n_reports != users:
        raise SystemExit("the state is wrong")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{users:,} reports in {spent:.1f} s of aggregation, peak memory {peak:.2f} GB, sums exact")


if __name__ == "__main__":
    main()
