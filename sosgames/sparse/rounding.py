r"""From the solver's Gram matrices to an exact identity in integers, and from there to a part of a proof.

With q the solver's entries and q0 the interior direction, :math:`q + \delta q_0` has the modulus
:math:`\mu - \delta` and Gram matrices with eigenvalues of at least about delta times those of q0. Rounded to
multiples of one unit, what is missing in each equation is spread over the Gram entries of the constant
generator that feed it; every Gram matrix is then proved positive semidefinite in integers, clique by clique.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from sosgames.conic.problem import FloatArray
from sosgames.sos.exponents import IntArray
from sosgames.sos.program import CoefficientMap, ObjectArray
from sosgames.sparse.decomposition import BoolArray, SparseProgram

GUARD_BITS = 12
"""Binary digits of the unit below delta."""


@dataclass(frozen=True, slots=True)
class SparseIdentity:
    """``coefficients @ entries = scale (target - mu metric) / denominator``: integer entries, exactly."""

    mu: Fraction
    scale: int
    entries: ObjectArray | IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Equations:
    """``coefficients @ entries = (target - mu metric) / denominator``; which entries may take up residuals.

    Those (``first``) feed one equation each. ``metric_denominator`` is that of the metric's own entries.
    """

    coefficients: CoefficientMap
    first: BoolArray
    target: ObjectArray
    metric: ObjectArray
    denominator: int
    metric_denominator: int

    @classmethod
    def of(cls, program: SparseProgram) -> Equations:
        """Those of a program; residuals go to the blocks of the constant generator."""
        marks = [
            np.full(block.n_entries, block.generator == 0)
            for shape in program.shapes
            for block in shape.blocks
        ]
        return cls(
            program.coefficients,
            np.concatenate(marks),
            program.target,
            program.metric,
            program.denominator,
            program.metric_denominator,
        )


class Rounder:
    """Rounds solutions of the same equations; what does not depend on the solution is prepared once."""

    def __init__(self, equations: Equations) -> None:
        self.given = equations
        triplets = equations.coefficients
        mine = equations.first[triplets.columns]
        self.columns, self.equations = triplets.columns[mine], triplets.equations[mine]
        self.weights = triplets.values[mine]
        self.total = np.zeros(triplets.shape[0], dtype=np.int64)
        np.add.at(self.total, self.equations, self.weights)
        order = np.lexsort((self.weights, self.equations))
        self.smallest = order[np.diff(self.equations[order], prepend=-1) > 0]  # for each equation
        self.unit = lcm(*np.unique(self.weights[self.smallest]).tolist())

    def at(self, entries: FloatArray, mu: float, delta: float) -> SparseIdentity:
        """The identity near these entries at about the modulus mu - delta."""
        given = self.given
        bits = GUARD_BITS - int(np.floor(np.log2(delta)))
        scale = self.unit * given.denominator << max(0, bits - given.denominator.bit_length() + 1)
        # in multiples of the unit, so that every residual is one; the modulus keeps the metric whole
        step = Fraction(self.unit * given.metric_denominator, scale)
        chosen = ((Fraction(mu) - Fraction(delta)) / step).__floor__() * step
        shift = chosen * scale / given.denominator
        wanted = (scale // given.denominator) * given.target - np.array(
            [int(shift * weight) if weight else 0 for weight in given.metric], dtype=object
        )
        whole = self.unit * _to_integers(entries, scale // self.unit)
        missing = wanted - given.coefficients.apply(whole)
        return SparseIdentity(chosen, scale, whole + self._spread(missing))

    def _spread(self, missing: ObjectArray) -> ObjectArray:
        """What to add to the entries that may take up residuals, so that every equation is met."""
        share = missing // (self.total * self.unit) * self.unit
        rest = missing - share * self.total
        correction = np.zeros(self.given.coefficients.shape[1], dtype=object)
        correction[self.columns] = share[self.equations]
        # the remainder, a multiple of the unit, goes to the entry of smallest weight
        chosen = self.smallest
        correction[self.columns[chosen]] += rest[self.equations[chosen]] // self.weights[chosen]
        return correction


def _to_integers(values: FloatArray, scale: int) -> ObjectArray:
    if float(np.abs(values).max(initial=0.0)) * scale < 2.0**60:
        return np.rint(values * float(scale)).astype(np.int64)
    return np.array([round(Fraction(float(v)) * scale) for v in values], dtype=object)
