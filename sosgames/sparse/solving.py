"""The coupled program of all cliques in floating point: its data, a suitable solver, what that finds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from sosgames.conic.forms import moment_form
from sosgames.conic.problem import FloatArray, svec_scale
from sosgames.conic.systems import GramSystem, power_of_two
from sosgames.solvers.registry import find_solver
from sosgames.solvers.status import SolverAnswer, SolverOptions
from sosgames.sparse.decomposition import SparseProgram

INTERIOR_POINT, FIRST_ORDER = "clarabel", "scs"
"""The one suits thousands of small blocks, the other large blocks and meshes that fill a factorisation."""
TOLERANCES = {INTERIOR_POINT: 1e-7, FIRST_ORDER: 1e-5}
"""Of the solvers. The step inwards costs more than smaller ones would gain."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The answer; plain entries of the Gram matrices and the modulus in the system's units; moments."""

    answer: SolverAnswer
    entries: FloatArray | None
    tau: float
    moments: FloatArray | None


def suitable_solver(program: SparseProgram) -> str:
    return INTERIOR_POINT if program.decomposition.suits_interior_point(program.sides) else FIRST_ORDER


def options_for(name: str, tolerance: float | None, time_limit: float | None) -> SolverOptions:
    return SolverOptions(tolerance or TOLERANCES.get(name), time_limit)


def modulus_system(program: SparseProgram) -> tuple[GramSystem, float]:
    """Maximise the modulus in units of a power of two near the largest coefficient; and that unit."""
    largest = max((abs(int(v)) for v in program.target), default=0)
    bits = largest.bit_length() - program.denominator.bit_length() if largest else 0
    above, below = (program.denominator * power_of_two(bits)).as_integer_ratio()
    b = np.array([int(v) * below / above if v else 0.0 for v in program.target])
    c = np.array([int(v) / program.denominator if v else 0.0 for v in program.metric])
    triplets = program.coefficients
    A = triplets.to_csc() @ sparse.diags_array(1 / scales_of(program.sides), format="csc")
    empty = sparse.csc_array((program.n_equations, 0))
    return GramSystem(sparse.csc_array(A), empty, b, c, program.sides, _cap(program, b, c)), float(
        power_of_two(bits)
    )


def scales_of(sides: tuple[int, ...]) -> FloatArray:
    known = {side: svec_scale(side) for side in set(sides)}
    return np.concatenate([known[side] for side in sides])


def _cap(program: SparseProgram, b: FloatArray, c: FloatArray) -> float:
    """More than the modulus of a set that meets the box |t| <= 1: twice min_a sum |M_aa| / R_aa, plus 1."""
    rows = np.array([a if a == other else -1 for a, other, _ in program.keys])
    sums = np.bincount(rows[rows >= 0], np.abs(b[rows >= 0]), minlength=program.decomposition.matrix.side)
    constant = c > 0
    return 1.0 + 2.0 * float((sums[rows[constant]] / c[constant]).min(initial=np.inf))


def solve(system: GramSystem, name: str, options: SolverOptions) -> Solution:
    """What a back end finds."""
    answer = find_solver(name)(moment_form(system)[0], options)
    point = answer.usable_point
    if point is None:
        return Solution(answer, None, float("nan"), None)
    scaled, tau = point.z[-system.A.shape[1] :], system.cap - float(point.z[0])
    return Solution(answer, scaled / scales_of(system.sides), tau, point.x)
