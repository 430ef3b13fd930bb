"""The forms that an identity can have: what program each solves, and how its proof is written down."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Literal

from sosgames.certificates.matrices import Basis, PolyMatrix
from sosgames.certificates.parts import Part, TangentChart
from sosgames.sos import SosProgram, build_program, lowest_level
from sosgames.sos.build import ProblemLike
from sosgames.sos.scalar import ScalarProblem, scalar_problem
from sosgames.sos.sizes import MEMORY_LIMIT


@dataclass(frozen=True, slots=True)
class Form(ABC):
    """A hierarchy of identities for a matrix on a set."""

    matrix: PolyMatrix
    problem: ProblemLike
    tangent: Basis | None

    name: ClassVar[str]
    uses_points: ClassVar[bool]
    """Whether kernels come from points of X alone."""

    @property
    def is_possible(self) -> bool:
        """Whether the form has a program for this matrix."""
        return True

    @abstractmethod
    def lowest_level(self) -> int:
        """The lowest level that has a program."""

    @abstractmethod
    def program(
        self, level: int, modulus: Fraction | None = None, memory_limit: int | None = MEMORY_LIMIT
    ) -> SosProgram:
        """The program of a level, for all moduli or for one alone."""

    @abstractmethod
    def part(self, part: Part) -> Part:
        """A part about the program as one about the matrix."""


@dataclass(frozen=True, slots=True)
class MatrixForm(Form):
    """Multipliers are sums of squares of polynomial matrices (Scherer and Hol 2006)."""

    name = "matrix"
    uses_points = True

    def lowest_level(self) -> int:
        return lowest_level(self.matrix, self.problem, tangent=self.tangent)

    def program(
        self, level: int, modulus: Fraction | None = None, memory_limit: int | None = MEMORY_LIMIT
    ) -> SosProgram:
        return build_program(
            self.matrix,
            self.problem,
            level,
            tangent=self.tangent,
            modulus=modulus,
            memory_limit=memory_limit,
        )

    def part(self, part: Part) -> Part:
        return part


@dataclass(frozen=True, slots=True)
class SchmuedgenForm(MatrixForm):
    """The same with multipliers for all products of the conditions up to the level (Schmüdgen 1991)."""

    name = "schmuedgen"

    def program(
        self, level: int, modulus: Fraction | None = None, memory_limit: int | None = MEMORY_LIMIT
    ) -> SosProgram:
        return build_program(
            self.matrix,
            self.problem,
            level,
            tangent=self.tangent,
            modulus=modulus,
            all_products=True,
            memory_limit=memory_limit,
        )


@dataclass(frozen=True, slots=True)
class ScalarForm(Form):
    """One polynomial on X times the sphere; levels are total degrees in (x, y) (Leon et al. 2025)."""

    name: ClassVar[Literal["scalar"]] = "scalar"
    uses_points = False

    @property
    def is_possible(self) -> bool:
        return all(weight == 1 for weight in self.matrix.metric)

    @property
    def scalar(self) -> ScalarProblem:
        return scalar_problem(self.matrix, self.problem, self.tangent)

    def lowest_level(self) -> int:
        return lowest_level(self.scalar.matrix, self.scalar)

    def program(
        self, level: int, modulus: Fraction | None = None, memory_limit: int | None = MEMORY_LIMIT
    ) -> SosProgram:
        scalar = self.scalar
        return build_program(scalar.matrix, scalar, level, modulus=modulus, memory_limit=memory_limit)

    def part(self, part: Part) -> Part:
        """The equation of the sphere is no condition of the problem: its multiplier is the sphere's.

        The identity at hand is D (w'Mw - mu) = ... + T (1 - |w|^2), the one wanted
        D (w'Mw - mu |w|^2) = ... + p (1 - |w|^2), so p = T + D mu.
        """
        sphere: dict[tuple[tuple[int, int], ...], Fraction] = {(): part.scale * part.mu}
        equalities = []
        for equality in part.equalities:
            if equality.constraint != self.scalar.sphere:
                equalities.append(equality)
                continue
            for _, _, polynomial in equality.matrix:
                for coefficient, monomial in polynomial:
                    sphere[monomial] = sphere.get(monomial, Fraction(0)) + coefficient
        terms = tuple((c, monomial) for monomial, c in sphere.items() if c)
        chart = None
        if self.tangent is not None:
            chart = TangentChart(tuple(tuple(map(int, row)) for row in self.tangent))
        return replace(part, form=self.name, sphere=terms, equalities=tuple(equalities), chart=chart)


FORMS: dict[str, type[Form]] = {form.name: form for form in (MatrixForm, SchmuedgenForm, ScalarForm)}
