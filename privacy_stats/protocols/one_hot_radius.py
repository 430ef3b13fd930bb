"""One round in which every value appears at one scale only, so that no budget is split over scales."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast, final

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, ndtri

from privacy_stats.aggregation import State
from privacy_stats.mechanisms import BlockChannel, LadderGaussian
from privacy_stats.protocols.ladder_radius import LadderRadius, block_deviations, released, steps
from privacy_stats.protocols.radius import Total

_FACTOR = 1.25


@final
@dataclass(frozen=True, slots=True)
class OneHotRadius(LadderRadius):
    """Every value in the first block of the ladder that can hold it, zeros in all others.

    Thresholds ``tau_k(u) = 2**k a sqrt(rho_u)``, k = 0..K-1. The message, divided by its thresholds, is one
    vector of length at most 1 in a long table, so two inputs are at distance at most D = sqrt 2 (no negative
    coordinates, or d = 1) or 2, and the whole budget goes into one release with noise ``D tau_k(u) / sqrt(2
    rho_u)`` in block k, the same for all users.

    * d = 1: with ``S_j = P_0 + ... + P_j`` of noise sd s_j and the normal quantile z at ``1 - beta / (2 K)``,
      the estimate is the S_j with the largest ``S_j - 1.25 z s_j``, or 0; on each sign. With probability 1 -
      beta the error is at most ``4 min_j (sum of the x above tau_j + 2.25 z s_j)``.
    * d > 1: block k counts if ``|P_k| > 1.25 T_k``, T_k its noise sd times the chi quantile at ``1 - beta /
      K``. With probability 1 - beta the error is at most ``sum_k min(4 |theta_k|, 2.25 T_k)``, theta_k the
      sum of the values of block k.

    Parameters
    ----------
    bound, dimension, non_negative, resolution, beta
        As for `SunRadius`.

    Raises
    ------
    ArgumentError
        If an argument is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> import privacy_stats as ps
    >>> budgets = ps.Budgets.zcdp(np.tile([0.01, 0.1, 1.0], 2000))
    >>> protocol = OneHotRadius(bound=1e6, non_negative=True)
    >>> total = ps.estimate_sum(np.full(6000, 50.0), budgets, protocol=protocol, rng=ps.simulation_rng(0))
    >>> bool(100_000 < total.value < 400_000)
    True
    """

    one_hot: ClassVar[bool] = True
    name: ClassVar[str] = "one-hot-radius"

    def total(self, states: Sequence[State]) -> Total:
        """Return the sum of the blocks that stand out of their noise."""
        (state,) = states
        sides, deviation = released(state), block_deviations(state)
        if self.dimension > 1:
            keep = self._far_blocks(sides[0], deviation)
            value = sides[0][keep].sum(axis=0)
            variance = float((deviation[keep] ** 2).sum())
            return Total(value, variance, {"blocks": np.flatnonzero(keep).tolist(), "chosen": True})
        ends = [self._prefix(side[:, 0], deviation, len(sides)) for side in sides]
        signed = [side[:end, 0].sum() for side, end in zip(sides, ends, strict=True)]
        variance = sum(float((deviation[:end] ** 2).sum()) for end in ends)
        details: dict[str, Any] = {"prefixes": ends, "chosen": True}
        if len(sides) == 1:
            prefix, spread = np.cumsum(sides[0][:, 0]), np.sqrt(np.cumsum(deviation**2))
            details["ladder"] = {
                "prefix": prefix.tolist(),
                "deviation": spread.tolist(),
                "bound": self.bound,
                "lost": self._lost(state),
            }
        return Total(np.array([signed[0] - sum(signed[1:])]), variance, details)

    def _lost(self, state: State) -> float:
        """Return what the sum of all blocks can miss of values up to `bound`.

        Truncation takes less than a step of the last block from everybody, and the user of the least budget
        may find its last threshold a little below the bound.
        """
        mechanism = cast(LadderGaussian, state.round_.mechanism)
        (least,) = cast(tuple[BlockChannel], state.round_.channels(0))
        step = float(steps(mechanism)[-1])
        clipped = max(0.0, self.bound - least.radius * step)
        return state.n_reports * (clipped + step) * (1 + 1e-6)  # and what rounding floats takes

    def _prefix(self, blocks: NDArray[np.float64], deviation: NDArray[np.float64], sides: int) -> int:
        """Return how many of the lowest blocks to add up."""
        z = float(-ndtri(self.beta / (2 * len(blocks) * sides)))
        score = np.cumsum(blocks) - _FACTOR * z * np.sqrt(np.cumsum(deviation**2))
        best = int(score.argmax())
        return best + 1 if score[best] > 0 else 0

    def _far_blocks(self, blocks: NDArray[np.float64], deviation: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which blocks are longer than noise alone would be."""
        quantile = math.sqrt(float(chdtri(self.dimension, self.beta / len(blocks))))
        return np.asarray(np.sqrt((blocks**2).sum(axis=1)) > _FACTOR * quantile * deviation)
