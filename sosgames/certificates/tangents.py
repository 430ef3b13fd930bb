"""The directions that definiteness is asked about: along the affine equations of the players' sets.

Where a strategy set lies in a plane (probabilities that sum to 1), only differences of strategies matter.
They form the tangent space {y : Ey = 0}, E the linear parts of the problem's equations of degree 1; equations
of higher degree restrict x alone. The rows of a matrix problem are no variables: all directions count there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm

from sosgames.certificates.errors import CertificateError, shown
from sosgames.certificates.games import MatrixProblem
from sosgames.certificates.matrices import Basis, Problem
from sosgames.certificates.parts import Chart, CoordinateChart

Row = dict[int, Fraction]
"""A sparse vector: the non-zero entries by index."""


def affine_equations(problem: Problem, rows: Sequence[str]) -> list[Row]:
    """The linear parts, over the rows given, of the equations that bind them."""
    if isinstance(problem, MatrixProblem):
        return []
    index = {name: a for a, name in enumerate(rows)}
    linear = [c.polynomial for c in problem.constraints if c.kind == "==" and c.polynomial.degree == 1]
    equations = ({index[n]: p.coefficient(((n, 1),)) for n in p.variables if n in index} for p in linear)
    return [equation for equation in equations if equation]


def tangent_basis(problem: Problem, rows: Sequence[str]) -> tuple[tuple[int, ...], ...] | None:
    """A matrix B, row by row, whose columns are a basis of the tangent space; None for all directions.

    Examples
    --------
    >>> from sosgames.certificates.games import ExactGame, ExactPlayer
    >>> from sosgames.certificates.polynomials import Polynomial
    >>> from sosgames.certificates.sets import ProbabilitySimplex
    >>> names = ("a", "b", "c")
    >>> player = ExactPlayer("P", names, Polynomial(), (ProbabilitySimplex(names),))
    >>> tangent_basis(ExactGame((player,)), names)
    ((-1, -1), (1, 0), (0, 1))
    """
    solved = _solve(affine_equations(problem, rows))
    if not solved:
        return None
    columns = []
    for free in (a for a in range(len(rows)) if a not in solved):
        column = {free: Fraction(1)} | {p: -row[free] for p, row in solved.items() if free in row}
        scale = lcm(*(entry.denominator for entry in column.values()))
        columns.append({a: int(entry * scale) for a, entry in column.items()})
    return tuple(tuple(column.get(a, 0) for column in columns) for a in range(len(rows)))


def is_tangent(y: Sequence[Fraction], equations: Sequence[Row]) -> bool:
    """Whether Ey = 0."""
    return not any(sum(c * y[a] for a, c in equation.items()) for equation in equations)


def check_chart(chart: Chart, equations: Sequence[Row], rows: Sequence[str]) -> tuple[Basis, frozenset[int]]:
    """The matrix B of a chart and the rows that its metric leaves out, once the chart is known to be right.

    Right means: the columns of B are a basis of the whole tangent space. Fewer would leave directions out.

    Raises
    ------
    CertificateError
        When it is not.
    """
    if isinstance(chart, CoordinateChart):
        return _eliminated(chart.eliminated, equations, rows)
    basis = chart.basis
    width = len(rows) - len(_solve(equations))
    if len(basis) != len(rows) or any(len(row) != width for row in basis):
        raise CertificateError(f"chart: the basis must be a matrix of {len(rows)} rows and {width} columns.")
    columns = [{a: Fraction(row[j]) for a, row in enumerate(basis) if row[j]} for j in range(width)]
    for j, column in enumerate(columns):
        if any(sum(c * column.get(a, 0) for a, c in equation.items()) for equation in equations):
            raise CertificateError(f"chart: column {j + 1} of the basis leaves the tangent space.")
    if len(_solve(columns)) != width:
        raise CertificateError("chart: the columns of the basis are linearly dependent.")
    return basis, frozenset()


def _eliminated(
    names: Sequence[str], equations: Sequence[Row], rows: Sequence[str]
) -> tuple[Basis, frozenset[int]]:
    index = {name: a for a, name in enumerate(rows)}
    if len(set(names)) < len(names) or not set(names) <= set(index):
        raise CertificateError(f"chart: {shown(list(names))} must be different rows of the matrix.")
    gone = frozenset(index[name] for name in names)
    solved = _solve(equations, prefer=gone)
    if solved.keys() != gone:
        raise CertificateError(f"chart: the equations do not solve for {shown(list(names))}, and only those.")
    kept = [a for a in range(len(rows)) if a not in gone]
    zero, one = Fraction(0), Fraction(1)
    basis = [
        [-solved[a].get(k, zero) if a in gone else one if a == k else zero for k in kept]
        for a in range(len(rows))
    ]
    return basis, gone


def _solve(equations: Sequence[Row], prefer: frozenset[int] = frozenset()) -> dict[int, Row]:
    """Reduced echelon form by pivot: each row has 1 at its pivot, where every other row has 0."""
    solved: dict[int, Row] = {}
    for equation in equations:
        row = dict(equation)
        for pivot in [a for a in row if a in solved]:
            _subtract(row, solved[pivot], row[pivot])
        if not row:
            continue
        pivot = min(row, key=lambda a: (a not in prefer, a))
        row = {a: c / row[pivot] for a, c in row.items()}
        for other in solved.values():
            if pivot in other:
                _subtract(other, row, other[pivot])
        solved[pivot] = row
    return solved


def _subtract(row: Row, other: Mapping[int, Fraction], factor: Fraction) -> None:
    for a, c in other.items():
        row[a] = row.get(a, Fraction(0)) - factor * c
        if not row[a]:
            del row[a]
