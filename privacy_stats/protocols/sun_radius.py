"""The radius protocol of Sun, Dong, Qiu, Yi and Cormode (2025), Algorithm 2."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from privacy_stats.aggregation import State
from privacy_stats.errors import ArgumentError
from privacy_stats.protocols.ladder_radius import LadderRadius, block_deviations, released
from privacy_stats.protocols.radius import Total


@final
@dataclass(frozen=True, slots=True)
class SunRadius(LadderRadius):
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
    bound, dimension, non_negative, beta
        As for every `RadiusProtocol`.
    resolution : float
        Lowest threshold at the largest budget; 1 for whole numbers.
    joint : bool
        Whether the two parts of a signed value are clipped as one vector: not as published, and half of the
        noise variance for d > 1, at the price of clipping a little more.

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

    joint: bool = False
    one_hot: ClassVar[bool] = False
    name: ClassVar[str] = "sun-radius"

    def __post_init__(self) -> None:
        LadderRadius.__post_init__(self)
        if type(self.joint) is not bool:
            raise ArgumentError(f"joint: got {self.joint!r}, wanted True or False")

    def clips_jointly(self, one_sided: bool) -> bool:
        """Return whether positive and negative parts are clipped as one vector."""
        return self.joint and not one_sided

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
