"""Hidden violations: how many a search of X finds alone, and how many with the moments of a solved program.

    OMP_NUM_THREADS=1 python benchmarks/violations.py             # some minutes
    OMP_NUM_THREADS=1 python benchmarks/violations.py corners     # one family

Every problem is a matrix on [-1, 1]^n whose smallest value is known, shifted so that it is negative by a part
epsilon of its size, and so only near its minimisers: a concave form at one of the corners; separable wells
and squares, coupled, whose minimum lies inside or on a face (the bound of a sum of squares stands for the
smallest value); a matrix with one planted zero. Seconds are CPU time without the solve, which a lower
bound needs anyway. Nothing here is a test.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import numpy as np
from families import planted_matrix

from sosgames.certificates.games import MatrixProblem
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import Box
from sosgames.rounding import prove
from sosgames.sos import build_program
from sosgames.witnesses import find_witness, improved_witness

EPSILONS = (Fraction(1, 10), Fraction(1, 10**3), Fraction(1, 10**5))
Made = tuple[MatrixProblem, Fraction]
"""A matrix and its smallest value on the set."""


@dataclass(frozen=True)
class Family:
    """Problems of one kind by their seed."""

    name: str
    make: Callable[[int], Made]
    n_seeds: int


def scalar(polynomial: Polynomial, n: int) -> MatrixProblem:
    """A polynomial as a 1 x 1 matrix on [-1, 1]^n."""
    names = tuple(f"x{i + 1}" for i in range(n))
    return MatrixProblem(((polynomial,),), names, (Box(dict.fromkeys(names, (-1, 1))),))


def with_bound(polynomial: Polynomial, n: int) -> Made:
    """The polynomial with its bound by sums of squares of degree 4 in the place of the minimum."""
    problem = scalar(polynomial, n)
    bound = prove(build_program(modulus_matrix(problem, "matrix"), problem, 4))
    return problem, Fraction(bound.numeric_mu)


def coupled(parts: list[Polynomial], rng: np.random.Generator, unit: int) -> Polynomial:
    """The sum of the parts and of random multiples of all products of two variables."""
    total = sum(parts, Polynomial())
    for i in range(len(parts)):
        for j in range(i):
            weight = Fraction(int(rng.integers(-9, 10)), unit)
            total = total + Polynomial.variable(f"x{i + 1}") * Polynomial.variable(f"x{j + 1}") * weight
    return total


def wells(n: int, seed: int) -> Made:
    """Tilted double wells in every variable: 2^n local minima."""
    rng = np.random.default_rng(seed)
    parts = []
    for i in range(n):
        v = Polynomial.variable(f"x{i + 1}")
        place, tilt = Fraction(int(rng.integers(3, 8)), 10), Fraction(int(rng.integers(-9, 10)), 200)
        parts.append((v**2 - place**2) ** 2 + v * tilt)
    return with_bound(coupled(parts, rng, 100), n)


def faces(n: int, seed: int) -> Made:
    """Convex in every other variable, concave in the rest."""
    rng = np.random.default_rng(seed)
    parts = []
    for i in range(n):
        v, at = Polynomial.variable(f"x{i + 1}"), Fraction(int(rng.integers(-9, 10)), 10)
        bend = Fraction(int(rng.integers(1, 5)), 4)
        parts.append((v - at) ** 2 if i % 2 else -(v**2) * bend + v * at / 4)
    return with_bound(coupled(parts, rng, 20), n)


def corners(n: int, seed: int) -> Made:
    """A concave quadratic form with a linear one: all 2^n corners are tried for the truth."""
    rng = np.random.default_rng(seed)
    factor, linear = rng.integers(-5, 6, (n, n)), rng.integers(-20, 21, n)
    form = factor @ factor.T
    signs = np.array(list(product((-1, 1), repeat=n)))
    smallest = int((signs @ linear - ((signs @ form) * signs).sum(axis=1)).min())
    variables = [Polynomial.variable(f"x{i + 1}") for i in range(n)]
    total = sum((v * int(c) for v, c in zip(variables, linear, strict=True)), Polynomial())
    for i in range(n):
        for j in range(n):
            total = total - variables[i] * variables[j] * int(form[i, j])
    return scalar(total, n), Fraction(smallest)


def planted(n: int, rows: int, seed: int) -> Made:
    """A matrix whose smallest eigenvalue is 1, at one point along one direction."""
    return planted_matrix(n, rows, seed), Fraction(1)


FAMILIES = (
    *(Family(f"corners, n = {n}", lambda seed, n=n: corners(n, seed), 10) for n in (10, 12)),
    *(Family(f"faces, n = {n}", lambda seed, n=n: faces(n, seed), 10) for n in (6, 8)),
    *(Family(f"wells, n = {n}", lambda seed, n=n: wells(n, seed), 10) for n in (4, 6, 8)),
    *(Family(f"planted, n = {n}, 3 rows", lambda seed, n=n: planted(n, 3, seed), 10) for n in (3, 5)),
)


def shifted(problem: MatrixProblem, by: Fraction) -> MatrixProblem:
    """The matrix minus a multiple of the identity."""
    rows = (tuple(p - by if a == b else p for b, p in enumerate(row)) for a, row in enumerate(problem.rows))
    return replace(problem, rows=tuple(rows))


def outcomes(family: Family) -> Iterator[tuple[Fraction, bool, bool, float, float]]:
    """Epsilon; whether the violation was found alone and with moments; seconds of either search."""
    for seed in range(family.n_seeds):
        problem, smallest = family.make(seed)
        for epsilon in EPSILONS:
            task = shifted(problem, smallest + epsilon * max(abs(smallest), Fraction(1)))
            matrix = modulus_matrix(task, "matrix")
            start = time.process_time()
            alone = find_witness(matrix, task)
            searched = time.process_time() - start
            program = build_program(matrix, task)
            bound = prove(program)
            start = time.process_time()
            guided = alone
            if bound.moments is not None:
                guided = improved_witness(alone, matrix, task, program, bound.moments)
            again = time.process_time() - start
            found = (witness is not None and witness.value < 0 for witness in (alone, guided))
            yield epsilon, *found, searched, again


def main() -> None:
    """Print a table."""
    shown = " | ".join(f"{float(e):g}: alone, with moments" for e in EPSILONS)
    print(f"| family | {shown} | search, s | moments, s |")
    print("|---|" + "---:|" * (len(EPSILONS) + 2))
    for family in FAMILIES:
        if len(sys.argv) > 1 and not family.name.startswith(tuple(sys.argv[1:])):
            continue
        rows = list(outcomes(family))
        cells = []
        for epsilon in EPSILONS:
            alone, guided = (sum(row[k] for row in rows if row[0] == epsilon) for k in (1, 2))
            cells.append(f"{alone}, {guided} of {family.n_seeds}")
        seconds = (f"{np.mean([row[k] for row in rows]):.2f}" for k in (3, 4))
        print(f"| {family.name} | {' | '.join([*cells, *seconds])} |", flush=True)


if __name__ == "__main__":
    main()
