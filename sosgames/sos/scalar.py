r"""The scalar form of a matrix problem: one polynomial in x and a direction w, on X times the unit sphere.

.. math:: w'B'M(x)Bw - \mu = s_0(x, w) + \sum_j s_j(x, w) g_j(x) + \sum_k t_k h_k + p(x, w)(1 - w'B'Bw)

with s_0, s_j sums of squares and every product of total degree at most the level in (x, w): the hierarchy of
Leon, Sakos, Sim and Varvitsiotis (2025). It is a matrix problem of side 1 whose set has one more equation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sosgames.certificates.matrices import Basis, PolyMatrix, congruent
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import Constraint
from sosgames.errors import InputError
from sosgames.sos.build import ProblemLike
from sosgames.sos.generators import ConstraintLike


@dataclass(frozen=True, slots=True)
class ScalarProblem:
    """The polynomial w'B'MBw as a matrix of side 1, and X times the sphere.

    ``variables`` are the problem's own, then one for each column of B; ``sphere`` is the place of the
    equation ``1 - w'B'Bw == 0`` among the ``constraints``, the last one.
    """

    matrix: PolyMatrix
    variables: tuple[str, ...]
    constraints: tuple[ConstraintLike, ...]

    @property
    def sphere(self) -> int:
        return len(self.constraints) - 1


def scalar_problem(matrix: PolyMatrix, problem: ProblemLike, tangent: Basis | None = None) -> ScalarProblem:
    """The scalar form of ``matrix`` on the problem's set.

    Raises
    ------
    InputError
        When rows of the matrix have weights other than 1: the sphere measures all alike.

    Examples
    --------
    >>> from sosgames.certificates.games import MatrixProblem
    >>> from sosgames.certificates.matrices import modulus_matrix
    >>> from sosgames.certificates.sets import Box
    >>> x = Polynomial.variable("x")
    >>> problem = MatrixProblem(((x**2, x), (x, x**2)), ("x",), (Box({"x": (-1, 1)}),))
    >>> form = scalar_problem(modulus_matrix(problem, "matrix"), problem)
    >>> print(form.matrix.entries[0, 0])
    w[0]**2*x**2 + w[1]**2*x**2 + 2*w[0]*w[1]*x
    """
    if any(weight != 1 for weight in matrix.metric):
        raise InputError("form='scalar' measures all directions alike; with weights use form='matrix'.")
    ones = {(a, a): Polynomial.constant(1) for a in range(matrix.side)}
    entries = matrix.entries if tangent is None else congruent(matrix.entries, tangent)
    norm = ones if tangent is None else congruent(ones, tangent)
    names = tuple(f"w[{j}]" for j in range(matrix.side if tangent is None else len(tangent[0])))
    form, length = (_quadratic_form(part, names) for part in (entries, norm))
    side_one = PolyMatrix(("form",), {(0, 0): form} if form else {}, (Fraction(1),))
    sphere = Constraint(1 - length, "==")
    return ScalarProblem(side_one, (*problem.variables, *names), (*problem.constraints, sphere))


def _quadratic_form(entries: Mapping[tuple[int, int], Polynomial], names: Sequence[str]) -> Polynomial:
    w = [Polynomial.variable(name) for name in names]
    terms = ((1 if a == b else 2) * entry * w[a] * w[b] for (a, b), entry in entries.items())
    return sum(terms, Polynomial())
