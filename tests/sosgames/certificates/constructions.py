"""Valid proofs by exact construction: choose the right-hand side first, then the problem that it proves.

Everything is expanded here by the definitions, with none of the verifier's shortcuts. Each builder takes a
seeded generator, so that the same list of cases appears everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from random import Random
from typing import Any

from sosgames.certificates.games import ExactGame, MatrixProblem
from sosgames.certificates.parts import (
    Block,
    Clique,
    DirectionDenominator,
    Equality,
    FromConstraint,
    Generator,
    IndexMonomial,
    IndexPolynomial,
    Multiple,
    OddRoot,
    Part,
    PointDenominator,
    Product,
    TangentChart,
    Term,
    Triangle,
)
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.proofs import ModulusProof
from sosgames.certificates.sets import (
    Ball,
    Box,
    Constraint,
    Constraints,
    Simplex,
    Space,
    StrategySet,
)

Matrix = list[list[Polynomial]]
Problem = ExactGame | MatrixProblem
ZERO, ONE = Polynomial(), Polynomial.constant(1)


@dataclass(frozen=True)
class Case:
    """A proof as JSON values, and the problem that it is about."""

    name: str
    proof: dict[str, Any]
    problem: Problem


@dataclass(frozen=True)
class Domain:
    """A set, ways to derive polynomials that are >= 0 on it, and its equations by index."""

    strategies: tuple[StrategySet, ...]
    generators: tuple[Generator, ...]
    polynomials: tuple[Polynomial, ...]
    equations: tuple[tuple[int, Polynomial], ...] = ()


def var(name: str) -> Polynomial:
    return Polynomial.variable(name)


def rational(rng: Random, size: int = 3) -> Fraction:
    return Fraction(rng.randint(-size, size), rng.choice([1, 1, 2, 3]))


# -- sets with derivations --------------------------------------------------------------------------


def domain(kind: str, names: Sequence[str], rng: Random) -> Domain:
    """A set of one kind in the variables given; constraint indices start at 0."""
    first = var(names[0])
    if kind == "box":
        low, high = Fraction(-rng.randint(1, 2)), Fraction(rng.randint(1, 3), 2)
        x = [var(name) for name in names]
        generators = [FromConstraint(0), FromConstraint(1), Product(1, 2), Multiple(3, Fraction(2, 3))]
        faces = (x[0] - low) * (high - x[0])
        polynomials = [x[0] - low, high - x[0], faces, faces * Fraction(2, 3)]
        if len(names) > 1:
            generators += [FromConstraint(2), FromConstraint(3), Product(5, 6), Product(3, 7)]
            second = (x[1] - low) * (high - x[1])
            polynomials += [x[1] - low, high - x[1], second, faces * second]
        return Domain((Box(dict.fromkeys(names, (low, high))),), tuple(generators), tuple(polynomials))
    if kind == "simplex":
        rest = 1 - sum((var(name) for name in names), ZERO)
        generators = (FromConstraint(0), FromConstraint(len(names)), Product(1, 2), Product(1, 3))
        return Domain((Simplex(names),), generators, (first, rest, first * rest, first * first * rest))
    if kind == "ball":
        ball = Ball(names, [rational(rng) for _ in names], rng.randint(1, 4))
        return Domain((ball,), (FromConstraint(0),), (ball.constraints[0].polynomial,))
    if kind == "odd":  # the set 1 - x^2 >= 0, described by an odd power of it
        root = Fraction(1, 2) * (1 - first * first)
        given = Constraint(8 * root**3)
        generators = (FromConstraint(0), Multiple(1, Fraction(1, 8)), OddRoot(2, indexed(root, names), 1))
        free = tuple(Space([name]) for name in names[1:])
        return Domain((Constraints([given]), *free), generators, (8 * root**3, root**3, root))
    if kind == "curve":  # x y = 1 and x^2 <= 4
        y = var(names[1])
        listed = [Constraint(first * y - 1, "=="), Constraint(4 - first * first)]
        free = tuple(Space([name]) for name in names[2:])
        return Domain(
            (Constraints(listed), *free), (FromConstraint(1),), (4 - first * first,), ((0, first * y - 1),)
        )
    return Domain((Space(names),), (), ())


def shifted(given: Domain, constraints: int, generators: int) -> Domain:
    """The same set as a later factor of a product: its indices follow those that come before."""
    moved: list[Generator] = []
    for generator in given.generators:
        match generator:
            case FromConstraint(k):
                moved.append(FromConstraint(k + constraints))
            case Product(a, b):
                moved.append(Product(a + generators, b + generators))
            case Multiple(a, by):
                moved.append(Multiple(a + generators, by))
            case OddRoot(a, root, k):
                moved.append(OddRoot(a + generators, root, k))
    equations = tuple((k + constraints, h) for k, h in given.equations)
    return Domain(given.strategies, tuple(moved), given.polynomials, equations)


# -- right-hand sides -------------------------------------------------------------------------------


def indexed(polynomial: Polynomial, names: Sequence[str]) -> IndexPolynomial:
    place = {name: i for i, name in enumerate(names)}
    return tuple(
        (c, tuple(sorted((place[n], e) for n, e in monomial))) for monomial, c in polynomial.terms.items()
    )


def random_monomial(rng: Random, free: Sequence[int], degree: int) -> IndexMonomial:
    exponents: dict[int, int] = {}
    for _ in range(rng.randint(0, degree)):
        i = rng.choice(free)
        exponents[i] = exponents.get(i, 0) + 1
    return tuple(sorted(exponents.items()))


def random_vector(rng: Random, free: Sequence[int], side: int, degree: int) -> tuple[Term, ...]:
    terms = {
        (rng.randrange(side), random_monomial(rng, free, degree)) for _ in range(rng.choice([1, 1, 1, 2, 3]))
    }
    return tuple((rng.choice([1, 1, 2, -1, -3]), row, monomial) for row, monomial in sorted(terms))


def random_gram(rng: Random, side: int) -> tuple[Triangle, Triangle | None]:
    """F F' for a random integer F, singular or definite; with a congruence now and then."""
    kind = rng.choice(["singular", "congruence", "definite"])
    columns = max(1, side - 1) if kind == "singular" else side
    factor = [[rng.randint(-2, 2) for _ in range(columns)] for _ in range(side)]
    gram = [
        [
            sum(factor[i][k] * factor[j][k] for k in range(columns)) + (i == j) * (kind != "singular")
            for j in range(i + 1)
        ]
        for i in range(side)
    ]
    return lower(gram), inverse_factor(gram) if kind == "congruence" else None


