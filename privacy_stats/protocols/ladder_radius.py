"""What protocols with one round at all scales share: the ladder that is announced, and what it released."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from privacy_stats.aggregation import State
from privacy_stats.mechanisms import LadderGaussian, Mechanism
from privacy_stats.mechanisms.blocks import common_sigma, largest_radius
from privacy_stats.protocols.base import differs
from privacy_stats.protocols.radius import RadiusProtocol, Survey, ladder_size
from privacy_stats.rounds import Round


@dataclass(frozen=True, slots=True)
class LadderRadius(RadiusProtocol):
    """Base of the protocols whose only round is a `LadderGaussian`; fields as for `RadiusProtocol`."""

    one_hot: ClassVar[bool]
    """Whether a value appears at one scale only."""
    mechanisms: ClassVar[tuple[type[Mechanism], ...]] = (LadderGaussian,)

    def open(self, survey: Survey) -> Round:
        """Announce the only round."""
        blocks = ladder_size(survey, self.reach(survey), self.resolution)
        return survey.announce(self._ladder(survey, blocks), Fraction(1))

    def mismatch(self, mechanism: Mechanism, number: int) -> str | None:
        """Say how a ladder is not this protocol's."""
        joint = self.clips_jointly(cast(LadderGaussian, mechanism).non_negative)
        wrong = RadiusProtocol.mismatch(self, mechanism, number)
        return wrong or differs(mechanism, one_hot=self.one_hot, joint=joint)

    def clips_jointly(self, one_sided: bool) -> bool:  # noqa: ARG002
        """Return whether positive and negative parts are clipped as one vector."""
        return False

    def _ladder(self, survey: Survey, blocks: int) -> LadderGaussian:
        """Return the ladder whose lowest threshold is the resolution at the largest budget."""
        top = survey.spent(Fraction(1))[-1]

        def build(unit: float, sigma: int) -> LadderGaussian:
            one_sided = self.one_sided(survey)
            kind = one_sided, self.one_hot, survey.centre, self.clips_jointly(one_sided)
            return LadderGaussian(self.dimension, self.bound, unit, blocks, sigma, *kind)

        plain = build(1.0, 1)
        sigma = common_sigma(top, plain.factor, plain.columns)
        return build(self.resolution / largest_radius(top, sigma, plain.factor), sigma)


def released(state: State) -> NDArray[np.float64]:
    """Return what a ladder round released, in the values' unit: shape (sides, blocks, dimension)."""
    mechanism = cast(LadderGaussian, state.round_.mechanism)
    numbers = np.array(state.sums[0], dtype=np.float64)
    sides = numbers.reshape(mechanism.sides, mechanism.blocks, mechanism.dimension)
    return np.asarray(sides * steps(mechanism)[None, :, None])


def block_deviations(state: State) -> NDArray[np.float64]:
    """Return the standard deviation of the noise of every number of every block, in the values' unit."""
    mechanism = cast(LadderGaussian, state.round_.mechanism)
    return np.asarray(steps(mechanism) * mechanism.sigma * math.sqrt(state.n_reports))


def steps(mechanism: LadderGaussian) -> NDArray[np.float64]:
    """Return the grid step of every block."""
    return np.asarray(mechanism.unit * np.exp2(np.arange(mechanism.blocks)))
