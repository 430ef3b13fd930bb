r"""From the solver's Gram matrices to an exact identity in integers, and from there to a part of a proof.

With q the solver's entries and q0 the interior direction, :math:`q + \delta q_0` has the modulus
:math:`\mu - \delta` and Gram matrices with eigenvalues of at least about delta times those of q0. Rounded to
multiples of one unit, what is missing in each equation is spread over the Gram entries of the constant
generator that feed it; every Gram matrix is then proved positive semidefinite in integers, clique by clique.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sosgames.conic.problem import FloatArray
from sosgames.sos.exponents import IntArray
from sosgames.sos.program import ObjectArray
from sosgames.sparse.decomposition import SparseProgram

GUARD_BITS = 12
"""Binary digits of the unit below delta."""


@dataclass(frozen=True, slots=True)
class SparseIdentity:
    """``coefficients @ entries = scale (target - mu metric) / denominator``: integer entries, exactly."""

    mu: Fraction
    scale: int
    entries: ObjectArray | IntArray


class Rounder:
    """Rounds solutions of one program; what does not depend on the solution is prepared once."""

    def __init__(self, program: SparseProgram) -> None:
        self.program = program
        self.first = _entries_of_first_blocks(program)
        triplets = program.coefficients
        mine = self.first[triplets.columns]
        self.columns, self.equations = triplets.columns[mine], triplets.equations[mine]
        self.weights = triplets.values[mine]
        self.total = np.zeros(program.n_equations, dtype=np.int64)
        np.add.at(self.total, self.equations, self.weights)

    def at(self, entries: FloatArray, mu: float, delta: float) -> SparseIdentity:
        """The identity near these entries at about the modulus mu - delta."""
        program = self.program
        bits = GUARD_BITS - int(np.floor(np.log2(delta)))
        scale = 2 * program.denominator << max(0, bits - program.denominator.bit_length() + 1)
        # twice, so that every residual is even; the modulus comes in steps that keep the metric whole
        step = Fraction(2 * program.metric_denominator, scale)
        chosen = ((Fraction(mu) - Fraction(delta)) / step).__floor__() * step
        shift = chosen * scale / program.denominator
        wanted = (scale // program.denominator) * program.target - np.array(
            [int(shift * weight) if weight else 0 for weight in program.metric], dtype=object
        )
        whole = 2 * _to_integers(entries, scale // 2)
        missing = wanted - program.coefficients.apply(whole)
        return SparseIdentity(chosen, scale, whole + self._spread(missing))

    def _spread(self, missing: ObjectArray) -> ObjectArray:
        """What to add to the entries of the first blocks, so that every equation is met."""
        share = missing // self.total
        rest = missing - share * self.total
        correction = np.zeros(self.program.coefficients.shape[1], dtype=object)
        correction[self.columns] = share[self.equations]
        # the remainder goes to one entry of each equation, of weight 1 where there is one (else it is even)
        order = np.lexsort((self.weights, self.equations))
        chosen = order[np.diff(self.equations[order], prepend=-1) > 0]
        correction[self.columns[chosen]] += rest[self.equations[chosen]] // self.weights[chosen]
        return correction


def _entries_of_first_blocks(program: SparseProgram) -> np.ndarray:
    """Which columns belong to a block of the constant generator; each of them feeds one equation."""
    marks = [
        np.full(block.n_entries, block.generator == 0) for shape in program.shapes for block in shape.blocks
    ]
    return np.concatenate(marks)


def _to_integers(values: FloatArray, scale: int) -> ObjectArray:
    if float(np.abs(values).max(initial=0.0)) * scale < 2.0**60:
        return np.rint(values * float(scale)).astype(np.int64)
    return np.array([round(Fraction(float(v)) * scale) for v in values], dtype=object)
