"""How often do intervals hold what they promise? Counts, with the Monte-Carlo error beside them.

    python benchmarks/privacy_coverage.py                     10,000 surveys per row
    python benchmarks/privacy_coverage.py 500 --sizes 200 2000 --state small.json

A survey: n users with values from a gamma distribution (mean 33, clipped at 120) and budgets of three levels,
drawn anew each time. Asked at 95 %: do the limits of the sum hold the sum of these users' clamped values, do
the limits of the population mean hold the mean of the clipped distribution, do those of the full sum hold the
full sum for values of the declared range [0, 120]? Reports come from the real mechanisms on a seeded
generator. Surveys are run in blocks, all rows in turn, and counts are kept in the state file after every
block; a stopped run goes on there, and the table shows how many surveys it rests on.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import Counter
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
FULL: list[ps.Protocol] = [ps.GuaranteedSum(0, UPPER), ps.OneHotRadius(1e4, non_negative=True)]
SIZES = (200, 2_000, 20_000)
BLOCK = 250


def people(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Values and budgets, from another stream than the noise of the same seed."""
    rng = np.random.default_rng([seed, 1])
    return np.minimum(rng.gamma(3.0, 11.0, n), UPPER), rng.choice([0.5, 1.0, 2.0], n)


def noise_and_sampling(mechanism: GridMechanism, n: int, seed: int) -> dict[str, bool]:
    """Run one survey and say of the clipped sum and of the population mean whether their limits hold them."""
    values, levels = people(n, seed)
    budgets = ps.Budgets.pure(levels) if "pure" in mechanism.kinds else ps.Budgets.zcdp(levels)
    round_ = ps.Round.of("coverage", mechanism, budgets)
    reports = ps.randomise(round_, values, budgets, rng=ps.simulation_rng(seed))
    state = ps.aggregate(round_, reports, allow_simulated=True)
    low, high = ps.unbiased_sum(state).interval(0.95)
    found = {"clipped sum": low <= values.sum() <= high}
    for weights in ("inverse-variance", "stratified"):
        mean = ps.population_mean(state, weights=weights)  # type: ignore[arg-type]
        # refused by chance once in a thousand surveys: counted as a miss
        limits = (math.inf, -math.inf) if mean.differs else mean.interval(0.95)
        found[f"population mean, {weights}"] = limits[0] <= TRUTH <= limits[1]
    return found


def full_sum(protocol: ps.Protocol, n: int, seed: int) -> dict[str, bool]:
    """Run one survey and say whether the limits of the full sum hold it."""
    values, levels = people(n, seed)
    budgets = ps.Budgets.zcdp(levels**6 / 64)  # from 0.0002 to 1: some are clipped hard
    found = ps.estimate_sum(values, budgets, protocol=protocol, rng=ps.simulation_rng(seed))
    low, high = found.interval(0.95, target="full", value_range=(0, UPPER))
    return {"full sum, range declared": bool(low <= values.sum() <= high)}


def cells(sizes: list[int]) -> dict[str, Callable[[int], dict[str, bool]]]:
    """Every row's survey, by name."""
    found: dict[str, Callable[[int], dict[str, bool]]] = {}
    for n in sizes:
        for mechanism in MECHANISMS:
            found[f"{mechanism.name:<15} {n:>6}"] = lambda seed, m=mechanism, n=n: noise_and_sampling(
                m, n, seed
            )
        for protocol in FULL:
            found[f"{protocol.name:<15} {n:>6}"] = lambda seed, p=protocol, n=n: full_sum(p, n, seed)
    return found


def run(runs: int, sizes: list[int], state: Path) -> dict[str, dict[str, int]]:
    """Run all rows in turn, block by block, up to `runs` surveys each; keep the counts in `state`."""
    done: dict[str, dict[str, int]] = json.loads(state.read_text()) if state.exists() else {}
    state.parent.mkdir(parents=True, exist_ok=True)
    for end in range(BLOCK, runs + BLOCK, BLOCK):
        for name, survey in cells(sizes).items():
            counts = Counter(done.get(name, {"surveys": 0}))
            for seed in range(counts["surveys"], min(end, runs)):
                counts.update(survey(seed), surveys=1)
            done[name] = {key: int(value) for key, value in counts.items()}
            part = state.with_name(state.name + ".part")
            part.write_text(json.dumps(done, indent=1))
            part.replace(state)
    return done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("runs", nargs="?", type=int, default=10_000)
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES))
    parser.add_argument("--state", type=Path, default=Path(".benchmarks/privacy-coverage.json"))
    options = parser.parse_args()
    start = time.process_time()
    done = run(options.runs, options.sizes, options.state)
    print(f"{'':<15} {'n':>6}  {'target at 0.95':<34} held    +- Monte-Carlo error, surveys")
    for name, counts in done.items():
        for target in (key for key in counts if key != "surveys"):
            share = counts[target] / counts["surveys"]
            error = math.sqrt(share * (1 - share) / counts["surveys"])
            print(f"{name}  {target:<34} {share:.4f} +- {error:.4f}  {counts['surveys']}")
    print(f"{time.process_time() - start:.0f} s of processor time in this run")


if __name__ == "__main__":
    main()
