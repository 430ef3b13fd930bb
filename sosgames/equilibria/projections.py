"""The nearest point of a strategy set, in floating point, and its derivative."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sosgames.certificates.sets import Ball, Box, ProbabilitySimplex, Simplex, StrategySet

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ProductSet:
    """A product of sets; each comes with the columns of its variables.

    Sets without a closed projection (`Space`, `Constraints`) are left to the exact test of membership.
    """

    parts: tuple[tuple[StrategySet, NDArray[np.int64]], ...]
    dimension: int

    @classmethod
    def of(cls, sets: Iterable[StrategySet], variables: Sequence[str]) -> ProductSet:
        """The product over variables in the order given."""
        column = {name: i for i, name in enumerate(variables)}
        parts = tuple((part, np.array([column[name] for name in part.variables])) for part in sets)
        return cls(parts, len(variables))

    def middle(self) -> FloatArray:
        """A point in the middle of every set."""
        point = np.zeros(self.dimension)
        for part, columns in self.parts:
            point[columns] = _middle(part)
        return point

    def project(self, z: FloatArray) -> FloatArray:
        """The nearest point of the product."""
        point = z.copy()
        for part, columns in self.parts:
            point[columns] = _nearest(part, z[columns])
        return point

    def slope(self, z: FloatArray) -> FloatArray:
        """An element of the generalised Jacobian of `project` at z, shape (n, n)."""
        slope = np.eye(self.dimension)
        for part, columns in self.parts:
            slope[np.ix_(columns, columns)] = _slope(part, z[columns])
        return slope


def _middle(part: StrategySet) -> FloatArray:
    k = len(part.variables)
    match part:
        case Box():
            return np.array([float((low + high) / 2) for low, high in part.bounds])
        case Simplex():
            return np.full(k, 1 / (k + 1))
        case ProbabilitySimplex():
            return np.full(k, 1 / k)
        case Ball():
            return np.array([float(c) for c in part.center])
        case _:
            return np.zeros(k)


def _nearest(part: StrategySet, z: FloatArray) -> FloatArray:
    match part:
        case Box():
            low, high = np.array(part.bounds, dtype=np.float64).T
            return np.clip(z, low, high)
        case Simplex():
            inside = np.maximum(z, 0.0)
            return inside if inside.sum() <= 1 else _onto_probabilities(z)
        case ProbabilitySimplex():
            return _onto_probabilities(z)
        case Ball():
            offset, radius, length = _polar(part, z)
            return z if length <= radius else z - offset * (1 - radius / length)
        case _:
            return z


def _slope(part: StrategySet, z: FloatArray) -> FloatArray:
    identity = np.eye(len(z))
    match part:
        case Box():
            low, high = np.array(part.bounds, dtype=np.float64).T
            return np.diag(((low < z) & (z < high)).astype(np.float64))
        case Simplex() if np.maximum(z, 0.0).sum() <= 1:
            return np.diag((z > 0).astype(np.float64))
        case Simplex() | ProbabilitySimplex():
            support = (_onto_probabilities(z) > 0).astype(np.float64)
            return np.asarray(np.diag(support) - np.outer(support, support) / support.sum())
        case Ball():
            offset, radius, length = _polar(part, z)
            if length <= radius:
                return identity
            return np.asarray(radius / length * (identity - np.outer(offset, offset) / length**2))
        case _:
            return identity


def _polar(part: Ball, z: FloatArray) -> tuple[FloatArray, float, float]:
    """Offset from the center, radius, and length of the offset."""
    offset = z - np.array([float(c) for c in part.center])
    return offset, float(part.radius_squared) ** 0.5, float(np.linalg.norm(offset))


def _onto_probabilities(z: FloatArray) -> FloatArray:
    """The nearest vector of probabilities: z minus a threshold, cut at 0 (Held, Wolfe, Crowder 1974)."""
    falling = np.sort(z)[::-1]
    thresholds = (np.cumsum(falling) - 1) / np.arange(1, len(z) + 1)
    return np.asarray(np.maximum(z - thresholds[falling > thresholds][-1], 0.0))
