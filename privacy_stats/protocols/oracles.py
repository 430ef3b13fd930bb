"""NON-PRIVATE yardsticks: what clipping could achieve if somebody looked at the raw values to choose
thresholds.

Nothing here may touch real users' values. An oracle looks at the values, chooses, and only then adds the
noise that its choice would need; its estimates are marked ``private=False``.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from privacy_stats.aggregation import State
from privacy_stats.budgets import Budgets
from privacy_stats.errors import ArgumentError
from privacy_stats.mechanisms.vector_gaussian import shorten
from privacy_stats.protocols.ladder_radius import block_deviations, released
from privacy_stats.protocols.radius import Total
from privacy_stats.protocols.sun_radius import SunRadius
from privacy_stats.randomness import Randomness
from privacy_stats.results import SurveyEstimate

Floats = NDArray[np.float64]
_GRID = 60


class Oracle(ABC):
    """Base of the yardsticks: no rounds, no reports, no privacy."""

    __slots__ = ()

    name: ClassVar[str]

    @abstractmethod
    def estimate(self, values: Floats, budgets: Budgets, rng: Randomness) -> SurveyEstimate:
        """Look at the values, choose, and add noise; the estimate of the sum is marked non-private."""


def _generator(rng: Randomness) -> np.random.Generator:
    if not rng.simulated:
        raise ArgumentError("rng: an oracle is for simulations only; pass simulation_rng(seed)")
    return np.random.default_rng(np.frombuffer(rng.bytes(32), dtype=np.uint32))


def _distance(dimension: int, non_negative: bool) -> float:
    """Return D."""
    if not non_negative:
        return 2.0
    return 1.0 if dimension == 1 else math.sqrt(2)


def _finish(
    oracle: Any, total: Floats, deviation: float, n: int, rng: Randomness, details: dict[str, Any]
) -> SurveyEstimate:
    details = {**details, "clipped_sum": total.tolist()}
    value = total + deviation * _generator(rng).standard_normal(total.shape)
    scalar = value.size == 1
    error = np.full(value.shape, deviation)
    return SurveyEstimate(
        value[0] if scalar else value,
        error[0] if scalar else error,
        "finite-population sum",
        n,
        {"name": oracle.name},
        (),
        details,
        private=False,
        simulated=True,
    )


@dataclass(frozen=True, slots=True)
class ClippingOracle(Oracle):
    """Base of the oracles that choose one threshold, and the least budget that counts, by true squared error.

    Parameters
    ----------
    bound : float
        Bound of a value's length.
    dimension : int
        Number of coordinates.
    non_negative : bool
        Whether values have no negative coordinates.
    """

    bound: float
    dimension: int = 1
    non_negative: bool = False

    @abstractmethod
    def cuts(self, budgets: Budgets) -> Floats:
        """Return the least budgets to choose from."""

    def estimate(self, values: Floats, budgets: Budgets, rng: Randomness) -> SurveyEstimate:
        """Choose, then add the noise."""
        x = shorten(np.asarray(values).reshape(-1, self.dimension), self.bound, self.non_negative)
        distance = _distance(self.dimension, self.non_negative)
        choice = _best_clip(x, budgets.billionths / 1e9, self.cuts(budgets), distance)
        return _finish(self, choice[1], choice[2], len(x), rng, {"threshold": choice[3], "least": choice[4]})


@final
@dataclass(frozen=True, slots=True)
class OptimalUniformClip(ClippingOracle):
    """NON-PRIVATE: one threshold for everybody, the one of least true squared error.

    Parameters
    ----------
    bound, dimension, non_negative
        As for `SunRadius`.
    """

    name: ClassVar[str] = "oracle-uniform-clip"

    def cuts(self, budgets: Budgets) -> Floats:  # noqa: ARG002
        """Return 0: everybody counts."""
        return np.zeros(1)


@final
@dataclass(frozen=True, slots=True)
class DropConservative(ClippingOracle):
    """NON-PRIVATE: leave out all users below a budget and clip the rest, both chosen with least true squared
    error.

    The strongest simple rule there is: its own bias and noise are known to it exactly.

    Parameters
    ----------
    bound, dimension, non_negative
        As for `SunRadius`.
    """

    name: ClassVar[str] = "oracle-drop-conservative"

    def cuts(self, budgets: Budgets) -> Floats:
        """Return the public levels, or 64 of them."""
        ladder = np.unique(budgets.ladder) / 1e9
        return np.asarray(ladder[np.unique(np.linspace(0, len(ladder) - 1, 64).astype(int))])


def _best_clip(
    x: Floats, rho: Floats, cuts: Floats, distance: float
) -> tuple[float, Floats, float, float, float]:
    """Return least error, its clipped sum, its noise, its threshold and its least budget."""
    length = np.sqrt((x**2).sum(axis=1))
    truth = x.sum(axis=0)
    order = np.argsort(-rho, kind="stable")
    ends = np.searchsorted(-rho[order], -cuts, side="right")
    weight = np.concatenate([[0.0], np.cumsum(1 / rho[order])])[ends]
    top = float(length.max())
    grid = np.append(np.geomspace(max(top * 1e-4, 1e-300), max(top, 1e-300), _GRID), 0.0)
    best: tuple[float, Floats, float, float, float] = (math.inf, truth, 0.0, 0.0, 0.0)
    for tau in grid:
        scale = np.minimum(1.0, tau / np.maximum(length, 1e-300))[order]
        sums = _prefix_sums(x[order] * scale[:, None], ends)
        variance = distance**2 * tau**2 / 2 * weight
        error = ((sums - truth) ** 2).sum(axis=1) + x.shape[1] * variance
        at = int(error.argmin())
        if error[at] < best[0]:
            best = (float(error[at]), sums[at], math.sqrt(variance[at]), float(tau), float(cuts[at]))
    return best


def _prefix_sums(rows: Floats, ends: NDArray[np.signedinteger]) -> Floats:
    """Return the sums of the first ``ends[k]`` rows; ends may repeat and need no order."""
    pieces = np.unique(np.append(ends, 0))
    parts = [rows[a:b].sum(axis=0) for a, b in itertools.pairwise(pieces)]
    sums = np.concatenate([np.zeros((1, rows.shape[1])), np.cumsum(parts, axis=0)]) if parts else None
    table = np.zeros((1, rows.shape[1])) if sums is None else sums
    return np.asarray(table[np.searchsorted(pieces, ends)])


def oracle_scale(state: State, truth: Floats) -> Total:
    """NON-PRIVATE: the released scale of a `SunRadius` round that is nearest to the true sum.

    Published figures of the radius protocol select the level this way; it shows the best level that was
    available, not what a server that sees reports only would take.
    """
    sides = released(state)
    signed = sides[0] - sides[1] if len(sides) == 2 else sides[0]
    best = int(((signed - truth) ** 2).sum(axis=1).argmin())
    deviation = float(block_deviations(state)[best]) * math.sqrt(len(sides))
    return Total(signed[best], deviation**2, {"scale": best, "chosen": True})


@final
@dataclass(frozen=True, slots=True)
class OracleScaleRadius(Oracle):
    """NON-PRIVATE: `SunRadius` with the scale nearest to the true sum, as in the published figures.

    Parameters
    ----------
    protocol : SunRadius
        What to run.
    """

    protocol: SunRadius
    name: ClassVar[str] = "oracle-scale-radius"

    def estimate(self, values: Floats, budgets: Budgets, rng: Randomness) -> SurveyEstimate:
        """Run the round, then look at the truth to choose the scale."""
        from privacy_stats.protocols.simulation import collect

        announced = self.protocol.first_round(len(budgets), budgets.levels)
        state = collect(announced.round_, values, budgets, rng=rng)
        truth = np.asarray(values).reshape(len(values), -1).sum(axis=0)
        total = oracle_scale(state, truth)
        scalar = total.value.size == 1
        error = np.full(total.value.shape, math.sqrt(total.variance))
        return SurveyEstimate(
            total.value[0] if scalar else total.value,
            error[0] if scalar else error,
            "finite-population sum",
            state.n_reports,
            {"name": self.name},
            (state,),
            total.details,
            private=False,
            simulated=True,
        )
