"""How seconds and memory grow: players, degree and level, for whole matrices and for cliques.

    OMP_NUM_THREADS=1 python benchmarks/scaling.py --limit 20                 # some minutes
    OMP_NUM_THREADS=1 python benchmarks/scaling.py --limit 60 --csv docs/examples/how_large.csv

A row is one program with a complete exact proof of its bound, checked by the verifier, in a process of its
own. A family stops where one run takes more CPU seconds than the limit; its last row is the largest then.
Families: random quartic games taken whole at levels 2 and 4; two players with payoffs of higher degree;
network games with degree-4 payoffs on the edges of a ring and of a random 3-regular graph, by cliques; sums
of fourth powers of linear forms on a box and everywhere, decided by `certify` with its search for an upper
bound. docs/examples/how_large.py draws the table. Nothing here is a test.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import numpy as np
from families import fourth_powers, matrix_of, quartic_game

import sosgames as sg
from sosgames.certificates.games import ExactGame
from sosgames.certificates.proofs import ModulusProof
from sosgames.rounding import prove
from sosgames.sos import build_program
from sosgames.sparse import decompose, find_sparse_witness, prove_sparsely


@dataclass(frozen=True)
class Family:
    """Programs that grow: what grows, its values, and the level (None for the lowest)."""

    name: str
    what: str
    values: tuple[int, ...]
    level: int | None = None


FAMILIES = (
    Family("quartic, level 2", "players", (2, 4, 6, 8, 10, 12, 14), 2),
    Family("quartic, level 4", "players", (2, 3, 4, 5, 6, 7, 8), 4),
    Family("2 players", "degree", (4, 6, 8, 10, 12, 14)),
    Family("ring, cliques", "players", (10, 30, 100, 300, 1_000, 3_000, 10_000)),
    Family("3-regular, cliques", "players", (10, 30, 100, 300, 1_000, 3_000, 10_000)),
    Family("S(n), box", "variables", (4, 8, 12, 16, 24)),
    Family("S(n), all x", "variables", (4, 8, 10, 12)),
    Family("S(n), dense, all x", "variables", (4, 8, 10)),
)


@dataclass(frozen=True)
class Row:
    """The size of a program and what it took."""

    side: int
    equations: int
    proved: bool
    seconds: float
    megabytes: float


def game_of(family: str, value: int) -> ExactGame:
    """The game of a family."""
    rng = np.random.default_rng(1)
    if family.startswith("S(n)"):
        return fourth_powers(value, dense="dense" in family, box="box" in family)
    if family.startswith("quartic"):
        return quartic_game(value)
    if family == "2 players":
        return sg.random_game(
            {"A": sg.Box({"x": (-1, 1)}), "B": sg.Box({"y": (-1, 1)})}, value, rng=rng
        ).exact
    graph = nx.cycle_graph(value) if family.startswith("ring") else nx.random_regular_graph(3, value, seed=1)
    return sg.network_game(graph, rng=rng).exact


def measure(family: str, value: int, level: int | None) -> Row:
    """Build, solve, round, prove and verify."""
    game = game_of(family, value)
    start = time.process_time()
    if family.startswith("S(n)"):
        result = sg.certify(game, "concave")
        step, proved = result.brackets[0].steps[-1], result.strict is True
        return _row(step.side, step.equations, proved, start)
    matrix = matrix_of(game)
    if family.endswith("cliques"):
        found = decompose(matrix, game)
        if found is None:
            raise RuntimeError("boxes have no equations")
        witness, sparse = find_sparse_witness(found), found.program(level)
        above = None if witness is None else float(witness.value)
        side, equations = max(sparse.sides), sparse.n_equations
        bound = prove_sparsely(sparse, above=above).bound
    else:
        program = build_program(matrix, game, level)
        side, equations, bound = max(program.sides), program.n_equations, prove(program)
    if bound.part is not None:
        sg.verify(ModulusProof("monotone", game.variables, (bound.part,)), game)
    return _row(side, equations, bound.part is not None, start)


def _row(side: int, equations: int, proved: bool, start: float) -> Row:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Row(side, equations, proved, time.process_time() - start, peak)


def in_own_process(function: Callable[..., Row], *arguments: object) -> Row:
    """A call in a fresh process, so that its peak memory is its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def write_csv(rows: dict[str, list[tuple[int, Row]]], path: str) -> None:
    """The table as a file."""
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["family", "size", "side", "equations", "seconds", "megabytes"])
        for name, found in rows.items():
            for value, row in found:
                seconds, megabytes = round(row.seconds, 2), round(row.megabytes)
                writer.writerow([name, value, row.side, row.equations, seconds, megabytes])


def main() -> None:
    """Print the table, and draw it on request."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds that end a family")
    parser.add_argument("--families", nargs="*", help="beginnings of names; all by default")
    parser.add_argument("--csv", help="write the table into this file")
    arguments = parser.parse_args()
    print(f"{'family':20}{'':>16} {'side':>6} {'equations':>10} {'seconds':>9} {'MB':>6}")
    rows: dict[str, list[tuple[int, Row]]] = {}
    for family in FAMILIES:
        if arguments.families and not family.name.startswith(tuple(arguments.families)):
            continue
        for value in family.values:
            row = in_own_process(measure, family.name, value, family.level)
            rows.setdefault(family.name, []).append((value, row))
            size = f"{value:,} {family.what}"
            text = f"{row.side:6,} {row.equations:10,} {row.seconds:9.2f} {row.megabytes:6.0f}"
            print(f"{family.name:20}{size:>16} {text}{'' if row.proved else '  no proof'}", flush=True)
            if row.seconds > arguments.limit:
                break
    if arguments.csv:
        write_csv(rows, arguments.csv)


if __name__ == "__main__":
    main()
