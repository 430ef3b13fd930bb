"""The search with Rosen's weights free: propose weights, prove a modulus there, refute all weights."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction

from sosgames.certificates.errors import CertificateError
from sosgames.certificates.games import ExactGame
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.tangents import tangent_basis
from sosgames.certificates.verifier import verify
from sosgames.errors import InputError, LimitError
from sosgames.results import Certification, Stop, Verdict, verdict_of
from sosgames.search.bracketing import Report, Search
from sosgames.search.forms import MatrixForm
from sosgames.search.limits import Limits
from sosgames.search.mixtures import Mixture, MixtureSearch
from sosgames.search.rosen import Weights, at_lower_bound, movers, neighbours, propose_weights
from sosgames.solvers.registry import AUTO
from sosgames.witnesses import find_witness


class FreeWeightsSearch:
    r"""The work of ``certify(game, weights="free")``, with the interface of `Search`.

    The modulus is then :math:`\sup_{r > 0}` of the modulus of :math:`M_r` against :math:`R_r`. ``lower`` is
    proved at weights that the result prints, ``upper`` for all positive weights.
    """

    def __init__(
        self, problem: object, prop: str, *, limits: Limits | None = None, report: Report | None = None
    ) -> None:
        if not isinstance(problem, ExactGame) or prop != "monotone":
            raise InputError("weights='free' goes with property 'monotone' of a game.")
        if not movers(problem):
            raise InputError("weights='free': no player has a variable.")
        self.problem = problem
        self.limits = limits or Limits()
        if self.limits.form not in (AUTO, MatrixForm.name):
            raise InputError("weights='free' goes with form 'matrix'; ask about given weights otherwise.")
        self.report = report or (lambda _: None)
        self.start = time.perf_counter()
        self.weights: Weights = dict.fromkeys((player.name for player in problem.players), Fraction(1))
        self.fixed = self._search_at(self.weights)
        self.mixture: Mixture | None = None

    def run(self) -> FreeWeightsSearch:
        """Work until the verdict is known or a limit is reached."""
        deadline = self.limits.deadline()
        tangent = tangent_basis(self.problem, self.problem.variables)
        if tangent is not None and not tangent[0]:
            self.fixed.run()
            return self
        mixtures = MixtureSearch(self.problem, tangent, deadline)
        self.report("monotone, free weights: looking for a counterexample")
        self._add_own_directions(mixtures)
        self.mixture = mixtures.run([self.weights])
        if self.mixture is not None and self.mixture.value < 0:
            return self
        ceiling = 1.0 if self.mixture is None else float(self.mixture.value)
        self.report("monotone, free weights: looking for weights")
        try:
            self.weights = propose_weights(
                self.problem, self.limits.level, tangent, ceiling, self.limits.solver, deadline
            )
        except LimitError:
            return self
        remaining = deadline.remaining
        self.fixed = self._search_at(self.weights, replace(self.limits, time_limit=remaining))
        self.fixed.run()
        mixture = mixtures.run(neighbours(self.weights))
        if mixture is not None and (self.mixture is None or mixture.value < self.mixture.value):
            self.mixture = mixture
        return self

    def result(self) -> Certification:
        """What is proved by now; the verifier has the last word on every proof."""
        fixed = self.fixed.result()
        proof = None if self.mixture is None else self.mixture.proof(self.problem)
        try:
            upper = None if proof is None else verify(proof, self.problem).value
        except CertificateError:
            proof, upper = None, None
        bounded = tuple(at_lower_bound(self.weights))
        brackets = tuple(
            replace(b, upper=upper, stop=_stop(b.lower, upper, b.stop, bool(bounded))) for b in fixed.brackets
        )
        return replace(
            fixed,
            weights=dict(self.weights),
            brackets=brackets,
            upper_proof=proof,
            bounded_weights=bounded,
            seconds=time.perf_counter() - self.start,
        )

    def _search_at(self, weights: Weights, limits: Limits | None = None) -> Search:
        return Search(
            self.problem, "monotone", weights=weights, limits=limits or self.limits, report=self.report
        )

    def _add_own_directions(self, mixtures: MixtureSearch) -> None:
        """A player's own counterexample to concavity bounds the modulus for all weights."""
        for player in movers(self.problem):
            matrix = modulus_matrix(self.problem, "concave", player=player.name)
            tangent = tangent_basis(self.problem, matrix.rows)
            found = find_witness(matrix, self.problem, tangent=tangent, time_limit=0.5)
            if found is not None:
                mixtures.add_direction(found.x, dict(zip(matrix.rows, found.y, strict=True)))


def _stop(lower: Fraction | None, upper: Fraction | None, stop: Stop, bounded: bool) -> Stop:
    """Why a search with free weights ended, from its own bracket."""
    if lower is not None and lower == upper:
        return Stop.EXACT
    if verdict_of(lower, upper) is not Verdict.UNDECIDED:
        return Stop.DECIDED
    if bounded:
        return Stop.WEIGHT_BOUND
    return Stop.LEVEL_LIMIT if stop in (Stop.EXACT, Stop.DECIDED, Stop.NOT_NEEDED) else stop
