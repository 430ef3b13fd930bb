"""Network inference from cascades: certikit beside other tools, on cascades simulated here.

    python benchmarks/cascade_peers.py            # all sizes, a few minutes
    python benchmarks/cascade_peers.py --quick    # the smallest size
    python benchmarks/cascade_peers.py --peers ~/peers      # tick too, in an environment made there

Each tool runs in a process of its own; printed are its CPU seconds (compilation cached by a first small fit),
its peak memory, and F1 of its m strongest edges and of the set it returns, m the number of true edges. A tool
that is not installed prints a row that says so. For orientation, CPU seconds of SNAP's netinf (C++) measured
elsewhere, on another machine and other cascades: N = 256, C = 5,000: 2.3; N = 1024, C = 5,000: 100;
N = 1024, C = 20,000: 43. Nothing here is a test.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import cascades as cs

SIZES = [(64, 1000, 3.0), (256, 5000, 3.0), (1024, 5000, 3.0), (1024, 20000, 3.0), (1000, 100000, 1.9)]
TOOLS = ["NetRate", "NetRate + edge tests", "NetInf", "cvxpy NetRate", "tick ADM4", "R NetworkInference"]
TICK = ["tick==0.8.0.2", "numpydoc", "six"]  # tick imports the last two without asking for them
LARGEST = {"cvxpy NetRate": 64, "tick ADM4": 64, "R NetworkInference": 256, "NetRate + edge tests": 256}


def instance(n: int, n_cascades: int, horizon: float) -> tuple[cs.Network, cs.Cascades]:
    """The same cascades in every process."""
    rng = np.random.default_rng(n + n_cascades)
    truth = cs.designs.random_network(n, 2.0, rng=rng)
    return truth, cs.simulate(truth, n_cascades=n_cascades, horizon=horizon, rng=rng)


def netrate(data: cs.Cascades, _: int) -> cs.Network:
    """Rates by coordinate descent, standard errors included."""
    return cs.NetRate().fit(data, quiet=True).network


def edge_tests(data: cs.Cascades, _: int) -> cs.Network:
    """Rates and the set kept at a false-discovery rate of 5 %."""
    return cs.edge_tests(cs.NetRate(background=True), data, quiet=True).select()


def netinf(data: cs.Cascades, n_edges: int) -> cs.Network:
    """Greedy choice of as many edges as are true."""
    return cs.NetInf(n_edges=n_edges).fit(data, quiet=True).network


def cvxpy_netrate(data: cs.Cascades, _: int) -> cs.Network:
    """The same likelihood through cvxpy and Clarabel, receiver by receiver."""
    import cvxpy as cp
    from scipy.sparse import csc_array

    from cascades.exposures import exposure_of, timeline

    line = timeline(data, cs.Exponential())
    rates = np.zeros((data.n_nodes, data.n_nodes))
    for i in range(data.n_nodes):
        x = exposure_of(line, i)
        if not x.n_events:
            continue
        table = csc_array((x.weights, x.events, x.pointers), shape=(x.n_events, len(x.senders)))
        a = cp.Variable(len(x.senders), nonneg=True)
        cp.Problem(cp.Minimize(x.exposures @ a - cp.sum(cp.log(table @ a)))).solve(solver=cp.CLARABEL)
        rates[x.senders, i] = np.maximum(a.value, 0.0) / line.scale
    return cs.Network.from_matrix(rates * (rates > 1e-6), nodes=data.nodes)


def tick_adm4(data: cs.Cascades, _: int) -> cs.Network:
    """Sparse low-rank Hawkes kernels (tick), decay fixed to 1."""
    from tick.hawkes import HawkesADM4

    events = []
    for _, times in data:
        paths = [np.array([times[k]]) if k in times else np.array([]) for k in data.nodes]
        events.append(paths)
    learner = HawkesADM4(1.0, n_threads=1)
    learner.fit(events)
    found = np.maximum(learner.adjacency.T, 0.0)
    np.fill_diagonal(found, 0.0)
    return cs.Network.from_matrix(found, nodes=data.nodes)


def r_network_inference(data: cs.Cascades, n_edges: int) -> cs.Network:
    """R's NetworkInference::netinf with as many edges as are true."""
    with tempfile.TemporaryDirectory() as folder:
        table, found = Path(folder, "t.csv"), Path(folder, "e.csv")
        rows = [f"{name},{node},{t}" for name, times in data for node, t in times.items()]
        table.write_text("c,n,t\n" + "\n".join(rows))
        script = (
            f"library(NetworkInference); d <- read.csv('{table}'); "
            "k <- as_cascade_long(d, cascade_node_name='n', event_time='t', cascade_id='c'); "
            f"e <- netinf(k, trans_mod='exponential', n_edges={n_edges}, params=1, quiet=TRUE); "
            f"write.csv(e[, 1:2], '{found}', row.names=FALSE)"
        )
        subprocess.run(["Rscript", "-e", script], check=True, capture_output=True)
        lines = found.read_text().replace('"', "").splitlines()[1:]
    fields = [line.split(",") for line in lines]
    pairs = [(int(f[0]), int(f[1])) for f in fields]
    return cs.Network.from_edges(pairs, nodes=data.nodes)


