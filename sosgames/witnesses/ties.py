"""Points of X where the smallest eigenvalue is as small as at a witness."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sosgames.certificates.matrices import Basis, PolyMatrix
from sosgames.sos.build import ProblemLike
from sosgames.sos.generators import relevant_variables
from sosgames.witnesses.feasible import Point, feasible_set
from sosgames.witnesses.search import MAX_STARTING_POINTS, compile_matrix
from sosgames.witnesses.starts import starting_points

MAX_TIES = 64
CLOSE = 1e-9


def points_near_value(
    matrix: PolyMatrix,
    problem: ProblemLike,
    value: Fraction,
    *,
    tangent: Basis | None = None,
    rng: np.random.Generator | None = None,
) -> list[Point]:
    """Exact points of X, of those where a witness search starts, where lambda_min is about ``value``.

    Parameters
    ----------
    matrix, problem, tangent, rng
        As in `find_witness`.
    value
        What the smallest eigenvalue of M(x) against R is compared with, to 1e-9 of its size.

    Notes
    -----
    The comparison is in floating point; whoever relies on it repeats it exactly. At most 64 points, those
    with the smallest matrices first (where all of M - value R vanishes, the most is known), no two of which
    differ only in variables that have nothing to do with M.

    Examples
    --------
    >>> from sosgames.certificates.games import MatrixProblem
    >>> from sosgames.certificates.matrices import modulus_matrix
    >>> from sosgames.certificates.polynomials import Polynomial
    >>> from sosgames.certificates.sets import Box
    >>> x = Polynomial.variable("x")
    >>> problem = MatrixProblem(((1 - x**2,),), ("x",), (Box({"x": (-1, 1)}),))
    >>> points_near_value(modulus_matrix(problem, "matrix"), problem, Fraction(0))
    [{'x': Fraction(-1, 1)}, {'x': Fraction(1, 1)}]
    """
    generator = np.random.default_rng(0) if rng is None else rng
    feasible = feasible_set(problem.variables, problem.constraints, matrix.entries.values())
    side = matrix.side if tangent is None else len(tangent[0])
    if side == 0 or feasible.is_plainly_empty:
        return []
    compiled = compile_matrix(matrix, tangent, feasible)
    starts = starting_points(feasible, generator, MAX_STARTING_POINTS * 100 // (100 + side**3))
    if not len(starts.scaled):
        return []
    spectra = compiled.eigenvalues(starts.scaled)
    near = CLOSE * max(1.0, float(np.abs(spectra).max()))
    distances = np.abs(spectra - float(value))
    order = np.argsort(distances.sum(axis=1), kind="stable")
    occurring = frozenset[str]().union(*(entry.variables for entry in matrix.entries.values()))
    relevant = sorted(relevant_variables(occurring, problem.constraints))
    found: dict[tuple[Fraction, ...], Point] = {}
    for i in order:
        if distances[i].min() <= near and len(found) < MAX_TIES:
            point = starts.point(int(i))
            found.setdefault(tuple(point[name] for name in relevant), point)
    return list(found.values())
