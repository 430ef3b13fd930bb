"""Network games with random degree-4 payoffs on edges: seconds, memory and size of a complete proof.

    OMP_NUM_THREADS=1 python benchmarks/network_games.py                     # 100 players, about a minute
    OMP_NUM_THREADS=1 python benchmarks/network_games.py 1000 --margins      # and at margins 1, .1, .01, .001
    OMP_NUM_THREADS=1 python benchmarks/network_games.py 10000 --graphs ring --margins 1 .001
    OMP_NUM_THREADS=1 python benchmarks/network_games.py 12 --whole          # against the matrix as one
    OMP_NUM_THREADS=1 python benchmarks/network_games.py 400 --graphs pushing --curvature 2.9

A row is one game, in a process of its own. "search" is the CPU time of `certify`: matrix, witness, solve,
rounding and the verifier's check. "file" is the size of the proof, "verify" reading and checking the
file, "memory" the peak of the process. "pushing" are identical players who push their neighbours on a
3-regular graph: frustrated, so that pairs and short cycles are not enough. The gap is upper - lower: at a
margin m the game is shifted so that its upper bound is m, and the verdict is certified whenever the gap is
smaller. Nothing here is a test.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
import time
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import networkx as nx
import numpy as np

import sosgames as sg
from sosgames.certificates.games import ExactGame, ExactPlayer
from sosgames.certificates.polynomials import Polynomial
from sosgames.literature.networks import group_game

GRAPHS = ("tree", "ring", "grid", "regular", "triples")
FRUSTRATED = "pushing"
MARGINS = ("1", ".1", ".01", ".001")


def graph_of(kind: str, n: int) -> nx.Graph:
    """A random tree, a ring, a grid of width 5, or a random 3-regular graph of about n nodes."""
    match kind:
        case "tree":
            return nx.random_labeled_tree(n, seed=1)
        case "ring":
            return nx.cycle_graph(n)
        case "grid":
            return nx.grid_2d_graph(5, max(n // 5, 1))
    return nx.random_regular_graph(3, n, seed=1)


def game_of(kind: str, n: int, curvature: Fraction) -> sg.Game:
    """The game on that graph; the same payoffs for every curvature. "triples": payoffs of three on a ring."""
    if kind == "triples":
        groups = [(k, (k + 1) % n, (k + 2) % n) for k in range(n)]
        return group_game(n, groups, 4, rng=np.random.default_rng(1), curvature=curvature)
    if kind == FRUSTRATED:
        return pushing_game(graph_of(kind, n), curvature)
    return sg.network_game(graph_of(kind, n), rng=np.random.default_rng(1), curvature=curvature)


def pushing_game(graph: nx.Graph, curvature: Fraction) -> sg.Game:
    """Node i maximises -c x_i^2/2 - x_i^4/100 - sum over its neighbours of x_i x_j + x_i x_j^3/100."""
    number = {node: k for k, node in enumerate(graph)}
    x = [Polynomial.variable(f"x{k + 1}") for k in range(len(graph))]
    players = []
    for node, k in number.items():
        own = -(x[k] ** 2) * curvature / 2 - x[k] ** 4 / 100
        pushed = [x[k] * x[number[other]] + x[k] * x[number[other]] ** 3 / 100 for other in graph[node]]
        utility = own - sum(pushed, Polynomial())
        box = sg.Box({f"x{k + 1}": (-1, 1)})
        players.append(ExactPlayer(str(k + 1), (f"x{k + 1}",), utility, (box,)))
    return sg.Game.from_exact(ExactGame(tuple(players)))


@dataclass(frozen=True)
class Row:
    """What one game took."""

    lower: Fraction | None
    upper: Fraction | None
    verdict: str
    search: float
    megabytes: float
    verification: float
    peak: float


def measure(kind: str, n: int, curvature: Fraction, structure: str) -> Row:
    """Certify one game; meant to run in a process of its own, whose peak memory it reads."""
    game = game_of(kind, n, curvature)
    start = time.process_time()
    result = sg.certify(game, structure=structure, memory_limit=None)
    search = time.process_time() - start
    size, verification = 0, 0.0
    if result.lower_proof is not None:
        with tempfile.TemporaryDirectory() as place:
            file = Path(place) / "proof.json"
            result.lower_proof.save(file)
            size = file.stat().st_size
            start = time.process_time()
            sg.verify(file, game)
            verification = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    verdict = result.verdict.value
    return Row(result.lower, result.upper, verdict, search, size / 1e6, verification, peak)


def in_own_process(*arguments: object) -> Row:
    """`measure` in a fresh process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, arguments)


def show(label: str, row: Row) -> None:
    """Print one line."""
    lower, upper = ("-" if v is None else f"{float(v):.5f}" for v in (row.lower, row.upper))
    known = row.lower is not None and row.upper is not None
    gap = f"{float(row.upper - row.lower):.1e}" if known else "-"
    print(
        f"{label:30}{row.verdict:>10} {lower:>11} {upper:>11} {gap:>8} {row.search:7.2f} s"
        f" {row.megabytes:6.2f} MB {row.verification:6.2f} s {row.peak:6.0f} MB",
        flush=True,
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("players", type=int, nargs="*", default=[100])
    parser.add_argument("--graphs", nargs="*", choices=(*GRAPHS, FRUSTRATED), default=GRAPHS)
    parser.add_argument("--curvature", default="60", help="of the first game of each graph")
    parser.add_argument("--margins", nargs="*", help="also at these margins (1 .1 .01 .001 if none is named)")
    parser.add_argument("--whole", action="store_true", help="also the matrix as one; small games only")
    arguments = parser.parse_args()
    names = f"{'game':30}{'verdict':>10} {'lower':>11} {'upper':>11} {'gap':>8} {'search':>9}"
    print(f"{names} {'file':>9} {'verify':>8} {'memory':>9}")
    for n in arguments.players:
        for kind in arguments.graphs:
            curvature = Fraction(arguments.curvature)
            row = in_own_process(kind, n, curvature, "cliques")
            show(f"{kind}, {n:,} players", row)
            if arguments.whole:
                show(f"{kind}, {n:,} players, whole", in_own_process(kind, n, curvature, "whole"))
            if arguments.margins is not None and row.upper is not None:
                for margin in map(Fraction, arguments.margins or MARGINS):
                    shifted = curvature + margin - row.upper
                    show(f"{kind}, margin {float(margin):g}", in_own_process(kind, n, shifted, "cliques"))


if __name__ == "__main__":
    main()
