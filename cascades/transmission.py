"""Transmission laws: how the hazard of passing on changes with the time since the sender's activation.

For a pair with rate lambda, H = lambda * hazard(lag) and S = exp(-lambda * cumulative(lag)), so that
-log of every likelihood in this package is linear or convex in the rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numba
import numpy as np
from numpy.typing import ArrayLike

from cascades.errors import ArgumentError
from cascades.tables.types import Floats

EXPONENTIAL, RAYLEIGH, POWER_LAW, WEIBULL = range(4)


@numba.njit(cache=True, nogil=True)
def hazard_of(code: int, parameter: float, lag: float) -> float:
    """Return the hazard at `lag` for rate 1."""
    if code == 0:
        return 1.0
    if code == 1:
        return lag
    if code == 2:
        return 1.0 / lag if lag > parameter else 0.0
    return float(parameter * lag ** (parameter - 1.0))


@numba.njit(cache=True, nogil=True)
def cumulative_of(code: int, parameter: float, lag: float) -> float:
    """Return the integral of the hazard from 0 to `lag` for rate 1."""
    if code == 0:
        return lag
    if code == 1:
        return 0.5 * lag * lag
    if code == 2:
        return float(np.log(lag / parameter)) if lag > parameter else 0.0
    return float(lag**parameter)


@numba.njit(cache=True)
def hazards(code: int, parameter: float, lags: Floats) -> Floats:
    """Return the hazard at each lag for rate 1, in the shape of `lags`."""
    result = np.empty(lags.shape)
    for k in range(lags.size):
        result.flat[k] = hazard_of(code, parameter, lags.flat[k])
    return result


@numba.njit(cache=True)
def cumulatives(code: int, parameter: float, lags: Floats) -> Floats:
    """Return the integral of the hazard from 0 to each lag for rate 1, in the shape of `lags`."""
    result = np.empty(lags.shape)
    for k in range(lags.size):
        result.flat[k] = cumulative_of(code, parameter, lags.flat[k])
    return result


@numba.njit(cache=True, nogil=True)
def weight_of(code: int, parameter: float, width: float, lag: float) -> float:
    """Return the hazard at `lag`, or with bins of `width` > 0 the cumulative hazard within the receiver's."""
    if width == 0.0:
        return float(hazard_of(code, parameter, lag))
    before = cumulative_of(code, parameter, max(lag - 0.5 * width, 0.0))
    return float(cumulative_of(code, parameter, lag + 0.5 * width) - before)


@numba.njit(cache=True)
def lag_of(code: int, parameter: float, amount: float) -> float:
    """Return the lag at which the cumulative hazard for rate 1 reaches `amount`."""
    if code == 0:
        return amount
    if code == 1:
        return float(np.sqrt(2.0 * amount))
    if code == 2:
        return float(parameter * np.exp(amount)) if amount < 700.0 else np.inf
    return float(amount ** (1.0 / parameter))


