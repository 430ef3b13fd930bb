"""The same problems by other tools and by this package: CPU seconds, bounds, and who proves them.

    python benchmarks/compare_peers.py --quick            # small problems; downloads about 1 GB first
    python benchmarks/compare_peers.py                    # all; about an hour
    python benchmarks/compare_peers.py --peers cvxpy drake --folder ~/peers

Each tool gets an environment of its own (`python -m venv`, made once in the folder), and a script of
benchmarks/peers that poses the problem as a user of that tool would. Every problem is run A B C A B C ...;
the medians are printed. Seconds are CPU time of one thread from the data to the bound, imports left out; ours
include rounding, the exact proof and the verifier's check. What a tool says is a floating-point bound without
proof, except for `triples`, which proves. A run over the limit of CPU time ends its tool's larger problems of
the same family. Nothing here is a test.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from families import fourth_powers, matrix_of, quartic_game

from sosgames.certificates.games import ExactGame
from sosgames.certificates.polynomials import Polynomial

HERE = Path(__file__).resolve().parent
ROUNDS = 2


@dataclass(frozen=True)
class Peer:
    """A tool: what pip installs for it, its script, and whether it can pose problems on a box."""

    name: str
    packages: tuple[str, ...]
    script: str
    on_boxes: bool = True


PEERS = (
    Peer("sosgames", (), "with_sosgames.py"),
    Peer("cvxpy", ("cvxpy", "sympy", "clarabel"), "with_cvxpy.py"),
    Peer("picos", ("picos", "cvxopt"), "with_picos.py"),
    Peer("sumofsquares", ("SumOfSquares", "scipy", "setuptools"), "with_sumofsquares.py"),
    Peer("drake", ("drake",), "with_drake.py"),
    Peer("triples", ("triples",), "with_triples.py", on_boxes=False),
)


@dataclass(frozen=True)
class Task:
    """A problem for all tools; tasks of one family grow."""

    family: str
    label: str
    data: dict[str, Any]
    quick: bool


def tasks(seeds: int = 1) -> Iterator[Task]:
    """Random quartic games (players, half the level), and S(n) on the box and on all of space."""
    for n, half, quick in ((4, 1, True), (6, 1, True), (8, 1, False), (4, 2, False)):
        for seed in range(seeds):
            data = _data(quartic_game(n, seed), half, box=True)
            yield Task(f"quartic {half}", f"quartic ({n}, {half}) #{seed}", data, quick)
    for n, quick in ((4, True), (6, True), (8, False)):
        data = _data(fourth_powers(n), 1, box=True) | {"degenerate": True}
        yield Task("S box", f"S({n}) on the box", data, quick)
    for n, quick in ((4, True), (6, False), (8, False)):
        game = fourth_powers(n, box=False)
        yield Task("S", f"S({n}) for all x", _data(game, 1, box=False), quick)


def _data(game: ExactGame, half: int, *, box: bool) -> dict[str, Any]:
    names = game.variables
    entries = [[a, b, _terms(p, names)] for (a, b), p in matrix_of(game).entries.items()]
    return {"n": len(names), "half": half, "box": box, "entries": entries}


def _terms(polynomial: Polynomial, names: Sequence[str]) -> list[Any]:
    dense = ((c, dict(m)) for m, c in polynomial.terms.items())
    return [[c.numerator, c.denominator, [e.get(name, 0) for name in names]] for c, e in dense]


def environment(peer: Peer, folder: Path) -> Path:
    """The interpreter of a tool; its environment is made when it is first needed."""
    if not peer.packages:
        return Path(sys.executable)
    home = folder / peer.name
    python, stamp = home / "bin" / "python", home / "ready"
    if not stamp.exists() or stamp.read_text() != " ".join(peer.packages):
        print(f"making {home}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *peer.packages], check=True)
        stamp.write_text(" ".join(peer.packages))
    return python


def run(python: Path, script: str, file: Path, seconds: int) -> dict[str, Any]:
    """One run of so many CPU seconds at most; a failure is an answer with the reason as its status."""
    one_thread = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "RAYON")}
    root = {"PYTHONPATH": os.fspath(HERE.parent)} if script == "with_sosgames.py" else {}
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [python, HERE / "peers" / script, file]
    done = subprocess.run(
        command,
        env=clean | one_thread | root,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)),
        check=False,
    )
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return {"bound": None, "status": f"over {seconds} s", "stages": {}, "proved": False}
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        reason = (done.stderr.strip().splitlines() or ["no answer"])[-1]
        return {"bound": None, "status": reason[:60], "stages": {}, "proved": False}
    return dict(json.loads(lines[-1]))


def compare(peers: Sequence[Peer], chosen: Sequence[Task], folder: Path, limit: int) -> None:
    """Run everything in rounds and print a table per problem."""
    pythons = {peer.name: environment(peer, folder) for peer in peers}
    given_up: set[tuple[str, str]] = set()
    for task in chosen:
        answers: dict[str, list[dict[str, Any]]] = {peer.name: [] for peer in peers}
        with tempfile.TemporaryDirectory() as place:
            file = Path(place) / "problem.json"
            file.write_text(json.dumps(task.data))
            for _ in range(ROUNDS):
                for peer in peers:
                    fits = task.data["box"] is False or peer.on_boxes
                    if fits and (peer.name, task.family) not in given_up:
                        found = run(pythons[peer.name], peer.script, file, limit)
                        answers[peer.name].append(found)
                        if found["status"].startswith("over"):
                            given_up.add((peer.name, task.family))
        show(task, answers)


def show(task: Task, answers: dict[str, list[dict[str, Any]]]) -> None:
    """One line a tool: median seconds, the ratio to ours, the bound, and what the tool says of it."""
    seconds = {
        name: statistics.median(sum(a["stages"].values()) for a in found)
        for name, found in answers.items()
        if found and all(a["stages"] for a in found)
    }
    ours = seconds.get("sosgames")
    for name, found in answers.items():
        if not found:
            print(f"{task.label:20} {name:13} {'not run':>10}")
            continue
        bound = found[-1]["bound"]
        time = f"{seconds[name]:8.2f} s" if name in seconds else f"{'-':>10}"
        ratio = f"{seconds[name] / ours:8.1f} x" if name in seconds and ours else f"{'-':>10}"
        value = "-" if bound is None else f"{bound:.6f}"
        says = "proved" if found[-1]["proved"] else found[-1]["status"]
        print(f"{task.label:20} {name:13} {time} {ratio} {value:>12}  {says}", flush=True)


def _folder(text: str) -> Path:
    return Path(text).expanduser()


def main() -> None:
    """Choose problems and tools, and print the comparison."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "certikit" / "peers"
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers", nargs="*", choices=[p.name for p in PEERS], help="all by default")
    parser.add_argument("--folder", type=_folder, default=cache, help="where the environments are kept")
    parser.add_argument("--only", nargs="*", help="beginnings of labels, such as 'quartic (4, 1)'")
    parser.add_argument("--seeds", type=int, default=1, help="how many games of each kind")
    parser.add_argument("--quick", action="store_true", help="the small problems only")
    parser.add_argument("--time-limit", type=int, default=300, help="CPU seconds for one run")
    arguments = parser.parse_args()
    wanted = arguments.peers or [peer.name for peer in PEERS]
    peers = [peer for peer in PEERS if peer.name in {"sosgames", *wanted}]
    chosen = [task for task in tasks(arguments.seeds) if task.quick or not arguments.quick]
    if arguments.only is not None:
        chosen = [task for task in chosen if task.label.startswith(tuple(arguments.only))]
    compare(peers, chosen, arguments.folder, arguments.time_limit)


if __name__ == "__main__":
    main()
