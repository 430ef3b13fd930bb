"""How often do intervals hold what they promise? Counts, with the Monte-Carlo error beside them.

    python benchmarks/privacy_coverage.py                     10,000 surveys per row
    python benchmarks/privacy_coverage.py 500 --state small.json

A survey: n users with values from a gamma distribution (mean 33, clipped at 120) and budgets of three levels,
drawn anew each time. Asked at 95 %: do the limits of the sum hold the sum of these users' clamped values, do
the limits of the population mean hold the mean of the clipped distribution? Reports come from the real
mechanisms on a seeded generator. Finished rows are kept in the state file; a stopped run goes on there.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import stats

import privacy_stats as ps
from privacy_stats.mechanisms.on_grid import GridMechanism

UPPER = 120.0
POPULATION = stats.gamma(3.0, scale=11.0)
TRUTH = float(POPULATION.expect(lambda x: np.minimum(x, UPPER), lb=0, ub=np.inf))
MECHANISMS: list[GridMechanism] = [ps.OneBit(0, UPPER), ps.Hybrid(0, UPPER), ps.Gaussian(0, UPPER)]
SIZES = (200, 2_000, 20_000)
Targets = dict[str, bool]


def survey(mechanism: GridMechanism, n: int, seed: int) -> Targets:
    """Run one survey and say of each target whether its limits hold it."""
    people = np.random.default_rng([seed, 1])  # another stream than the noise
    values = np.minimum(POPULATION.rvs(n, random_state=people), UPPER)
    levels = people.choice([0.5, 1.0, 2.0], n)
    budgets = ps.Budgets.pure(levels) if "pure" in mechanism.kinds else ps.Budgets.zcdp(levels)
    round_ = ps.Round.of("coverage", mechanism, budgets)
    reports = ps.randomise(round_, values, budgets, rng=ps.simulation_rng(seed))
    state = ps.aggregate(round_, reports, allow_simulated=True)
    low, high = ps.unbiased_sum(state).interval(0.95)
    found = {"clipped sum": bool(low <= values.sum() <= high)}
    for weights in ("inverse-variance", "stratified"):
        mean = ps.population_mean(state, weights=weights)  # type: ignore[arg-type]
        holds = not mean.differs  # refused by chance once in a thousand: counted as a miss
        if holds:
            low, high = mean.interval(0.95)
            holds = low <= TRUTH <= high
        found[f"population mean, {weights}"] = bool(holds)
    return found


def count(run: Callable[[int], Targets], runs: int) -> dict[str, int]:
    """Run surveys of the seeds 0, 1, ... and count for each target how often it was held."""
    hits: dict[str, int] = {}
    for seed in range(runs):
        for name, holds in run(seed).items():
            hits[name] = hits.get(name, 0) + holds
    return hits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("runs", nargs="?", type=int, default=10_000)
    parser.add_argument("--state", type=Path, default=Path(".benchmarks/privacy-coverage.json"))
    options = parser.parse_args()
    options.state.parent.mkdir(parents=True, exist_ok=True)
    done = json.loads(options.state.read_text()) if options.state.exists() else {}
    print(f"{'mechanism':<12} {'n':>6}  {'target':<34} coverage +- Monte-Carlo error", flush=True)
    for n in SIZES:
        for mechanism in MECHANISMS:
            key, start = f"{mechanism.name} {n} {options.runs}", time.process_time()
            if key not in done:
                done[key] = count(lambda seed, m=mechanism, size=n: survey(m, size, seed), options.runs)
                done[key]["seconds"] = round(time.process_time() - start)
                part = options.state.with_name(options.state.name + ".part")
                part.write_text(json.dumps(done, indent=1))
                part.replace(options.state)
            for target, hits in done[key].items():
                if target != "seconds":
                    share = hits / options.runs
                    error = math.sqrt(share * (1 - share) / options.runs)
                    print(f"{mechanism.name:<12} {n:>6}  {target:<34} {share:.4f} +- {error:.4f}", flush=True)
    print(f"{options.runs} surveys per row, nominal coverage 0.95")


if __name__ == "__main__":
    main()
