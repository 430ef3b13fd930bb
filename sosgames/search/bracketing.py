"""The search for a verdict: refute first, then climb; what is proved so far can be taken at any moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import TypeVar

import numpy as np

from sosgames.certificates.errors import CertificateError, shown
from sosgames.certificates.games import MatrixProblem
from sosgames.certificates.matrices import Problem, modulus_matrix
from sosgames.certificates.proofs import ModulusProof, RefutationProof
from sosgames.certificates.proofs import Witness as ProofWitness
from sosgames.certificates.tangents import tangent_basis
from sosgames.certificates.verifier import verify
from sosgames.errors import InputError
from sosgames.results import Certification, Stop, Verdict
from sosgames.results.words import decimal
from sosgames.rounding import Contradiction, find_contradiction
from sosgames.search.cliques import suitable_decomposition
from sosgames.search.forms import MatrixForm
from sosgames.search.limits import Deadline, Limits
from sosgames.search.target import Target
from sosgames.solvers.registry import AUTO, find_solver

Report = Callable[[str], None]
Weights = Mapping[str, Fraction]
P = TypeVar("P", ModulusProof, RefutationProof)


class Search:
    """The work of `certify` as an object, so that an interrupted search still has an answer.

    `run` does the work; `result` is what is proved at that moment, and may be called after a
    KeyboardInterrupt. Every proof passes the verifier before it enters a result.
    """

    def __init__(
        self,
        problem: Problem,
        prop: str,
        *,
        weights: Weights | None = None,
        limits: Limits | None = None,
        report: Report | None = None,
    ) -> None:
        self.problem = problem
        self.property = prop
        self.weights = weights
        self.limits = limits or Limits()
        self.report = report or (lambda _: None)
        self.start = time.perf_counter()
        self._contradiction: Contradiction | None = None
        self.targets = _targets(problem, prop, weights, self.limits)
        if self.limits.solver != AUTO:
            find_solver(self.limits.solver)  # a wrong name is said even where no solver is needed

    def run(self) -> Search:
        """Work until the verdict is known or a limit is reached."""
        deadline = self.limits.deadline()
        open_targets = [t for t in self.targets if t.has_directions]
        for target in self.targets:
            if not target.has_directions:
                target.stop = Stop.DECIDED
        try:
            for target in open_targets:
                self.report(f"{self._name(target)}: looking for a counterexample")
                with _in_double_precision(target):
                    target.bound_above(deadline)
            refuted = any(t.verdict is Verdict.REFUTED for t in open_targets)
            if open_targets and all(t.witness is None for t in open_targets):
                self.report("no point found: looking for a contradiction between the conditions")
                with _in_double_precision(open_targets[0]):
                    self._contradiction = find_contradiction(
                        self.problem, solver=self.limits.solver, time_limit=deadline.remaining
                    )
            for target in open_targets:
                with _in_double_precision(target):
                    self._bound_below(target, deadline, refuted=refuted)
        except KeyboardInterrupt:
            for target in open_targets:
                if target.verdict is Verdict.UNDECIDED:
                    target.stop = Stop.INTERRUPTED
            raise
        return self

    def _bound_below(self, target: Target, deadline: Deadline, *, refuted: bool) -> None:
        if target.witness is None and self._contradiction is not None:
            target.bound_vacuously(self._contradiction)
            if target.part is not None:
                return
        if target.is_constant and target.decomposition is None:
            target.bound_constant()
            if target.verdict is Verdict.UNDECIDED:  # without a point, or with a guess that was far off
                target.stop = Stop.NO_POINT if target.witness is None else Stop.OUT_OF_RANGE
            return
        for form, level in target.climb(self.limits, deadline, refuted=refuted):
            shown = "" if form == MatrixForm.name else f"{form} form, "
            self.report(f"{self._name(target)}: {shown}level {level}; proved so far {_so_far(target)}")

    def result(self) -> Certification:
        """What is proved by now; the verifier has the last word on every proof."""
        start = time.perf_counter()
        lower_proof, upper_proof = self._accepted(self._lower_proof()), self._accepted(self._upper_proof())
        return Certification(
            problem=self.problem,
            property=self.property,
            weights=dict(self.weights) if self.weights else None,
            brackets=tuple(target.bracket() for target in self.targets),
            lower_proof=lower_proof,
            upper_proof=upper_proof,
            seconds=time.perf_counter() - self.start,
            verification_seconds=time.perf_counter() - start,
        )

    def _lower_proof(self) -> ModulusProof | None:
        moduli = [t.lower for t in self.targets if t.lower is not None]
        vacuous = min(moduli, default=Fraction(0))
        parts = [t.part if t.has_directions else t.vacuous_part(vacuous) for t in self.targets]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        return ModulusProof(self.property, self.problem.variables, tuple(known), self.weights)

    def _upper_proof(self) -> RefutationProof | None:
        found = [(target, w) for target in self.targets if (w := target.witness) is not None]
        if not found:
            return None
        target, witness = min(found, key=lambda pair: pair[1].value)
        y = {row: value for row, value in zip(target.matrix.rows, witness.y, strict=True) if value}
        return RefutationProof(
            property=self.property,
            variables=self.problem.variables,
            value=witness.value,
            witnesses=(ProofWitness(witness.x, y),),
            player=target.player,
            weights=self.weights,
        )

    def _accepted(self, proof: P | None) -> P | None:
        """The proof, if the verifier accepts it; one that it refuses proves nothing and is dropped."""
        if proof is None:
            return None
        try:
            verify(proof, self.problem)
        except CertificateError:
            for target in self.targets:
                target.refuse(proof)
            return None
        return proof

    def _name(self, target: Target) -> str:
        return self.property if target.player is None else f"{self.property}, player {target.player}"


@contextmanager
def _in_double_precision(target: Target) -> Iterator[None]:
    """Ends a step whose numbers leave the range of floating point; what the target has proved stays."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            yield
    except (OverflowError, FloatingPointError, np.linalg.LinAlgError):
        target.stop = Stop.OUT_OF_RANGE


def _targets(problem: Problem, prop: str, weights: Weights | None, limits: Limits) -> list[Target]:
    if isinstance(problem, MatrixProblem):
        if prop != "matrix" or weights is not None:
            raise InputError(f"a matrix has the property 'matrix' alone, not {shown(prop)}, and no weights.")
        return [_target(problem, prop, None, None, limits)]
    if prop == "monotone":
        return [_target(problem, prop, None, weights, limits)]
    if prop != "concave":
        raise InputError(f"property is {shown(prop)}; ask for 'concave' or 'monotone'.")
    if weights is not None:
        raise InputError("weights go with property 'monotone'; concavity looks at each player alone.")
    return [
        _target(problem, prop, player.name, None, limits) for player in problem.players if player.variables
    ]


def _target(
    problem: Problem, prop: str, player: str | None, weights: Weights | None, limits: Limits
) -> Target:
    matrix = modulus_matrix(problem, prop, player=player, weights=weights)
    tangent = tangent_basis(problem, matrix.rows)
    decomposition = suitable_decomposition(matrix, problem, tangent, limits)
    return Target(problem, player, matrix, tangent, decomposition=decomposition)


def _so_far(target: Target) -> str:
    lower = "-inf" if target.lower is None else decimal(target.lower, 6)
    upper = "+inf" if target.upper is None else decimal(target.upper, 6)
    return f"{lower} <= modulus <= {upper}"
