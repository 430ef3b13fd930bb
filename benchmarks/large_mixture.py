"""A whole fit of the double mixture at the largest sizes of Huang, Yuan and Adeel (2025), Table 3.

    python benchmarks/large_mixture.py 500 1000 2000 4000            # two threads; half an hour, 5 GB of disk
    python benchmarks/large_mixture.py 4000 --cascades 5000 --threads 1

For each number of nodes the cascades of design B.3 are simulated by one process and fitted by another, so
that the peak memory is that of the table and of the fit. Printed: seconds of one pass over all cascades at
the fit's end (wall with one thread and with all, in turn), of the whole fit (wall and CPU), peak memory,
errors, and f1 of psi.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from study_cascades import LARGE, simulated, truth_of

import cascades as cs
from cascades.exposures import timeline
from cascades.mixture.search import Plan, Search
from cascades.mixture.state import Edges
from cascades.tables.table import sealed

ARRAYS = {"starts": "i8", "members": "i8", "times": "f8", "horizons": "f8"}
TIMES = 3
METRICS = {"theta": cs.metrics.mean_relative_error, "psi": cs.metrics.mean_relative_error}


def simulate_into(folder: Path, n: str, count: int, seed: int) -> None:
    """Write the design and the arrays of its cascades."""
    design, law, data, _ = simulated(f"table3/{n}", np.random.default_rng(seed), count)
    for name in ARRAYS:
        getattr(data, name).tofile(folder / name)
    truth_of(design, law).save(folder / "truth.json")


def fit_from(folder: Path, threads: int, seed: int) -> dict[str, object]:
    """Fit the cascades in `folder`; return seconds, memory and errors."""
    truth = cs.load_fit(folder / "truth.json")
    assert isinstance(truth, cs.MixtureFit)
    arrays = [sealed(np.fromfile(folder / name, kind)) for name, kind in ARRAYS.items()]
    data = cs.Cascades(truth.theta.nodes, tuple(range(len(arrays[3]))), *arrays)
    del arrays
    model = cs.DoubleMixture(truth.support)
    with ThreadPoolExecutor(threads) as executor:
        cpu, wall = time.process_time(), time.monotonic()
        fit = model.fit(data, rng=np.random.default_rng(seed), executor=executor, quiet=True)
        found: dict[str, object] = {"nodes": data.n_nodes, "cascades": len(data), "events": data.n_events}
        found |= {
            "fit_wall": round(time.monotonic() - wall, 1),
            "fit_cpu": round(time.process_time() - cpu, 1),
        }
        found["mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        found |= passes(data, fit, executor)
    for name, error in METRICS.items():
        found[name] = error(fit.network(name), truth.network(name))
    found["pi"] = float(np.mean(np.abs(fit.pi - truth.pi) / truth.pi))
    found |= {"f1": cs.metrics.f1(fit.psi, truth.psi), "rank": fit.rank, "steps": fit.steps}
    return {name: round(x, 4) if isinstance(x, float) else x for name, x in found.items()}


def passes(data: cs.Cascades, fit: cs.MixtureFit, executor: ThreadPoolExecutor) -> dict[str, float]:
    """Return the median wall seconds of one pass over all cascades, by one thread and by all."""
    line = timeline(data, fit.law)
    inner, every = fit.inner(fit.support, line.scale), np.arange(len(data))
    seconds: dict[str, list[float]] = {"pass_one": [], "pass_all": []}
    for _ in range(TIMES):
        for name, runs_on in (("pass_one", None), ("pass_all", executor)):
            search = Search(line, Edges.of(fit.support), Plan(), runs_on, lambda _: None)
            began = time.monotonic()
            search.expectation(inner, every)
            seconds[name].append(time.monotonic() - began)
    return {name: float(np.median(values)) for name, values in seconds.items()}


def main() -> None:
    """Run each size in processes of its own, or one step of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("nodes", nargs="+", choices=["500", "1000", "2000", "4000"])
    parser.add_argument("--cascades", type=int, default=LARGE)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--step", choices=["simulate", "fit"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.step == "simulate":
        simulate_into(chosen.folder, chosen.nodes[0], chosen.cascades, chosen.seed)
    elif chosen.step == "fit":
        print(json.dumps(fit_from(chosen.folder, chosen.threads, chosen.seed)), flush=True)
    else:
        for n in chosen.nodes:
            with tempfile.TemporaryDirectory() as folder:
                for step in ("simulate", "fit"):
                    words = [sys.executable, __file__, n, "--step", step, "--folder", folder]
                    words += [f"--{x}={getattr(chosen, x)}" for x in ("cascades", "threads", "seed")]
                    subprocess.run(words, check=True)


if __name__ == "__main__":
    main()
