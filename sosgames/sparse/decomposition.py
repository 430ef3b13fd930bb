r"""A polynomial matrix as a coupled sum of clique matrices, and the one sparse program that they share.

.. math:: M(x) - \mu R = \sum_C E_C \Big( S_{C,0}(x_C) + \sum_j S_{C,j}(x_C) g_j(x_C) \Big) E_C'

over the cliques C of the interaction graph, each S a matrix sum of squares in the clique's rows and variables
alone (Kojima, Kim and Waki 2005 for the pattern, Scherer and Hol 2006 for the matrices). There is one linear
equation for each (row, row, monomial) of the whole matrix. Cliques that share a row or a variable are coupled
through these equations, so how the diagonal is divided among them is part of the optimisation.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import comb, lcm

import numpy as np
from numpy.typing import NDArray

from sosgames.certificates.matrices import PolyMatrix, Problem
from sosgames.errors import InputError
from sosgames.sos.program import CoefficientMap, ObjectArray
from sosgames.sos.sizes import MEMORY_LIMIT, SizeEstimate, refuse_above
from sosgames.sparse.cliques import Interaction, interactions
from sosgames.sparse.constants import elimination_groups
from sosgames.sparse.cycles import short_cycles
from sosgames.sparse.shapes import LocalPolynomial, Shape, clique_shape, local_polynomial
from sosgames.sparse.strategies import Factor, Key, entries_in_coordinates, factors_inside, factors_of

BoolArray = NDArray[np.bool_]
BYTES_PER_COEFFICIENT = 3_000
"""Of the map, the solver's copies and its factorisation on rings (measured)."""
BYTES_PER_PAIR = 32
"""Of each pair of entries of one Gram matrix, and of shared moments of the core, for an interior point."""
INTERIOR_SIDE = 60
"""Side of the largest Gram matrix that is left to an interior-point solver."""
INTERIOR_CORE = 1_500
"""Rows of the largest core that is."""
CORE_GROUP = 16
"""Rows of a group before the rest is called the core."""
LARGEST_CORE = 400
"""Rows of a core that may have a constant matrix of its own."""


