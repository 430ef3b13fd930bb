"""One solver's attempt at a proof: solve, step into the interior, round, check in integers.

Where an interior point is known in closed form the step is along it; otherwise a second solve finds one.
"""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction

import numpy as np

from sosgames.certificates.parts import Part
from sosgames.conic.forms import GramSolution
from sosgames.conic.gram_cones import GramCone, restricted
from sosgames.conic.problem import FloatArray
from sosgames.conic.systems import (
    GramSystem,
    Scaling,
    margin_system,
    modulus_system,
    power_of_two,
)
from sosgames.rounding.definite import is_numerically_definite
from sosgames.rounding.dyadic import ExactIdentity, round_to_identity
from sosgames.rounding.interior import Interior, Watch, find_interior
from sosgames.rounding.outcome import ProofStatus, ProvedBound
from sosgames.rounding.parts import assemble_part
from sosgames.solvers.registry import solve_system
from sosgames.solvers.status import SolverAnswer, SolverOptions, SolverStatus
from sosgames.sos.program import SosProgram

FIRST_STEP_BITS = 7
LAST_STEP_BITS = 34
RETREAT_BITS = 3
DIRECT_BITS = 32
ROOM_BITS = (30, 26, 22, 18, 14)
"""How far below what a point proves, relative, the rounded matrices get their room: the first that works."""
INTERIOR_SCALE = 0.5
"""Weight of the equations with which a first-order solver starts in the units of the interior point."""
PROGRESS = 1e-6
SHORTEST_SOLVE = 0.01


