"""From a sparse program to a proof: one solve, a step inwards, exact integers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from sosgames.certificates.parts import Part
from sosgames.conic.forms import gram_form, moment_form
from sosgames.conic.problem import ConicPoint, FloatArray, svec_scale
from sosgames.conic.systems import GramSystem, power_of_two
from sosgames.rounding.outcome import ProofStatus, ProvedBound
from sosgames.solvers.registry import AUTO, find_solver
from sosgames.solvers.status import SolverAnswer, SolverOptions
from sosgames.sparse.assembly import assemble_cliques
from sosgames.sparse.decomposition import SparseProgram
from sosgames.sparse.interior import interior_direction
from sosgames.sparse.rounding import Rounder

SOLVER = "clarabel"
"""Suits thousands of small blocks; first-order solvers suit one large one."""
TOLERANCE = 1e-8
FIRST_DELTA = 1e-6
LAST_DELTA = 1e-2


@dataclass(frozen=True, slots=True)
class SparseBound:
    """What the attempt reached, and the point that the solver's moments suggest, in coordinates."""

    bound: ProvedBound
    point: FloatArray | None


def prove_sparsely(
    program: SparseProgram,
    *,
    solver: str = AUTO,
    time_limit: float | None = None,
    tolerance: float | None = None,
) -> SparseBound:
    """A proof of the largest modulus that rounding reaches for the decomposition at the program's level.

    A failure says nothing about the game: only a point of X refutes.

    Parameters
    ----------
    program
        Of a `Decomposition`.
    solver, tolerance
        The back end's name ("auto" is Clarabel) and its tolerance.
    time_limit
        Seconds; what the solver has when they pass is rounded as it stands.

    Raises
    ------
    SolverError
        When the solver is not known or cannot be used here.

    Notes
    -----
    One solve of the coupled program, linear in the number of cliques on trees and rings; then integers.

    Examples
    --------
    >>> import networkx as nx, numpy as np, sosgames as sg
    >>> from sosgames.certificates.matrices import modulus_matrix
    >>> from sosgames.sparse import decompose
    >>> game = sg.network_game(nx.path_graph(5), rng=np.random.default_rng(1), curvature=40)
    >>> program = decompose(modulus_matrix(game.exact, "monotone"), game.exact).program()
    >>> bound = prove_sparsely(program).bound
    >>> bound.status.name, bound.mu > 0, len(bound.part.cliques)
    ('PROVED', True, 4)
    """
    start = time.perf_counter()
    name = SOLVER if solver == AUTO else solver
    system, size = modulus_system(program)
    options = SolverOptions(tolerance or TOLERANCE, time_limit)
    answer, entries, tau, moments = _solve(system, name, options)
    part = None if entries is None else _nearest_part(program, entries * size, tau * size, size)
    status = (
        ProofStatus.PROVED
        if part
        else ProofStatus.NO_SOLUTION
        if entries is None
        else ProofStatus.NOT_ROUNDED
    )
    bound = ProvedBound(
        part,
        None if part is None else part.mu,
        tau * size,
        status,
        answer.solver,
        answer.status.value,
        float("nan"),
        time.perf_counter() - start,
    )
    return SparseBound(bound, None if moments is None else _mean_point(program, moments))


def modulus_system(program: SparseProgram) -> tuple[GramSystem, float]:
    """Maximise the modulus in units of a power of two near the largest coefficient; and that unit."""
    largest = max((abs(int(v)) for v in program.target), default=0)
    bits = largest.bit_length() - program.denominator.bit_length() if largest else 0
    divisor = program.denominator * power_of_two(bits)
    b = np.array([float(int(v) / divisor) if v else 0.0 for v in program.target])
    c = np.array([int(v) / program.denominator for v in program.metric])
    triplets = program.coefficients
    A = triplets.to_csc() @ sparse.diags_array(1 / _scales(program.sides), format="csc")
    empty = sparse.csc_array((program.n_equations, 0))
    return GramSystem(sparse.csc_array(A), empty, b, c, program.sides, _cap(program, b, c)), float(
        power_of_two(bits)
    )


def _scales(sides: tuple[int, ...]) -> FloatArray:
    known = {side: svec_scale(side) for side in set(sides)}
    return np.concatenate([known[side] for side in sides])


def _cap(program: SparseProgram, b: FloatArray, c: FloatArray) -> float:
    """More than the modulus of a set that meets the box |t| <= 1: twice min_a sum |M_aa| / R_aa, plus 1."""
    rows = np.array([a if a == other else -1 for a, other, _ in program.keys])
    sums = np.bincount(rows[rows >= 0], np.abs(b[rows >= 0]), minlength=program.decomposition.matrix.side)
    constant = c > 0
    return 1.0 + 2.0 * float((sums[rows[constant]] / c[constant]).min(initial=np.inf))


def _solve(
    system: GramSystem, name: str, options: SolverOptions
) -> tuple[SolverAnswer, FloatArray | None, float, FloatArray | None]:
    """The answer; plain entries of the Gram matrices and the modulus, in the system's units; moments."""
    lower = gram_form if name == SOLVER else moment_form
    problem, _ = lower(system)
    answer = find_solver(name)(problem, options)
    if answer.point is None or not answer.status.has_point:
        return answer, None, float("nan"), None
    n = system.A.shape[1]
    point: ConicPoint = answer.point
    if name == SOLVER:
        scaled, tau, moments = point.s[-n:], float(point.x[-1]), point.z[: len(system.b)]
    else:
        scaled, tau, moments = point.z[-n:], system.cap - float(point.z[0]), point.x
    return answer, scaled / _scales(system.sides), tau, moments


def _mean_point(program: SparseProgram, moments: FloatArray) -> FloatArray:
    """The mean of each variable over the rows that it occurs in, weighted by their masses."""
    n = len(program.decomposition.problem.variables)
    mass = {a: moments[k] for k, (a, b, m) in enumerate(program.keys) if a == b and not m}
    weighted, total = np.zeros(n), np.zeros(n)
    for k, (a, b, monomial) in enumerate(program.keys):
        if a == b and len(monomial) == 1 and monomial[0][1] == 1:
            weighted[monomial[0][0]] += moments[k]
            total[monomial[0][0]] += mass[a]
    return np.divide(weighted, total, out=np.zeros(n), where=np.abs(total) > 1e-12)


def _nearest_part(program: SparseProgram, entries: FloatArray, mu: float, size: float) -> Part | None:
    """The part with the smallest step inwards that the exact tests accept."""
    direction = interior_direction(program)
    rounder = Rounder(program)
    for delta in _deltas(max(abs(mu), size)):
        moved = entries if direction is None else entries + delta * direction
        part = assemble_cliques(program, rounder.at(moved, mu, delta))
        if part is not None:
            return part
    return None


def _deltas(size: float) -> Iterator[float]:
    delta = FIRST_DELTA
    while delta <= LAST_DELTA:
        yield delta * size
        delta *= 10
