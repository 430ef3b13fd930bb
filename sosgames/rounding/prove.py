"""From a program to a proof, by the solvers that suit its size."""

from __future__ import annotations

import time
from fractions import Fraction

from sosgames.rounding.attempt import Attempt
from sosgames.rounding.outcome import ProvedBound
from sosgames.solvers.registry import AUTO, solvers_for
from sosgames.solvers.status import SolverOptions
from sosgames.sos.program import SosProgram
from sosgames.sos.sizes import MEMORY_LIMIT

FIRST_TRY_ITERATIONS = 1_500


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

    Raises
    ------
    SolverError
        When the solver is not known or cannot be used here.
    LimitError
        When the solver would take more than ``memory_limit``.

    Notes
    -----
    One or two solves, then a few roundings of some milliseconds each. Where the solver's Gram matrices are
    strictly feasible they are rounded as they are. Otherwise a second solve maximises the margin: between the
    optimum, whose Gram matrices are singular, and the interior point at a slightly smaller modulus, the
    identity and its semidefiniteness hold along the segment; the proof is sought as near the optimum as
    rounding allows.
    """
    target = program.modulus if target is None else target
    deadline = None if time_limit is None else time.perf_counter() + time_limit

    def tried(name: str, max_iterations: int | None) -> tuple[ProvedBound, bool]:
        left = None if deadline is None else max(deadline - time.perf_counter(), 0.0)
        options = SolverOptions(tolerance, left, max_iterations, memory_limit)
        attempt = Attempt(program, player, name, options)
        if target is not None:
            bound = attempt.at(target)
            return bound, bound.mu is not None
        bound = attempt.near_optimum()
        return bound, attempt.is_accurate(bound, accuracy)

    first, *others = solvers_for(program.sides, program.n_equations) if solver == AUTO else (solver,)
    best, accurate = tried(first, FIRST_TRY_ITERATIONS if others else None)
    for name in others:
        if accurate or (deadline is not None and time.perf_counter() > deadline):
            break
        bound, accurate = tried(name, None)
        best = bound if _is_better(bound, best) else best
    return best


def _is_better(bound: ProvedBound, other: ProvedBound) -> bool:
    return bound.mu is not None and (other.mu is None or bound.mu > other.mu)
