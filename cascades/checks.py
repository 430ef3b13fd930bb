"""What the fields of a result must be, whether a model made them or a file: kernels trust their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cascades.errors import ArgumentError


def number(name: str, value: object, *, low: float = -np.inf) -> float:
    """Return a real number; with `low` a finite one of at least that.

    Examples
    --------
    >>> number("width", -1.0, low=0.0)
    Traceback (most recent call last):
    cascades.errors.ArgumentError: width: got -1.0, wanted a finite number of at least 0
    """
    bounded = low > -np.inf
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        found = float(value)
        if found >= low and (np.isfinite(found) or not bounded):
            return found
    least = f" of at least {low:g}" if bounded else ""
    raise ArgumentError(f"{name}: got {_short(value)}, wanted a {'finite ' * bounded}number{least}")


def count(name: str, value: object) -> int:
    """Return a whole number of at least 0."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 0:
        raise ArgumentError(f"{name}: got {_short(value)}, wanted a whole number of at least 0")
    return int(value)


def text(name: str, value: object) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise ArgumentError(f"{name}: got {_short(value)}, wanted text")
    return value


def texts(name: str, value: Sequence[object]) -> tuple[str, ...]:
    """Return several texts."""
    return tuple(text(name, v) for v in value)


def array(
    name: str,
    value: Any,
    shape: tuple[int, ...],
    *,
    low: float = -np.inf,
    high: float = np.inf,
    unknown: bool = False,
    kind: type = float,
) -> NDArray[Any]:
    """Return a read-only copy of an array of this shape and range; with `unknown` nan may stand in it.

    Examples
    --------
    >>> array("pi", [0.5, 2.0], (2,), low=0.0, high=1.0)
    Traceback (most recent call last):
    cascades.errors.ArgumentError: pi: wanted finite numbers from 0 to 1
    """
    found: NDArray[Any] = np.array(value, dtype=kind)
    if found.shape != shape:
        raise ArgumentError(f"{name}: got shape {found.shape}, wanted {shape}")
    within = (found >= low) & (found <= high)
    good = within | np.isnan(found) if unknown else within & np.isfinite(found)
    if not np.all(good):
        ends = f" from {low:g} to {high:g}" if np.isfinite(high) else f" of at least {low:g}"
        raise ArgumentError(f"{name}: wanted finite numbers{ends if np.isfinite(low) else ''}")
    found.flags.writeable = False
    return found


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 40 else f"{shown[:40]}..."
