r"""Cliques that hold on their own are settled in closed form; a solver gets what is near the others.

The modulus of a large game is decided at few places. With every shared coefficient divided evenly among its
cliques, most cliques represent their share of :math:`M - tR` at a target t above the modulus: by the smallest
Gram entries that do, plus a multiple of the interior direction. (What was added for cycles has no share, and
zero Gram matrices.) Those far from any clique that does not keep
these Gram matrices. The rest is one coupled program, whose moments say whether what was kept matters: where
they put no weight on rows shared with kept cliques, its modulus is that of the whole program.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from sosgames.conic.problem import FloatArray, svec_scale
from sosgames.conic.systems import GramSystem
from sosgames.solvers.status import SolverOptions
from sosgames.sos.exponents import IntArray
from sosgames.sos.program import triangle_pairs
from sosgames.sparse.constants import elimination_groups
from sosgames.sparse.decomposition import (
    CORE_GROUP,
    INTERIOR_CORE,
    INTERIOR_SIDE,
    BoolArray,
    SparseProgram,
)
from sosgames.sparse.shapes import Shape
from sosgames.sparse.solving import INTERIOR_POINT, Solution, scales_of, solve

FEWEST = 100
"""Cliques below which all are solved together at once."""
ABOVE = 1e-3
"""From the upper bound to the target, in units of the system."""
MULTIPLES = tuple(np.geomspace(2.0**-6, 4.0, 17).tolist())
"""Of the interior direction, in units of the system."""
DEFINITE = 1e-3
"""Smallest eigenvalue of a Gram matrix that is kept, in units of the system."""
FIRST = 1
"""Steps from clique to clique around those that do not hold alone."""
FURTHER = 2
"""Steps around rows on the boundary that turn out to matter."""
ROUNDS = 4
WEIGHT = 1e-5
"""Of the moments on rows that are shared with kept cliques, out of 1."""


def solve_around(
    program: SparseProgram, system: GramSystem, direction: FloatArray, above: float, options: SolverOptions
) -> Solution | None:
    """The coupled program solved where that is needed; None where most of it is, or where it did not work.

    Parameters
    ----------
    program, system
        The program and its data in floating point.
    direction
        The interior direction of the program.
    above
        An upper bound of the modulus, in units of the system.
    """
    if len(program.shapes) < FEWEST or max(program.sides) > INTERIOR_SIDE:
        return None
    target = above + ABOVE
    settled = _settled(program, system, direction, target)
    members = _members(program)
    solved = _with_surroundings(~settled.holds, members, FIRST)
    for _ in range(ROUNDS):
        if solved.all() or not solved.any() or _core(program, solved) > INTERIOR_CORE:
            return None
        found = _solve_some(program, system, settled, target, solved, options)
        if found.entries is None or found.moments is None:
            return None
        rows = _weighty_boundary(program, system, members, solved, found.moments)
        if not rows.any():
            return found
        solved |= _with_surroundings(members @ rows > 0, members, FURTHER)
    return None


@dataclass(frozen=True, slots=True)
class _Settled:
    """Gram entries of every clique at the target, and which cliques have definite ones."""

    entries: FloatArray
    holds: BoolArray


def _settled(program: SparseProgram, system: GramSystem, direction: FloatArray, target: float) -> _Settled:
    """Every clique on an even share of what it has in common with others; those that were added on zero."""
    places, n_own = _places(program), len(program.shapes) - program.decomposition.n_added
    n_sharing = np.bincount(np.concatenate(places[:n_own]), minlength=program.n_equations)
    share = (system.b - target * system.c) / np.maximum(n_sharing, 1)
    entries, holds = np.zeros(len(direction)), np.ones(len(program.shapes), dtype=bool)
    for shape, members, columns in _by_shape(program, n_own):
        A, smallest = _map_and_inverse(shape)
        start = share[[places[k] for k in members]] @ smallest.T
        step = direction[columns] - direction[columns] @ A.T @ smallest.T
        best = np.full(len(members), -np.inf)
        for multiple in MULTIPLES:
            tried = start + multiple * step
            least = _least_eigenvalue(shape, tried)
            better = least > best
            best[better], entries[columns[better]] = least[better], tried[better]
        holds[members] = best > DEFINITE
    return _Settled(entries, holds)


def _places(program: SparseProgram) -> list[IntArray]:
    """For each clique the equations of the keys of its shape."""
    ends = np.cumsum([len(shape.places) for shape in program.shapes])
    pieces = np.split(program.coefficients.equations, ends[:-1])
    firsts = (np.unique(shape.places, return_index=True)[1] for shape in program.shapes)
    return [fed[first] for fed, first in zip(pieces, firsts, strict=True)]


def _by_shape(program: SparseProgram, n_cliques: int) -> Iterator[tuple[Shape, IntArray, IntArray]]:
    """Each form with those of the first cliques that have it and, clique by clique, their columns."""
    first = np.cumsum([0, *(shape.n_columns for shape in program.shapes)])
    of_shape: dict[int, list[int]] = {}
    for k, shape in enumerate(program.shapes[:n_cliques]):
        of_shape.setdefault(id(shape), []).append(k)
    for cliques in of_shape.values():
        members, shape = np.array(cliques), program.shapes[cliques[0]]
        yield shape, members, first[members][:, None] + np.arange(shape.n_columns)


def _map_and_inverse(shape: Shape) -> tuple[FloatArray, FloatArray]:
    """The map from a clique's Gram entries to its keys, and back to the entries of least Frobenius norm."""
    A = np.zeros((len(shape.keys), shape.n_columns))
    np.add.at(A, (shape.places, shape.columns), shape.values)
    scales = np.concatenate([svec_scale(block.side) for block in shape.blocks])
    return A, np.asarray(np.linalg.pinv(A / scales) / scales[:, None])


