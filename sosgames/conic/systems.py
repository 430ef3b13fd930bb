r"""The two optimisation problems over a program's identity, in floating point and scaled to size about 1.

Both have the form, over positive semidefinite Q_j and free f,

.. math:: \max \tau \quad \text{subject to} \quad \sum_j A_j(Q_j) + F f + \tau c = b:

the modulus with c the metric, and the margin (the largest t with every Gram matrix >= t I at a fixed mu) with
c the image of the identity matrices.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sosgames.conic.problem import FloatArray, svec_scale
from sosgames.sos.exponents import IntArray
from sosgames.sos.program import ObjectArray, SosProgram, symmetric_of

MARGIN_CAP = 1.0


@dataclass(frozen=True, slots=True)
class Scaling:
    """Powers of two that make the numbers of a program about 1; undone exactly.

    The equations are divided by ``size``; a block's Gram matrix is multiplied by ``2**block_bits[j]`` because
    its generator is divided by it, and likewise the free entries. With ``row_bits`` k, entry (a, b) of the
    matrix is divided by ``2**(k[a] + k[b])`` as well, and so are the Gram entries between these rows.
    """

    size_bits: int
    block_bits: tuple[int, ...]
    free_bits: tuple[int, ...]
    row_bits: tuple[int, ...]

    @property
    def size(self) -> Fraction:
        return power_of_two(self.size_bits)

    @property
    def spread_bits(self) -> int:
        """By how many powers of two the rows differ."""
        return 2 * max(self.row_bits, default=0)

    def key_bits(self, rows: IntArray, columns: IntArray) -> IntArray:
        """The power of two of each matrix entry."""
        bits = np.array(self.row_bits, dtype=np.int64)
        return np.asarray(bits[rows] + bits[columns])


def power_of_two(bits: int) -> Fraction:
    """2**bits as an exact number, for negative exponents too."""
    return Fraction(1 << bits) if bits >= 0 else Fraction(1, 1 << -bits)


@dataclass(frozen=True, slots=True)
class GramSystem:
    """The data of ``max tau: A q + F f + tau c = b`` with q the scaled triangles of the Gram matrices.

    ``cap`` bounds tau from above, so that the problem stays bounded where the set is empty.
    """

    A: sparse.csc_array[np.float64]
    F: sparse.csc_array[np.float64]
    b: FloatArray
    c: FloatArray
    sides: tuple[int, ...]
    cap: float

    def grams(self, q: FloatArray) -> list[FloatArray]:
        """The Gram matrices in a vector of scaled triangles."""
        matrices = []
        start = 0
        for side in self.sides:
            n = side * (side + 1) // 2
            matrices.append(symmetric_of(q[start : start + n] / svec_scale(side), side))
            start += n
        return matrices


def program_scaling(program: SosProgram) -> Scaling:
    """Powers of two near the largest coefficient of the matrix and of every generator; all rows alike."""
    largest = max((abs(int(v)) for v in program.target), default=0)
    size_bits = largest.bit_length() - program.denominator.bit_length() if largest else 0
    magnitudes = column_magnitudes(program)
    offsets = program.offsets
    n_blocks = len(program.blocks)
    free_starts = np.cumsum([offsets[n_blocks], *(len(f.rows) for f in program.free)])
    return Scaling(
        size_bits,
        tuple(_bits(magnitudes[a:b]) for a, b in pairwise(offsets[: n_blocks + 1])),
        tuple(_bits(magnitudes[a:b]) for a, b in pairwise(free_starts)),
        (0,) * program.n_rows,
    )


def balanced_scaling(program: SosProgram) -> Scaling:
    """The same, with every row measured by its own diagonal entry.

    For matrices whose rows are in different units (one player counts in millions). The size is that of the
    smallest row, which is the size of the modulus unless the modulus is very negative.
    """
    keys = program.keys
    bits = [_row_bits(program, (keys.rows == a) & (keys.columns == a)) for a in range(program.n_rows)]
    if None in bits:  # a row without a diagonal entry has no unit of its own
        bits = [_row_bits(program, (keys.rows == a) | (keys.columns == a)) for a in range(program.n_rows)]
    known = [b for b in bits if b is not None]
    least = min(known, default=0)
    shifts = tuple(0 if b is None else b - least for b in bits)
    return replace(program_scaling(program), size_bits=2 * least, row_bits=shifts)


def _row_bits(program: SosProgram, members: NDArray[np.bool_]) -> int | None:
    """Half the power of two of the largest coefficient among these keys."""
    largest = max((abs(int(v)) for v in program.target[members]), default=0)
    return (largest.bit_length() - program.denominator.bit_length()) // 2 if largest else None


def column_magnitudes(program: SosProgram) -> FloatArray:
    """The largest absolute coefficient in each column."""
    triplets = program.coefficients
    magnitudes = np.zeros(triplets.shape[1])
    np.maximum.at(magnitudes, triplets.columns, np.abs(triplets.values.astype(np.float64)))
    return magnitudes


def _bits(magnitudes: FloatArray) -> int:
    largest = float(magnitudes.max(initial=0.0))
    return int(np.frexp(largest)[1]) - 1 if largest else 0


def to_floats(values: ObjectArray, divisor: Fraction) -> FloatArray:
    """Exact integers over one divisor, each rounded once."""
    above, below = divisor.denominator, divisor.numerator
    return np.array([int(v) * above / below if v else 0.0 for v in values])


def modulus_system(program: SosProgram, scaling: Scaling) -> GramSystem:
    """Maximise the modulus; tau is ``mu / scaling.size``."""
    A, F = _scaled_map(program, scaling)
    b = _right_side(program, scaling, program.target, program.denominator * scaling.size)
    c = _right_side(program, scaling, program.metric, Fraction(program.denominator))
    return GramSystem(A, F, b, c, program.sides, _modulus_cap(program, b, c))


def _right_side(program: SosProgram, scaling: Scaling, values: ObjectArray, divisor: Fraction) -> FloatArray:
    shifts = scaling.key_bits(program.keys.rows, program.keys.columns)
    return np.asarray(np.ldexp(to_floats(values, divisor), -shifts))


def _modulus_cap(program: SosProgram, b: FloatArray, c: FloatArray) -> float:
    """More than the modulus of a set that meets the box |t| <= 1: twice min_a sum |M_aa| / R_aa, plus 1."""
    keys = program.keys
    on_diagonal = keys.rows == keys.columns
    sums = np.bincount(keys.rows[on_diagonal], np.abs(b[on_diagonal]), minlength=program.n_rows)
    constant = on_diagonal & (keys.exponents.sum(axis=1) == 0) & (c > 0)
    return 1.0 + 2.0 * float((sums[keys.rows[constant]] / c[constant]).min(initial=np.inf))


def margin_system(program: SosProgram, scaling: Scaling, mu: Fraction) -> GramSystem:
    """Maximise the smallest eigenvalue of the (scaled) Gram matrices at a fixed modulus."""
    A, F = _scaled_map(program, scaling)
    identities = np.concatenate([_identity(side) for side in program.sides])
    fixed = program.target * mu.denominator - program.metric * mu.numerator
    b = _right_side(program, scaling, fixed, program.denominator * mu.denominator * scaling.size)
    return GramSystem(A, F, b, A @ identities, program.sides, MARGIN_CAP)


def _identity(side: int) -> FloatArray:
    p, q = np.triu_indices(side)
    return np.asarray(p == q, dtype=np.float64)


def _scaled_map(
    program: SosProgram, scaling: Scaling
) -> tuple[sparse.csc_array[np.float64], sparse.csc_array[np.float64]]:
    """The coefficient map on scaled triangles, and on the free entries."""
    factors = [
        np.ldexp(1 / svec_scale(b.side), -k) for b, k in zip(program.blocks, scaling.block_bits, strict=True)
    ]
    factors += [
        np.full(len(f.rows), np.ldexp(1.0, -k)) for f, k in zip(program.free, scaling.free_bits, strict=True)
    ]
    scaled = program.coefficients.to_csc() @ sparse.diags_array(np.concatenate(factors), format="csc")
    first_free = int(program.offsets[len(program.blocks)])
    return sparse.csc_array(scaled[:, :first_free]), sparse.csc_array(scaled[:, first_free:])
