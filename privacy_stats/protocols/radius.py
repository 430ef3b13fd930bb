"""What the protocols for bounded vectors share: public facts, and rounds that may stand inside another
protocol."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from privacy_stats.aggregation import State
from privacy_stats.budgets import BILLION, Budgets, Kind
from privacy_stats.errors import ArgumentError
from privacy_stats.mechanisms import BlockMechanism, Mechanism
from privacy_stats.mechanisms.blocks import MOST_DIMENSIONS
from privacy_stats.mechanisms.grid import positive, whole
from privacy_stats.protocols.base import Protocol, ProtocolRound, differs
from privacy_stats.results import SurveyEstimate
from privacy_stats.rounds import Round


@dataclass(frozen=True, slots=True)
class Survey:
    """The public facts that a round is announced from.

    Parameters
    ----------
    name : str
        Name of the survey.
    kind : {"zcdp", "pure"}
        Notion of privacy.
    levels : tuple of Fraction
        Budget levels, ascending.
    n_users : int
        Enrolled users.
    number : int
        Number of the round to be announced.
    share : Fraction
        Part of the budget that this and all later rounds of the protocol may spend together.
    centre : tuple of float
        Public point that is subtracted from every value; empty for the origin.
    """

    name: str
    kind: Kind
    levels: tuple[Fraction, ...]
    n_users: int
    number: int = 1
    share: Fraction = Fraction(1)
    centre: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not self.levels or not all(isinstance(level, Fraction) for level in self.levels):
            raise ArgumentError("levels: wanted at least one, exact Fractions, such as budgets.levels")
        if min(self.levels) <= 0:
            raise ArgumentError(f"levels: got {min(self.levels)}, wanted positive budgets")

    def spent(self, part: Fraction) -> list[Fraction]:
        """Return what a round with `part` of the share spends at every level, rounded down to billionths."""
        spent = [Fraction(int(level * BILLION * self.share * part), BILLION) for level in self.levels]
        if not spent[0]:
            raise ArgumentError(
                f"levels: {self.share * part} of the lowest, {float(self.levels[0]):g}, is below one "
                "billionth; leave such users out"
            )
        return spent

    def announce(self, mechanism: Mechanism, part: Fraction) -> Round:
        """Return the round with `part` of the share."""
        return Round(
            self.name, mechanism, self.kind, self.levels, self.n_users, self.number, self.share * part
        )

    @classmethod
    def after(cls, state: State, part: Fraction, *, centre: tuple[float, ...] | None = None) -> Survey:
        """Return the facts for the round after a state whose round had `part` of the share."""
        round_ = state.round_
        kept = cast(BlockMechanism, round_.mechanism).centre if centre is None else centre
        share, number = round_.share / part, round_.number + 1
        return cls(round_.survey, round_.kind, round_.levels, round_.n_users, number, share, kept)


class Total(NamedTuple):
    """An estimated sum of centred values, the variance of its noise per coordinate, and public facts."""

    value: NDArray[np.float64]
    variance: float
    details: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RadiusProtocol(Protocol):
    """Base of protocols whose error grows with the length of the values.

    Parameters
    ----------
    bound : float
        Public bound of a value's length.
    dimension : int
        Number of coordinates d.
    non_negative : bool
        Whether values have no negative coordinates.
    resolution : float
        Length below which differences are of no interest; 1 for whole numbers.
    beta : float
        Probability that the stated error bound fails.

    Raises
    ------
    ArgumentError
        If an argument is out of range.
    """

    bound: float
    dimension: int = 1
    non_negative: bool = False
    resolution: float = 1.0
    beta: float = 1e-3

    def __post_init__(self) -> None:
        for name in ("bound", "resolution"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))
        whole("dimension", self.dimension, 1, MOST_DIMENSIONS)
        if type(self.non_negative) is not bool:
            raise ArgumentError(f"non_negative: got {self.non_negative!r}, wanted True or False")
        if not self.resolution <= self.bound <= self.resolution * 2.0**100:
            raise ArgumentError(
                f"resolution: got {self.resolution:g}, wanted a number from bound / 2**100 to {self.bound:g}"
            )
        if isinstance(self.beta, bool) or not isinstance(self.beta, float) or not 0 < self.beta < 1:
            raise ArgumentError(f"beta: got {self.beta!r}, wanted a number in (0, 1), such as 1e-3")

    def for_budgets(self, budgets: Budgets) -> RadiusProtocol:
        """Return the protocol with everything chosen that public budgets may choose.

        Parameters
        ----------
        budgets : Budgets
            Of all users.
        """
        return self.for_total(total_budget(budgets.levels, budgets.counts))

    def for_total(self, total: float) -> RadiusProtocol:  # noqa: ARG002
        """Return the protocol for a given sum of all rho."""
        return self

    @abstractmethod
    def open(self, survey: Survey) -> Round:
        """Announce the first round, alone or inside another protocol."""

    def follow(self, state: State, index: int) -> Round:  # noqa: ARG002
        """Announce round `index` (from 1) of this protocol, given the state of the one before."""
        raise ArgumentError(f"states: {self.name} has no round {index + 1}")

    @abstractmethod
    def total(self, states: Sequence[State]) -> Total:
        """Return the sum of the centred values from the states of this protocol's own rounds."""

    def first_round(
        self,
        n_users: int,
        levels: Sequence[Fraction],
        *,
        kind: Kind = "zcdp",
        counts: Sequence[int] | None = None,
        survey: str = "survey",
    ) -> ProtocolRound:
        """Announce the first round, with everything chosen that `counts` allow to choose."""
        facts = Survey(survey, kind, tuple(levels), n_users)
        chosen = self if counts is None else self.for_total(total_budget(facts.levels, counts))
        return ProtocolRound(chosen, chosen.open(facts))

    def _next(self, state: State) -> ProtocolRound:
        return ProtocolRound(self, self.follow(state, state.round_.number))

    def _estimate(self, states: tuple[State, ...]) -> SurveyEstimate:
        return survey_estimate(self, states, self.total(states), non_negative=self.non_negative)

    def mismatch(self, mechanism: Mechanism, number: int) -> str | None:  # noqa: ARG002
        """Say how a mechanism differs from this protocol's fields."""
        found = cast(BlockMechanism, mechanism)
        one_sided = self.non_negative and not found.centre
        return differs(found, dimension=self.dimension, bound=self.bound, non_negative=one_sided)

    def reach(self, survey: Survey) -> float:
        """Return how long a value can be after centring."""
        return 2 * self.bound if survey.centre else self.bound

    def one_sided(self, survey: Survey) -> bool:
        """Return whether centred values have no negative coordinates."""
        return self.non_negative and not survey.centre


