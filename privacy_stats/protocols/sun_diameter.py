"""The diameter protocol of Sun, Dong, Qiu, Yi and Cormode (2025): a centre from private medians, then the
radius."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, cast, final

import numpy as np
from numpy.typing import NDArray

from privacy_stats.aggregation import State
from privacy_stats.budgets import Kind
from privacy_stats.mechanisms import DyadicTree, LadderGaussian, Mechanism
from privacy_stats.mechanisms.blocks import MOST_NUMBERS, common_sigma, largest_radius
from privacy_stats.mechanisms.dyadic_tree import padded_dimension
from privacy_stats.protocols.base import Protocol, ProtocolRound, differs
from privacy_stats.protocols.radius import Survey, survey_estimate
from privacy_stats.protocols.sun_radius import SunRadius
from privacy_stats.results import SurveyEstimate
from privacy_stats.rounds import Round

_HALF = Fraction(1, 2)


@final
@dataclass(frozen=True, slots=True)
class SunDiameter(Protocol):
    """Two rounds: a median of every rotated coordinate, then `SunRadius` around that centre.

    Round 1 spends half the budget on `DyadicTree`, ``rho / (2 d')`` per coordinate, split evenly over the
    levels of the tree and the rungs of the ladder. A node's count is what `SunRadius` would return for it:
    the largest over the rungs of the released count less what noise may add, and nothing below 0. The median
    is looked for from the root; where both children count nothing, the node's point nearest the origin is
    taken, so with too few users the centre says little. Round 2 releases positive and negative parts of ``x -
    centre``, a quarter of the budget each.

    A report of round 1 has ``d' * rungs * (2**(depth + 1) - 2)`` numbers; the depth is what `resolution` asks
    for, or as much as 2**20 numbers allow.

    Parameters
    ----------
    bound, dimension, resolution, beta
        As for `SunRadius`.
    seed : int
        Of the public random signs of the rotation.
    joint : bool
        Whether round 2 clips the parts of a value as one vector: not as published, and half of the noise
        variance for d > 1, at the price of clipping a little more.

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
    >>> protocol = SunDiameter(bound=1e5)
    >>> mean = ps.estimate_mean(values, budgets, protocol=protocol, rng=ps.simulation_rng(0))
    >>> bool(abs(mean.value - 10_000) < 100)
    True
    """

    bound: float
    dimension: int = 1
    resolution: float = 1.0
    beta: float = 1e-3
    seed: int = 0
    joint: bool = False
    name: ClassVar[str] = "sun-diameter"
    mechanisms: ClassVar[tuple[type[Mechanism], ...]] = (DyadicTree, LadderGaussian)

    def __post_init__(self) -> None:
        _ = self.radius
        DyadicTree(self.dimension, self.bound, 1, 1, 1.0, 1, self.seed)

    @property
    def radius(self) -> SunRadius:
        """The protocol of the second round."""
        return SunRadius(self.bound, self.dimension, False, self.resolution, self.beta, self.joint)

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """Half for the centre, half for the sum."""
        return _HALF, _HALF

    def mismatch(self, mechanism: Mechanism, number: int) -> str | None:
        """Say how a mechanism differs from this protocol's fields."""
        if number == 1:
            return differs(mechanism, dimension=self.dimension, bound=self.bound, seed=self.seed)
        return self.radius.mismatch(mechanism, 1)

    def first_round(
        self,
        n_users: int,
        levels: Sequence[Fraction],
        *,
        kind: Kind = "zcdp",
        counts: Sequence[int] | None = None,  # noqa: ARG002
        survey: str = "survey",
    ) -> ProtocolRound:
        """Announce the trees."""
        facts = Survey(survey, kind, tuple(levels), n_users)
        return ProtocolRound(self, self._trees(facts))

    def _trees(self, survey: Survey) -> Round:
        top = survey.spent(_HALF)[-1]
        rungs = max(0, math.ceil(math.log2(survey.levels[-1] / survey.levels[0]) / 2 - 1e-9)) + 1
        room = MOST_NUMBERS // (padded_dimension(self.dimension) * rungs)
        depth = min(math.ceil(math.log2(2 * self.bound / self.resolution)), (room + 2).bit_length() - 2)

        def build(unit: float, sigma: int) -> DyadicTree:
            return DyadicTree(self.dimension, self.bound, max(1, depth), rungs, unit, sigma, self.seed)

        factor = build(1.0, 1).factor
        sigma = common_sigma(top, factor, 1)
        return survey.announce(build(1 / largest_radius(top, sigma, factor), sigma), _HALF)

    def _next(self, state: State) -> ProtocolRound:
        survey = Survey.after(state, _HALF, centre=self.centre(state))
        return ProtocolRound(self, self.radius.open(replace(survey, share=_HALF)))

    def centre(self, state: State) -> tuple[float, ...]:
        """Return the medians of the rotated coordinates, rotated back, within the ball of `bound`."""
        tree = cast(DyadicTree, state.round_.mechanism)
        counts = node_counts(state, self.beta)
        middle = np.array([[median(row, tree.depth) for row in counts]])
        centre = tree.rotate_back((2 * middle - 1) * self.bound)[0]
        length = float(np.sqrt((centre**2).sum()))
        return tuple((centre * min(1.0, self.bound / max(length, 1e-300))).tolist())

    def _estimate(self, states: tuple[State, ...]) -> SurveyEstimate:
        found = survey_estimate(self, states, self.radius.total(states[1:]))
        centre = cast(LadderGaussian, states[1].round_.mechanism).centre
        return replace(found, details={**found.details, "centre": list(centre)})


def node_counts(state: State, beta: float) -> NDArray[np.float64]:
    """Return lower limits of the users in every node of every tree, shape (d', nodes)."""
    tree = cast(DyadicTree, state.round_.mechanism)
    sums = np.array(state.sums[0], dtype=np.float64).reshape(tree.padded, tree.rungs, tree.nodes)
    unit = tree.unit * np.exp2(np.arange(tree.rungs))
    margin = math.sqrt(2 * math.log(2 * sums.size / beta)) * tree.sigma * math.sqrt(state.n_reports)
    return np.asarray(np.maximum((unit[None, :, None] * (sums - margin)).max(axis=1), 0.0))


def median(counts: NDArray[np.float64], depth: int) -> float:
    """Return where half the users lie below, a number in [0, 1], from the node counts of one tree.

    Where the search ends early, the node's point nearest to 1/2, the origin, is returned.
    """
    half, below, node = float(counts[:2].sum()) / 2, 0.0, 0
    for level in range(1, depth + 1):
        first = (2 << (level - 1)) - 2
        left, right = (float(c) for c in counts[first + 2 * node : first + 2 * node + 2])
        if left == right == 0:
            return (node + 0.5) / (1 << (level - 1))
        goes_left = below + left >= half if right > 0 else True
        below += 0.0 if goes_left else left
        node = 2 * node + (0 if goes_left and left > 0 else 1)
    return (node + 0.5) / (1 << depth)
