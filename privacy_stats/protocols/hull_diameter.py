"""A public centre near the values first, then any radius protocol around it: no rotation, no medians."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, TypeVar, cast, final

import numpy as np
from scipy.special import chdtri

from privacy_stats.aggregation import State
from privacy_stats.budgets import BILLION, Budgets, Kind
from privacy_stats.errors import ArgumentError
from privacy_stats.mechanisms import BlockChannel, ClippedGaussian, Mechanism
from privacy_stats.mechanisms.blocks import LARGEST_SIGMA, radius_limit, similar_budgets
from privacy_stats.protocols.base import Protocol, ProtocolRound, differs
from privacy_stats.protocols.radius import RadiusProtocol, Survey, survey_estimate, total_budget
from privacy_stats.results import SurveyEstimate
from privacy_stats.rounds import Round

Number = TypeVar("Number", Fraction, int)

_MOST_ROUNDS = 8
_WORST_CONTRACTION = 0.5
_WORST_REACH = 1 / 256


@final
@dataclass(frozen=True, slots=True)
class HullDiameter(Protocol):
    """K rounds of a weighted clipped mean move a centre to the values' hull; then `inner` on what is left.

    Any point near the convex hull of the values is within their diameter of every one of them, so the centre
    need not be their mean, and users may count by budget: ``c <- c + sum_u w_u (x_u - c clipped to r)``,
    ``w_u = rho_u / sum rho``, whose noise per coordinate is ``sigma = 2 r / sqrt(2 (f / K) sum rho)``, f the
    share of all K rounds. Then ``r <- 2 q sigma``, q the chi quantile with d degrees of freedom at ``1 - beta
    / K``. The first r is `bound`.

    With probability ``1 - beta`` the last centre is within ``max(r_K / 2, omega / (1 - gamma))`` of the hull,
    omega the diameter and ``gamma = r_(k+1) / r_k``; the inner protocol then works on values that long.

    K is a public choice: with ``rounds=0`` it is made from n, the budgets and their counts (`for_budgets`),
    and where even the best K contracts by less than a half per round, nothing is spent on a centre and
    `inner` runs alone.

    Parameters
    ----------
    inner : RadiusProtocol
        What runs around the centre, with values as signed ones.
    rounds : int
        K, 1 to 8, or 0 to choose it from the public budgets.
    centre_share : Fraction
        Part f of the budget for all K rounds together.

    Raises
    ------
    ArgumentError
        If an argument is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> import privacy_stats as ps
    >>> budgets = ps.Budgets.zcdp(np.full(20_000, 1.0))
    >>> values = 10_000 + np.linspace(-50, 50, 20_000)
    >>> protocol = HullDiameter(ps.HistogramRadius(bound=1e6))
    >>> mean = ps.estimate_mean(values, budgets, protocol=protocol, rng=ps.simulation_rng(0))
    >>> bool(abs(mean.value - 10_000) < 10)
    True
    """

    inner: RadiusProtocol
    rounds: int = 0
    centre_share: Fraction = Fraction(1, 4)
    name: ClassVar[str] = "hull-diameter"

    def __post_init__(self) -> None:
        if not isinstance(self.inner, RadiusProtocol):
            raise ArgumentError(f"inner: got {type(self.inner).__name__}, wanted a radius protocol")
        if type(self.rounds) is not int or not 0 <= self.rounds <= _MOST_ROUNDS:
            raise ArgumentError(f"rounds: got {self.rounds!r}, wanted an integer from 0 to {_MOST_ROUNDS}")
        if not isinstance(self.centre_share, Fraction) or not 0 < self.centre_share < 1:
            raise ArgumentError(f"centre_share: got {self.centre_share!r}, wanted a Fraction in (0, 1)")

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return self.inner.dimension

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """K equal parts of the centre's share, then the inner protocol's parts of the rest."""
        rest = 1 - self.centre_share
        return (self._part,) * self.rounds + tuple(rest * share for share in self.inner.shares)

    @property
    def _part(self) -> Fraction:
        return self.centre_share / max(1, self.rounds)

    def mechanism_of(self, number: int) -> type[Mechanism]:
        """Return the type of mechanism of a round."""
        return ClippedGaussian if number <= self.rounds else self.inner.mechanism_of(number - self.rounds)

    def mismatch(self, mechanism: Mechanism, number: int) -> str | None:
        """Say how a mechanism differs from this protocol's fields."""
        if number > self.rounds:
            return self.inner.mismatch(mechanism, number - self.rounds)
        return differs(mechanism, dimension=self.dimension, bound=self.inner.bound, non_negative=False)

    def for_budgets(self, budgets: Budgets) -> Protocol:
        """Return the protocol with K chosen for these public budgets, or `inner` where no centre pays.

        Parameters
        ----------
        budgets : Budgets
            Of all users.
        """
        return self._resolved(total_budget(budgets.levels, budgets.counts))

    def _resolved(self, total: float) -> Protocol:
        """Choose the least K that contracts to the resolution, or else the one that contracts most."""
        if self.rounds:
            return self
        wanted = self.inner.resolution / self.inner.bound
        tried = [replace(self, rounds=k) for k in range(1, _MOST_ROUNDS + 1)]
        choices = [p for p in tried if p.contraction(total) <= _WORST_CONTRACTION]
        reached = [p.contraction(total) ** p.rounds for p in choices]
        if not choices or min(reached) > _WORST_REACH:
            return self.inner.for_total(total)
        return choices[next((k for k, r in enumerate(reached) if r <= wanted), int(np.argmin(reached)))]

    def contraction(self, total: float) -> float:
        """Return gamma, by which each round shortens r, for a given sum of all rho."""
        return 4 * self._quantile / math.sqrt(2 * float(self._part) * total)

    @property
    def _quantile(self) -> float:
        return math.sqrt(float(chdtri(self.dimension, self.inner.beta / max(1, self.rounds))))

    def first_round(
        self,
        n_users: int,
        levels: Sequence[Fraction],
        *,
        kind: Kind = "zcdp",
        counts: Sequence[int] | None = None,
        survey: str = "survey",
    ) -> ProtocolRound:
        """Announce the first round; with ``rounds=0`` go on with the protocol of what is returned."""
        if counts is None:
            raise ArgumentError("counts: wanted the users per level, a public fact: budgets.counts")
        chosen = self._resolved(total_budget(levels, counts))
        if not isinstance(chosen, HullDiameter):
            return chosen.first_round(n_users, levels, kind=kind, counts=counts, survey=survey)
        origin = (0.0,) * chosen.dimension
        facts = Survey(survey, kind, tuple(levels), n_users, centre=origin)
        return ProtocolRound(chosen, chosen._look(facts, chosen.inner.bound))

    def next_round(self, states: State | Sequence[State]) -> ProtocolRound:
        """Announce the next round, from the state of the last one."""
        self._require_rounds()
        return Protocol.next_round(self, states)

    def estimate(self, states: State | Sequence[State]) -> SurveyEstimate:
        """Estimate the sum, from the states of all rounds in order."""
        self._require_rounds()
        return Protocol.estimate(self, states)

    def _require_rounds(self) -> None:
        if self.rounds == 0:
            raise ArgumentError(
                "rounds: not chosen yet; go on with the protocol of the announced round, "
                "or call for_budgets before the first round"
            )

    def _look(self, survey: Survey, reach: float) -> Round:
        """Announce a clipped mean around the survey's centre, users weighted by what they spend.

        The server sees groups of similar budgets, so all users of a group have the weight of its least
        budget.
        """
        spent = survey.spent(self._part)
        top = spent[-1]
        largest = min(radius_limit(self.dimension), int(LARGEST_SIGMA * math.sqrt(top / 2)))
        groups, rows = similar_budgets(survey.levels), {}
        least = _of_groups(spent, groups)
        for b, group in zip(spent, groups, strict=True):
            radius = int(largest * least[group] / top)
            rows[int(b * BILLION)] = (int(b * BILLION), reach if radius else 0.0, radius)
        thresholds = tuple(rows.values())
        mechanism = ClippedGaussian(self.dimension, self.inner.bound, thresholds, centre=survey.centre)
        return survey.announce(mechanism, self._part)

    def _next(self, state: State) -> ProtocolRound:
        number = state.round_.number
        if number > self.rounds:
            index = number - self.rounds
            return ProtocolRound(self, self.inner.follow(state, index))
        centre, reach = self.moved(state)
        survey = Survey.after(state, self._part, centre=centre)
        if number < self.rounds:
            return ProtocolRound(self, self._look(survey, reach))
        rest = replace(survey, share=1 - self.centre_share)
        return ProtocolRound(self, self.inner.open(rest))

    def moved(self, state: State) -> tuple[tuple[float, ...], float]:
        """Return the centre after a round, within the ball of `bound`, and the next reach."""
        round_ = state.round_
        mechanism = cast(ClippedGaussian, round_.mechanism)
        groups, counts = round_.first_strata(), np.array(state.counts, dtype=np.float64)
        spent = [round_.spent(k) for k in range(len(round_.levels))]
        radii = [cast(BlockChannel, round_.channels(k)[0]).radius for k in range(len(spent))]
        radius = np.array(_of_groups(radii, groups), dtype=np.float64)
        rho = np.array(_of_groups(spent, groups), dtype=np.float64)
        reach = max(reach for _, reach, _ in mechanism.thresholds)
        if not counts @ radius > 0:
            raise ArgumentError(f"states: nobody in {state!r} was asked for anything")
        step = np.array(state.sums, dtype=np.float64).sum(axis=0) * reach / float(counts @ radius)
        centre = np.array(mechanism.centre) + step
        length = float(np.sqrt((centre**2).sum()))
        centre *= min(1.0, self.inner.bound / max(length, 1e-300))
        sigma = 2 * reach / math.sqrt(2 * float(counts @ rho))
        return tuple(centre.tolist()), min(2 * self._quantile * sigma, 2 * self.inner.bound)

    def _estimate(self, states: tuple[State, ...]) -> SurveyEstimate:
        own = states[self.rounds :]
        found = survey_estimate(self, states, self.inner.total(own), non_negative=self.inner.non_negative)
        centre = cast(ClippedGaussian, own[0].round_.mechanism).centre
        return replace(found, details={**found.details, "centre": list(centre)})


def _of_groups(column: Sequence[Number], groups: Sequence[int]) -> list[Number]:
    """Return what the first level of every group has: the least, for budgets and what grows with them."""
    first: dict[int, Number] = {}
    for entry, group in zip(column, groups, strict=True):
        first.setdefault(group, entry)
    return list(first.values())
