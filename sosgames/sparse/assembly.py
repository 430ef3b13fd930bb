"""An exact identity of all cliques becomes a part of a proof file, in the user's variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from math import lcm
from operator import mul

import numpy as np

from sosgames.certificates.definite import semidefinite_failure
from sosgames.certificates.parts import (
    Block,
    Clique,
    Generator,
    IndexMonomial,
    Multiple,
    Part,
    Term,
    Triangle,
)
from sosgames.rounding.definite import lower_triangle, prove_definite
from sosgames.sos.exponents import IntArray
from sosgames.sos.program import ObjectArray, symmetric_of
from sosgames.sparse.cliques import Interaction
from sosgames.sparse.decomposition import SparseProgram
from sosgames.sparse.rounding import SparseIdentity
from sosgames.sparse.shapes import LocalBlock

FACTORED_SIDE = 16
"""Up to this side the verifier factors a Gram matrix itself, which costs less than reading a congruence."""
_Proved = tuple[Triangle, Triangle | None]


def assemble_cliques(program: SparseProgram, identity: SparseIdentity) -> Part | None:
    """The part, or None when a Gram matrix could not be proved positive semidefinite."""
    bases, names = _Bases(program), _Generators(program)
    known: dict[tuple[int, ...], _Proved | None] = {}  # cliques that are alike have the same matrices
    blocks: list[Block] = []
    cliques: list[Clique] = []
    start = 0
    for clique, shape, generators in zip(
        program.decomposition.cliques, program.shapes, program.generators, strict=True
    ):
        first = len(blocks)
        for local in shape.blocks:
            gram = symmetric_of(identity.entries[start : start + local.n_entries], local.side)
            start += local.n_entries
            if not gram.any():
                continue
            basis, multipliers = bases.of(clique, local)
            integers = gram.astype(object)
            if bases.denominator > 1:
                scales = np.array([bases.denominator // m for m in multipliers], dtype=object)
                integers *= np.outer(scales, scales)
            name = tuple(integers.ravel().tolist())
            if name not in known:
                known[name] = proved(integers)
            if (proof := known[name]) is None:
                return None
            index = 0 if local.generator == 0 else names.number(*generators[local.generator - 1])
            blocks.append(Block(index, basis, *proof))
        members = tuple(range(first, len(blocks)))
        cliques.append(Clique(clique.rows, clique.variables, members))
    return Part(
        player=None,
        mu=identity.mu,
        scale=identity.scale * bases.denominator**2,
        blocks=tuple(blocks),
        generators=tuple(names.generators),
        cliques=tuple(cliques),
    )


def proved(gram: ObjectArray) -> _Proved | None:
    """The Gram matrix with what proves it positive semidefinite; None when nothing was found."""
    triangle = lower_triangle(gram)
    if len(gram) <= FACTORED_SIDE:
        return (triangle, None) if semidefinite_failure(triangle) is None else None
    found = prove_definite(gram)
    return None if found is None else (triangle, found.congruence)


class _Bases:
    """Monomials in the coordinates as integer polynomials in the variables."""

    def __init__(self, program: SparseProgram) -> None:
        given = program.decomposition
        outward = {n: p for factor in given.factors for n, p in factor.coordinates.outward.items()}
        self._index = given.index
        self._linear = [outward[name] for name in given.problem.variables]
        self._known: dict[IndexMonomial, tuple[Sequence[tuple[int, IndexMonomial]], int]] = {
            (): ([(1, ())], 1)
        }
        for clique, shape in zip(given.cliques, program.shapes, strict=True):
            for monomial in monomials_in(clique, shape.blocks[0].exponents):
                self._polynomial(monomial)
        self.denominator = lcm(*(multiplied for _, multiplied in self._known.values()))

    def of(self, clique: Interaction, block: LocalBlock) -> tuple[tuple[tuple[Term, ...], ...], list[int]]:
        """The basis of a block, and the number by which each of its elements was multiplied."""
        vectors, multipliers = [], []
        for row, monomial in zip(block.rows.tolist(), monomials_in(clique, block.exponents), strict=True):
            terms, multiplied = self._polynomial(monomial)
            vectors.append(tuple((c, clique.rows[row], m) for c, m in terms))
            multipliers.append(multiplied)
        return tuple(vectors), multipliers

    def _polynomial(self, monomial: IndexMonomial) -> tuple[Sequence[tuple[int, IndexMonomial]], int]:
        if monomial not in self._known:
            factors = (self._linear[v] ** e for v, e in monomial)
            polynomial = reduce(mul, factors)
            multiplied = lcm(*(c.denominator for c in polynomial.terms.values()))
            terms = [
                (int(c * multiplied), tuple(sorted((self._index[name], e) for name, e in m)))
                for m, c in polynomial.terms.items()
            ]
            self._known[monomial] = (terms, multiplied)
        return self._known[monomial]


class _Generators:
    """Numbers the generators that a part uses, with those that they are derived from before them."""

    def __init__(self, program: SparseProgram) -> None:
        self._given = program.decomposition
        self._known: dict[tuple[int, int], int] = {}
        self.generators: list[Generator] = []

    def number(self, factor: int, generator: int) -> int:
        """The number of a factor's generator times its multiple."""
        if (factor, generator) not in self._known:
            owner = self._given.factors[factor]
            steps = owner.derivations(generator, len(self.generators) + 1, self._given.index)
            self.generators += steps
            if (multiple := owner.multiples[generator]) != 1:
                self.generators.append(Multiple(len(self.generators), multiple))
            self._known[factor, generator] = len(self.generators)
        return self._known[factor, generator]


def monomials_in(clique: Interaction, exponents: IntArray) -> Iterator[IndexMonomial]:
    """The monomials of a clique in the indices of the whole problem."""
    for row in exponents.tolist():
        yield tuple((v, e) for v, e in zip(clique.variables, row, strict=True) if e)
