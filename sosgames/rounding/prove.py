"""From a program to a proof: solve, solve for the margin, round between the two, all checked in integers."""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import numpy as np

from sosgames.certificates.parts import Part
from sosgames.conic.forms import GramSolution
from sosgames.conic.systems import margin_system, modulus_system, power_of_two, program_scaling
from sosgames.rounding.definite import is_numerically_definite
from sosgames.rounding.dyadic import ExactIdentity, round_to_identity
from sosgames.rounding.parts import assemble_part
from sosgames.solvers.registry import AUTO, solve_system, solvers_for
from sosgames.solvers.status import SolverAnswer, SolverOptions
from sosgames.sos.program import SosProgram
from sosgames.sos.sizes import MEMORY_LIMIT

FIRST_STEP_BITS = 7
LAST_STEP_BITS = 34
DIRECT_BITS = 32
FIRST_TRY_ITERATIONS = 1_500


class ProofStatus(Enum):
    """How an attempt to prove a modulus ended; the value is the diagnosis and the remedy."""

    PROVED = "an exact identity was found."
    NO_SOLUTION = "the solver left no point to round; see its status."
    NO_INTERIOR = (
        "the identity has no interior point here, so rounding cannot work; try a lower bound or level."
    )
    NOT_ROUNDED = "no rounded point passed the exact tests; ask for a smaller tolerance or a lower bound."


@dataclass(frozen=True, slots=True)
class ProvedBound:
    """What an attempt reached.

    Attributes
    ----------
    part
        The part of a proof file for ``mu``, or None. It is for the verifier to accept.
    mu
        The modulus that ``part`` is about, exact.
    numeric_mu
        What the solver takes for the optimum of this level: no proof, nan when there is none.
    status
        Diagnosis and remedy.
    solver, solver_status
        Who solved, and how that ended.
    margin
        The smallest eigenvalue of the scaled Gram matrices that the margin problem reached.
    seconds
        Wall time of solving and rounding.
    """

    part: Part | None
    mu: Fraction | None
    numeric_mu: float
    status: ProofStatus
    solver: str
    solver_status: str
    margin: float
    seconds: float

    @property
    def reason(self) -> str:
        """Why there is no proof, in one sentence; empty when there is one."""
        if self.status is ProofStatus.PROVED:
            return ""
        return f"{self.status.value} ({self.solver}: {self.solver_status})"


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
    solver, time_limit, tolerance, memory_limit
        The back end's name, seconds for each solve, its tolerance, and the bytes it may take.
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
    first, *others = solvers_for(program.sides, program.n_equations) if solver == AUTO else (solver,)
    options = SolverOptions(
        tolerance,
        time_limit,
        max_iterations=FIRST_TRY_ITERATIONS if others else None,
        memory_limit=memory_limit,
    )
    best, accurate = _attempt(program, player, first, options, target, accuracy)
    for name in others:
        if accurate:
            break
        options = SolverOptions(tolerance, time_limit, memory_limit=memory_limit)
        bound, accurate = _attempt(program, player, name, options, target, accuracy)
        best = bound if _is_better(bound, best) else best
    return best


def _attempt(
    program: SosProgram,
    player: str | None,
    solver: str,
    options: SolverOptions,
    target: Fraction | None,
    accuracy: float,
) -> tuple[ProvedBound, bool]:
    """What one solver reaches, and whether that is the target or near its numerical optimum."""
    attempt = _Attempt(program, player, solver, options)
    if target is not None:
        bound = attempt.at(target)
        return bound, bound.mu is not None
    bound = attempt.near_optimum()
    return bound, attempt.is_accurate(bound, accuracy)


def _is_better(bound: ProvedBound, other: ProvedBound) -> bool:
    return bound.mu is not None and (other.mu is None or bound.mu > other.mu)


