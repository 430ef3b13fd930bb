"""From an exact polynomial matrix and the set's description to a `SosProgram`: integer arrays throughout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, gcd, lcm
from typing import Protocol

import numpy as np

from sosgames.certificates.matrices import Basis, congruent
from sosgames.certificates.polynomials import Polynomial
from sosgames.errors import InputError
from sosgames.sos.bases import BasisRule, MatrixShape, total_degree_bases
from sosgames.sos.bounds import feasible_intervals
from sosgames.sos.coefficients import Entry, Unknowns
from sosgames.sos.coordinates import AffineCoordinates, affine_coordinates
from sosgames.sos.exponents import IntArray, exponents_of, monomials_up_to, parities
from sosgames.sos.generators import ConstraintLike, Description, relevant_variables, strong_description
from sosgames.sos.program import FreeEntries, GramBlock, SosProgram
from sosgames.sos.pruning import without_idle_elements
from sosgames.sos.scales import natural_units
from sosgames.sos.sizes import MEMORY_LIMIT, estimate_size, refuse_above
from sosgames.sos.symmetry import ParitySpan, parity_span, split_by_character


class MatrixLike(Protocol):
    """A symmetric polynomial matrix by its non-zero entries (a, b), a <= b, and its diagonal metric."""

    @property
    def rows(self) -> tuple[str, ...]: ...
    @property
    def entries(self) -> Mapping[Entry, Polynomial]: ...
    @property
    def metric(self) -> tuple[Fraction, ...]: ...


class ProblemLike(Protocol):
    """What a program needs to know of a game: its variables and conditions."""

    @property
    def variables(self) -> tuple[str, ...]: ...
    @property
    def constraints(self) -> Sequence[ConstraintLike]: ...


@dataclass(frozen=True, slots=True)
class _Scene:
    """Everything in coordinates: exact polynomials with integer generators."""

    coordinates: AffineCoordinates
    description: Description
    entries: Mapping[Entry, Polynomial]
    generators: Mapping[int, Polynomial]
    multiples: tuple[Fraction, ...]
    equation_multiples: Mapping[int, Fraction]
    equations: Mapping[int, Polynomial]

    @property
    def degree(self) -> int:
        """What the lowest level must reach: the matrix, every generator and every equation."""
        polynomials = [*self.entries.values(), *self.generators.values(), *self.equations.values()]
        return max((p.degree for p in polynomials), default=0)


def lowest_level(
    matrix: MatrixLike, problem: ProblemLike, *, tangent: Basis | None = None, cross_products: bool = False
) -> int:
    """The smallest even degree, at least 2, that the matrix and the set's strong description need."""
    return _lowest(_scene(_entries(matrix, tangent), problem, cross_products))


def build_program(
    matrix: MatrixLike,
    problem: ProblemLike,
    level: int | None = None,
    *,
    tangent: Basis | None = None,
    bases: BasisRule = total_degree_bases,
    cross_products: bool = False,
    all_products: bool = False,
    modulus: Fraction | None = None,
    memory_limit: int | None = MEMORY_LIMIT,
) -> SosProgram:
    r"""The matrix-SOS program for ``matrix - mu * metric`` on the problem's set.

    Parameters
    ----------
    matrix
        The matrix M and its diagonal metric R.
    problem
        Anything with ``constraints``; only those that are tied to variables of M enter.
    level
        Even degree of the identity; the lowest possible one by default.
    tangent
        A matrix B, row by row; the program is then about B'MB and B'RB (directions along affine equations).
    bases
        The rule that gives each row its monomials.
    cross_products
        Take pair products over all linear faces, also across players: stronger and larger.
    all_products
        Take all products of the conditions up to the level: Schmüdgen's description, much larger.
    modulus
        A program for this modulus alone, without the monomials that only others need.
    memory_limit
        Bytes that building may take, by an estimate made before; None for no limit.

    Raises
    ------
    InputError
        When the level is odd or below the lowest one.
    LimitError
        When the estimate exceeds the limit; the message says what to do.

    Notes
    -----
    Cost: linear in the number of coefficients, about :math:`(1 + \sum_j |g_j|) N^2 / 2` for top blocks of
    side N = rows * C(n + level/2, n), before sign symmetries make it smaller.
    """
    entries = _entries(matrix, tangent)
    scene = _scene(entries, problem, cross_products)
    metric = _metric(matrix, tangent)
    lowest = _lowest(scene)
    level = lowest if level is None else level
    if level % 2 or level < lowest:
        raise InputError(f"level: got {level}; it must be even and at least {lowest} for this problem.")
    if all_products:
        scene = _scene(entries, problem, cross_products, level)
    names = scene.coordinates.names
    n_rows = len(matrix.rows if tangent is None else tangent[0])
    shape = MatrixShape(
        n_rows, names, {key: exponents_of(p.terms, names) for key, p in scene.entries.items()}
    )
    _refuse_too_large(scene, n_rows, level, memory_limit)
    scalars = [*scene.generators.values(), *scene.equations.values()]
    span = parity_span(shape, [exponents_of(p.terms, names) for p in scalars])
    blocks = _blocks(scene, shape, bases, span, level)
    free = tuple(
        FreeEntries(k, *_free_entries(shape, span, level - p.degree)) for k, p in scene.equations.items()
    )
    unknowns = Unknowns(blocks, free, scene.generators, scene.equations, names, n_rows)
    unknowns, equations = without_idle_elements(unknowns, scene.entries, metric, modulus)
    return SosProgram(
        variables=tuple(problem.variables),
        entries=entries,
        tangent=None if tangent is None else tuple(tuple(map(int, row)) for row in tangent),
        n_rows=n_rows,
        modulus=modulus,
        level=level,
        coordinates=scene.coordinates,
        description=scene.description,
        multiples=scene.multiples,
        equation_multiples=scene.equation_multiples,
        blocks=unknowns.blocks,
        free=unknowns.free,
        keys=equations.keys,
        coefficients=equations.coefficients,
        target=equations.target,
        metric=equations.metric,
        denominator=equations.denominator,
    )