class Attempt:
    """One solver's work on one program: what it solved, and what rounding made of it."""

    def __init__(
        self,
        program: SosProgram,
        scaling: Scaling,
        player: str | None,
        solver: str,
        options: SolverOptions,
        cone: GramCone = GramCone.SOS,
    ) -> None:
        self.program, self.scaling, self.player = program, scaling, player
        self.solver, self.options, self.cone = solver, options, cone
        self.start = time.perf_counter()
        self.numeric_mu = float("nan")
        self.margin = float("nan")
        self.moments: FloatArray | None = None

    def near_optimum(
        self, *, only_directly: bool = False, is_watched: bool = False, enough: Fraction | None = None
    ) -> ProvedBound:
        """The largest modulus that rounding reaches.

        ``only_directly`` leaves out a second solve; ``is_watched`` ends the solve where it makes no progress,
        or has proved ``enough``.
        """
        system = modulus_system(self.program, self.scaling)
        if self.cone is GramCone.SOS:
            interior = find_interior(self.program, self.scaling, system)
            if interior is not None:
                wanted = None if enough is None else float(enough / self.scaling.size)
                return self.along(interior, Watch(interior, wanted, PROGRESS), is_watched=is_watched)
        answer, best = self.solve(system)
        if best is None:
            return self.end(ProofStatus.NO_SOLUTION, answer)
        size = self.scaling.size
        self.take(best, best.tau)
        if (part := self.part_of(self.strictly_feasible(best))) is not None:
            return self.end(ProofStatus.PROVED, answer, part)
        if only_directly:
            return self.end(ProofStatus.NOT_ROUNDED, answer)
        step = power_of_two(_exponent(abs(best.tau) + 1.0) - FIRST_STEP_BITS)
        inner_mu = _floor(Fraction(best.tau) - step, step / 16) * size
        answer, inner = self.margin_at(inner_mu)
        if inner is None:
            return self.end(ProofStatus.NO_SOLUTION, answer)
        if inner.tau <= 0:
            return self.end(ProofStatus.NO_INTERIOR, answer)
        part = self.nearest_part(best, inner, inner_mu)
        return self.end(ProofStatus.NOT_ROUNDED if part is None else ProofStatus.PROVED, answer, part)

    def along(self, interior: Interior, watch: Watch, *, is_watched: bool) -> ProvedBound:
        """The largest modulus that the solver's points prove by a step along a known interior point."""
        options = replace(self.options, scale=INTERIOR_SCALE)
        answer, last = solve_system(interior.system, self.solver, options, watch if is_watched else None)
        if last is None:
            return self.end(ProofStatus.NO_SOLUTION, answer)
        best = watch.keep(last)
        self.take(last, best.tau if answer.status is SolverStatus.STOPPED else last.tau)
        for bits in ROOM_BITS:
            room = float(np.ldexp(1.0 + abs(best.tau), -bits))
            lowered = interior.lowered(best, room)
            mu = _floor(Fraction(lowered.tau), Fraction(room) / 16)
            part = self.part_of(self.rounded(interior.assembly(lowered), mu))
            if part is not None:
                return self.end(ProofStatus.PROVED, answer, part)
        return self.end(ProofStatus.NOT_ROUNDED, answer)

    def take(self, solution: GramSolution, tau: float) -> None:
        """Note the numerical optimum and the moments of a solution."""
        self.numeric_mu = tau * float(self.scaling.size)
        if solution.moments is not None:
            keys = self.program.keys
            self.moments = np.ldexp(solution.moments, -self.scaling.key_bits(keys.rows, keys.columns))

    def solve(self, system: GramSystem) -> tuple[SolverAnswer, GramSolution | None]:
        """Solve within what is left of the time."""
        options = self.options
        if options.time_limit is not None:
            left = options.time_limit - (time.perf_counter() - self.start)
            options = replace(options, time_limit=max(left, SHORTEST_SOLVE))
        if self.cone is GramCone.SOS:
            return solve_system(system, self.solver, options)
        inner, assembled = restricted(system, self.cone)
        answer, solution = solve_system(inner, self.solver, options)
        return answer, None if solution is None else assembled(solution)

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
        """The modulus ``target`` and no other."""
        answer, inner = self.margin_at(target)
        if inner is None:
            return self.end(ProofStatus.NO_SOLUTION, answer)
        if inner.tau <= 0:
            return self.end(ProofStatus.NO_INTERIOR, answer)
        part = self.part_of(round_to_identity(self.program, self.scaling, inner, target))
        return self.end(ProofStatus.NOT_ROUNDED if part is None else ProofStatus.PROVED, answer, part)

    def margin_at(self, mu: Fraction) -> tuple[SolverAnswer, GramSolution | None]:
        """The Gram matrices whose smallest eigenvalue is as large as can be at this modulus."""
        system = margin_system(self.program, self.scaling, mu)
        answer, solution = self.solve(system)
        if solution is None:
            return answer, None
        self.margin = solution.tau
        lifted = tuple(gram + solution.tau * np.eye(len(gram)) for gram in solution.grams)
        return answer, GramSolution(lifted, solution.free, solution.tau)

    def nearest_part(self, best: GramSolution, inner: GramSolution, inner_mu: Fraction) -> Part | None:
        """The proof nearest to the optimum: bisection over halvings of the step from the interior point."""
        gap = Fraction(best.tau) - inner_mu / self.scaling.size

        def at(bits: int) -> ExactIdentity | None:
            mu = _floor(Fraction(best.tau) - gap / 2**bits, gap / 2 ** (bits + 4))
            share = float((Fraction(best.tau) - mu) / gap)
            return self.rounded(best.towards(inner, share), mu)

        low, high = -1, LAST_STEP_BITS
        while low < high:
            bits = (low + high + 1) // 2
            low, high = (bits, high) if at(bits) is not None else (low, bits - 1)
        parts = (self.part_of(at(bits)) for bits in range(low, -1, -RETREAT_BITS))
        return next((part for part in parts if part is not None), None)

    def part_of(self, identity: ExactIdentity | None) -> Part | None:
        """The part of a proof file, if every Gram matrix is proved positive semidefinite."""
        return None if identity is None else assemble_part(self.program, identity, player=self.player)

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
            self.moments,
        )


def _exponent(value: float) -> int:
    return int(np.frexp(value)[1])


def _floor(value: Fraction, unit: Fraction) -> Fraction:
    """The largest multiple of a power of two near ``unit`` below the value."""
    bits = _exponent(float(unit)) - 1
    grid = power_of_two(bits)
    return (value / grid).__floor__() * grid