def lower(rows: Sequence[Sequence[int]]) -> Triangle:
    return tuple(tuple(row) for row in rows)


def inverse_factor(gram: Sequence[Sequence[int]]) -> Triangle:
    """An integer lower triangular P with P G P' diagonal: the rows of L^-1, each times its denominators."""
    side = len(gram)
    full = [[Fraction(gram[max(i, j)][min(i, j)]) for j in range(side)] for i in range(side)]
    rows = [[Fraction(i == j) for j in range(side)] for i in range(side)]
    for i in range(side):
        for j in range(i + 1, side):
            factor = full[j][i] / full[i][i]
            full[j] = [a - factor * b for a, b in zip(full[j], full[i], strict=True)]
            rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i], strict=True)]
    return tuple(
        tuple(int(v * lcm(*(u.denominator for u in row))) for v in row[: i + 1]) for i, row in enumerate(rows)
    )


def random_blocks(
    rng: Random, free: Sequence[int], side: int, generators: int, degree: int = 1
) -> list[Block]:
    blocks = []
    for generator in [0, *(g for g in range(1, generators + 1) if rng.random() < 0.6)]:
        basis = tuple(random_vector(rng, free, side, degree) for _ in range(rng.randint(1, 3)))
        gram, congruence = random_gram(rng, len(basis))
        blocks.append(Block(generator, basis, gram, congruence))
    return blocks


