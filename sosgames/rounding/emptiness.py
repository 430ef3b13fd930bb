r"""Sets that are empty, and why every claim then holds.

If the conditions contradict each other, a sum of squares may say so:

.. math:: -1 = s_0(x) + \sum_j s_j(x)\, g_j(x) + \sum_k t_k(x)\, h_k(x)

(Stengle 1974; Putinar 1993 for compact sets). Every symmetric polynomial matrix N is a difference of squares,
:math:`4N = (N + I)^2 - (N - I)^2`, and with the identity above in the place of the minus sign

.. math:: 4N = (N + I)^2 + s_0 (N - I)^2 + \sum_j g_j s_j (N - I)^2 + \sum_k h_k t_k (N - I)^2

is a proof of :math:`N \succeq 0` on the set in the format that all proofs here have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import TypeVar

from sosgames.certificates.matrices import Basis, Entries, PolyMatrix, congruent
from sosgames.certificates.parts import (
    Block,
    Equality,
    FromConstraint,
    IndexMonomial,
    IndexPolynomial,
    Part,
    TangentChart,
    Term,
)
from sosgames.certificates.polynomials import Polynomial
from sosgames.rounding.prove import prove
from sosgames.solvers.registry import AUTO
from sosgames.sos.build import ProblemLike, build_program, lowest_level
from sosgames.sos.generators import relevant_variables

CLIMB = 2
"""Degrees above the lowest level up to which a contradiction is sought."""
MAX_SIDE = 60
"""Of the Gram matrices with which it is sought."""
MAX_TERMS = 20_000
"""Pairs of terms in the square of a matrix for which the proof is written out."""

Number = TypeVar("Number", int, Fraction)
Terms = Mapping[IndexMonomial, Number]
"""A polynomial by its terms."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """The identity for ``-scale`` as the blocks and equalities of a part about a matrix of side 1."""

    part: Part
    squares: tuple[int, ...]
    """Indices of variables whose squares, times the scale, belong to s_0 as well."""


def find_contradiction(
    problem: ProblemLike, *, solver: str = AUTO, time_limit: float | None = None
) -> Contradiction | None:
    """A proof that no point satisfies the conditions of a problem; None where none is found.

    Two bounds of one variable first; then conditions that share variables together, the other groups apart,
    each at its lowest levels.

    Cost: one or two small solves for every group of conditions that are not plain intervals.
    """
    if (plain := _of_intervals(problem)) is not None:
        return plain
    for names in _groups(problem):
        squares = sum((Polynomial.variable(name) ** 2 for name in names), Polynomial())
        matrix = PolyMatrix(("1",), {(0, 0): -1 - squares}, (Fraction(1),))
        lowest = lowest_level(matrix, problem)
        for level in range(lowest, lowest + CLIMB + 1, 2):
            program = build_program(matrix, problem, level, modulus=Fraction(0))
            if max(program.sides, default=0) > MAX_SIDE:
                break
            bound = prove(program, solver=solver, time_limit=time_limit)
            if bound.part is not None:
                return Contradiction(bound.part, tuple(problem.variables.index(name) for name in names))
    return None


def _of_intervals(problem: ProblemLike) -> Contradiction | None:
    """A lower bound of a variable above an upper one, by the two conditions that say so."""
    ends: dict[tuple[str, bool], tuple[Fraction, int]] = {}  # a bound, and the condition it comes from
    for k, constraint in enumerate(problem.constraints):
        g = constraint.polynomial
        if constraint.kind == ">=" and g.degree == 1 and len(g.variables) == 1:
            (name,) = g.variables
            slope = g.coefficient(((name, 1),))
            bound, key = -g.constant_term / slope, (name, slope > 0)
            known = ends.get(key)
            if known is None or (bound > known[0]) == (slope > 0):
                ends[key] = bound, k
    for name in problem.variables:
        low, high = ends.get((name, True)), ends.get((name, False))
        if low is not None and high is not None and low[0] > high[0]:
            return _sum_of(problem, name, (low[1], high[1]), low[0] - high[0])
    return None


def _sum_of(problem: ProblemLike, name: str, conditions: tuple[int, int], gap: Fraction) -> Contradiction:
    """The identity for -1 in which positive multiples of two linear conditions in one variable add up."""
    slopes = [abs(problem.constraints[k].polynomial.coefficient(((name, 1),))) for k in conditions]
    weights = [1 / (gap * slope) for slope in slopes]
    scale = lcm(*(w.denominator for w in weights))
    blocks = [Block(j, (((1, 0, ()),),), ((int(w * scale),),)) for j, w in enumerate(weights, start=1)]
    generators = tuple(FromConstraint(k) for k in conditions)
    return Contradiction(Part(None, Fraction(0), scale, tuple(blocks), generators), ())


def _groups(problem: ProblemLike) -> Iterator[list[str]]:
    """The variables of conditions that hang together, but for those that are intervals."""
    left = set(problem.variables)
    while left:
        group = relevant_variables([min(left)], problem.constraints)
        left -= group
        conditions = [c for c in problem.constraints if c.polynomial.variables & group]
        if any(c.kind == "==" or c.polynomial.degree > 1 for c in conditions) or len(group) > 1:
            yield [name for name in problem.variables if name in group]


def vacuous_part(
    contradiction: Contradiction,
    matrix: PolyMatrix,
    problem: ProblemLike,
    *,
    mu: Fraction = Fraction(0),
    player: str | None = None,
    tangent: Basis | None = None,
) -> Part | None:
    """The proof that M - mu R is positive semidefinite on a set that is empty; None where it is too long."""
    N: Entries = matrix.minus(mu) if tangent is None else congruent(matrix.minus(mu), tangent)
    side = matrix.side if tangent is None else len(tangent[0])
    position = {name: i for i, name in enumerate(problem.variables)}
    common = lcm(*(c.denominator for entry in N.values() for c in entry.terms.values()))
    plus, minus = (_rows(N, side, common, sign, position) for sign in (1, -1))
    n_terms = sum(len(entry) for row in minus for entry in row.values())
    if n_terms**2 > MAX_TERMS * side:
        return None
    shown = contradiction.part
    one: Terms[int] = {(): 1}
    blocks = [_block(0, [one], row, ((shown.scale,),)) for row in plus if row]
    for row in filter(None, minus):
        squared: list[Terms[int]] = [{((index, 1),): 1} for index in contradiction.squares]
        blocks += [_block(0, [element], row, ((shown.scale,),)) for element in squared]
        for block in shown.blocks:
            basis = [{m: c for c, _, m in vector} for vector in block.basis]
            blocks.append(_block(block.generator, basis, row, block.gram, block.congruence))
    chart = None if tangent is None else TangentChart(tuple(tuple(map(int, row)) for row in tangent))
    equalities = tuple(_equality(e, minus) for e in shown.equalities)
    return replace(
        shown,
        player=player,
        mu=mu,
        scale=4 * common**2 * shown.scale,
        blocks=tuple(blocks),
        equalities=equalities,
        chart=chart,
    )


Row = dict[int, dict[IndexMonomial, int]]
"""A row of an integer polynomial matrix by column; columns that are zero are left out."""


def _rows(N: Entries, side: int, common: int, sign: int, position: Mapping[str, int]) -> list[Row]:
    """The rows of common * (N + sign * I)."""
    rows: list[Row] = [{} for _ in range(side)]
    whole = {**N, **{(a, a): N.get((a, a), Polynomial()) + sign for a in range(side)}}
    for (a, b), entry in whole.items():
        terms = {
            tuple(sorted((position[name], e) for name, e in m)): int(c * common)
            for m, c in entry.terms.items()
        }
        if terms:
            rows[a][b] = rows[b][a] = terms
    return rows


def _block(
    generator: int,
    basis: Sequence[Terms[int]],
    row: Row,
    gram: tuple[tuple[int, ...], ...],
    congruence: tuple[tuple[int, ...], ...] | None = None,
) -> Block:
    """The square of a row of a matrix, multiplied by the polynomial with this basis and Gram matrix."""
    vectors = []
    for element in basis:
        vector: list[Term] = []
        for column, entry in sorted(row.items()):
            vector += [(c, column, m) for m, c in _product(element, entry).items()]
        vectors.append(tuple(vector))
    return Block(generator, tuple(vectors), gram, congruence)


def _product(a: Terms[Number], b: Terms[Number]) -> dict[IndexMonomial, Number]:
    total: dict[IndexMonomial, Number] = {}
    for m, c in a.items():
        for n, d in b.items():
            exponents = dict(m)
            for index, e in n:
                exponents[index] = exponents.get(index, 0) + e
            key = tuple(sorted(exponents.items()))
            total[key] = total[key] + c * d if key in total else c * d
    return {m: c for m, c in total.items() if c}


def _equality(equality: Equality, rows: list[Row]) -> Equality:
    """A scalar multiplier times the square of a matrix."""
    scalar = {m: c for _, _, polynomial in equality.matrix for c, m in polynomial}
    entries: list[tuple[int, int, IndexPolynomial]] = []
    for a in range(len(rows)):
        for b in range(a, len(rows)):
            square: dict[IndexMonomial, Fraction] = {}
            for column in rows[a].keys() & rows[b].keys():
                for m, c in _product(rows[a][column], rows[b][column]).items():
                    square[m] = square.get(m, Fraction(0)) + c
            if product := _product(scalar, square):
                entries.append((a, b, tuple((c, m) for m, c in product.items())))
    return replace(equality, matrix=tuple(entries))