class _Attempt:
    """The state of one call of `prove`."""

    def __init__(self, program: SosProgram, player: str | None, solver: str, options: SolverOptions) -> None:
        self.program, self.player, self.solver, self.options = program, player, solver, options
        self.scaling = program_scaling(program)
        self.start = time.perf_counter()
        self.numeric_mu = float("nan")
        self.margin = float("nan")

    def near_optimum(self) -> ProvedBound:
        answer, best = solve_system(modulus_system(self.program, self.scaling), self.solver, self.options)
        if best is None:
            return self.end(ProofStatus.NO_SOLUTION, answer)
        size = self.scaling.size
        self.numeric_mu = best.tau * float(size)
        if (identity := self.strictly_feasible(best)) is not None:
            return self.finish(identity, answer)
        step = power_of_two(_exponent(abs(best.tau) + 1.0) - FIRST_STEP_BITS)
        inner_mu = _floor(Fraction(best.tau) - step, step / 16) * size
        answer, inner = self.margin_at(inner_mu)
        if inner is None:
            return self.end(ProofStatus.NO_SOLUTION, answer)
        if inner.tau <= 0:
            return self.end(ProofStatus.NO_INTERIOR, answer)
        identity = self.nearest_rounding(best, inner, inner_mu)
        return self.finish(identity, answer)

    def strictly_feasible(self, best: GramSolution) -> ExactIdentity | None:
        """The rounding of the optimum itself, where its Gram matrices have room for it."""
        unit = power_of_two(_exponent(abs(best.tau) + 1.0) - DIRECT_BITS)
        identity = self.rounded(best, _floor(Fraction(best.tau), unit))
        self.margin = min((float(np.linalg.eigvalsh(gram)[0]) for gram in best.grams), default=0.0)
        return identity

    def is_accurate(self, bound: ProvedBound, accuracy: float) -> bool:
        """Whether a proved bound is near this attempt's numerical optimum."""
        size = float(self.scaling.size)
        gap = self.numeric_mu - float(bound.mu if bound.mu is not None else -np.inf)
        return gap <= accuracy * (size + abs(self.numeric_mu))

    def rounded(self, solution: GramSolution, scaled_mu: Fraction) -> ExactIdentity | None:
        """The exact identity near a solution, if its Gram matrices still look definite."""
        identity = round_to_identity(self.program, self.scaling, solution, scaled_mu * self.scaling.size)
        if identity is None or not all(is_numerically_definite(gram) for gram in identity.grams):
            return None
        return identity

    def at(self, target: Fraction) -> ProvedBound:
        answer, inner = self.margin_at(target)
        if inner is None:
            return self.end(ProofStatus.NO_SOLUTION, answer)
        if inner.tau <= 0:
            return self.end(ProofStatus.NO_INTERIOR, answer)
        return self.finish(round_to_identity(self.program, self.scaling, inner, target), answer)

    def margin_at(self, mu: Fraction) -> tuple[SolverAnswer, GramSolution | None]:
        system = margin_system(self.program, self.scaling, mu)
        answer, solution = solve_system(system, self.solver, self.options)
        if solution is None:
            return answer, None
        self.margin = solution.tau
        lifted = tuple(gram + solution.tau * np.eye(len(gram)) for gram in solution.grams)
        return answer, GramSolution(lifted, solution.free, solution.tau)

    def nearest_rounding(
        self, best: GramSolution, inner: GramSolution, inner_mu: Fraction
    ) -> ExactIdentity | None:
        """The rounding nearest to the optimum that looks definite: bisection over halvings of the step."""
        gap = Fraction(best.tau) - inner_mu / self.scaling.size
        found, low, high = None, 0, LAST_STEP_BITS
        while low <= high:
            bits = (low + high) // 2
            mu = _floor(Fraction(best.tau) - gap / 2**bits, gap / 2 ** (bits + 4))
            share = float((Fraction(best.tau) - mu) / gap)
            if (identity := self.rounded(_between(best, inner, share), mu)) is not None:
                found, low = identity, bits + 1
            else:
                high = bits - 1
        return found

    def finish(self, identity: ExactIdentity | None, answer: SolverAnswer) -> ProvedBound:
        part = None if identity is None else assemble_part(self.program, identity, player=self.player)
        if part is None:
            return self.end(ProofStatus.NOT_ROUNDED, answer)
        return self.end(ProofStatus.PROVED, answer, part)

    def end(self, status: ProofStatus, answer: SolverAnswer, part: Part | None = None) -> ProvedBound:
        return ProvedBound(
            part,
            None if part is None else part.mu,
            self.numeric_mu,
            status,
            answer.solver,
            answer.status.value,
            self.margin,
            time.perf_counter() - self.start,
        )


def _between(best: GramSolution, inner: GramSolution, share: float) -> GramSolution:
    """The point of the segment at ``share`` of the way from the optimum to the interior point."""
    grams = tuple((1 - share) * a + share * b for a, b in zip(best.grams, inner.grams, strict=True))
    free = (1 - share) * best.free + share * inner.free
    return GramSolution(grams, free, (1 - share) * best.tau + share * inner.tau)


def _exponent(value: float) -> int:
    return int(np.frexp(value)[1])


def _floor(value: Fraction, unit: Fraction) -> Fraction:
    """The largest multiple of a power of two near ``unit`` below the value."""
    bits = _exponent(float(unit)) - 1
    grid = power_of_two(bits)
    return (value / grid).__floor__() * grid
