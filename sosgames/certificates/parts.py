"""The pieces of a proof that a modulus holds: generators, blocks, equalities, and the identity they form.

These classes mirror the JSON format (docs/reference/certificate-format.md) field by field and check nothing.
Monomials are tuples of ``(variable index, exponent)``, with increasing indices into the problem's variables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from sosgames.certificates.errors import CertificateError, shown

IndexMonomial = tuple[tuple[int, int], ...]
IndexPolynomial = tuple[tuple[Fraction, IndexMonomial], ...]
Term = tuple[int, int, IndexMonomial]
"""Coefficient, row of the matrix, monomial."""
Triangle = tuple[tuple[int, ...], ...]
"""The lower triangle of a matrix, row by row."""
Numbers = Mapping[str, Fraction]
"""Exact numbers by the name of a variable, row or player."""


@dataclass(frozen=True, slots=True)
class TangentChart:
    """Directions y = Bw with the columns of B a basis of the tangent space; measured by w'B'Bw."""

    basis: tuple[tuple[int, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        return {"basis": lists_of(self.basis), "metric": "euclidean"}


@dataclass(frozen=True, slots=True)
class CoordinateChart:
    """Directions given by the coordinates that are not eliminated; measured in those coordinates."""

    eliminated: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"eliminated": list(self.eliminated), "metric": "coordinates"}


Chart = TangentChart | CoordinateChart


@dataclass(frozen=True, slots=True)
class FromConstraint:
    """A condition ``g >= 0`` of the problem, by its index."""

    constraint: int

    def to_dict(self) -> dict[str, Any]:
        return {"constraint": self.constraint}


@dataclass(frozen=True, slots=True)
class Product:
    """The product of two earlier generators."""

    first: int
    second: int

    def to_dict(self) -> dict[str, Any]:
        return {"product": [self.first, self.second]}


@dataclass(frozen=True, slots=True)
class OddRoot:
    """The polynomial ``root``, where an earlier generator is ``root ** (2 k + 1)``."""

    of: int
    root: IndexPolynomial
    k: int

    def to_dict(self) -> dict[str, Any]:
        return {"odd_root": self.of, "root": polynomial_lists(self.root), "k": self.k}


@dataclass(frozen=True, slots=True)
class Multiple:
    """A positive multiple of an earlier generator."""

    of: int
    by: Fraction

    def to_dict(self) -> dict[str, Any]:
        return {"multiple": self.of, "by": pair_of(self.by)}


Generator = FromConstraint | Product | OddRoot | Multiple


@dataclass(frozen=True, slots=True)
class PointDenominator:
    """The multiplier :math:`|x - x_0|^{2k}` of the left-hand side, over the variables that ``x0`` names."""

    x0: Numbers
    k: int

    def to_dict(self) -> dict[str, Any]:
        return {"x0": pairs_of(self.x0), "k": self.k}


@dataclass(frozen=True, slots=True)
class DirectionDenominator:
    """The multiplier :math:`(w'B'Bw)^k` of the left-hand side; scalar form only."""

    k: int

    def to_dict(self) -> dict[str, Any]:
        return {"y_power": self.k}


Denominator = PointDenominator | DirectionDenominator


@dataclass(frozen=True, slots=True)
class Block:
    """The multiplier :math:`z'Gz` of one generator; generator 0 is the constant 1.

    Attributes
    ----------
    generator
        0, or 1 + the place in the part's list of generators.
    basis
        The polynomial vectors z, each a sum of terms (coefficient, row, monomial).
    gram
        Lower triangle of the symmetric integer matrix G.
    congruence
        Lower triangle of P with PGP' strictly diagonally dominant, or None: the verifier factors G itself.
    """

    generator: int
    basis: tuple[tuple[Term, ...], ...]
    gram: Triangle
    congruence: Triangle | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "generator": self.generator,
            "basis": [[[c, row, lists_of(m)] for c, row, m in vector] for vector in self.basis],
            "gram": lists_of(self.gram),
            "proof": "ldl" if self.congruence is None else {"congruence": lists_of(self.congruence)},
        }


@dataclass(frozen=True, slots=True)
class Equality:
    """A condition ``h == 0`` of the problem and the symmetric matrix T that multiplies it (row <= column)."""

    constraint: int
    matrix: tuple[tuple[int, int, IndexPolynomial], ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "constraint": self.constraint,
            "matrix": [[a, b, polynomial_lists(t)] for a, b, t in self.matrix],
        }


@dataclass(frozen=True, slots=True)
class Clique:
    """A group of blocks that use only these rows and these variables (a reading aid; proves nothing)."""

    rows: tuple[int, ...]
    variables: tuple[int, ...]
    blocks: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"rows": list(self.rows), "variables": list(self.variables), "blocks": list(self.blocks)}


@dataclass(frozen=True, slots=True)
class Part:
    r"""One identity :math:`D \, q \, B'(M - \mu R)B = \sum_j g_j z_j'G_j z_j + \sum_k T_k h_k`.

    In scalar form both sides are polynomials in x and w, the left one multiplied by w' and w from both sides,
    and the right one has the further summand :math:`p (1 - w'B'Bw)` with p the ``sphere``.
    """

    player: str | None
    mu: Fraction
    scale: int
    blocks: tuple[Block, ...]
    generators: tuple[Generator, ...] = ()
    equalities: tuple[Equality, ...] = ()
    chart: Chart | None = None
    denominator: Denominator | None = None
    form: Literal["matrix", "scalar"] = "matrix"
    sphere: IndexPolynomial | None = None
    cliques: tuple[Clique, ...] | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "player": self.player,
            "mu": pair_of(self.mu),
            "form": self.form,
            "chart": optional_dict(self.chart),
            "generators": [g.to_dict() for g in self.generators],
            "denominator": optional_dict(self.denominator),
            "scale": self.scale,
            "blocks": [block.to_dict() for block in self.blocks],
            "equalities": [equality.to_dict() for equality in self.equalities],
            "sphere": None if self.sphere is None else polynomial_lists(self.sphere),
            "cliques": None if self.cliques is None else [clique.to_dict() for clique in self.cliques],
        }


def optional_dict(value: Chart | Denominator | None) -> dict[str, Any] | None:
    return None if value is None else value.to_dict()


def pair_of(number: Fraction | int) -> list[int]:
    if not isinstance(number, (Fraction, int)):
        raise CertificateError(f"a proof holds exact numbers only, not {shown(number)}; pass a Fraction.")
    return [number.numerator, number.denominator]


def pairs_of(numbers: Numbers) -> dict[str, list[int]]:
    return {name: pair_of(number) for name, number in numbers.items()}


def polynomial_lists(terms: IndexPolynomial) -> list[list[Any]]:
    return [[*pair_of(coefficient), lists_of(monomial)] for coefficient, monomial in terms]


def lists_of(rows: tuple[tuple[int, ...], ...]) -> list[list[int]]:
    return [list(row) for row in rows]