def _lowest(scene: _Scene) -> int:
    return max(2, scene.degree + scene.degree % 2)


def _entries(matrix: MatrixLike, tangent: Basis | None) -> Mapping[Entry, Polynomial]:
    return matrix.entries if tangent is None else congruent(matrix.entries, tangent)


def _metric(matrix: MatrixLike, tangent: Basis | None) -> dict[Entry, Fraction]:
    """The metric R, or B'RB."""
    diagonal = {(a, a): Polynomial.constant(weight) for a, weight in enumerate(matrix.metric) if weight}
    entries = diagonal if tangent is None else congruent(diagonal, tangent)
    return {key: p.constant_term for key, p in entries.items()}


def _scene(
    entries: Mapping[Entry, Polynomial],
    problem: ProblemLike,
    cross_products: bool,
    product_degree: int | None = None,
) -> _Scene:
    occurring = frozenset[str]().union(*(p.variables for p in entries.values()))
    relevant = relevant_variables(occurring, problem.constraints)
    description = strong_description(
        problem.constraints, relevant, cross_products=cross_products, product_degree=product_degree
    )
    inequalities = [g.polynomial for g in description.generators if len(g.derivation.indices) == 1]
    equations = [p for _, p in description.equations]
    intervals = feasible_intervals(inequalities, [p for p in equations if p.degree == 1])
    order = [name for name in _in_order(problem.constraints, entries) if name in relevant]
    affine = [(k, p) for k, p in description.equations if p.degree == 1]
    free = [name for name in order if None in intervals.get(name, (None, None))]
    coordinates = affine_coordinates(order, affine, intervals, natural_units(entries.values(), free))
    generators = {0: Polynomial.constant(1)}
    multiples = [Fraction(1)] * (len(description.generators) + 1)
    for index in description.active:
        image = coordinates.to_coordinates(description.polynomial(index))
        if image and not (image.is_constant() and image.constant_term > 0):
            multiples[index] = _primitive_factor([image])
            generators[index] = image * multiples[index]
    reduced = {k: coordinates.to_coordinates(p) for k, p in description.equations}
    factors = {k: _primitive_factor([p]) for k, p in reduced.items() if p}
    return _Scene(
        coordinates,
        description,
        {key: image for key, p in entries.items() if (image := coordinates.to_coordinates(p))},
        generators,
        tuple(multiples),
        factors,
        {k: reduced[k] * factor for k, factor in factors.items()},
    )


def _in_order(constraints: Iterable[ConstraintLike], entries: Mapping[Entry, Polynomial]) -> list[str]:
    """All variables, in the order in which the constraints and then the matrix mention them."""
    mentioned: dict[str, None] = {}
    for constraint in constraints:
        mentioned.update(dict.fromkeys(sorted(constraint.polynomial.variables)))
    for polynomial in entries.values():
        mentioned.update(dict.fromkeys(sorted(polynomial.variables)))
    return list(mentioned)


def _primitive_factor(polynomials: Iterable[Polynomial]) -> Fraction:
    """The positive factor that makes the coefficients coprime integers."""
    coefficients = [c for p in polynomials for c in p.terms.values()]
    denominator = lcm(*(c.denominator for c in coefficients))
    divisor = gcd(*(int(c * denominator) for c in coefficients))
    return Fraction(denominator, divisor)


def _refuse_too_large(scene: _Scene, n_rows: int, level: int, limit: int | None) -> None:
    """Refuse by the sides of the full bases, before any of them is listed."""
    n = len(scene.coordinates.names)
    halves = [(level - p.degree) // 2 for p in scene.generators.values()]
    sides = [n_rows * comb(n + half, n) if half >= 0 else 0 for half in halves]
    size = estimate_size(sides, [len(p.terms) for p in scene.generators.values()])
    advice = "lower the level, ask about fewer variables, or raise memory_limit."
    refuse_above(size.n_bytes, limit, f"a program at level {level} ({size})", advice)


def _blocks(
    scene: _Scene, shape: MatrixShape, bases: BasisRule, span: ParitySpan, level: int
) -> tuple[GramBlock, ...]:
    blocks = []
    for index, polynomial in scene.generators.items():
        per_row = bases(shape, exponents_of(polynomial.terms, shape.names), level)
        rows = np.repeat(np.arange(shape.n_rows), [len(basis) for basis in per_row])
        exponents = np.concatenate(list(per_row))
        classes = split_by_character(rows, exponents, span, shape.n_rows)
        blocks += [GramBlock(index, rows[members], exponents[members]) for members in classes]
    return tuple(blocks)


def _free_entries(shape: MatrixShape, span: ParitySpan, degree: int) -> tuple[IntArray, IntArray, IntArray]:
    """Entries a <= b and monomials of a free symmetric multiplier, those of trivial character."""
    monomials = monomials_up_to(len(shape.names), degree)
    first, second = np.triu_indices(shape.n_rows)
    rows, columns = (np.repeat(index, len(monomials)) for index in (first, second))
    exponents = np.tile(monomials, (len(first), 1))
    parity = parities(exponents, shape.n_rows)
    bits = np.array([1 << (len(shape.names) + a) for a in range(shape.n_rows)], dtype=parity.dtype)
    keep = np.asarray(span.reduce_all(parity ^ bits[rows] ^ bits[columns]) == 0, dtype=bool)
    return rows[keep], columns[keep], exponents[keep]
