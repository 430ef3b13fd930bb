"""Which limits an estimate of a sum has, by the public facts that its protocol found, and why others not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from privacy_stats.errors import ArgumentError
from privacy_stats.inference import folded_quantile, ladder_limits

Target = Literal["clipped", "full"]
Limits = tuple[NDArray[np.float64], NDArray[np.float64]]


def clipped_limits(value: Any, error: Any, facts: Mapping[str, Any], coverage: float) -> Limits:
    """Return limits of the sum of the clipped values: the noise alone, normal with a known deviation.

    Raises
    ------
    ArgumentError
        If what counts was chosen by its own noise, whose distribution is then another one.
    """
    if facts.get("chosen"):
        raise ArgumentError(
            "interval: the protocol chose from the same reports what to add up, so the noise that it kept is "
            "not normal; target='full' with a declared value_range may have limits, or use HistogramRadius"
        )
    reach = float(ndtri(0.5 + coverage / 2)) * error
    return value - reach, value + reach


def full_limits(
    value: Any,
    error: Any,
    facts: Mapping[str, Any],
    coverage: float,
    n_reports: int,
    value_range: tuple[float, float] | None,
) -> Limits:
    """Return limits of the sum of the values themselves, given that each lies in a declared range.

    Two kinds of public facts allow them: ``range`` and ``bias``, what clipping takes at most from values of
    that range; and ``ladder``, noisy prefix sums of non-negative values up to ``bound``, the last of which
    falls short by ``lost`` at most.

    Raises
    ------
    ArgumentError
        If no range is declared, or the protocol bounds nothing for it.
    """
    if np.ndim(value):
        raise ArgumentError("interval: limits of the full sum exist for numbers, not for vectors")
    low, high = _declared(facts, value_range)
    if "bias" in facts:
        _require_within(low, high, *facts["range"])
        bias = float(facts["bias"])
        reach = bias if error == 0 else float(error) * folded_quantile(bias / float(error), coverage)
        ends = float(value) - reach, float(value) + reach
    elif "ladder" in facts:
        ladder = facts["ladder"]
        _require_within(low, high, 0.0, ladder["bound"])
        prefix, deviation, lost = (ladder[name] for name in ("prefix", "deviation", "lost"))
        ends = ladder_limits(prefix, deviation, n_reports * high, coverage, lost=float(lost))
    else:
        raise ArgumentError(
            "interval: nothing bounds what this protocol clips away, so the full sum has no honest limits; "
            "use GuaranteedSum, OneHotRadius on non-negative numbers, or a mean such as HybridMean"
        )
    least, most = np.clip(ends, n_reports * low, n_reports * high)  # what the range alone says
    return np.array(least), np.array(most)


def _declared(facts: Mapping[str, Any], value_range: tuple[float, float] | None) -> tuple[float, float]:
    declared = value_range if value_range is not None else facts.get("declared")
    if declared is None:
        raise ArgumentError(
            "value_range: limits of the full sum need a range that is known to hold every value, such as "
            "(0, 120); without one nothing bounds what was clipped"
        )
    low, high = (float(end) for end in declared)
    if not (np.isfinite([low, high]).all() and low < high):
        raise ArgumentError(f"value_range: got {declared!r}, wanted two finite ends in order")
    return low, high


def _require_within(low: float, high: float, lower: float, upper: float) -> None:
    if not lower <= low or not high <= upper:
        raise ArgumentError(
            f"value_range: got ({low:g}, {high:g}), but this protocol bounds clipping on [{lower:g}, "
            f"{upper:g}] only"
        )
