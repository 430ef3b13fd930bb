"""Every semidefinite solver within reach on the same programs: what it claims, and what is proved from it.

    OMP_NUM_THREADS=1 python benchmarks/compare_solvers.py --quick              # small programs, some minutes
    OMP_NUM_THREADS=1 python benchmarks/compare_solvers.py --plot solvers.svg   # all
    OMP_NUM_THREADS=1 python benchmarks/compare_solvers.py scs mosek            # these solvers alone

Families: random quartic games of n players at a level; "planted" matrices 1 + a sum of squares that is
singular at one point, so that the modulus is 1 and the optimum degenerate; S(n), one player with fourth
powers of linear forms, on the box. A row is one solver on one program, in a process of its own:

* the status that the solver claims, and how far its bound lies above (+) or below (-) the best proved one;
  "!" marks a claim that is more than 1e-5 of the problem's size above it;
* how far the bound that is proved after rounding lies below the best one: the only bound that counts;
* the largest error of an equation and the smallest eigenvalue of a Gram matrix at the solver's own point;
* CPU seconds of the solve and of the whole proof, and the peak memory of the process.

A solver that cannot be used gets a row that says why: MOSEK without a licence, what cvxpy does not find.
Nothing here is a test.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from families import fourth_powers, matrix_of, planted_matrix, quartic_game

from sosgames.certificates.games import ExactGame, MatrixProblem
from sosgames.conic import GramSolution, GramSystem, modulus_system, program_scaling
from sosgames.conic.problem import svec_scale
from sosgames.errors import SosgamesError
from sosgames.rounding import prove
from sosgames.solvers import SolverOptions, solve_system, solver_table
from sosgames.sos import build_program

LARGEST = {"clarabel": 60, "cvxopt": 60, "interior": 80}
"""Sides above which a solver is not tried: its linear systems have about the size of all Gram entries."""
SECONDS = 300.0
OVERSTATED = 1e-5


@dataclass(frozen=True)
class Task:
    """A program by its family and numbers; small enough to send to another process."""

    family: str
    n: int
    level: int
    rows: int = 0

    @property
    def label(self) -> str:
        """For the table."""
        if self.family == "planted":
            return f"planted, n={self.n}, {self.rows} rows"
        return f"{self.family}, n={self.n}, level {self.level}"

    def problem(self) -> ExactGame | MatrixProblem:
        """The game or the matrix."""
        if self.family == "planted":
            return planted_matrix(self.n, self.rows)
        return quartic_game(self.n) if self.family == "quartic" else fourth_powers(self.n)


TASKS = (
    *(Task("planted", n, 4, rows) for n, rows in ((3, 2), (4, 2), (4, 3), (4, 4))),
    *(Task("quartic", n, level) for n, level in ((4, 2), (6, 2), (4, 4), (8, 2), (10, 2), (6, 4))),
    *(Task("S", n, 2) for n in (4, 6, 8, 12)),
)
QUICK_SIDE = 45


@dataclass(frozen=True)
class Row:
    """What one solver did on one program."""

    task: Task
    solver: str
    side: int
    size: float
    status: str
    claimed: float = nan
    proved: float = nan
    residual: float = nan
    eigenvalue: float = nan
    solve: float = nan
    proof: float = nan
    megabytes: float = nan


def measure(task: Task, solver: str) -> Row:
    """Solve, look at the solver's point, and prove; meant for a process of its own."""
    problem = task.problem()
    program = build_program(matrix_of(problem), problem, task.level)
    side, scaling = max(program.sides), program_scaling(program)
    size = float(scaling.size)
    if side > LARGEST.get(solver, 10**6):
        return Row(task, solver, side, size, f"not tried above side {LARGEST[solver]}")
    system = modulus_system(program, scaling)
    try:
        start = time.process_time()
        answer, solution = solve_system(system, solver, SolverOptions(time_limit=SECONDS))
        solve = time.process_time() - start
        start = time.process_time()
        bound = prove(program, solver=solver, time_limit=SECONDS)
        proof = time.process_time() - start
    except SosgamesError as error:
        return Row(task, solver, side, size, str(error))
    claimed, residual, eigenvalue = (nan, nan, nan) if solution is None else _quality(system, solution)
    proved = nan if bound.mu is None else float(bound.mu)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    status = answer.status.name.lower()
    return Row(
        task, solver, side, size, status, claimed * size, proved, residual, eigenvalue, solve, proof, peak
    )


