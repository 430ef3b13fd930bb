r"""From floating-point Gram matrices to integer ones that satisfy the identity exactly.

Every entry is rounded to a multiple of 2^-bits of the problem's size, multipliers first; what is then missing
in each coefficient goes to the block of the generator 1, whose entries feed one coefficient each. Averaging
over these entries is the exact orthogonal projection of Peyrl and Parrilo (2008), here in integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import flint
import numpy as np

from sosgames.conic.forms import GramSolution
from sosgames.conic.systems import Scaling
from sosgames.sos.exponents import IntArray
from sosgames.sos.program import ObjectArray, SosProgram, join_columns, split_columns, triangle_pairs

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

    There is none when the coefficients that the first generator does not feed cannot be met.

    Cost: linear in the coefficients of the program.
    """
    shifts = [*scaling.block_bits, *scaling.free_bits]
    finest = bits + max(shifts, default=0)
    entries = _to_integers(program, scaling, solution, finest)
    doubling = max(1, finest + 1 - scaling.size_bits)
    scale = program.denominator * mu.denominator << doubling
    unit = program.denominator * mu.denominator << (doubling + scaling.size_bits - finest)
    wanted = (program.target * mu.denominator - program.metric * mu.numerator) * (1 << doubling)
    exact = _in_own_units(program, scaling, entries.astype(object) * unit)
    settled = settle_uncovered(program, exact, wanted)
    if settled is None:
        return None
    exact, factor = settled
    first = _FirstBlock(program)
    exact[: first.n_columns] += first.spread(wanted * factor - program.coefficients.apply(exact))
    grams, free = split_columns(program, exact)
    return ExactIdentity(mu, scale * factor, tuple(grams), free)


def _in_own_units(program: SosProgram, scaling: Scaling, entries: ObjectArray) -> ObjectArray:
    """Undo the scaling of the rows."""
    if not scaling.spread_bits:
        return entries
    shifts = []
    for block in program.blocks:
        p, q = triangle_pairs(block.side)
        shifts.append(scaling.key_bits(block.rows[p], block.rows[q]))
    shifts += [scaling.key_bits(free.rows, free.columns) for free in program.free]
    powers = [1 << int(k) for k in np.concatenate(shifts)]
    return np.asarray(entries * np.array(powers, dtype=object), dtype=object)


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


class _FirstBlock:
    """The blocks of the generator 1: the equation that each entry feeds, and how often it counts there."""

    def __init__(self, program: SosProgram) -> None:
        triplets = program.coefficients
        self.n_columns = int(program.offsets[sum(block.generator == 0 for block in program.blocks)])
        mine = triplets.columns < self.n_columns
        self.equations = np.empty(self.n_columns, dtype=np.int64)
        self.weights = np.empty(self.n_columns, dtype=np.int64)
        self.equations[triplets.columns[mine]] = triplets.equations[mine]
        self.weights[triplets.columns[mine]] = triplets.values[mine].astype(np.int64)
        self.total = np.zeros(program.n_equations, dtype=np.int64)
        np.add.at(self.total, self.equations, self.weights)

    def spread(self, missing: ObjectArray) -> ObjectArray:
        """What to add to the entries so that every equation that they feed is met.

        ``missing`` holds even integers. An entry off the diagonal within one row counts twice.
        """
        covered = self.total > 0
        share = np.zeros(len(self.total), dtype=object)
        share[covered] = missing[covered] // self.total[covered]
        rest = missing - share * self.total
        correction = share[self.equations]
        # the remainder goes to one entry of each equation, of weight 1 where there is one (else it is even)
        order = np.lexsort((self.weights, self.equations))
        fresh = np.diff(self.equations[order], prepend=-1) > 0
        chosen = order[fresh]
        correction[chosen] += rest[self.equations[chosen]] // self.weights[chosen]
        return correction


def settle_uncovered(
    program: SosProgram, entries: ObjectArray, wanted: ObjectArray
) -> tuple[ObjectArray, int] | None:
    """Entries that meet exactly the equations that the first block does not feed, and their new scale.

    Returns integers that stand for ``entries`` times an integer factor, and that factor; None when no
    entries meet these equations. Idle elements removed from the first block leave such equations behind. They
    are few; they are solved exactly for as few entries as there are equations, free ones first.
    """
    open_equations = np.flatnonzero(_FirstBlock(program).total == 0)
    missing = (wanted - program.coefficients.apply(entries))[open_equations]
    if not missing.any():
        return entries, 1
    change = _solve_exactly(program, open_equations, missing)
    if change is None:
        return None
    factor = 2 * lcm(*(v.denominator for v in change.values()))
    exact = entries * factor
    for column, value in change.items():
        exact[column] += int(value * factor)
    return exact, factor


def _solve_exactly(
    program: SosProgram, equations: IntArray, missing: ObjectArray
) -> dict[int, Fraction] | None:
    """Changes of some entries with exactly this image in the equations given, by elimination over Q."""
    triplets = program.coefficients
    inside = np.isin(triplets.equations, equations)
    columns = np.unique(triplets.columns[inside])
    order = columns[np.argsort(_preference(program)[columns], kind="stable")]
    matrix = flint.fmpq_mat(len(equations), len(order) + 1)
    place = {int(column): j for j, column in enumerate(order)}
    row = {int(equation): i for i, equation in enumerate(equations)}
    for e, c, v in zip(
        triplets.equations[inside], triplets.columns[inside], triplets.values[inside], strict=True
    ):
        matrix[row[int(e)], place[int(c)]] = int(v)
    for i, value in enumerate(missing):
        matrix[i, len(order)] = int(value)
    reduced, rank = matrix.rref()
    pivots = [next(j for j in range(len(order) + 1) if reduced[i, j] != 0) for i in range(rank)]
    if len(order) in pivots:
        return None
    right = [reduced[i, len(order)] for i in range(rank)]
    return {int(order[j]): Fraction(int(v.p), int(v.q)) for j, v in zip(pivots, right, strict=True)}


def _preference(program: SosProgram) -> IntArray:
    """0 for free entries, 1 for entries off the diagonal of a Gram matrix, 2 for those on it."""
    kinds = [np.where(np.equal(*triangle_pairs(block.side)), 2, 1) for block in program.blocks]
    return np.concatenate([*kinds, np.zeros(program.n_free, dtype=np.int64)]).astype(np.int64)
