"""One round whose reports are unbiased for every user: the sum is added up and nothing is chosen."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, final

from privacy_stats.aggregation import State
from privacy_stats.budgets import Kind
from privacy_stats.mechanisms import Mechanism
from privacy_stats.mechanisms.on_grid import GridMechanism
from privacy_stats.protocols.base import Protocol, ProtocolRound
from privacy_stats.results import SurveyEstimate, unbiased_sum
from privacy_stats.rounds import Round


class UnbiasedRound(Protocol):
    """Base of the baselines: every user reports once with the whole budget."""

    __slots__ = ()

    @abstractmethod
    def mechanism(self) -> Mechanism:
        """Return how a value becomes a report."""

    @final
    def first_round(
        self,
        n_users: int,
        levels: Sequence[Fraction],
        *,
        kind: Kind = "zcdp",
        counts: Sequence[int] | None = None,  # noqa: ARG002
        survey: str = "survey",
    ) -> ProtocolRound:
        """Announce the only round."""
        return ProtocolRound(self, Round(survey, self.mechanism(), kind, tuple(levels), n_users))

    @final
    def mismatch(self, mechanism: Mechanism, number: int) -> str | None:  # noqa: ARG002
        """Say that a mechanism is not this protocol's."""
        wanted = self.mechanism()
        return None if mechanism == wanted else f"its mechanism is {mechanism!r}, wanted {wanted!r}"

    @final
    def _estimate(self, states: tuple[State, ...]) -> SurveyEstimate:
        (state,) = states
        total = unbiased_sum(state)
        return SurveyEstimate(
            total.value,
            total.standard_error,
            "finite-population sum",
            state.n_reports,
            self.to_dict(),
            states,
            unclipped(state.round_.mechanism),
            simulated=state.simulated,
        )


def unclipped(mechanism: Mechanism) -> dict[str, Any]:
    """Return the public facts that let the clipped sum stand for the full one: nothing is taken in range."""
    if not isinstance(mechanism, GridMechanism):
        return {}
    return {"range": [mechanism.lower, mechanism.upper], "bias": 0.0}