def _quality(system: GramSystem, solution: GramSolution) -> tuple[float, float, float]:
    """The claimed bound, the largest error of an equation, and the smallest eigenvalue."""
    packed = [g[np.triu_indices(len(g))] * svec_scale(len(g)) for g in solution.grams]
    image = system.A @ np.concatenate(packed) + system.F @ solution.free + solution.tau * system.c
    eigenvalue = min(float(np.linalg.eigvalsh(gram)[0]) for gram in solution.grams)
    return solution.tau, float(np.abs(image - system.b).max()), eigenvalue


def table(tasks: Sequence[Task], solvers: Sequence[str]) -> Iterator[Row]:
    """All rows, program by program, each measured in a fresh process."""
    for task in tasks:
        for solver in solvers:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                yield pool.apply(measure, (task, solver))


def show(rows: Sequence[Row]) -> None:
    """The rows of one program, against the best bound that any of them proved."""
    best = max((row.proved for row in rows if row.proved == row.proved), default=nan)
    for row in rows:
        start = f"{row.task.label:26}{row.side:5}  {row.solver:10}"
        if row.solve != row.solve:
            print(f"{start}{row.status}")
            continue
        over = row.claimed - best
        mark = "!" if over > OVERSTATED * (row.size + abs(best)) else " "
        below = f"{best - row.proved:9.1e}" if row.proved == row.proved else " no proof"
        print(
            f"{start}{row.status:12}{over:+9.1e}{mark} {below} {row.residual:9.1e} {row.eigenvalue:+9.1e}"
            f" {row.solve:8.2f} {row.proof:8.2f} {row.megabytes:6.0f}",
            flush=True,
        )


def plot(rows: Sequence[Row], path: str) -> None:
    """Seconds of a whole proof over the side of the largest Gram matrix; crosses where nothing was proved."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4))
    for k, solver in enumerate(dict.fromkeys(row.solver for row in rows)):
        mine = [row for row in rows if row.solver == solver and row.proof == row.proof]
        for proved, marker in ((True, "o"), (False, "x")):
            chosen = [row for row in mine if (row.proved == row.proved) is proved]
            label = solver if proved else None
            axes.plot([r.side for r in chosen], [r.proof for r in chosen], marker, color=f"C{k}", label=label)
    axes.set(
        xscale="log", yscale="log", xlabel="side of the largest Gram matrix", ylabel="CPU s of the proof"
    )
    axes.legend()
    figure.savefig(path, bbox_inches="tight")


def main() -> None:
    """Print the table of the solvers, then that of the runs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("solvers", nargs="*", help="all that can be used here by default")
    parser.add_argument("--quick", action="store_true", help=f"Gram matrices of side up to {QUICK_SIDE} only")
    parser.add_argument("--plot", help="draw the seconds into this file")
    arguments = parser.parse_args()
    known = {row.name: row for row in solver_table()}
    for row in known.values():
        print(f"{row.name:12} {'used' if row.available else 'skipped':8} {row.note}")
    solvers = arguments.solvers or [row.name for row in known.values() if row.available]
    tasks = [task for task in TASKS if not arguments.quick or _side(task) <= QUICK_SIDE]
    print(
        f"\n{'program':26}{'side':>5}  {'solver':10}{'status':12}{'claim':>9}  {'proved':>9} {'residual':>9}",
        end="",
    )
    print(f" {'lambda':>9} {'solve':>8} {'proof':>8} {'MB':>6}")
    rows: list[Row] = []
    for task in tasks:
        new = list(table([task], solvers))
        show(new)
        rows += new
    if arguments.plot:
        plot(rows, arguments.plot)


def _side(task: Task) -> int:
    problem = task.problem()
    return max(build_program(matrix_of(problem), problem, task.level).sides)


if __name__ == "__main__":
    main()
