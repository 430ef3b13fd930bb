"""One round whose limits hold the full sum whatever the values of the declared range are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, cast, final

import numpy as np

from privacy_stats.aggregation import State
from privacy_stats.budgets import Kind
from privacy_stats.errors import ArgumentError
from privacy_stats.inference import clipping_design
from privacy_stats.mechanisms import ClippedGaussian, Mechanism
from privacy_stats.mechanisms.grid import SMALLEST, finite
from privacy_stats.protocols.base import Protocol, ProtocolRound, differs
from privacy_stats.protocols.histogram_radius import released_sum, threshold_rows
from privacy_stats.protocols.radius import survey_estimate
from privacy_stats.results import SurveyEstimate
from privacy_stats.rounds import Round


@final
@dataclass(frozen=True, slots=True)
class GuaranteedSum(Protocol):
    """Values of a declared range, clipped around its middle at public thresholds of the least half-width.

    A user of budget rho is clipped to distance t(rho) from the middle, with Gaussian noise of variance ``2
    t**2 / rho``. Thresholds minimise the half-width that is guaranteed for every set of values in the range
    (`clipping_design`); the estimate's ``interval(target="full")`` is that guarantee. zCDP only.

    Parameters
    ----------
    lower, upper : float
        Declared range, known to hold every value. A value outside is clipped, and the guarantee is void.
    coverage : float
        Coverage that the thresholds are made for, in (0, 1).

    Raises
    ------
    ArgumentError
        If an argument is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> import privacy_stats as ps
    >>> budgets = ps.Budgets.zcdp(np.repeat([0.01, 1.0], 2000))
    >>> minutes = np.random.default_rng(0).uniform(0, 120, 4000)
    >>> total = ps.estimate_sum(minutes, budgets, protocol=GuaranteedSum(0, 120), rng=ps.simulation_rng(0))
    >>> low, high = total.interval(0.95, target="full")
    >>> bool(low < minutes.sum() < high)
    True
    """

    lower: float
    upper: float
    coverage: float = 0.95
    name: ClassVar[str] = "guaranteed-sum"
    mechanisms: ClassVar[tuple[type[Mechanism]]] = (ClippedGaussian,)

    def __post_init__(self) -> None:
        for name in ("lower", "upper"):
            object.__setattr__(self, name, finite(name, getattr(self, name)))
        if not self.upper - self.lower > SMALLEST:
            raise ArgumentError(f"upper: got [{self.lower}, {self.upper}], wanted lower < upper")
        if not isinstance(self.coverage, float) or not 0 < self.coverage < 1:
            raise ArgumentError(f"coverage: got {self.coverage!r}, wanted a number in (0, 1)")

    @property
    def half(self) -> float:
        """Half the width of the range."""
        return (self.upper - self.lower) / 2

    def first_round(
        self,
        n_users: int,
        levels: Sequence[Fraction],
        *,
        kind: Kind = "zcdp",
        counts: Sequence[int] | None = None,
        survey: str = "survey",
    ) -> ProtocolRound:
        """Announce the only round; `counts`, the public numbers of users per level, shape its thresholds."""
        if counts is None or len(counts) != len(levels):
            raise ArgumentError("counts: wanted the number of users at each level (budgets.counts)")
        design = clipping_design([float(b) for b in levels], counts, self.half, coverage=self.coverage)
        bound = max(abs(self.lower), abs(self.upper))
        rows = threshold_rows(list(levels), design.thresholds.tolist(), 4, 1, bound)
        mechanism = ClippedGaussian(1, bound, rows, False, ((self.lower + self.upper) / 2,))
        return ProtocolRound(self, Round(survey, mechanism, kind, tuple(levels), n_users))

    def mismatch(self, mechanism: Mechanism, number: int) -> str | None:  # noqa: ARG002
        """Say how a mechanism is not this protocol's."""
        centre, bound = (self.lower + self.upper) / 2, max(abs(self.lower), abs(self.upper))
        found = cast(ClippedGaussian, mechanism)
        return differs(found, dimension=1, bound=bound, non_negative=False, centre=(centre,))

    def _estimate(self, states: tuple[State, ...]) -> SurveyEstimate:
        (state,) = states
        total = released_sum(state)
        ends = [self.lower, self.upper]
        total.details.update({"range": ends, "declared": ends, "bias": self._bias(state)})
        return survey_estimate(self, states, total)

    def _bias(self, state: State) -> float:
        """Return what clipping and truncation take at most: a user of a group counts with its least reach."""
        rows = cast(ClippedGaussian, state.round_.mechanism).thresholds
        least = [math.inf] * len(state.counts)
        for (_, reach, radius), group in zip(rows, state.round_.first_strata(), strict=True):
            step = reach / radius if radius else 0.0
            least[group] = min(least[group], reach - step)
        lost = [max(self.half - reach, 0.0) for reach in least]
        return float(np.dot(state.counts, lost)) * (1 + 1e-9)
