"""The families of games and matrices that the comparisons of solvers and of other tools share."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from sosgames.certificates.games import ExactGame, ExactPlayer, MatrixProblem
from sosgames.certificates.matrices import PolyMatrix, modulus_matrix
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import Box, Space


def quartic_game(n: int, seed: int = 0) -> ExactGame:
    """n players on [-1, 1] with all monomials of degree at most 4, minus own squares.

    Coefficients are normal over the root of their number, rounded to multiples of 2^-12.
    """
    rng = np.random.default_rng(seed)
    names = [f"x{i + 1}" for i in range(n)]
    monomials = [m for degree in range(5) for m in combinations_with_replacement(names, degree)]
    players = []
    for name in names:
        drawn = rng.standard_normal(len(monomials)) / np.sqrt(comb(n + 4, 4))
        terms = {_counted(m): Fraction(round(c * 4096), 4096) for m, c in zip(monomials, drawn, strict=True)}
        utility = Polynomial(terms) - Polynomial.variable(name) ** 2
        players.append(ExactPlayer(name, (name,), utility, (Box({name: (-1, 1)}),)))
    return ExactGame(tuple(players))


def fourth_powers(n: int, *, dense: bool = False, box: bool = True) -> ExactGame:
    """S(n): one player who minimises sum (l_k.x)^4 + sum x_i^4 + sum x_i^2; its Hessian is at least 2I.

    Rows l_k are random integers: n of them from -2 to 2, or 2n without a zero from -3 to 3 (dense).
    """
    if dense:
        rows = np.random.default_rng(1).choice([-3, -2, -1, 1, 2, 3], size=(2 * n, n))
    else:
        rows = np.random.default_rng(0).integers(-2, 3, size=(n, n))
    names = tuple(f"x{i + 1}" for i in range(n))
    variables = [Polynomial.variable(name) for name in names]
    total = sum((v**4 + v**2 for v in variables), Polynomial())
    for row in rows.tolist():
        total = total + sum((c * v for c, v in zip(row, variables, strict=True)), Polynomial()) ** 4
    strategies = Box(dict.fromkeys(names, (-1, 1))) if box else Space(names)
    return ExactGame((ExactPlayer("P", names, -total, (strategies,)),))


def planted_matrix(n: int, rows: int, seed: int = 0) -> MatrixProblem:
    """M = 1 + sum of v v' with random quadratic vectors v that vanish in one direction at one point."""
    rng = np.random.default_rng(seed * 1000 + n * 10 + rows)
    names = tuple(f"x{i + 1}" for i in range(n))
    variables = [Polynomial.variable(name) for name in names]
    zero = {name: Fraction(int(v), 4) for name, v in zip(names, rng.integers(-4, 5, n), strict=True)}
    entries = [[Polynomial.constant(int(a == b)) for b in range(rows)] for a in range(rows)]
    for _ in range(rows + 1):
        vector = [_quadratic(variables, rng) for _ in range(rows)]
        vector[0] = vector[0] - sum((p(zero) for p in vector), Fraction(0))  # their sum is 0 at the point
        for a in range(rows):
            for b in range(rows):
                entries[a][b] = entries[a][b] + vector[a] * vector[b]
    return MatrixProblem(tuple(map(tuple, entries)), names, (Box(dict.fromkeys(names, (-1, 1))),))


def matrix_of(problem: ExactGame | MatrixProblem) -> PolyMatrix:
    """The matrix that decides monotonicity of a game, or the one given."""
    return modulus_matrix(problem, "matrix" if isinstance(problem, MatrixProblem) else "monotone")


def _counted(names: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    return tuple((name, names.count(name)) for name in sorted(set(names)))


def _quadratic(variables: list[Polynomial], rng: np.random.Generator) -> Polynomial:
    c = [int(v) for v in rng.integers(-3, 4, len(variables) + 2)]
    first, second = rng.integers(0, len(variables), 2)
    linear = sum((ci * v for ci, v in zip(c, variables, strict=False)), Polynomial())
    return linear + c[-1] + c[-2] * variables[first] * variables[second]