@dataclass(frozen=True, slots=True)
class Law:
    """A transmission law; use one of its four subclasses."""

    code: ClassVar[int] = EXPONENTIAL

    @property
    def parameter(self) -> float:
        """The fixed parameter of the law (delta, shape), 1 where there is none."""
        return 1.0

    def hazard(self, lag: ArrayLike) -> Floats:
        """Return the hazard for rate 1 at each `lag` > 0."""
        return hazards(self.code, self.parameter, np.asarray(lag, dtype=float))

    def cumulative(self, lag: ArrayLike) -> Floats:
        """Return the integral of the hazard for rate 1 from 0 to each `lag` >= 0."""
        return cumulatives(self.code, self.parameter, np.asarray(lag, dtype=float))

    def rescaled(self, factor: float) -> Law:  # noqa: ARG002
        """Return the same law when all times are multiplied by `factor`."""
        return self

    def rate_factor(self, factor: float) -> float:
        """Return what rates are multiplied by when all times are multiplied by `factor`."""
        return 1.0 / factor

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready description; `law_from_dict` is the inverse."""
        return {"law": _NAMES[type(self)], "parameter": self.parameter}


@dataclass(frozen=True, slots=True)
class Exponential(Law):
    """Constant hazard: H = lambda, S = exp(-lambda lag). Rates are per unit of time.

    Examples
    --------
    >>> import cascades as cs
    >>> cs.Exponential().cumulative([0.0, 2.0]).tolist()
    [0.0, 2.0]
    """


@dataclass(frozen=True, slots=True)
class Rayleigh(Law):
    """Hazard that grows with the lag: H = lambda lag, S = exp(-lambda lag^2 / 2).

    Examples
    --------
    >>> import cascades as cs
    >>> cs.Rayleigh().cumulative(2.0).item()
    2.0
    """

    code: ClassVar[int] = RAYLEIGH

    def rate_factor(self, factor: float) -> float:
        """Return factor^-2."""
        return float(factor**-2.0)


@dataclass(frozen=True, slots=True)
class PowerLaw(Law):
    """Heavy tail: H = lambda / lag for lag > delta and 0 before, S = (lag / delta)^-lambda.

    Parameters
    ----------
    delta : float
        Longest lag that passes nothing on, up to rounding, in the unit of time; stated by the user because
        every rate depends on it.

    Examples
    --------
    >>> import cascades as cs
    >>> cs.PowerLaw(delta=1.0).hazard([0.5, 2.0]).tolist()
    [0.0, 0.5]
    """

    delta: float = 1.0
    code: ClassVar[int] = POWER_LAW

    def __post_init__(self) -> None:
        _positive("delta", self.delta)

    @property
    def parameter(self) -> float:
        """The shortest lag, delta."""
        return self.delta

    def rescaled(self, factor: float) -> Law:
        """Return the law with delta in the new unit."""
        return PowerLaw(self.delta * factor)

    def rate_factor(self, factor: float) -> float:  # noqa: ARG002
        """Return 1: power-law rates have no unit."""
        return 1.0


@dataclass(frozen=True, slots=True)
class Weibull(Law):
    """Hazard lambda k lag^(k - 1), S = exp(-lambda lag^k): slowing (k < 1) or hastening (k > 1).

    Parameters
    ----------
    shape : float
        k > 0; k = 1 is exponential, k = 2 is Rayleigh with half its rate.

    Examples
    --------
    >>> import cascades as cs
    >>> cs.Weibull(shape=0.5).cumulative(9.0).item()
    3.0
    """

    shape: float = 1.0
    code: ClassVar[int] = WEIBULL

    def __post_init__(self) -> None:
        _positive("shape", self.shape)

    @property
    def parameter(self) -> float:
        """The shape k."""
        return self.shape

    def rate_factor(self, factor: float) -> float:
        """Return factor^-k."""
        return float(factor**-self.shape)


_NAMES: dict[type[Law], str] = {
    Exponential: "exponential",
    Rayleigh: "rayleigh",
    PowerLaw: "power-law",
    Weibull: "weibull",
}


def as_law(transmission: str | Law) -> Law:
    """Return a law for its name or itself.

    Raises
    ------
    ArgumentError
        For an unknown name, or a name whose law needs a parameter that only the user can state.
    """
    if isinstance(transmission, Law):
        return transmission
    if transmission == "exponential":
        return Exponential()
    if transmission == "rayleigh":
        return Rayleigh()
    needs = {"power-law": "PowerLaw(delta=...)", "weibull": "Weibull(shape=...)"}
    if transmission in needs:
        raise ArgumentError(
            f"transmission: {transmission!r} needs a parameter; give cascades.{needs[transmission]}"
        )
    raise ArgumentError(
        f"transmission: got {transmission!r}, wanted 'exponential', 'rayleigh', PowerLaw(...) or Weibull(...)"
    )


def law_from_dict(document: dict[str, Any]) -> Law:
    """Return the law that `Law.to_dict` described."""
    name, parameter = document.get("law"), float(document.get("parameter", 1.0))
    if name == "power-law":
        return PowerLaw(parameter)
    if name == "weibull":
        return Weibull(parameter)
    return as_law(str(name))


def _positive(name: str, value: float) -> None:
    if not (np.isfinite(value) and value > 0):
        raise ArgumentError(f"{name}: got {value}, wanted a finite number above 0")
