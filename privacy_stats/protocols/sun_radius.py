"""The radius protocol of Sun, Dong, Qiu, Yi and Cormode (2025), Algorithm 2."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, cast, final

import numpy as np
from numpy.typing import NDArray

from privacy_stats.aggregation import State
from privacy_stats.mechanisms import LadderGaussian, Mechanism
from privacy_stats.mechanisms.blocks import common_sigma, largest_radius
from privacy_stats.protocols.base import differs
from privacy_stats.protocols.radius import RadiusProtocol, Survey, Total, ladder_size
from privacy_stats.rounds import Round


@final
@dataclass(frozen=True, slots=True)
class SunRadius(RadiusProtocol):
    """One round at every scale at once, and the scale chosen from the reports.

    Scales ``s_i = 2**i s_0``, i = 0..t, thresholds ``tau_i(u) = s_i sqrt(2 rho_u)``, from `resolution` at the
    largest budget to `bound` at the smallest. Every user releases the value clipped at every scale, each with
    ``rho_u / T``, T = t + 1; so all users have the same noise per scale, ``sd_i = D s_i sqrt(n T)``. The
    server subtracts ``sd_i sqrt(2 ln(2 T d / beta))`` from every coordinate of every scale, takes the largest
    over the scales, and nothing below 0. Signed values are split into positive and negative parts, with half
    the budget each.

    With probability ``1 - beta`` the error is at most ``min_i |sum (x - x clipped at tau_i)| + 2 sqrt(d)
    times what is subtracted`` (non-negative values; see the theory page).

    Parameters
    ----------
    bound : float
        Public bound of a value's length.
    dimension : int
        Number of coordinates d.
    non_negative : bool
        Whether values have no negative coordinates.
    resolution : float
        Lowest threshold at the largest budget; 1 for whole numbers.
    beta : float
        Probability that the stated error bound fails.

    Raises
    ------
    ArgumentError
        If an argument is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> import privacy_stats as ps
    >>> budgets = ps.Budgets.zcdp(np.tile([0.01, 0.1, 1.0], 2000))
    >>> protocol = SunRadius(bound=1e6, non_negative=True)
    >>> total = ps.estimate_sum(np.full(6000, 50.0), budgets, protocol=protocol, rng=ps.simulation_rng(0))
    >>> bool(0 < total.value < 300_000)
    True
    """

    bound: float
    dimension: int = 1
    non_negative: bool = False
    resolution: float = 1.0
    beta: float = 1e-3
    name: ClassVar[str] = "sun-radius"
    mechanisms: ClassVar[tuple[type[Mechanism]]] = (LadderGaussian,)

    def __post_init__(self) -> None:
        self.check_fields()

    def open(self, survey: Survey) -> Round:
        """Announce the only round."""
        blocks = ladder_size(survey, self.reach(survey), self.resolution)
        return survey.announce(ladder(self, survey, blocks, one_hot=False), Fraction(1))

    def mismatch(self, mechanism: Mechanism, number: int) -> str | None:
        """Say how a ladder is not this protocol's."""
        return RadiusProtocol.mismatch(self, mechanism, number) or differs(mechanism, one_hot=False)

    def total(self, states: Sequence[State]) -> Total:
        """Return the largest estimate, coordinate by coordinate, after subtracting what noise may add."""
        (state,) = states
        sides = released(state)
        deviation = block_deviations(state)
        penalty = deviation * self.margin(sides)
        lowered = sides - penalty[None, :, None]
        best = lowered.argmax(axis=1)
        values = np.maximum(np.take_along_axis(lowered, best[:, None, :], axis=1)[:, 0, :], 0.0)
        value = values[0] - values[1] if len(values) == 2 else values[0]
        used = np.where(values > 0, deviation[best], 0.0)
        details = {"scale": [int(k) for k in np.unique(best[values > 0])], "chosen": True}
        return Total(value, float((used**2).sum(axis=0).max()), details)

    def margin(self, sides: NDArray[np.float64]) -> float:
        """Return how many standard deviations no noise of any released number exceeds, except with beta."""
        return math.sqrt(2 * math.log(2 * sides.size / self.beta))


def ladder(protocol: RadiusProtocol, survey: Survey, blocks: int, *, one_hot: bool) -> LadderGaussian:
    """Return the ladder whose lowest threshold is the resolution at the largest budget."""
    top = survey.spent(Fraction(1))[-1]

    def build(unit: float, sigma: int) -> LadderGaussian:
        one_sided = protocol.one_sided(survey)
        return LadderGaussian(
            protocol.dimension, protocol.bound, unit, blocks, sigma, one_sided, one_hot, survey.centre
        )

    factor = build(1.0, 1).factor
    sigma = common_sigma(top, factor, protocol.dimension)
    return build(protocol.resolution / largest_radius(top, sigma, factor), sigma)


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
