"""Families of games and matrices whose modulus is known by construction, for tests and benchmarks."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sosgames.certificates.games import ExactGame, ExactPlayer, MatrixProblem
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import Ball, Box, Simplex, Space


@dataclass(frozen=True)
class Known:
    """A problem, the property asked about, and its modulus."""

    problem: ExactGame | MatrixProblem
    property: str
    modulus: Fraction


def potential_game(rng: random.Random, n: int, modulus: Fraction) -> Known:
    """n players with one variable each, M(x) = modulus I + sum_k 12 (l_k (x - c))^2 l_k l_k'.

    All players gain the quartic potential -sum_k (l_k (x - c))^4 and lose modulus/2 (x_i - c_i)^2; zero-sum
    couplings that cancel in the symmetric part hide it. The modulus is attained at c, a point of X. Players
    are listed in a random order, and their variables have random names.
    """
    names = [f"v{rng.randrange(10**6)}_{i}" for i in range(n)]
    center = [Fraction(rng.randint(-3, 3), 4) for _ in names]
    shifted = [Polynomial.variable(v) - c for v, c in zip(names, center, strict=True)]
    potential = _quartic_potential(rng, shifted)
    utilities = [potential - (modulus / 2) * s**2 for s in shifted]
    for i in range(n):
        for j in range(i):
            coupling = Fraction(rng.randint(-5, 5), rng.randint(1, 4)) * shifted[i] * shifted[j]
            utilities[i] = utilities[i] + coupling
            utilities[j] = utilities[j] - coupling
    sets = [_box_around(rng, v, c) for v, c in zip(names, center, strict=True)]
    order = rng.sample(range(n), n)
    players = tuple(ExactPlayer(f"P{i}", (names[i],), utilities[i], (sets[i],)) for i in order)
    return Known(ExactGame(players), "monotone", modulus)


def simplex_player(rng: random.Random, n: int, modulus: Fraction) -> Known:
    """One player on the full-dimensional simplex, with the same Hessian as in `potential_game`."""
    names = [f"p{i}" for i in range(n)]
    rng.shuffle(names)
    shifted = [Polynomial.variable(v) - Fraction(rng.randint(1, 3), 4 * n) for v in names]
    squares = sum((s**2 for s in shifted), Polynomial())
    utility = _quartic_potential(rng, shifted) - (modulus / 2) * squares
    game = ExactGame((ExactPlayer("P", tuple(names), utility, (Simplex(names),)),))
    return Known(game, "concave", modulus)


def square_matrix(rng: random.Random, n: int, side: int, modulus: Fraction) -> Known:
    """M(x) = F(x)'F(x) + modulus I with affine F that vanishes at a rational point of the box."""
    names = [f"x{i}" for i in range(n)]
    rng.shuffle(names)
    shifted = [Polynomial.variable(v) - Fraction(rng.randint(-2, 2), 3) for v in names]
    factor = [[_random_line(rng, shifted) for _ in range(side)] for _ in range(side)]
    rows = [
        [
            sum((factor[k][a] * factor[k][b] for k in range(side)), Polynomial()) + (modulus if a == b else 0)
            for b in range(side)
        ]
        for a in range(side)
    ]
    box = Box(dict.fromkeys(names, (-1, 1)))
    return Known(MatrixProblem(tuple(map(tuple, rows)), tuple(names), (box,)), "matrix", modulus)


def double_well(rng: random.Random, n: int, modulus: Fraction) -> Known:
    """The polynomial sum_i (x_i^2 - c_i^2)^2 + modulus, on a box or everywhere."""
    names = [f"x{i}" for i in range(n)]
    squares = [Polynomial.variable(v) ** 2 - Fraction(rng.randint(1, 4), 4) ** 2 for v in names]
    well = sum((s**2 for s in squares), Polynomial()) + modulus
    strategies = rng.choice([Box(dict.fromkeys(names, (-2, 2))), Space(names)])
    return Known(MatrixProblem(((well,),), tuple(names), (strategies,)), "matrix", modulus)


def ball_player(rng: random.Random, n: int, modulus: Fraction) -> Known:
    """One player on a ball of rational centre, with the same Hessian as in `potential_game`."""
    names = [f"b{i}" for i in range(n)]
    rng.shuffle(names)
    center = [Fraction(rng.randint(-2, 2), 3) for _ in names]
    shifted = [Polynomial.variable(v) - c for v, c in zip(names, center, strict=True)]
    utility = _quartic_potential(rng, shifted) - (modulus / 2) * sum((s**2 for s in shifted), Polynomial())
    ball = Ball(names, center, Fraction(rng.randint(1, 4), 2))
    return Known(ExactGame((ExactPlayer("P", tuple(names), utility, (ball,)),)), "concave", modulus)


def fourth_powers(n: int, *, dense: bool = False, bounded: bool = False) -> ExactGame:
    """One player minimises sum_k (l_k.x)^4 + sum_i x_i^4 + sum_i x_i^2, on [-1, 1]^n or everywhere.

    The modulus is 2, attained at 0. Sparse: n forms l_k with entries from -2 to 2; their Hessian minus 2 I
    has no positive definite Gram matrix. Dense: 2n forms with entries from -3 to 3 but 0.
    """
    if dense:
        rows = np.random.default_rng(1).choice([-3, -2, -1, 1, 2, 3], size=(2 * n, n))
    else:
        rows = np.random.default_rng(0).integers(-2, 3, size=(n, n))
    names = tuple(f"x{i}" for i in range(n))
    x = [Polynomial.variable(name) for name in names]
    forms = [sum((int(c) * v for c, v in zip(row, x, strict=True)), Polynomial()) for row in rows]
    cost = sum((form**4 for form in [*forms, *x]), Polynomial()) + sum((v**2 for v in x), Polynomial())
    strategies = Box(dict.fromkeys(names, (-1, 1))) if bounded else Space(names)
    return ExactGame((ExactPlayer("P", names, -cost, (strategies,)),))


def _quartic_potential(rng: random.Random, shifted: list[Polynomial]) -> Polynomial:
    return -sum((_random_line(rng, shifted) ** 4 for _ in shifted), Polynomial())


def _random_line(rng: random.Random, shifted: list[Polynomial]) -> Polynomial:
    return sum((rng.randint(-2, 2) * s for s in shifted), Polynomial())


def _box_around(rng: random.Random, name: str, center: Fraction) -> Box:
    return Box({name: (center - Fraction(rng.randint(1, 4), 4), center + Fraction(rng.randint(1, 4), 4))})
