"""From a program to a proof, by the solvers that suit its size."""

from __future__ import annotations

import time
from fractions import Fraction

from sosgames.conic.gram_cones import GramCone
from sosgames.conic.systems import Scaling, balanced_scaling, program_scaling
from sosgames.rounding.attempt import Attempt
from sosgames.rounding.outcome import ProvedBound
from sosgames.solvers.registry import AUTO, LARGEST_SIDE_FOR_CLARABEL, solvers_for
from sosgames.solvers.status import SolverOptions
from sosgames.sos.program import SosProgram
from sosgames.sos.sizes import MEMORY_LIMIT

BRIEF_ITERATIONS = 400
"""Of a solver after which another can be tried: enough where the optimum is not degenerate."""
MANY_BITS = 10
SMALL = 2**MANY_BITS
"""A modulus that is smaller than the matrix by this factor is sought again in the units of each row."""


def prove(
    program: SosProgram,
    *,
    player: str | None = None,
    solver: str = AUTO,
    time_limit: float | None = None,
    tolerance: float | None = None,
    accuracy: float = 1e-5,
    memory_limit: int | None = MEMORY_LIMIT,
    target: Fraction | None = None,
    enough: Fraction | None = None,
    cone: GramCone = GramCone.SOS,
) -> ProvedBound:
    """A proof of the largest modulus that rounding reaches at the program's level, or of ``target`` exactly.

    Parameters
    ----------
    program
        The matrix-SOS program.
    player
        Recorded in the part.
    solver, tolerance, memory_limit
        The back end's name, its tolerance, and the bytes that it may take.
    time_limit
        Seconds in all; a solve that they end is rounded as it stands.
    accuracy
        With the solver "auto": how far, relative to the size of the problem, a proof may lie below the
        numerical optimum before the next suitable solver is tried.
    target
        Prove this modulus and no other; by default the program's own, if it is for one alone.
    enough
        A modulus that need not be exceeded: on a large program the search ends once it is proved.
    cone
        Where the Gram matrices are sought; a smaller cone than "sos" is faster and weaker.

    Raises
    ------
    SolverError
        When the solver is not known or cannot be used here.
    LimitError
        When the solver would take more than ``memory_limit``.

    Notes
    -----
    One or two solves, then a few roundings of some milliseconds each. On boxes and balls an interior point is
    known, along which any point of a solver is moved to one that can be rounded. Elsewhere the solver's Gram
    matrices are rounded as they are where they are strictly feasible; otherwise a second solve maximises the
    margin: between the
    optimum, whose Gram matrices are singular, and the interior point at a slightly smaller modulus, the
    identity and its semidefiniteness hold along the segment; the proof is sought as near the optimum as
    rounding allows.
    """
    target = program.modulus if target is None else target
    is_costly = max(program.sides, default=0) > LARGEST_SIDE_FOR_CLARABEL  # then a second solve is, too
    deadline = None if time_limit is None else time.perf_counter() + time_limit

    def tried(scaling: Scaling, name: str, *, briefly: bool) -> tuple[ProvedBound, bool]:
        left = None if deadline is None else max(deadline - time.perf_counter(), 0.0)
        options = SolverOptions(tolerance, left, BRIEF_ITERATIONS if briefly else None, memory_limit)
        attempt = Attempt(program, scaling, player, name, options, cone)
        if target is not None:
            bound = attempt.at(target)
            return bound, bound.mu is not None
        is_watched = solver == AUTO and not others
        bound = attempt.near_optimum(
            only_directly=briefly and is_costly, is_watched=is_watched, enough=enough
        )
        return bound, attempt.is_accurate(bound, accuracy)

    names = solvers_for(program.sides, program.n_equations) if cone is GramCone.SOS else ("clarabel",)
    first, *others = names if solver == AUTO else (solver,)

    def by_solvers(scaling: Scaling) -> ProvedBound:
        best, accurate = tried(scaling, first, briefly=bool(others))
        for name in others:
            if accurate or (deadline is not None and time.perf_counter() > deadline):
                break
            bound, accurate = tried(scaling, name, briefly=False)
            best = _better(bound, best)
        return best

    alike = program_scaling(program)
    best = by_solvers(alike)
    if best.mu is not None and (target is not None or abs(best.mu) * SMALL > alike.size):
        return best
    own = balanced_scaling(program)
    return best if own.spread_bits < MANY_BITS else _better(by_solvers(own), best)


def _better(bound: ProvedBound, other: ProvedBound) -> ProvedBound:
    """The larger proved bound; ``other`` where neither or only that is proved."""
    improves = bound.mu is not None and (other.mu is None or bound.mu > other.mu)
    return bound if improves else other
