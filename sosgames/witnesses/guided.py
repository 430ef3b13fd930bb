"""A witness sought again, where the dual solution of a program says that the matrix is smallest."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np

from sosgames.certificates.matrices import Basis, PolyMatrix
from sosgames.conic.problem import FloatArray
from sosgames.sos.build import ProblemLike
from sosgames.sos.program import SosProgram
from sosgames.witnesses.descent import search_bounds
from sosgames.witnesses.feasible import FeasibleSet, feasible_set
from sosgames.witnesses.moments import suggested_points
from sosgames.witnesses.search import Witness, best_witness, compile_matrix, points_near_minima

N_DESCENTS = 3


def improved_witness(
    witness: Witness | None,
    matrix: PolyMatrix,
    problem: ProblemLike,
    program: SosProgram,
    moments: FloatArray,
    *,
    tangent: Basis | None = None,
    rng: np.random.Generator | None = None,
    time_limit: float = 2.0,
) -> Witness | None:
    """The witness that is known, or a better one found from the points that the moments suggest.

    Parameters
    ----------
    witness
        The best one so far, or None.
    matrix, problem, tangent, rng, time_limit
        As in `find_witness`.
    program, moments
        A solved program about the matrix, of any form, and its dual solution.

    Notes
    -----
    Local descent from the three suggested points with the smallest eigenvalues, rounding, exact evaluation.
    A solver's dual solution is a guess: it can only add candidates.
    """
    generator = np.random.default_rng(0) if rng is None else rng
    deadline = time.perf_counter() + time_limit
    feasible = feasible_set(problem.variables, problem.constraints, matrix.entries.values())
    if feasible.is_plainly_empty:
        return witness
    compiled = compile_matrix(matrix, tangent, feasible)
    points = suggested_points(program, moments, generator)
    known = np.zeros(len(feasible.names)) if witness is None else feasible.scaled(witness.x)
    starts = _in_the_set(feasible, compiled.degree, _scaled(feasible, program, points, known))
    order = np.argsort(compiled.smallest_eigenvalues(starts), kind="stable")[:N_DESCENTS]
    anchor = None if witness is None else dict(witness.x)
    candidates = list(points_near_minima(compiled, feasible, starts[order], anchor, deadline))
    found = best_witness(matrix, tangent, compiled, feasible, candidates, deadline)
    improves = found is not None and (witness is None or found.value < witness.value)
    return found if improves else witness


def _scaled(feasible: FeasibleSet, program: SosProgram, points: FloatArray, known: FloatArray) -> FloatArray:
    """Points of the program in the coordinates of the set; what the program does not know is as ``known``."""
    scaled = np.tile(known, (len(points), 1))
    for i, name in enumerate(feasible.names):
        if name in program.coordinates.names:
            inward, outward = program.coordinates.inward[name], feasible.coordinates.outward[name]
            start, end = (float(outward({name: inward({name: Fraction(t)})})) for t in (0, 1))
            scaled[:, i] = start + (end - start) * points[:, program.coordinates.names.index(name)]
    return scaled


def _in_the_set(feasible: FeasibleSet, degree: int, scaled: FloatArray) -> FloatArray:
    """The points moved into the intervals of the variables."""
    low, high = np.array(search_bounds(feasible, degree)).reshape(-1, 2).T
    return np.clip(scaled, low, high)