def _least_eigenvalue(shape: Shape, entries: FloatArray) -> FloatArray:
    """The smallest eigenvalue among the Gram matrices of a clique, clique by clique."""
    least, first = np.full(len(entries), np.inf), 0
    for block in shape.blocks:
        p, q = triangle_pairs(block.side)
        grams = np.zeros((len(entries), block.side, block.side))
        grams[:, q, p] = entries[:, first : first + block.n_entries]  # the lower triangle is what is read
        least = np.minimum(least, np.linalg.eigvalsh(grams)[:, 0])
        first += block.n_entries
    return least


def _members(program: SparseProgram) -> sparse.csr_array[np.float64]:
    """Which clique has which row, as a matrix of ones."""
    cliques = program.decomposition.cliques
    counts = [len(clique.rows) for clique in cliques]
    rows = np.array([a for clique in cliques for a in clique.rows])
    shape = (len(cliques), program.decomposition.matrix.side)
    return sparse.csr_array((np.ones(len(rows)), (np.repeat(np.arange(len(cliques)), counts), rows)), shape)


def _with_surroundings(cliques: BoolArray, members: sparse.csr_array[np.float64], n_steps: int) -> BoolArray:
    """The cliques, and those that some steps over common rows lead to."""
    for _ in range(n_steps):
        cliques = np.asarray(members @ (members.T @ cliques) > 0)
    return cliques


def _core(program: SparseProgram, solved: BoolArray) -> int:
    """Rows among which the factorisation of the reduced program fills up."""
    cliques = (program.decomposition.cliques[k] for k in np.flatnonzero(solved))
    return len(elimination_groups([clique.rows for clique in cliques if clique.variables], CORE_GROUP)[1])


def _solve_some(
    program: SparseProgram,
    system: GramSystem,
    settled: _Settled,
    target: float,
    solved: BoolArray,
    options: SolverOptions,
) -> Solution:
    """The largest modulus up to the target when the other cliques keep their entries."""
    open_columns = np.repeat(solved, [shape.n_columns for shape in program.shapes])
    A = sparse.csc_array(system.A[:, np.flatnonzero(open_columns)])
    equations = np.unique(A.indices)
    kept = np.where(open_columns, 0.0, settled.entries)
    rest = system.b - system.A @ (kept * scales_of(program.sides))
    sides = tuple(
        block.side
        for shape, is_open in zip(program.shapes, solved, strict=True)
        if is_open
        for block in shape.blocks
    )
    F, c = system.F[equations], system.c[equations]
    reduced = GramSystem(sparse.csc_array(A[equations]), F, rest[equations], c, sides, target)
    found = solve(reduced, INTERIOR_POINT, options)
    if found.entries is None or found.moments is None:
        return found
    kept[open_columns] = found.entries
    moments = np.zeros(program.n_equations)
    moments[equations] = found.moments
    return Solution(found.answer, kept, found.tau, moments)


def _weighty_boundary(
    program: SparseProgram,
    system: GramSystem,
    members: sparse.csr_array[np.float64],
    solved: BoolArray,
    moments: FloatArray,
) -> BoolArray:
    """Rows of both solved and kept cliques that the moments put weight on."""
    constant = [(a, k) for k, (a, b, monomial) in enumerate(program.keys) if a == b and not monomial]
    rows, equations = np.array(constant).T
    weight = np.zeros(members.shape[1])
    weight[rows] = system.c[equations] * moments[equations]
    return (members.T @ solved > 0) & (members.T @ ~solved > 0) & (weight > WEIGHT)