def total_budget(levels: Sequence[Fraction], counts: Sequence[int]) -> float:
    """Return the sum of all rho, a public fact."""
    if len(counts) != len(levels):
        raise ArgumentError(f"counts: got {len(counts)}, wanted the users of each of {len(levels)} levels")
    total = sum(float(level) * count for level, count in zip(levels, counts, strict=True))
    if not total > 0:
        raise ArgumentError("counts: wanted at least one user")
    return total


def survey_estimate(
    protocol: Protocol, states: tuple[State, ...], total: Total, *, non_negative: bool = False
) -> SurveyEstimate:
    """Return the estimate of a sum: the centred total, and the centre once for every report.

    The sum of values without negative coordinates has none either. A negative coordinate of the estimate is
    noise, and 0 is nearer to the sum; what was released is then kept among the details.
    """
    last = states[-1]
    centre = np.array(cast(BlockMechanism, last.round_.mechanism).centre or (0.0,))
    value = total.value + last.n_reports * centre
    details = total.details
    if non_negative and (value < 0).any():
        details = {**details, "released": value.tolist()}
        value = np.maximum(value, 0.0)
    error = np.full(value.shape, math.sqrt(total.variance))
    scalar = value.size == 1
    return SurveyEstimate(
        value[0] if scalar else value,
        error[0] if scalar else error,
        "finite-population sum",
        last.n_reports,
        protocol.to_dict(),
        states,
        details,
        simulated=any(state.simulated for state in states),
    )


def ladder_size(survey: Survey, reach: float, resolution: float) -> int:
    """Return the number of thresholds from `resolution` at the largest budget to `reach` at the smallest."""
    spread = math.sqrt(survey.levels[-1] / survey.levels[0])
    return max(0, math.ceil(math.log2(reach / resolution * spread) - 1e-9)) + 1
