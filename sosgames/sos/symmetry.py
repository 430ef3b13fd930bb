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
from sosgames.sos.exponents import IntArray, parities


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


def parity_span(shape: MatrixShape, others: Iterable[IntArray]) -> ParitySpan:
    """The span of the parities of all terms: of the matrix with its rows, and of scalar polynomials."""
    n = len(shape.names)
    vectors: list[int] = []
    for (a, b), exponents in shape.entries.items():
        rows = (1 << (n + a)) ^ (1 << (n + b))
        vectors += [parity ^ rows for parity in parities(exponents)]
    for exponents in others:
        vectors += parities(exponents)
    return ParitySpan(vectors)


def split_by_character(rows: IntArray, exponents: IntArray, span: ParitySpan) -> Sequence[IntArray]:
    """The positions of the basis elements of each character, in order of first occurrence."""
    n = exponents.shape[1]
    classes: dict[int, list[int]] = {}
    for position, (row, parity) in enumerate(zip(rows.tolist(), parities(exponents), strict=True)):
        classes.setdefault(span.reduce(parity ^ (1 << (n + row))), []).append(position)
    return [np.array(members, dtype=np.int64) for members in classes.values()]
