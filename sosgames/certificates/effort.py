"""How much arithmetic a proof asks for, estimated from its sizes and refused before any of it is done.

A few kilobytes can ask for years: one vector of many terms, numbers of thousands of digits to be factored,
long powers, witnesses without a common denominator. Nothing here decides whether a proof holds. A step is
about the time of one product of two small integers in a loop; estimates err on the side of more.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from itertools import chain
from math import comb
from typing import NamedTuple

from sosgames.certificates.derivations import MAX_DEGREE, MAX_PRODUCTS
from sosgames.certificates.errors import CertificateError
from sosgames.certificates.games import MatrixProblem
from sosgames.certificates.matrices import Problem
from sosgames.certificates.parts import (
    Block,
    CoordinateChart,
    DirectionDenominator,
    FromConstraint,
    Generator,
    IndexPolynomial,
    Multiple,
    Numbers,
    OddRoot,
    Part,
    PointDenominator,
    Product,
    TangentChart,
    Triangle,
)
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.proofs import (
    EquilibriumProof,
    ModulusProof,
    NearestProof,
    Proof,
    RefutationProof,
    RegretProof,
    Witness,
)

MAX_STEPS = 1_000_000_000
"""Steps that a proof may ask for: a minute or two."""
TERM = 20
"""Steps of a product of two terms, or of an operation on two small fractions."""
WORD = 30
"""Bits of a digit of Python's integers."""


