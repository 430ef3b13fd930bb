"""The ratio y'M(x)y / y'Ry at rational points and directions, exactly, in integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from sosgames.certificates.matrices import PolyMatrix
from sosgames.sos.exact import ExactEntries


@dataclass(frozen=True, slots=True)
class ExactRatio:
    """The ratio ``unit * sum values[a, b] y_a y_b / sum metric[a] y_a^2``, over entries a <= b."""

    values: Mapping[tuple[int, int], int]
    metric: tuple[int, ...]
    unit: Fraction

    def __call__(self, y: Sequence[Fraction | int]) -> Fraction:
        """The ratio for a vector that is not zero."""
        scale = lcm(*(v.denominator for v in y))
        v = [entry.numerator * (scale // entry.denominator) for entry in y]
        above = sum((1 if a == b else 2) * v[a] * v[b] * value for (a, b), value in self.values.items())
        below = sum(weight * entry * entry for weight, entry in zip(self.metric, v, strict=True))
        return Fraction(above, below) * self.unit


class ExactMatrix:
    """The matrix M with its metric R, ready for many points.

    Parameters
    ----------
    matrix
        The matrix.
    """

    def __init__(self, matrix: PolyMatrix) -> None:
        self._entries = ExactEntries(matrix.entries)
        self._denominator = lcm(*(weight.denominator for weight in matrix.metric))
        self._metric = tuple(int(weight * self._denominator) for weight in matrix.metric)

    def at(self, point: Mapping[str, Fraction]) -> ExactRatio:
        """The ratio as a function of the direction, at a point that names every variable of the matrix."""
        values, denominator = self._entries.at(point)
        return ExactRatio(values, self._metric, Fraction(self._denominator, denominator))
