r"""From floating-point Gram matrices to integer ones that satisfy the identity exactly.

Every entry is rounded to a multiple of 2^-bits of the problem's size, multipliers first; what is then missing
in each coefficient goes to the block of the generator 1, whose entries feed one coefficient each. Averaging
over these entries is the exact orthogonal projection of Peyrl and Parrilo (2008), here in integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sosgames.conic.forms import GramSolution
from sosgames.conic.systems import Scaling
from sosgames.sos.program import ObjectArray, SosProgram, join_columns, split_columns

BITS = 40


@dataclass(frozen=True, slots=True)
class ExactIdentity:
    """Integers with ``scale * (M - mu R) = sum g z'Gz + sum T h`` in the program's coordinates.

    ``grams`` refer to the generators times ``program.multiples``; nothing here says that they are
    semidefinite.
    """

    mu: Fraction
    scale: int
    grams: tuple[ObjectArray, ...]
    free: ObjectArray


def round_to_identity(
    program: SosProgram, scaling: Scaling, solution: GramSolution, mu: Fraction, *, bits: int = BITS
) -> ExactIdentity | None:
    """The exact identity at ``mu`` nearest to a floating-point solution, or None when there is none.

    There is none when a coefficient without an entry of the first generator is not met exactly.

    Cost: linear in the coefficients of the program.
    """
    shifts = [*scaling.block_bits, *scaling.free_bits]
    finest = bits + max(shifts, default=0)
    entries = _to_integers(program, scaling, solution, finest)
    doubling = max(1, finest + 1 - scaling.size_bits)
    scale = program.denominator * mu.denominator << doubling
    unit = program.denominator * mu.denominator << (doubling + scaling.size_bits - finest)
    wanted = (program.target * mu.denominator - program.metric * mu.numerator) * (1 << doubling)
    missing = wanted - program.coefficients.apply(entries) * unit
    correction = _spread(program, missing)
    if correction is None:
        return None
    exact = entries.astype(object) * unit
    exact[: len(correction)] += correction
    grams, free = split_columns(program, exact)
    return ExactIdentity(mu, scale, tuple(grams), free)


def _to_integers(program: SosProgram, scaling: Scaling, solution: GramSolution, finest: int) -> ObjectArray:
    """All entries in units of 2^-finest of the size, as 64-bit integers where they fit."""
    grams = [np.ldexp(gram, finest - k) for gram, k in zip(solution.grams, scaling.block_bits, strict=True)]
    free = solution.free.copy()
    start = 0
    for entries, k in zip(program.free, scaling.free_bits, strict=True):
        stop = start + len(entries.rows)
        free[start:stop] = np.ldexp(free[start:stop], finest - k)
        start = stop
    floats = np.rint(join_columns(grams, free))
    if np.abs(floats).max(initial=0.0) < 2.0**60:
        return np.asarray(floats, dtype=np.int64)
    return np.array([int(value) for value in floats], dtype=object)


def _spread(program: SosProgram, missing: ObjectArray) -> ObjectArray | None:
    """What to add to the entries of the first generator's blocks so that every coefficient is met.

    ``missing`` holds even integers. An entry off the diagonal within one row counts twice.
    """
    triplets = program.coefficients
    n_first = int(program.offsets[sum(block.generator == 0 for block in program.blocks)])
    mine = triplets.columns < n_first
    equations = np.empty(n_first, dtype=np.int64)
    weights = np.empty(n_first, dtype=np.int64)
    equations[triplets.columns[mine]] = triplets.equations[mine]
    weights[triplets.columns[mine]] = triplets.values[mine].astype(np.int64)
    total = np.bincount(equations, weights, minlength=program.n_equations).astype(np.int64)
    covered = total > 0
    if missing[~covered].any():
        return None
    share = np.zeros(program.n_equations, dtype=object)
    share[covered] = missing[covered] // total[covered]
    rest = missing - share * total
    correction = share[equations]
    # the remainder goes to one entry of each equation, of weight 1 where there is one (else it is even)
    order = np.lexsort((weights, equations))
    first = order[np.r_[True, np.diff(equations[order]) > 0]] if n_first else order
    correction[first] += rest[equations[first]] // weights[first]
    return correction
