r"""Cliques that are alike get one Gram matrix: the program of their classes, a few blocks for thousands.

Let every clique of a class have the same Gram entries (in the order of colours, averaged over what may be
exchanged). Equations of the whole program then coincide, and one of each kind is kept. Whatever solves the
kept ones solves all of them. Nothing is lost either where every copy of a Gram entry feeds the same kinds of
equations: the average of any solution over each class is then one of this form with the same modulus, because
averages of positive semidefinite matrices are positive semidefinite (for linear programs: Grohe, Kersting,
Mladenov and Selman 2014). No group of symmetries is needed: on a random regular graph of equal players all
edges are alike although no symmetry maps one to another.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import Any

import numpy as np
from scipy import sparse

from sosgames.conic.problem import FloatArray
from sosgames.conic.systems import GramSystem
from sosgames.sos.exponents import IntArray
from sosgames.sos.program import CoefficientMap, ObjectArray
from sosgames.sparse.alike import Alike, cliques_alike
from sosgames.sparse.decomposition import SparseProgram
from sosgames.sparse.rounding import Equations
from sosgames.sparse.solving import scales_of

Map = sparse.csr_array[Any, tuple[int, int]]
"""Of 64-bit integers."""


@dataclass(frozen=True, eq=False)
class Quotient:
    """The program of the classes.

    Attributes
    ----------
    sides
        Of the Gram matrices, class by class.
    lift
        Integers: all entries of the whole program are ``lift @ entries``; each row sums to ``n_terms``.
    kinds, kept, counts
        The kind of each equation of the whole program, one equation of each kind, how many have it.
    equations
        One equation of each kind between the entries of the classes.
    """

    sides: tuple[int, ...]
    lift: Map
    n_terms: int
    kinds: IntArray
    kept: IntArray
    counts: IntArray
    equations: Equations

    def system(self, whole: GramSystem) -> GramSystem:
        """The data in floating point, in the units of the whole program's."""
        A = self.equations.coefficients.to_csc()
        A = sparse.csc_array(A @ sparse.diags_array(1 / scales_of(self.sides), format="csc"))
        empty = sparse.csc_array((len(self.kept), 0))
        return GramSystem(A, empty, whole.b[self.kept], whole.c[self.kept], self.sides, whole.cap)

    def entries(self, of_classes: ObjectArray | IntArray) -> ObjectArray:
        """The entries of all cliques, as exact integers."""
        found = np.zeros(self.lift.shape[0], dtype=object)
        lift = self.lift.tocoo()
        np.add.at(found, lift.row, lift.data.astype(object) * np.asarray(of_classes, dtype=object)[lift.col])
        return found

    def restricted(self, entries: FloatArray) -> FloatArray:
        """Entries of the classes whose copies are the averages of the given ones."""
        ones = np.ones(self.lift.shape[0])
        averages: FloatArray = (self.lift.T @ entries) / (self.lift.T @ ones)
        return averages / self.n_terms

    def moments(self, of_kinds: FloatArray) -> FloatArray:
        """Moments of the whole program: those of a kind divided evenly."""
        return np.asarray(of_kinds / self.counts)[self.kinds]


def quotient(program: SparseProgram) -> Quotient | None:
    """The program of the classes of cliques; None where most cliques are unlike others or classes do not fit.

    Linear in the size of the program.
    """
    classes = cliques_alike(program)
    if classes is None:
        return None
    given = program.coefficients
    if given.values.dtype == object:
        return None
    n_terms = lcm(*(len(alike.exchanges) for alike in classes))
    if int(np.abs(given.values).max(initial=0)) * n_terms * given.shape[1] >= 2**62:
        return None
    lift = _lift(classes, n_terms, given.shape[1])
    whole = _map(given.values, (given.equations, given.columns), given.shape)
    together: Map = sparse.csr_array(whole @ lift)
    kinds, kept = _kinds(together, program)
    counts = np.bincount(kinds)
    if not _same(together, kinds, kept) or not _separate(whole, lift, kinds):
        return None
    reduced = together[kept].tocoo()
    coefficients = CoefficientMap(
        reduced.row.astype(np.int64), reduced.col.astype(np.int64), reduced.data, reduced.shape
    )
    sides = tuple(block.side for alike in classes for block in alike.shape.blocks)
    first = np.concatenate(
        [np.full(b.n_entries, b.generator == 0) for alike in classes for b in alike.shape.blocks]
    )
    equations = Equations(
        coefficients,
        first,
        program.target[kept],
        program.metric[kept],
        program.denominator,
        program.metric_denominator,
    )
    return Quotient(sides, lift, n_terms, kinds, kept, counts, equations)


def _lift(classes: list[Alike], n_terms: int, n_columns: int) -> Map:
    """Each clique's entries as sums over exchanges, the same number of terms for every clique."""
    rows, columns, values, first = [], [], [], 0
    for alike in classes:
        for exchange in alike.exchanges:
            rows.append(alike.columns.ravel())
            columns.append(np.tile(exchange + first, len(alike.cliques)))
            values.append(np.full(alike.columns.size, n_terms // len(alike.exchanges)))
        first += alike.shape.n_columns
    places = np.concatenate(rows), np.concatenate(columns)
    return _map(np.concatenate(values), places, (n_columns, first))


def _map(values: Any, places: tuple[IntArray, IntArray], shape: tuple[int, int]) -> Map:
    return sparse.csr_array((values.astype(np.int64), places), shape=shape)


def _kinds(together: Map, program: SparseProgram) -> tuple[IntArray, IntArray]:
    """A kind for each equation, by a hash of its row and its right side; and one equation of each kind."""
    weights = np.random.default_rng(0).integers(1, 2**62, together.shape[1], dtype=np.int64)
    right: dict[tuple[int, int], int] = {}
    sides = [
        right.setdefault((int(t), int(m)), len(right))
        for t, m in zip(program.target, program.metric, strict=True)
    ]
    named = np.stack([np.asarray(together @ weights), np.array(sides)], axis=1)
    _, kept, kinds = np.unique(named, axis=0, return_index=True, return_inverse=True)
    return kinds.reshape(-1), kept


def _same(together: Map, kinds: IntArray, kept: IntArray) -> bool:
    """Whether the equations of each kind are equal, not only their hashes."""
    return bool((together - together[kept][kinds]).count_nonzero() == 0)


def _separate(whole: Map, lift: Map, kinds: IntArray) -> bool:
    """Whether all copies of a Gram entry feed the same kinds of equations alike: then nothing is lost."""
    weights = np.random.default_rng(1).integers(1, 2**62, kinds.max() + 1, dtype=np.int64)
    named, pairs = np.asarray(whole.T @ weights[kinds]), lift.tocoo()
    example = np.zeros(lift.shape[1], dtype=np.int64)
    example[pairs.col] = pairs.row
    return bool((named[pairs.row] == named[example[pairs.col]]).all())