class Size(NamedTuple):
    """Terms of a polynomial, and words of its coefficients over their common denominator; upper bounds."""

    terms: int
    words: int

    def times(self, other: Size) -> Size:
        return Size(min(self.terms * other.terms, MAX_PRODUCTS), self.words + other.words)

    def power(self, k: int) -> Size:
        return Size(min(comb(self.terms + k, k), MAX_PRODUCTS), k * self.words)

    def steps(self, other: Size) -> int:
        """Of a product, which is refused elsewhere when it takes more than ``MAX_PRODUCTS``."""
        return self.times(other).terms * (TERM + self.words * other.words // 16)


NOTHING = Size(0, 0)


def refuse_hostile(proof: Proof, problem: Problem) -> None:
    """Raise `CertificateError` when checking the proof would take more than ``MAX_STEPS``."""
    steps = _Effort(problem).of_proof(proof)
    if steps > MAX_STEPS:
        raise CertificateError(
            f"checking the proof would take about {min(steps, 10**18):,} steps of arithmetic, and"
            f" {MAX_STEPS:,} are allowed; round its numbers to fewer digits, or use smaller blocks."
        )


class _Effort:
    """Estimates for one problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.entries: dict[str | None, list[Polynomial]]
        if isinstance(problem, MatrixProblem):
            self.entries = {None: [entry for row in problem.rows for entry in row]}
            self.side = problem.side
        else:
            self.entries = {player.name: [player.utility] for player in problem.players}
            self.side = len(problem.variables)

    @cached_property
    def shapes(self) -> list[tuple[int, int, int]]:
        """Terms, degree and number of variables of all polynomials of the problem."""
        every = [p for entries in self.entries.values() for p in entries]
        return _shapes([*every, *(c.polynomial for c in self.problem.constraints)])

    @property
    def degree(self) -> int:
        """The largest of them."""
        return max((degree for _, degree, _ in self.shapes), default=0)

    @cached_property
    def n_pairs(self) -> int:
        """At least the number of non-zero entries of the matrix."""
        if isinstance(self.problem, MatrixProblem):
            return self.side**2
        return sum(len(m) ** 2 for entries in self.entries.values() for p in entries for m in p.terms)

    def of_proof(self, proof: Proof) -> int:
        match proof:
            case ModulusProof():
                return sum(map(self.of_part, proof.parts))
            case RefutationProof():
                movers = len(self.entries) if proof.weights == "free" else 1
                return self.of_witnesses(proof.witnesses) + movers * self.of_sums(proof.witnesses)
            case EquilibriumProof():
                inner = 0 if proof.certificate is None else self.of_proof(proof.certificate)
                return inner + self.of_values(proof.point)
            case RegretProof():
                return sum(map(self.of_proof, proof.certificates.values())) + self.of_values(proof.point)
            case NearestProof():
                terms = sum(map(len, proof.changeable.values())) + sum(n for n, _, _ in self.shapes)
                slopes = sum(TERM * (1 + len(w.y)) ** 2 * terms for w in proof.functionals)
                points = self.of_witnesses(proof.functionals) + terms * self.of_sums(proof.functionals)
                return self.of_proof(proof.certificate) + slopes + points

    # -- one identity -----------------------------------------------------------------------------------

    def of_part(self, part: Part) -> int:
        matrix, steps = self.of_matrix(part)
        if isinstance(part.denominator, PointDenominator):
            steps += self.of_point_denominator(part.denominator, matrix)
        if part.form == "scalar":
            steps += self.of_scalar_form(part, matrix)
        generators, derived = self.of_generators(part.generators)
        for equality in part.equalities:
            h = self.condition(equality.constraint)
            for _, _, polynomial in equality.matrix:
                factor = _size(polynomial)
                steps += factor.steps(h) + len(part.equalities) * factor.terms * h.terms
        for block in part.blocks:
            generator = generators[block.generator] if block.generator < len(generators) else NOTHING
            steps += _definite(block) + _square(block) * (1 + generator.terms * (1 + generator.words // 16))
        return steps + derived

    def of_matrix(self, part: Part) -> tuple[Size, int]:
        """The size of all entries of B'MB together, and the steps to them."""
        every = [] if part.player is None else self.entries.get(part.player, [])
        every = every or [p for entries in self.entries.values() for p in entries]
        most = max((len(p.terms) for p in every), default=0)
        words = max((_size_of(p).words for p in every), default=0)
        terms = sum(sum([1 + len(m) ** 2 for m in p.terms]) for p in every)
        if isinstance(part.chart, CoordinateChart):
            return Size(4 * terms, words), TERM * (self.side**2 + 16 * terms)
        if part.chart is None:
            return Size(terms, words), TERM * terms
        basis = part.chart.basis
        filled = [sum(map(bool, row)) for row in basis]
        widest, wide = max(filled, default=0), _words(basis)
        steps = sum(filled) * len(basis[0] if basis else ()) * (1 + (widest * wide) ** 2 // 16)
        terms = min(widest**2 * terms, sum(filled) ** 2 * most * 4)
        return Size(terms, words + 2 * wide), steps + TERM * terms

    def of_point_denominator(self, denominator: PointDenominator, matrix: Size) -> int:
        """The power of the squared distance, its product with the matrix, and the matrix at the point."""
        x0, k = denominator.x0, denominator.k
        if 2 * k > MAX_DEGREE:  # refused for its degree
            return 0
        distance = Size(2 * len(x0) + 1, 1 + (2 * _common_bits(x0) + 2 * _bits(x0.values())) // WORD)
        power = distance.power(k)
        values = _factored(min(self.side, MAX_DEGREE), self.degree * distance.words)
        return len(x0) ** 2 + k * power.steps(distance) + power.steps(matrix) + values + self.of_values(x0)

    def of_scalar_form(self, part: Part, matrix: Size) -> int:
        """The form w'Mw, its product with a power of the length of w, and the multiple of the sphere."""
        length = Size(self.side**2 if isinstance(part.chart, TangentChart) else self.side, matrix.words)
        sphere = NOTHING if part.sphere is None else _size(part.sphere)
        steps = TERM * matrix.terms + sphere.steps(length)
        if isinstance(part.denominator, DirectionDenominator):
            k = min(part.denominator.k, MAX_DEGREE)
            power = length.power(k)
            steps += k * power.steps(length) + power.steps(matrix)
        return steps

    def of_generators(self, generators: Iterable[Generator]) -> tuple[list[Size], int]:
        """The sizes of the generators, after the constant 1, and the steps to derive them."""
        sizes, steps = [Size(1, 1)], 0
        for generator in generators:
            match generator:
                case FromConstraint(index):
                    size = self.condition(index)
                case Product(first, second):
                    a, b = (sizes[j] if 0 <= j < len(sizes) else NOTHING for j in (first, second))
                    size, steps = a.times(b), steps + a.steps(b)
                case Multiple(of, by):
                    size = (sizes[of] if of < len(sizes) else NOTHING).times(Size(1, 1 + _bits([by]) // WORD))
                case OddRoot(_, root, k):
                    size, exponent = _size(root), 2 * min(k, MAX_DEGREE)
                    steps += exponent * size.power(exponent).steps(size)
            steps += TERM * size.terms * (1 + size.words // 16)
            sizes.append(size)
        return sizes, steps

    def condition(self, index: int) -> Size:
        """The size of a condition; of none, where there is none."""
        constraints = self.problem.constraints
        return _size_of(constraints[index].polynomial) if index < len(constraints) else NOTHING

    # -- points and directions --------------------------------------------------------------------------

    def of_witnesses(self, witnesses: Iterable[Witness]) -> int:
        """The values at the points and along the directions."""
        return sum(
            self.of_values(w.x) + TERM * (self.side + min(len(w.y) ** 2, self.n_pairs)) for w in witnesses
        )

    def of_sums(self, witnesses: Iterable[Witness]) -> int:
        """The sum of one fraction for each witness, whose denominator may grow with every term."""
        steps = words = 0
        for w in witnesses:
            bits = self.degree * _common_bits(w.x) + 2 * _common_bits(w.y) + _bits([w.c])
            words += bits // WORD
            steps += TERM + words * (2 + bits // WORD)
        return steps

    def of_values(self, x: Numbers) -> int:
        """All conditions and the matrix at a point, term by term."""
        bits, every, steps = _bits(x.values()), _common_bits(x), 0
        for terms, degree, n_variables in self.shapes:
            words = degree * bits // WORD
            common = degree * min(n_variables * bits, every) // WORD
            steps += terms * (TERM * (1 + degree) + words * (words + common) // 8)
        return steps


def _definite(block: Block) -> int:
    side = len(block.basis)
    if block.congruence is None:
        return _factored(side, _words(block.gram))
    gram, factor = _words(block.gram), _words(block.congruence)
    return side**3 * (1 + factor * (gram + factor) // 16) // 2


def _factored(side: int, words: int) -> int:
    """Elimination without fractions, in which numbers grow to side times their words."""
    return side**3 + side**5 * words**2 // 1_000


def _square(block: Block) -> int:
    """The products of all terms of a block's vectors with each other."""
    return TERM * sum(map(len, block.basis)) ** 2 // 2


# -- sizes of numbers -----------------------------------------------------------------------------------


def _shapes(polynomials: Iterable[Polynomial]) -> list[tuple[int, int, int]]:
    """Terms, degree and number of variables, polynomial by polynomial."""
    return [(len(p.terms), p.degree, len(p.variables)) for p in polynomials]


def _size(polynomial: IndexPolynomial) -> Size:
    return _size_of_numbers([c for c, _ in polynomial])


def _size_of(polynomial: Polynomial) -> Size:
    return _size_of_numbers(list(polynomial.terms.values()))


def _size_of_numbers(numbers: list[Fraction]) -> Size:
    ratios = [c.as_integer_ratio() for c in numbers]
    denominators = {below for _, below in ratios}
    largest = max([abs(n) for n in (*(above for above, _ in ratios), *denominators)], default=0)
    common = sum(map(int.bit_length, denominators))
    return Size(len(numbers), 1 + (common + largest.bit_length()) // WORD)


def _common_bits(x: Numbers) -> int:
    """Bits of the common denominator; an upper bound."""
    return sum(d.bit_length() for d in {value.denominator for value in x.values()})


def _bits(numbers: Iterable[Fraction]) -> int:
    """Bits of the largest numerator or denominator."""
    return max((max(c.numerator.bit_length(), c.denominator.bit_length()) for c in numbers), default=0)


def _words(matrix: Triangle) -> int:
    """Words of the largest entry of an integer matrix."""
    return 1 + max(map(int.bit_length, chain.from_iterable(matrix)), default=0) // WORD
