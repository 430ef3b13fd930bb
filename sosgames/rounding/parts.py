"""An exact identity in the program's coordinates becomes a part of a proof file, in the user's variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import lcm

import numpy as np

from sosgames.certificates.parts import (
    Block,
    Equality,
    FromConstraint,
    Generator,
    IndexMonomial,
    IndexPolynomial,
    Multiple,
    OddRoot,
    Part,
    Product,
    TangentChart,
    Term,
)
from sosgames.certificates.polynomials import Monomial, Polynomial
from sosgames.rounding.definite import lower_triangle, prove_definite
from sosgames.rounding.dyadic import ExactIdentity
from sosgames.sos.exponents import IntArray, monomial_of
from sosgames.sos.program import GramBlock, ObjectArray, SosProgram

Entry = tuple[int, int]


def assemble_part(
    program: SosProgram,
    identity: ExactIdentity,
    *,
    player: str | None = None,
    vectors: Sequence[IntArray] | None = None,
) -> Part | None:
    """The part of a proof file, or None when a Gram matrix could not be proved positive semidefinite.

    Basis polynomials are integer polynomials in the user's variables; their denominators go to the scale.
    With ``vectors`` the Gram matrix of block j is ``V H V'``, V = vectors[j] and H = identity.grams[j], and
    the basis of the part is V'z.
    """
    bases = _Bases(program)
    factor = bases.denominator
    names = _GeneratorNames(program)
    blocks = []
    for number, (block, gram) in enumerate(zip(program.blocks, identity.grams, strict=True)):
        if not gram.any():
            continue
        columns = np.eye(block.side, dtype=np.int64) if vectors is None else vectors[number]
        basis, multiples = zip(*(bases.combination(block, column) for column in columns.T), strict=True)
        scales = np.array([factor // multiplied for multiplied in multiples], dtype=object)
        integers = gram * np.outer(scales, scales)
        proof = prove_definite(integers)
        if proof is None:
            return None
        index = names.index(block.generator)
        blocks.append(Block(index, basis, lower_triangle(integers), proof.congruence))
    if vectors is not None:
        lifted = (
            V.astype(object) @ H @ V.T.astype(object) for V, H in zip(vectors, identity.grams, strict=True)
        )
        identity = replace(identity, grams=tuple(lifted))
    return Part(
        player=player,
        mu=identity.mu,
        scale=identity.scale * factor**2,
        blocks=tuple(blocks),
        generators=tuple(names.generators),
        equalities=_equalities(program, identity, factor**2),
        chart=None if program.tangent is None else TangentChart(program.tangent),
    )


class _Bases:
    """Basis elements of all blocks as integer polynomials, each with the number that it was multiplied by."""

    def __init__(self, program: SosProgram) -> None:
        self._program = program
        self._position = {name: i for i, name in enumerate(program.variables)}
        self._powers: dict[tuple[int, ...], tuple[Sequence[tuple[int, IndexMonomial]], int]] = {}
        for block in program.blocks:
            for exponents in block.exponents:
                self._polynomial(tuple(exponents.tolist()))
        self.denominator = lcm(*(multiplied for _, multiplied in self._powers.values()))

    def combination(self, block: GramBlock, weights: IntArray) -> tuple[tuple[Term, ...], int]:
        """The sum of the weights times the block's basis elements."""
        used = [(int(weights[p]), int(block.rows[p]), block.exponents[p]) for p in np.flatnonzero(weights)]
        elements = [(w, row, *self._polynomial(tuple(exponents.tolist()))) for w, row, exponents in used]
        common = lcm(*(multiplied for *_, multiplied in elements))
        total: dict[tuple[int, IndexMonomial], int] = {}
        for weight, row, terms, multiplied in elements:
            for c, monomial in terms:
                key = (row, monomial)
                total[key] = total.get(key, 0) + weight * c * (common // multiplied)
        return tuple((c, row, monomial) for (row, monomial), c in total.items() if c), common

    def _polynomial(self, exponents: tuple[int, ...]) -> tuple[Sequence[tuple[int, IndexMonomial]], int]:
        if exponents not in self._powers:
            coordinates = self._program.coordinates
            polynomial = coordinates.to_variables(Polynomial({monomial_of(exponents, coordinates.names): 1}))
            multiplied = lcm(*(c.denominator for c in polynomial.terms.values()))
            terms = [(int(c * multiplied), _indexed(m, self._position)) for m, c in polynomial.terms.items()]
            self._powers[exponents] = (terms, multiplied)
        return self._powers[exponents]


def _indexed(monomial: Monomial, position: Mapping[str, int]) -> IndexMonomial:
    return tuple(sorted((position[name], exponent) for name, exponent in monomial))


def _indexed_polynomial(polynomial: Polynomial, position: Mapping[str, int]) -> IndexPolynomial:
    return tuple((c, _indexed(m, position)) for m, c in polynomial.terms.items())


class _GeneratorNames:
    """Numbers the generators that a part uses, with those that they are derived from before them."""

    def __init__(self, program: SosProgram) -> None:
        self._program = program
        self._position = {name: i for i, name in enumerate(program.variables)}
        self._known: dict[int, int] = {0: 0}
        self._multiples: dict[int, int] = {}
        self.generators: list[Generator] = []

    def index(self, generator: int) -> int:
        """The part's number for a generator of the program times its multiple."""
        factor = self._program.multiples[generator]
        if factor == 1:
            return self._derived(generator)
        if generator not in self._multiples:
            self._multiples[generator] = self._append(Multiple(self._derived(generator), factor))
        return self._multiples[generator]

    def _derived(self, generator: int) -> int:
        if generator not in self._known:
            derivation = self._program.description.generators[generator - 1].derivation
            self._known[generator] = self._append(self._derive(generator, derivation.kind))
        return self._known[generator]

    def _derive(self, generator: int, kind: str) -> Generator:
        description = self._program.description
        derivation = description.generators[generator - 1].derivation
        if kind == "constraint":
            return FromConstraint(derivation.indices[0])
        earlier = [self._derived(index) for index in derivation.indices]
        if kind == "product":
            return Product(*earlier)
        root = _indexed_polynomial(description.polynomial(generator), self._position)
        return OddRoot(earlier[0], root, (derivation.power - 1) // 2)

    def _append(self, generator: Generator) -> int:
        self.generators.append(generator)
        return len(self.generators)


def _equalities(program: SosProgram, identity: ExactIdentity, factor: int) -> tuple[Equality, ...]:
    """The multipliers of all equations: the program's own and those that replace solved variables."""
    position = {name: i for i, name in enumerate(program.variables)}
    multipliers: dict[int, dict[Entry, Polynomial]] = {}
    for k, matrix in _free_multipliers(program, identity).items():
        _add(multipliers.setdefault(k, {}), matrix, program.equation_multiples[k] * factor)
    for name, matrix in _multipliers_of_solved(program, identity).items():
        for k, share in program.coordinates.solved[name].combination.items():
            _add(multipliers.setdefault(k, {}), matrix, share * factor)
    return tuple(
        Equality(
            k, tuple((a, b, _indexed_polynomial(t, position)) for (a, b), t in sorted(matrix.items()) if t)
        )
        for k, matrix in sorted(multipliers.items())
        if any(matrix.values())
    )


def _add(total: dict[Entry, Polynomial], matrix: Mapping[Entry, Polynomial], factor: Fraction | int) -> None:
    for key, polynomial in matrix.items():
        total[key] = total.get(key, Polynomial()) + polynomial * factor


def _free_multipliers(program: SosProgram, identity: ExactIdentity) -> dict[int, dict[Entry, Polynomial]]:
    """T for each equation times its multiple, in the user's variables."""
    multipliers = {}
    start = 0
    for free in program.free:
        values = identity.free[start : start + len(free.rows)]
        start += len(free.rows)
        keys = zip(free.rows.tolist(), free.columns.tolist(), strict=True)
        multipliers[free.equation] = _matrix(program, zip(keys, free.exponents, values, strict=True))
    return multipliers


def _matrix(program: SosProgram, terms: Iterable[tuple[Entry, ObjectArray, int]]) -> dict[Entry, Polynomial]:
    """The polynomial matrix in the user's variables that has these terms in the coordinates."""
    collected: dict[Entry, dict[Monomial, Fraction]] = {}
    for key, exponents, value in terms:
        if value:
            monomial = monomial_of(exponents, program.coordinates.names)
            entry = collected.setdefault(key, {})
            entry[monomial] = entry.get(monomial, Fraction(0)) + int(value)
    return {key: program.coordinates.to_variables(Polynomial(entry)) for key, entry in collected.items()}


def _multipliers_of_solved(
    program: SosProgram, identity: ExactIdentity
) -> dict[str, dict[Entry, Polynomial]]:
    """T_e with ``scale (M - mu R) - other multipliers = sum over solved variables of T_e (x_e - value_e)``.

    The identity holds once solved variables are replaced; each side's quotients say by how much it differs
    from itself before.
    """
    coordinates = program.coordinates
    totals: dict[str, dict[Entry, Polynomial]] = {name: {} for name in coordinates.solved}
    if not totals:
        return totals
    for key, polynomial in program.entries.items():
        for name, quotient in coordinates.quotients(polynomial).items():
            _add(totals[name], {key: quotient}, identity.scale)
    for block, gram in zip(program.blocks, identity.grams, strict=True):
        generator = program.description.polynomial(block.generator)
        _subtract(
            totals, program, generator * program.multiples[block.generator], _square(program, block, gram)
        )
    equations = dict(program.description.equations)
    for k, matrix in _free_multipliers(program, identity).items():
        _subtract(totals, program, equations[k] * program.equation_multiples[k], matrix)
    return totals


def _subtract(
    totals: dict[str, dict[Entry, Polynomial]],
    program: SosProgram,
    scalar: Polynomial,
    matrix: Mapping[Entry, Polynomial],
) -> None:
    for name, quotient in program.coordinates.quotients(scalar).items():
        if quotient:
            _add(totals[name], {key: entry * quotient for key, entry in matrix.items()}, -1)


def _square(program: SosProgram, block: GramBlock, gram: ObjectArray) -> dict[Entry, Polynomial]:
    """The polynomial matrix z'Gz in the user's variables."""
    p, q = np.triu_indices(block.side)
    keys = zip(block.rows[p].tolist(), block.rows[q].tolist(), strict=True)
    weights = np.where((block.rows[p] == block.rows[q]) & (p != q), 2, 1)
    values = gram[p, q] * weights
    return _matrix(program, zip(keys, block.exponents[p] + block.exponents[q], values, strict=True))
