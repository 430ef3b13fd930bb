r"""Denominators: :math:`|x - x_0|^{2k} (M - \mu R)` where M - mu R itself has no identity at any level.

At an interior zero x0 every generator is positive, so the multipliers vanish there, and the lowest-degree
part of an identity for M - mu R would make that part a sum of squares. A multiplier that is positive
everywhere but at x0 lifts this. It says nothing at x0 itself, where the verifier factors the matrix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from sosgames.certificates.matrices import Basis, PolyMatrix
from sosgames.certificates.parts import PointDenominator
from sosgames.certificates.polynomials import Polynomial
from sosgames.faces.proofs import FaceProof, Rung, prove_exactly
from sosgames.faces.zeros import Point
from sosgames.solvers.registry import AUTO
from sosgames.sos.build import ProblemLike, build_program, lowest_level


def multiplied(matrix: PolyMatrix, mu: Fraction, x0: Mapping[str, Fraction], k: int) -> PolyMatrix:
    """The matrix |x - x0|^2k (M - mu R), over the variables that ``x0`` names.

    >>> x = Polynomial.variable("x")
    >>> M = PolyMatrix(("x",), {(0, 0): x}, (Fraction(1),))
    >>> multiplied(M, Fraction(1), {"x": Fraction(0)}, 1).entries
    {(0, 0): Polynomial('x**3 - x**2')}
    """
    distance = sum(((Polynomial.variable(v) - c) ** 2 for v, c in x0.items()), Polynomial())
    entries = {key: distance**k * entry for key, entry in matrix.minus(mu).items()}
    return PolyMatrix(matrix.rows, entries, matrix.metric)


def prove_with_denominator(
    matrix: PolyMatrix,
    problem: ProblemLike,
    mu: Fraction,
    x0: Point,
    points: Sequence[Point],
    *,
    k: int = 1,
    tangent: Basis | None = None,
    player: str | None = None,
    solver: str = AUTO,
    time_limit: float | None = None,
) -> FaceProof:
    """A proof of the modulus ``mu`` whose identity is multiplied by |x - x0|^2k.

    Parameters are those of `prove_exactly`, with the matrix in place of a program; the level is the lowest
    one of the multiplied matrix.
    """
    occurring = sorted({v for entry in matrix.entries.values() for v in entry.variables})
    center = {name: x0[name] for name in occurring}
    product = multiplied(matrix, mu, center, k)
    level = lowest_level(product, problem, tangent=tangent)
    program = build_program(product, problem, level, tangent=tangent, modulus=Fraction(0))
    found = prove_exactly(
        program, Fraction(0), [x0, *points], player=player, solver=solver, time_limit=time_limit
    )
    if found.part is None:
        return found
    part = replace(found.part, mu=mu, denominator=PointDenominator(center, k))
    return replace(found, part=part, rung=Rung.DENOMINATOR)