def expand(
    blocks: Sequence[Block], generators: Sequence[Polynomial], names: Sequence[str], side: int
) -> Matrix:
    """sum_j g_j z_j' G_j z_j, entry by entry from the definition."""
    total = [[ZERO for _ in range(side)] for _ in range(side)]
    for block in blocks:
        g = ONE if block.generator == 0 else generators[block.generator - 1]
        z = [[ZERO for _ in range(side)] for _ in block.basis]
        for vector, terms in zip(z, block.basis, strict=True):
            for c, row, monomial in terms:
                vector[row] += Polynomial({tuple(sorted((names[i], e) for i, e in monomial)): c})
        for p in range(len(z)):
            for q in range(len(z)):
                entry = block.gram[max(p, q)][min(p, q)]
                for a in range(side):
                    for b in range(side):
                        total[a][b] += g * z[p][a] * z[q][b] * entry
    return total


def times_factors(block: Block, factors: Sequence[Sequence[tuple[int, IndexMonomial]]]) -> Block:
    """The block of sum_i f_i^2 z'Gz: vectors f_i z, Gram matrix repeated along the diagonal."""
    basis, gram = [], []
    for factor in factors:
        start = len(basis)
        for p, vector in enumerate(block.basis):
            terms: dict[tuple[int, IndexMonomial], int] = {}
            for c, row, monomial in vector:
                for d, other in factor:
                    key = (row, merged(monomial, other))
                    terms[key] = terms.get(key, 0) + c * d
            basis.append(tuple((c, row, m) for (row, m), c in terms.items() if c))
            gram.append([0] * start + list(block.gram[p]))
    return Block(block.generator, tuple(basis), lower(gram))


def merged(a: IndexMonomial, b: IndexMonomial) -> IndexMonomial:
    exponents = dict(a)
    for i, e in b:
        exponents[i] = exponents.get(i, 0) + e
    return tuple(sorted(exponents.items()))


def cliques_of(blocks: Sequence[Block]) -> tuple[Clique, ...]:
    return tuple(
        Clique(
            tuple(sorted({row for vector in block.basis for _, row, _ in vector})),
            tuple(sorted({i for vector in block.basis for _, _, m in vector for i, _ in m})),
            (number,),
        )
        for number, block in enumerate(blocks)
    )


# -- matrix problems --------------------------------------------------------------------------------

PLAIN, SCALAR, POINT, DIRECTION, CHART = "plain", "scalar", "point", "direction", "chart"


def matrix_case(seed: int, kind: str, variant: str, side: int = 2) -> Case:
    """A random matrix with a proof of the variant asked for, on a set of the kind asked for."""
    rng = Random(f"{seed} {kind} {variant}")
    names = ("x", "y") if side > 1 or kind == "curve" else ("x",)
    given = domain(kind, names, rng)
    blocks = random_blocks(rng, range(len(names)), side, len(given.generators))
    scale, mu = rng.randint(1, 12), rational(rng)
    total = expand(blocks, given.polynomials, names, side)
    equalities = []
    for k, h in given.equations:
        entry = ((Fraction(rng.randint(1, 5), 2), random_monomial(rng, range(len(names)), 2)),)
        equalities.append(Equality(k, ((0, side - 1, entry),)))
        term = h * Polynomial({tuple((names[i], e) for i, e in entry[0][1]): entry[0][0]})
        total[0][side - 1] += term
        if side > 1:
            total[side - 1][0] += term
    part = Part(None, mu, scale, tuple(blocks), given.generators, tuple(equalities))
    if variant in (SCALAR, DIRECTION):
        part, total = _scalar(part, total, names, side, rng, variant)
    if variant == POINT:
        part = _with_point(part, names, rng)
    if variant == CHART:
        part, total = _with_chart(part, total, side)
    if rng.random() < 0.3 and part.form == "matrix":
        part = replace(part, cliques=cliques_of(part.blocks))
    rows = tuple(tuple(total[a][b] / scale + (mu if a == b else 0) for b in range(side)) for a in range(side))
    problem = MatrixProblem(rows, names, given.strategies)
    return Case(f"matrix-{kind}-{variant}-{seed}", ModulusProof("matrix", names, (part,)).to_dict(), problem)


