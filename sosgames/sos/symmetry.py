"""Sign symmetries split Gram blocks: linear algebra over GF(2) on (parities of the exponents, row).

If flipping the signs of some variables and rows leaves the matrix, the generators and the equations
unchanged, averaging a certificate over these flips keeps it a certificate, and the averaged Gram matrix has
no entry between basis elements of different character. Elements p, q may meet exactly when their difference
lies in the span of the parities of all terms of the data. Connected components of rows are the special case
without flips of variables. Nothing needs to be recorded: smaller blocks are themselves the proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from sosgames.sos.bases import MatrixShape
from sosgames.sos.exponents import AnyArray, IntArray, parities


class ParitySpan:
    """The span over GF(2) of bit vectors, kept in echelon form."""

    __slots__ = ("_pivots",)

    def __init__(self, vectors: Iterable[int]) -> None:
        self._pivots: dict[int, int] = {}
        for vector in set(vectors):
            if rest := self.reduce(vector):
                self._pivots[rest.bit_length()] = rest

    def reduce(self, vector: int) -> int:
        """The canonical representative of the vector modulo the span; 0 for members."""
        for length in sorted(self._pivots, reverse=True):
            if vector >> (length - 1) & 1:
                vector ^= self._pivots[length]
        return vector

    def reduce_all(self, vectors: AnyArray) -> AnyArray:
        """The same for an array of vectors."""
        for length in sorted(self._pivots, reverse=True):
            vectors = vectors ^ ((vectors >> (length - 1)) & 1) * self._pivots[length]
        return vectors


def parity_span(shape: MatrixShape, others: Iterable[IntArray]) -> ParitySpan:
    """The span of the parities of all terms: of the matrix with its rows, and of scalar polynomials."""
    n = len(shape.names)
    vectors: set[int] = set()
    for (a, b), exponents in shape.entries.items():
        rows = (1 << (n + a)) ^ (1 << (n + b))
        vectors |= {parity ^ rows for parity in parities(exponents, shape.n_rows).tolist()}
    for exponents in others:
        vectors |= set(parities(exponents, shape.n_rows).tolist())
    return ParitySpan(vectors)


def split_by_character(
    rows: IntArray, exponents: IntArray, span: ParitySpan, n_rows: int
) -> Sequence[IntArray]:
    """The positions of the basis elements of each character, in order of first occurrence."""
    n = exponents.shape[1]
    parity = parities(exponents, n_rows)
    row_bits = np.array([1 << (n + a) for a in range(n_rows)], dtype=parity.dtype)
    characters = span.reduce_all(parity ^ row_bits[rows])
    classes: dict[int, list[int]] = {}
    for position, character in enumerate(characters.tolist()):
        classes.setdefault(character, []).append(position)
    return [np.array(members, dtype=np.int64) for members in classes.values()]
