"""Semidefinite solvers on the programs of random quartic games: CPU seconds and the bound that each proves.

    OMP_NUM_THREADS=1 python benchmarks/sos_solvers.py             # a few minutes
    OMP_NUM_THREADS=1 python benchmarks/sos_solvers.py --quick     # the small sizes
    OMP_NUM_THREADS=1 python benchmarks/sos_solvers.py mosek       # a solver that cvxpy can call here

A row is one program. "n players": their game on [-1, 1], all monomials of degree at most 4 with normal
coefficients over the root of their number, minus own squares. "planted": a matrix 1 + a sum of squares that
is singular at one point, so that the modulus is 1 and the optimum degenerate. Printed are CPU seconds of one
solve, those of the whole proof, and how far the proved modulus lies below the best one known. Nothing here is
a test.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from sosgames.certificates.games import ExactGame, ExactPlayer, MatrixProblem
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import Box
from sosgames.conic import modulus_system, program_scaling
from sosgames.errors import SosgamesError
from sosgames.rounding import prove
from sosgames.solvers import SolverOptions, solve_system
from sosgames.sos import SosProgram, build_program

QUARTIC = [(2, 4), (4, 2), (4, 4), (6, 2), (8, 2), (10, 2), (6, 4), (8, 4)]
PLANTED = [(3, 2), (4, 2), (4, 3), (4, 4)]
LARGEST = {"clarabel": 60, "interior": 80}
SECONDS = 300.0


def quartic_game(n: int) -> ExactGame:
    """The random game of n players; coefficients are multiples of 2^-12."""
    rng = np.random.default_rng(0)
    names = [f"x{i + 1}" for i in range(n)]
    monomials = [m for degree in range(5) for m in combinations_with_replacement(names, degree)]
    players = []
    for name in names:
        drawn = rng.standard_normal(len(monomials)) / np.sqrt(comb(n + 4, 4))
        terms = {_counted(m): Fraction(round(c * 4096), 4096) for m, c in zip(monomials, drawn, strict=True)}
        utility = Polynomial(terms) - Polynomial.variable(name) ** 2
        players.append(ExactPlayer(name, (name,), utility, (Box({name: (-1, 1)}),)))
    return ExactGame(tuple(players))


def _counted(names: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    return tuple((name, names.count(name)) for name in sorted(set(names)))


def planted_matrix(n: int, rows: int) -> MatrixProblem:
    """M = 1 + sum of v v' with random quadratic vectors v that vanish in one direction at one point."""
    rng = np.random.default_rng(n * 10 + rows)
    names = tuple(f"x{i + 1}" for i in range(n))
    variables = [Polynomial.variable(name) for name in names]
    zero = {name: Fraction(int(v), 4) for name, v in zip(names, rng.integers(-4, 5, n), strict=True)}
    entries = [[Polynomial.constant(int(a == b)) for b in range(rows)] for a in range(rows)]
    for _ in range(rows + 1):
        vector = [_quadratic(variables, rng) for _ in range(rows)]
        vector[0] = vector[0] - sum(
            (p(zero) for p in vector), Fraction(0)
        )  # the entries sum to 0 at the point
        for a in range(rows):
            for b in range(rows):
                entries[a][b] = entries[a][b] + vector[a] * vector[b]
    return MatrixProblem(entries, names, (Box(dict.fromkeys(names, (-1, 1))),))


def _quadratic(variables: list[Polynomial], rng: np.random.Generator) -> Polynomial:
    c = [int(v) for v in rng.integers(-3, 4, len(variables) + 2)]
    first, second = rng.integers(0, len(variables), 2)
    linear = sum((ci * v for ci, v in zip(c, variables, strict=False)), Polynomial())
    return linear + c[-1] + c[-2] * variables[first] * variables[second]


def measure(program: SosProgram, solver: str, best: float) -> tuple[str, float]:
    """One cell of the table, and the proved modulus."""
    side = max(program.sides)
    if side > LARGEST.get(solver, 10**6):
        return "not tried", best
    system = modulus_system(program, program_scaling(program))
    start = time.process_time()
    try:
        answer, _ = solve_system(system, solver, SolverOptions(time_limit=SECONDS))
        solved = time.process_time() - start
        start = time.process_time()
        bound = prove(program, solver=solver, time_limit=SECONDS)
    except SosgamesError as error:
        return str(error), best
    proved = time.process_time() - start
    if bound.mu is None:
        return f"{solved:7.2f} {proved:7.2f}  no proof ({answer.status.name})", best
    gap = max(best - float(bound.mu), 0.0)
    return f"{solved:7.2f} {proved:7.2f}  {gap:8.1e}", max(best, float(bound.mu))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("solvers", nargs="*", default=["scs", "interior", "clarabel"])
    parser.add_argument("--quick", action="store_true", help="only blocks of side up to 60")
    arguments = parser.parse_args()
    print(f"{'program':24}{'side':>5} {'rows':>6}  {'solver':10}  solve   proof   below the best")
    for label, program, best in _programs(arguments.quick):
        for solver in arguments.solvers:
            text, best = measure(program, solver, best)
            print(f"{label:24}{max(program.sides):5} {program.n_equations:6}  {solver:10}{text}", flush=True)


def _programs(quick: bool) -> Iterator[tuple[str, SosProgram, float]]:
    for n, rows in PLANTED:
        problem = planted_matrix(n, rows)
        yield f"planted, n={n}, {rows} rows", build_program(modulus_matrix(problem, "matrix"), problem), 1.0
    for n, level in QUARTIC:
        game = quartic_game(n)
        program = build_program(modulus_matrix(game, "monotone"), game, level)
        if not quick or max(program.sides) <= 60:
            yield f"{n} players, level {level}", program, -np.inf


if __name__ == "__main__":
    main()