@dataclass(frozen=True)
class Decomposition:
    """A matrix, its interaction cliques and the factors of the set; `program` adds a level.

    Attributes
    ----------
    matrix, problem
        As they were given.
    entries
        The matrix in the coordinates of the factors, by entry and index monomial.
    cliques
        The maximal groups of rows and variables that occur in one term.
    factors
        The factors of X.
    inside
        For each clique the factors whose variables it has.
    factor_of
        The factor of each variable.
    n_added
        How many of the last cliques were added for what is lost around cycles.
    raised
        Numbers of the cliques whose level is two above the lowest one, where the program's is not higher.
    """

    matrix: PolyMatrix
    problem: Problem
    entries: Mapping[Key, Fraction]
    cliques: tuple[Interaction, ...]
    factors: tuple[Factor, ...]
    inside: tuple[tuple[int, ...], ...]
    factor_of: Mapping[str, int]
    n_added: int = 0
    raised: frozenset[int] = frozenset()

    @cached_property
    def index(self) -> dict[str, int]:
        """The place of each variable in the problem."""
        return {name: v for v, name in enumerate(self.problem.variables)}

    @cached_property
    def lowest_level(self) -> int:
        """The smallest even degree that the matrix and the generators need."""
        degree = max((sum(e for _, e in m) for _, _, m in self.entries), default=0)
        used = {f for factors in self.inside for f in factors}
        generators = [p.degree for f in used for p in self.factors[f].generators.values()]
        degree = max([degree, *generators])
        return max(2, degree + degree % 2)

    @property
    def own_cliques(self) -> tuple[Interaction, ...]:
        """Those of the interaction graph."""
        return self.cliques[: len(self.cliques) - self.n_added]

    def level_of(self, clique: int, level: int) -> int:
        """The level of one clique in the program of a level."""
        return max(level, self.lowest_level + 2) if clique in self.raised else level

    def with_constants(self) -> Decomposition:
        """The same with constant matrices on groups of rows besides, for what is lost around cycles."""
        groups, _ = elimination_groups([clique.rows for clique in self.cliques])
        return self._with([Interaction(group, ()) for group in groups])

    def with_core(self, largest: int = LARGEST_CORE) -> Decomposition:
        """The same with every constant matrix that has the graph's pattern; as it is where that is too much.

        The rows that elimination leaves form one group, up to ``largest`` rows.
        """
        groups, core = elimination_groups([clique.rows for clique in self.cliques], CORE_GROUP)
        if not 2 < len(core) <= largest:
            return self
        return self._with([Interaction(group, ()) for group in [*groups, core]])

    @cached_property
    def core(self) -> tuple[int, ...]:
        """The rows among which a factorisation of the coupled program fills up; none on trees and rings."""
        return elimination_groups([clique.rows for clique in self.cliques if clique.variables], CORE_GROUP)[1]

    def with_cycles(self, through: Collection[int] | None = None) -> Decomposition:
        """The same with a clique for each short cycle besides, in all variables that meet along it.

        Where rows are given, for the cycles through any of these rows alone.
        """
        own, present = self.own_cliques, {clique.rows for clique in self.cliques}
        of_row: dict[int, list[Interaction]] = {}
        for clique in own:
            for a in clique.rows:
                of_row.setdefault(a, []).append(clique)
        added = []
        for cycle in short_cycles([clique.rows for clique in own]):
            if cycle in present or (through is not None and not set(through).intersection(cycle)):
                continue
            touching = (clique for a in cycle for clique in of_row[a])
            along = (clique.variables for clique in touching if len({*clique.rows} & {*cycle}) > 1)
            added.append(Interaction(cycle, tuple(sorted({v for variables in along for v in variables}))))
        return self._with(added)

    def _with(self, added: Sequence[Interaction]) -> Decomposition:
        inside = tuple(factors_inside(clique, self.problem.variables, self.factor_of) for clique in added)
        cliques, n_added = (*self.cliques, *added), self.n_added + len(added)
        return replace(self, cliques=cliques, inside=self.inside + inside, n_added=n_added)

    def size(self, level: int) -> SizeEstimate:
        """How large the program of a level will be."""
        sides, n_coefficients, n_pairs = [], 0, 0
        for k, (clique, inside) in enumerate(zip(self.cliques, self.inside, strict=True)):
            polynomials = [p for f in inside for p in self.factors[f].generators.values()]
            top = self.level_of(k, level) // 2
            shapes = [(top, 1)] + [(top - (p.degree + 1) // 2, len(p.terms)) for p in polynomials]
            for half, n_terms in shapes:
                if half >= 0:
                    side = len(clique.rows) * comb(len(clique.variables) + half, half)
                    sides.append(side)
                    n_coefficients += side * (side + 1) // 2 * n_terms
                    n_pairs += (side * (side + 1) // 2) ** 2
        n_bytes = n_coefficients * BYTES_PER_COEFFICIENT
        if self.suits_interior_point(sides):
            n_bytes += BYTES_PER_PAIR * (n_pairs + (len(self.core) * (level + 1)) ** 2 // 2)
        return SizeEstimate(tuple(sides), n_coefficients, n_bytes)

    def suits_interior_point(self, sides: Sequence[int]) -> bool:
        """Whether Gram matrices of these sides and the graph's core leave its linear systems small."""
        return max(sides, default=0) <= INTERIOR_SIDE and len(self.core) <= INTERIOR_CORE

    def program(self, level: int | None = None, *, memory_limit: int | None = MEMORY_LIMIT) -> SparseProgram:
        """The program of a level.

        Raises
        ------
        InputError
            When the level is odd or below the lowest one.
        LimitError
            When it would take more memory than is allowed.
        """
        level = self.lowest_level if level is None else level
        if level % 2 or level < self.lowest_level:
            raise InputError(f"level: got {level}; it must be even and at least {self.lowest_level} here.")
        size = self.size(level)
        advice = "lower the level or raise memory_limit."
        refuse_above(size.n_bytes, memory_limit, f"the sparse program at level {level} ({size})", advice)
        return _Builder(self, level).program()


@dataclass(frozen=True)
class SparseProgram:
    """All cliques' unknowns and the equations that couple them.

    ``coefficients @ entries = (target - mu * metric) / denominator``, all integers; the entries are the upper
    triangles of the Gram matrices, clique by clique and block by block in the order of ``shapes``.
    """

    decomposition: Decomposition
    level: int
    shapes: tuple[Shape, ...]
    generators: tuple[tuple[tuple[int, int], ...], ...]
    """For each clique, factor and index in its description, of the generators 1, 2, ... of its shape."""
    keys: tuple[Key, ...]
    coefficients: CoefficientMap
    target: ObjectArray
    metric: ObjectArray
    denominator: int

    @property
    def metric_denominator(self) -> int:
        """The common denominator of the metric's own entries."""
        return lcm(*(weight.denominator for weight in self.decomposition.matrix.metric))

    @cached_property
    def sides(self) -> tuple[int, ...]:
        """Sides of all Gram matrices."""
        return tuple(block.side for shape in self.shapes for block in shape.blocks)

    @property
    def n_equations(self) -> int:
        return len(self.keys)

    @property
    def constant_columns(self) -> BoolArray:
        """Which unknowns belong to cliques without variables."""
        pairs = zip(self.decomposition.cliques, self.shapes, strict=True)
        return np.concatenate([np.full(shape.n_columns, not clique.variables) for clique, shape in pairs])

    def with_matrix(self, matrix: PolyMatrix) -> SparseProgram:
        """The program of another matrix with the same set: payoffs changed, every index map kept.

        Raises
        ------
        InputError
            When the matrix has rows or terms that this program has no equations for.

        Notes
        -----
        Linear in the number of terms; nothing is built again.
        """
        given = self.decomposition
        names = frozenset[str]().union(*(entry.variables for entry in matrix.entries.values()))
        fits = matrix.rows == given.matrix.rows and names <= given.factor_of.keys()
        entries = (
            entries_in_coordinates(matrix, given.problem, given.factors, given.factor_of) if fits else {}
        )
        if not fits or not entries.keys() <= set(self.keys):
            raise InputError("with_matrix: the matrix has other rows or terms; decompose it anew.")
        decomposition = replace(given, matrix=matrix, entries=entries)
        equation = {key: k for k, key in enumerate(self.keys)}
        target, metric, denominator = right_side(decomposition, equation)
        return replace(
            self, decomposition=decomposition, target=target, metric=metric, denominator=denominator
        )

    def __repr__(self) -> str:
        return (
            f"SparseProgram(level {self.level}, {len(self.shapes):,} cliques, {len(self.sides):,} blocks of"
            f" side up to {max(self.sides)}, {self.n_equations:,} equations)"
        )


def decompose(matrix: PolyMatrix, problem: Problem) -> Decomposition | None:
    """The decomposition by interaction cliques; None where equations tie variables.

    Parameters
    ----------
    matrix
        The matrix of `sosgames.certificates.matrices.modulus_matrix`, with its metric.
    problem
        The game, or the matrix with its set.

    Notes
    -----
    Linear in the number of terms, for graphs of bounded degree.

    Examples
    --------
    >>> import networkx as nx, numpy as np, sosgames as sg
    >>> from sosgames.certificates.matrices import modulus_matrix
    >>> game = sg.network_game(nx.path_graph(50), rng=np.random.default_rng(1))
    >>> found = decompose(modulus_matrix(game.exact, "monotone"), game.exact)
    >>> len(found.cliques), found.lowest_level
    (49, 2)
    >>> found.program()
    SparseProgram(level 2, 49 cliques, 147 blocks of side up to 6, 738 equations)
    """
    if any(constraint.kind == "==" for constraint in problem.constraints):
        return None
    factors = factors_of(problem.variables, problem.constraints)
    factor_of = {name: f for f, factor in enumerate(factors) for name in factor.variables}
    tied = {name: frozenset(factors[f].variables) for name, f in factor_of.items()}
    cliques = interactions(matrix, problem.variables, tied)
    entries = entries_in_coordinates(matrix, problem, factors, factor_of)
    inside = tuple(factors_inside(clique, problem.variables, factor_of) for clique in cliques)
    return Decomposition(matrix, problem, entries, cliques, factors, inside, factor_of)


class _Builder:
    """Gathers the cliques' maps; equal forms are built once."""

    def __init__(self, decomposition: Decomposition, level: int) -> None:
        self.given, self.level = decomposition, level
        self.known: dict[tuple[int, int, int, tuple[LocalPolynomial, ...]], Shape] = {}
        self.equation: dict[Key, int] = {}

    def program(self) -> SparseProgram:
        shapes, names, columns, equations, values = [], [], [], [], []
        offset = 0
        for k, (clique, inside) in enumerate(zip(self.given.cliques, self.given.inside, strict=True)):
            generators, polynomials = self._generators(clique, inside)
            shape = self._shape(clique, self.given.level_of(k, self.level) // 2, polynomials)
            global_place = np.array([self._place(clique, key) for key in shape.keys], dtype=np.int64)
            columns.append(shape.columns + offset)
            equations.append(global_place[shape.places])
            values.append(shape.values)
            offset += shape.n_columns
            shapes.append(shape)
            names.append(generators)
        coefficients = CoefficientMap(
            np.concatenate(equations),
            np.concatenate(columns),
            np.concatenate(values),
            (len(self.equation), offset),
        )
        target, metric, denominator = right_side(self.given, self.equation)
        return SparseProgram(
            self.given,
            self.level,
            tuple(shapes),
            tuple(names),
            tuple(self.equation),
            coefficients,
            target,
            metric,
            denominator,
        )

    def _generators(
        self, clique: Interaction, inside: tuple[int, ...]
    ) -> tuple[tuple[tuple[int, int], ...], tuple[LocalPolynomial, ...]]:
        place = {self.given.problem.variables[v]: i for i, v in enumerate(clique.variables)}
        names, polynomials = [], []
        for f in inside:
            for k, polynomial in self.given.factors[f].generators.items():
                terms = {
                    tuple((place[name], e) for name, e in monomial): int(c)
                    for monomial, c in polynomial.terms.items()
                }
                names.append((f, k))
                polynomials.append(local_polynomial(terms, len(place)))
        return tuple(names), tuple(polynomials)

    def _shape(self, clique: Interaction, half: int, polynomials: tuple[LocalPolynomial, ...]) -> Shape:
        form = (len(clique.rows), len(clique.variables), half, polynomials)
        if form not in self.known:
            self.known[form] = clique_shape(*form)
        return self.known[form]

    def _place(self, clique: Interaction, key: tuple[int, int, tuple[int, ...]]) -> int:
        a, b, exponents = key
        monomial = tuple((v, e) for v, e in zip(clique.variables, exponents, strict=True) if e)
        whole = (clique.rows[a], clique.rows[b], monomial)
        return self.equation.setdefault(whole, len(self.equation))


def right_side(given: Decomposition, equation: Mapping[Key, int]) -> tuple[ObjectArray, ObjectArray, int]:
    """The matrix and the metric by equation, over their common denominator."""
    weights = given.matrix.metric
    denominator = lcm(*(c.denominator for c in given.entries.values()), *(w.denominator for w in weights))
    target = np.zeros(len(equation), dtype=object)
    metric = np.zeros(len(equation), dtype=object)
    for key, c in given.entries.items():
        target[equation[key]] = c.numerator * (denominator // c.denominator)
    for a, weight in enumerate(weights):
        metric[equation[a, a, ()]] = weight.numerator * (denominator // weight.denominator)
    return target, metric, denominator