def _scalar(
    part: Part, total: Matrix, names: Sequence[str], side: int, rng: Random, variant: str
) -> tuple[Part, Matrix]:
    """Rows become variables w. A square without w is made homogeneous by the sphere; or all is times w'w."""
    n = len(names)
    blocks = [
        replace(b, basis=tuple(tuple((c, 0, with_w(m, n, row)) for c, row, m in v) for v in b.basis))
        for b in part.blocks
    ]
    equalities = [
        Equality(e.constraint, ((0, 0, tuple((c, with_w(m, n, a, b)) for c, m in t)),))
        for e in part.equalities
        for a, b, t in ordered_entries(e)
    ]
    part = replace(part, form="scalar", blocks=tuple(blocks), equalities=tuple(equalities))
    if variant == DIRECTION:
        factors = [[(1, with_w((), n, a))] for a in range(side)]
        length = [(Fraction(1), with_w((), n, a, a)) for a in range(side)]
        longer = tuple(times_factors(block, factors) for block in blocks)
        part = replace(part, blocks=longer, denominator=DirectionDenominator(1))
        return times_equalities(part, length), total
    monomial, c = random_monomial(rng, range(n), 1), rng.randint(1, 4)
    square = merged(monomial, monomial)
    added = Polynomial({tuple((names[i], e) for i, e in square): c})
    total = [[total[a][b] + (added if a == b else ZERO) for b in range(side)] for a in range(side)]
    blocks.append(Block(0, (((1, 0, monomial),),), ((c,),)))
    return replace(part, blocks=tuple(blocks), sphere=((Fraction(-c), square),)), total


def with_w(monomial: IndexMonomial, n: int, *rows: int) -> IndexMonomial:
    """The monomial times the variable w of each row given; they follow the n variables x."""
    for row in rows:
        monomial = merged(monomial, ((n + row, 1),))
    return monomial


def ordered_entries(equality: Equality) -> list[tuple[int, int, IndexPolynomial]]:
    """Every entry of the symmetric matrix T, those below the diagonal too."""
    return [*equality.matrix, *((b, a, t) for a, b, t in equality.matrix if a != b)]


def times_equalities(part: Part, factor: Sequence[tuple[Fraction, IndexMonomial]]) -> Part:
    """The part with all its matrices T times a polynomial."""
    matrices = [tuple((a, b, _times(t, factor)) for a, b, t in e.matrix) for e in part.equalities]
    longer = [replace(e, matrix=m) for e, m in zip(part.equalities, matrices, strict=True)]
    return replace(part, equalities=tuple(longer))


def _times(a: IndexPolynomial, b: Sequence[tuple[Fraction, IndexMonomial]]) -> IndexPolynomial:
    terms: dict[IndexMonomial, Fraction] = {}
    for c, m in a:
        for d, k in b:
            terms[merged(m, k)] = terms.get(merged(m, k), Fraction(0)) + c * d
    return tuple((c, m) for m, c in terms.items() if c)


def _with_point(part: Part, names: Sequence[str], rng: Random) -> Part:
    """Both sides times q^2 |x - x0|^2, x0 = 0 or 1/2 in each coordinate: every z becomes (q x_i - p) z."""
    p, q = rng.choice([(0, 1), (1, 2)])
    n = range(len(names))
    factors = [[(q, ((i, 1),)), *([(-p, ())] if p else [])] for i in n]
    distance = [(Fraction(q * q), ((i, 2),)) for i in n]
    if p:
        distance += [*((Fraction(-2 * p * q), ((i, 1),)) for i in n), (Fraction(len(names) * p * p), ())]
    part = replace(
        part,
        scale=part.scale * q * q,
        blocks=tuple(times_factors(block, factors) for block in part.blocks),
        denominator=PointDenominator({name: Fraction(p, q) for name in names}, 1),
    )
    return times_equalities(part, distance)


def _with_chart(part: Part, total: Matrix, side: int) -> tuple[Part, Matrix]:
    """B = [[1, 1], [0, 1]]-like shears: M = mu I + B^-T S B^-1 / D."""
    basis = tuple(tuple(int(j in (i, i + 1)) for j in range(side)) for i in range(side))
    inverse = [[(-1) ** (j - i) if j >= i else 0 for j in range(side)] for i in range(side)]
    moved = [
        [
            sum((total[i][j] * inverse[i][a] * inverse[j][b] for i in range(side) for j in range(side)), ZERO)
            for b in range(side)
        ]
        for a in range(side)
    ]
    return replace(part, chart=TangentChart(basis)), moved