RUN = {
    "NetRate": netrate,
    "NetRate + edge tests": edge_tests,
    "NetInf": netinf,
    "cvxpy NetRate": cvxpy_netrate,
    "tick ADM4": tick_adm4,
    "R NetworkInference": r_network_inference,
}


def worker(tool: str, n: int, n_cascades: int, horizon: float) -> None:
    """Run one tool on one instance and print what it cost as JSON."""
    truth, data = instance(n, n_cascades, horizon)
    if tool in ("NetRate", "NetRate + edge tests", "NetInf"):
        RUN[tool](data.select(range(20)), truth.n_edges)  # compile, or load the compiled kernels
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.process_time()
    net = RUN[tool](data, truth.n_edges)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = time.process_time() - began + after.ru_utime - children.ru_utime
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    scores = {"f1_at_m": cs.metrics.f1_at(net, truth), "f1": cs.metrics.f1(net, truth)}
    facts = {"seconds": seconds, "peak_mb": peak / 1024, "more_mb": (peak - before) / 1024}
    print(json.dumps({**scores, **facts, "mean_size": float(data.sizes.mean())}))


def environment(folder: Path) -> Path:
    """Make an environment with tick and this package in the folder, once, and return its Python."""
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        print(f"making an environment for tick in {folder}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, *TICK, str(Path(__file__).resolve().parent.parent)], check=True)
        (folder / "ready").touch()
    return python


def why_not(tool: str, n: int, peers: Path | None) -> str:
    """Return why a tool is left out, or nothing."""
    if n > LARGEST.get(tool, n):
        return f"left out above {LARGEST[tool]} nodes: too slow"
    if tool == "R NetworkInference" and shutil.which("Rscript") is None:
        return "Rscript is not installed"
    if tool == "tick ADM4" and peers is None:
        return "not run: name a folder for its environment with --peers"
    return ""


def run(tool: str, size: tuple[int, int, float], python: str) -> str:
    """Run one tool in a process of its own and return its row."""
    command = [python, __file__, "--worker", tool, *map(str, size)]
    quiet = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=quiet)
    if done.returncode:
        return f"failed: {done.stderr.strip().splitlines()[-1]}"
    r = json.loads(done.stdout)
    scores = f"{r['f1_at_m']:>8.3f} {r['f1']:>6.3f}  {r['mean_size']:.1f}"
    return f"{r['seconds']:>8.2f} {r['peak_mb']:>8.0f} {scores}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the smallest size only")
    parser.add_argument("--peers", type=Path, metavar="FOLDER", help="where to make tick's environment")
    parser.add_argument("--worker", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        tool, n, n_cascades, horizon = arguments.worker
        worker(tool, int(n), int(n_cascades), float(horizon))
        return
    peers = environment(arguments.peers.expanduser().resolve()) if arguments.peers else None
    print(f"{'N':>5} {'C':>7} {'tool':<22} {'CPU s':>8} {'peak MB':>8} {'F1 at m':>8} {'F1':>6}  size")
    for size in SIZES[: 1 if arguments.quick else None]:
        for tool in TOOLS:
            python = str(peers) if tool == "tick ADM4" else sys.executable
            row = why_not(tool, size[0], peers) or run(tool, size, python)
            print(f"{size[0]:>5} {size[1]:>7} {tool:<22} {row}", flush=True)


if __name__ == "__main__":
    main()
