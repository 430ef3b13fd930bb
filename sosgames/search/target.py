"""One matrix whose modulus is sought: its two bounds, and one step of improving each."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction

from sosgames.certificates.matrices import PolyMatrix, Problem, congruent
from sosgames.certificates.parts import Part, TangentChart
from sosgames.certificates.proofs import ModulusProof, RefutationProof
from sosgames.conic import GramCone
from sosgames.conic.problem import FloatArray
from sosgames.errors import LimitError
from sosgames.faces import FaceProof, FaceStatus, Rung
from sosgames.results import Bracket, Step, Stop, Verdict, verdict_of
from sosgames.rounding import (
    Contradiction,
    constant_modulus,
    prove,
    prove_by_averaging,
    prove_constant,
    vacuous_part,
)
from sosgames.search.cliques import DENSE_SIDE, climb_cliques, dense_side, whole_is_affordable
from sosgames.search.closing import Closing, closings
from sosgames.search.forms import FORMS, Form, MatrixForm
from sosgames.search.limits import Deadline, Limits
from sosgames.solvers.registry import AUTO
from sosgames.sos import SosProgram
from sosgames.sparse import Decomposition, find_sparse_witness
from sosgames.witnesses import Witness, find_witness, improved_witness

NARROW = 1e-6
"""Relative width of a bracket that is asked to be closed exactly and can only be narrowed."""
PATIENCE = 2.0
"""Seconds that a search for a witness may take."""
CLIMB = 4
"""Degrees above the lowest level that are tried unless the caller says otherwise."""
LARGEST_SIDE = 1_000
COMFORTABLE_SIDE = 60
"""Side of the largest Gram matrix up to which a verdict that is known already is still improved."""
EXACT_FIRST_SIDE = 150
"""Up to this side a plausible optimum is tried exactly before a bound is sought."""


SUSPICIONS = {FaceStatus.NO_FACE: Stop.NO_RATIONAL_FACE, FaceStatus.INCONSISTENT: Stop.REAL_SQUARES_ONLY}
"""What a plausible optimum that was not proved says of an open verdict."""
HELPED = (Stop.LEVEL_LIMIT, Stop.ZERO_MODULUS, Stop.SOLVER_FAILED, *SUSPICIONS.values())
"""Why a climb may end so that other forms may help."""


@dataclass(slots=True)
class Target:
    """The search for one modulus; ``part`` backs ``lower`` and ``witness`` backs ``upper``.

    ``heavy`` are the rows that decided the last attempt by cliques.
    """

    problem: Problem
    player: str | None
    matrix: PolyMatrix
    tangent: tuple[tuple[int, ...], ...] | None
    part: Part | None = None
    witness: Witness | None = None
    level: int | None = None
    steps: list[Step] = field(default_factory=list)
    stop: Stop = Stop.LEVEL_LIMIT
    seconds: float = 0.0
    decomposition: Decomposition | None = None
    heavy: tuple[int, ...] = ()
    _closings: Sequence[Closing] | None = None
    _suspicion: Stop | None = None

    @property
    def lower(self) -> Fraction | None:
        return None if self.part is None else self.part.mu

    @property
    def upper(self) -> Fraction | None:
        return None if self.witness is None else self.witness.value

    @property
    def verdict(self) -> Verdict:
        return verdict_of(self.lower, self.upper)

    @property
    def has_directions(self) -> bool:
        """Whether any direction y is left: along a single point there is none, and every claim holds."""
        return self.tangent is None or len(self.tangent[0]) > 0

    @property
    def is_constant(self) -> bool:
        """Whether the matrix, along the directions that are left, has no variables."""
        entries = self.matrix.entries
        if self.tangent is not None:
            entries = congruent(entries, self.tangent)
        return all(entry.is_constant() for entry in entries.values())

    def is_closed(self, gap: float) -> bool:
        """Whether the bracket is as narrow as asked for."""
        if self.lower is None or self.upper is None:
            return False
        return self.upper - self.lower <= Fraction(gap) * max(Fraction(1), abs(self.upper))

    def enough(self, gap: float) -> Fraction | None:
        """A lower bound that closes the bracket, and that is positive where the upper one is."""
        if self.upper is None:
            return None
        closing = self.upper - Fraction(gap) * max(Fraction(1), abs(self.upper))
        return closing if self.upper <= 0 else max(closing, self.upper / 2)

    def bracket(self) -> Bracket:
        return Bracket(
            self.player, self.lower, self.upper, self.level, tuple(self.steps), self.stop, self.seconds
        )

    def refuse(self, proof: ModulusProof | RefutationProof) -> None:
        """Forget what a proof that the verifier refused was made of."""
        self.stop = Stop.REFUSED
        if isinstance(proof, ModulusProof):
            self.part = None
        else:
            self.witness = None

    def form(self, name: str) -> Form:
        """The form of that name for this matrix."""
        return FORMS[name](self.matrix, self.problem, self.tangent)

    # -- steps --------------------------------------------------------------------------------------

    def bound_above(self, deadline: Deadline) -> None:
        """Look for a rational point and direction with a small value."""
        start = time.perf_counter()
        patience = PATIENCE if deadline.remaining is None else min(PATIENCE, deadline.remaining)
        if self.decomposition is not None:
            self.witness = find_sparse_witness(self.decomposition, time_limit=patience)
        else:
            self.witness = find_witness(self.matrix, self.problem, tangent=self.tangent, time_limit=patience)
        self.seconds += time.perf_counter() - start

    def improve_above(self, program: SosProgram, moments: FloatArray, deadline: Deadline) -> None:
        """Look again where the moments of a solved program have their mass."""
        patience = PATIENCE if deadline.remaining is None else min(PATIENCE, deadline.remaining)
        better = improved_witness(
            self.witness,
            self.matrix,
            self.problem,
            program,
            moments,
            tangent=self.tangent,
            time_limit=patience,
        )
        if better is not self.witness:
            self.witness, self._closings = better, None

    def bound_constant(self) -> None:
        """A matrix without variables needs no hierarchy."""
        start = time.perf_counter()
        mu = constant_modulus(self.matrix, tangent=self.tangent)
        if self.upper is not None and self.upper <= mu:
            mu = self.upper
        self.part = prove_constant(self.matrix, mu, player=self.player, tangent=self.tangent)
        self.level = 0
        self.stop = Stop.EXACT if self.upper == mu else Stop.DECIDED
        self.steps.append(
            Step(0, mu, float(mu), self.matrix.side, 0, "exact", Rung.CONSTANT, time.perf_counter() - start)
        )
        self.seconds += time.perf_counter() - start

    def bound_vacuously(self, contradiction: Contradiction) -> None:
        """On an empty set every claim holds: prove that the modulus is at least 0."""
        start = time.perf_counter()
        part = vacuous_part(
            contradiction, self.matrix, self.problem, player=self.player, tangent=self.tangent
        )
        seconds = time.perf_counter() - start
        self.seconds += seconds
        if part is not None:
            self.part, self.stop = part, Stop.EMPTY
            side = max(len(block.gram) for block in contradiction.part.blocks)
            self.steps.append(Step(0, part.mu, None, side, 0, "exact", Rung.EMPTY, seconds))

    def bound_by_averaging(self, form: Form, level: int, limits: Limits) -> bool:
        """Try a large matrix just below its upper bound, without a solver; whether the bracket is closed."""
        is_large = dense_side(self.matrix, level) > DENSE_SIDE
        if self.upper is None or form.name != MatrixForm.name or limits.cone != GramCone.SOS or not is_large:
            return False
        start = time.perf_counter()
        program = form.program(level, memory_limit=limits.memory_limit)
        delta = Fraction(limits.gap or NARROW) * max(Fraction(1), abs(self.upper)) / 2
        part = prove_by_averaging(program, self.upper, delta, player=self.player)
        if part is not None and (self.lower is None or part.mu > self.lower):
            self.part, self.level = form.part(part), level
            side, seconds = max(program.sides, default=0), time.perf_counter() - start
            self.steps.append(
                Step(level, part.mu, None, side, program.n_equations, "none", Rung.AVERAGES, seconds)
            )
        self.seconds += time.perf_counter() - start
        return self.is_closed(limits.gap)

    def bound_below(
        self,
        form: Form,
        level: int,
        limits: Limits,
        deadline: Deadline,
        *,
        only_if_cheap: bool = False,
    ) -> None:
        """Prove the best modulus that one level reaches, and keep it when it is better."""
        start = time.perf_counter()
        program = form.program(level, memory_limit=limits.memory_limit)
        only_if_cheap = only_if_cheap or self.verdict is not Verdict.UNDECIDED
        if only_if_cheap and not _is_small(program):
            return
        bound = prove(
            program,
            player=self.player,
            solver=limits.solver,
            time_limit=deadline.remaining,
            memory_limit=limits.memory_limit,
            enough=self.enough(limits.gap),
            cone=GramCone(limits.cone),
        )
        if bound.part is not None and bound.mu is not None and (self.lower is None or bound.mu > self.lower):
            self.part, self.level = form.part(bound.part), level
        if bound.moments is not None and not self.is_closed(limits.gap):
            self.improve_above(program, bound.moments, deadline)
        numeric = None if bound.numeric_mu != bound.numeric_mu else bound.numeric_mu
        seconds = time.perf_counter() - start
        side = max(program.sides, default=0)
        step = Step(
            level, bound.mu, numeric, side, program.n_equations, bound.solver, Rung.STRICT, seconds, form.name
        )
        self.steps.append(step)
        self.seconds += seconds

    @property
    def closings(self) -> Sequence[Closing]:
        """The values that the optimum may have exactly, as attempts to prove them."""
        if self._closings is None:
            self._closings = closings(self.problem, self.player, self.matrix, self.tangent, self.witness)
        return self._closings

    def close(
        self,
        form: Form,
        level: int,
        limits: Limits,
        deadline: Deadline,
        *,
        sides: tuple[int, int],
        by_range: bool = True,
    ) -> bool:
        """Prove a plausible optimum exactly at one level; whether that closed the bracket.

        Only programs whose largest Gram matrix has a side above ``sides[0]`` and at most ``sides[1]``.
        """
        for closing in self.closings:
            start = time.perf_counter()
            program = form.program(level, closing.mu, limits.memory_limit)
            if not sides[0] < max(program.sides, default=1) <= sides[1]:
                continue
            found = closing.by_faces(form, program, limits.solver, deadline.remaining, by_range=by_range)
            if self._closed(closing, found, form.name, level, start):
                return True
        return False

    def close_with_denominator(self, limits: Limits, deadline: Deadline) -> bool:
        """Prove a plausible optimum exactly with a denominator; whether that closed the bracket."""
        for closing in self.closings:
            start = time.perf_counter()
            found = closing.with_denominator(limits.solver, deadline.remaining)
            if found is not None and self._closed(
                closing, found, MatrixForm.name, found.face.program.level, start
            ):
                return True
        return False

    def _closed(self, closing: Closing, found: FaceProof, form: str, level: int, start: float) -> bool:
        seconds = time.perf_counter() - start
        mu = None if found.part is None else closing.mu
        n_equations, side = found.face.program.n_equations, max(found.face.ranks, default=0)
        self.steps.append(Step(level, mu, None, side, n_equations, found.solver, found.rung, seconds, form))
        self.seconds += seconds
        self._suspicion = SUSPICIONS.get(found.status, self._suspicion)
        if found.part is not None and (self.lower is None or closing.mu > self.lower):
            self.part, self.level = found.part, level
        return self.upper is not None and self.lower == self.upper

    def climb(
        self, limits: Limits, deadline: Deadline, *, refuted: bool = False
    ) -> Iterator[tuple[str, int]]:
        """Raise the lower bound level by level until the bracket decides and is closed, or a limit stops it.

        Yields the form and the level of the work that comes next. Once the game is ``refuted``, one cheap
        level completes the bracket and no more is asked. Other forms help where the first leaves it open.
        """
        if self.decomposition is not None:
            for level in climb_cliques(self, self.decomposition, limits, deadline, refuted=refuted):
                yield MatrixForm.name, level
            if self.stop is not Stop.CLIQUES or not whole_is_affordable(self, limits):
                return
        form = self.form(MatrixForm.name if limits.form == AUTO else limits.form)
        yield from self._climb(form, limits, deadline, refuted=refuted)
        if limits.form == AUTO and self.stop in HELPED and self.witness is not None:
            yield from self._climb_with_help(limits, deadline)

    def _climb(
        self, form: Form, limits: Limits, deadline: Deadline, *, refuted: bool
    ) -> Iterator[tuple[str, int]]:
        for level in self.levels(form, limits):
            if deadline.passed:
                self.stop = Stop.TIME_LIMIT
                return
            yield form.name, level
            try:
                self.work_at(form, level, limits, deadline, refuted=refuted)
            except LimitError:
                self.stop = Stop.SIZE_LIMIT if self.tangent is None else Stop.SIZE_LIMIT_TIED
                return
            if refuted or (self.verdict is not Verdict.UNDECIDED and self.is_closed(limits.gap)):
                break
        self.stop = self._reason(refuted)

    def levels(self, form: Form, limits: Limits) -> Iterator[int]:
        """The levels to try, from the lowest."""
        if limits.level is not None:
            yield limits.level
            return
        lowest = form.lowest_level()
        highest = lowest + CLIMB if limits.max_level is None else limits.max_level
        yield from range(lowest, max(highest, lowest) + 1, 2)

    def _climb_with_help(self, limits: Limits, deadline: Deadline) -> Iterator[tuple[str, int]]:
        """The other forms, each at its lowest level, as far as they are small."""
        for form in map(self.form, FORMS):
            if form.name == MatrixForm.name or not form.is_possible or deadline.passed:
                continue
            level = form.lowest_level()
            if limits.level is not None or (limits.max_level is not None and level > limits.max_level):
                continue
            yield form.name, level
            with suppress(LimitError):
                if _is_small(form.program(level, memory_limit=limits.memory_limit)):
                    self.work_at(form, level, limits, deadline, refuted=False)
            if self.verdict is not Verdict.UNDECIDED:
                self.stop = self._reason(refuted=False)
                return

    def work_at(self, form: Form, level: int, limits: Limits, deadline: Deadline, *, refuted: bool) -> None:
        """One level: the exact optimum if one is plausible, else a bound, else a denominator (once).

        On large programs the bound comes first, since it decides more often.
        """
        first = not self.steps
        exact = limits.cone == GramCone.SOS  # faces are spanned in bases of their own
        eager = COMFORTABLE_SIDE if refuted else EXACT_FIRST_SIDE
        if not refuted and self.bound_by_averaging(form, level, limits):
            return
        if exact and self.close(form, level, limits, deadline, sides=(0, eager), by_range=not refuted):
            return
        self.bound_below(form, level, limits, deadline, only_if_cheap=refuted)
        if refuted or self.verdict is not Verdict.UNDECIDED or not exact:
            return
        if self.close(form, level, limits, deadline, sides=(eager, LARGEST_SIDE)):
            return
        if first and limits.level is None and limits.form == AUTO:
            self.close_with_denominator(limits, deadline)

    def _reason(self, refuted: bool) -> Stop:
        if self.upper is not None and self.lower == self.upper:
            return Stop.EXACT
        if self.verdict is not Verdict.UNDECIDED:
            return Stop.DECIDED
        if refuted:
            return Stop.NOT_NEEDED
        if self.witness is None:
            return Stop.NO_POINT
        nearly_closed = self.is_closed(1e-3)
        if self._suspicion is not None and (nearly_closed or self.lower is None):
            return self._suspicion
        if self.lower is None:
            return Stop.SOLVER_FAILED
        return Stop.ZERO_MODULUS if nearly_closed else Stop.LEVEL_LIMIT

    def vacuous_part(self, mu: Fraction) -> Part:
        """The proof where there is no direction to test: the identity between empty matrices."""
        chart = None if self.tangent is None else TangentChart(self.tangent)
        return Part(player=self.player, mu=mu, scale=1, blocks=(), chart=chart)


def _is_small(program: SosProgram) -> bool:
    return max(program.sides, default=0) <= COMFORTABLE_SIDE
