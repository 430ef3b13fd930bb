"""From a sparse program to a proof: one solve, a step inwards, exact integers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from sosgames.certificates.parts import Part
from sosgames.conic.problem import FloatArray
from sosgames.conic.systems import GramSystem
from sosgames.rounding.outcome import ProofStatus, ProvedBound
from sosgames.solvers.registry import AUTO
from sosgames.solvers.status import SolverOptions
from sosgames.sparse.assembly import assemble_cliques
from sosgames.sparse.decomposition import INTERIOR_SIDE, SparseProgram
from sosgames.sparse.interior import interior_direction
from sosgames.sparse.polishing import polished
from sosgames.sparse.quotient import Quotient, quotient
from sosgames.sparse.rounding import Equations, Rounder
from sosgames.sparse.settled import solve_around
from sosgames.sparse.solving import (
    FIRST_ORDER,
    INTERIOR_POINT,
    Solution,
    modulus_system,
    options_for,
    solve,
    suitable_solver,
)

COARSE = 1e-3
"""Tolerance of the first-order solver where an interior point improves what it finds."""
HEAVY = 1e-2
"""Of the weight of all moments, above which a row is one of those that decide."""
FINE = 1e-8
"""Tolerance for the program of classes: it is small, and each error is copied to all cliques."""
FIRST_DELTA = 1e-6
LAST_DELTA = 1e-2


@dataclass(frozen=True, slots=True)
class SparseBound:
    """What the attempt reached, the point that the solver's moments suggest, and the rows that they weigh.

    The point is in coordinates. ``heavy`` are the rows with more than `HEAVY` of the weight of all moments:
    those that the modulus is decided at, if there are few.
    """

    bound: ProvedBound
    point: FloatArray | None
    heavy: tuple[int, ...] = ()


def prove_sparsely(
    program: SparseProgram,
    *,
    solver: str = AUTO,
    time_limit: float | None = None,
    tolerance: float | None = None,
    above: float | None = None,
) -> SparseBound:
    """A proof of the largest modulus that rounding reaches for the decomposition at the program's level.

    A failure says nothing about the game: only a point of X refutes.

    Parameters
    ----------
    program
        Of a `Decomposition`.
    solver, tolerance
        The back end's name ("auto" is Clarabel, or SCS where Clarabel's linear systems would be large) and
        its tolerance.
    time_limit
        Seconds; what the solver has when they pass is rounded as it stands.
    above
        An upper bound of the modulus, if one is known. Cliques that hold there on their own are then kept out
        of the solve where that loses nothing.

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
    system, size = modulus_system(program)
    direction = interior_direction(program)
    if solver in (AUTO, INTERIOR_POINT):
        options = options_for(INTERIOR_POINT, tolerance or FINE, time_limit)
        copied = _prove_copied(program, system, size, direction, options, start)
        if copied is not None:
            return copied
    found = None
    if above is not None and direction is not None and solver in (AUTO, INTERIOR_POINT):
        options = options_for(INTERIOR_POINT, tolerance, time_limit)
        found = solve_around(program, system, direction, above / size, options)
    if found is None:
        left = None if time_limit is None else max(0.01, time_limit - (time.perf_counter() - start))
        found = _solve_everything(program, system, solver, tolerance, left)
    part = None
    if found.entries is not None:
        rounder, scaled = Rounder(Equations.of(program)), found.entries * size
        part = _nearest_part(program, rounder, direction, scaled, found.tau * size, size)
    return _bound(program, found, part, size, start)


def _prove_copied(
    program: SparseProgram,
    system: GramSystem,
    size: float,
    direction: FloatArray | None,
    options: SolverOptions,
    start: float,
) -> SparseBound | None:
    """Solved and rounded once for each class of cliques, copied to all; None where that does not prove."""
    classes = quotient(program)
    if classes is None or max(classes.sides) > INTERIOR_SIDE:
        return None
    found = solve(classes.system(system), INTERIOR_POINT, options)
    if found.entries is None or found.moments is None:
        return None
    inwards = None if direction is None else classes.restricted(direction)
    rounder, scaled = Rounder(classes.equations), found.entries * size
    part = _nearest_part(program, rounder, inwards, scaled, found.tau * size, size, classes)
    everywhere = replace(found, moments=classes.moments(found.moments))
    return None if part is None else _bound(program, everywhere, part, size, start)


def _bound(
    program: SparseProgram, found: Solution, part: Part | None, size: float, start: float
) -> SparseBound:
    if part is not None:
        status = ProofStatus.PROVED
    else:
        status = ProofStatus.NO_SOLUTION if found.entries is None else ProofStatus.NOT_ROUNDED
    bound = ProvedBound(
        part,
        None if part is None else part.mu,
        found.tau * size,
        status,
        found.answer.solver,
        found.answer.status.value,
        float("nan"),
        time.perf_counter() - start,
    )
    if found.moments is None:
        return SparseBound(bound, None)
    return SparseBound(bound, _mean_point(program, found.moments), _heavy_rows(program, found.moments))


def _heavy_rows(program: SparseProgram, moments: FloatArray) -> tuple[int, ...]:
    weights = {
        a: float(program.metric[k]) * moments[k]
        for k, (a, b, m) in enumerate(program.keys)
        if a == b and not m
    }
    least = HEAVY * sum(weights.values())
    return tuple(a for a, weight in weights.items() if weight > least)


def _solve_everything(
    program: SparseProgram, system: GramSystem, solver: str, tolerance: float | None, time_limit: float | None
) -> Solution:
    """One coupled solve; what a first-order solver finds for constant matrices is improved around them."""
    start = time.perf_counter()
    name = suitable_solver(program) if solver == AUTO else solver
    fixed = program.constant_columns
    if name != FIRST_ORDER or not fixed.any():
        return solve(system, name, options_for(name, tolerance, time_limit))
    found = solve(system, name, options_for(name, tolerance or COARSE, time_limit))
    if found.entries is None:
        return found
    left = None if time_limit is None else max(0.01, time_limit - (time.perf_counter() - start))
    options = options_for(INTERIOR_POINT, None, left)
    entries, tau = polished(system, found.entries, found.tau, fixed, options)
    return replace(found, entries=entries, tau=tau)


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


def _nearest_part(
    program: SparseProgram,
    rounder: Rounder,
    direction: FloatArray | None,
    entries: FloatArray,
    mu: float,
    size: float,
    classes: Quotient | None = None,
) -> Part | None:
    """The part with the smallest step inwards that the exact tests accept, from all entries or classes'."""
    for delta in _deltas(max(abs(mu), size)):
        moved = entries if direction is None else entries + delta * direction
        identity = rounder.at(moved, mu, delta)
        if classes is not None:
            identity = replace(identity, entries=classes.entries(identity.entries))
        part = assemble_cliques(program, identity)
        if part is not None:
            return part
    return None


def _deltas(size: float) -> Iterator[float]:
    delta = FIRST_DELTA
    while delta <= LAST_DELTA:
        yield delta * size
        delta *= 10
