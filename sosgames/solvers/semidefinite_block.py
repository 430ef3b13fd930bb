"""One semidefinite cone for the interior-point method: its map, adjoint and Schur complement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from sosgames.conic.problem import FloatArray, svec_scale
from sosgames.sos.exponents import IntArray

CHUNK = 64
SMALL_SIDE = 16
"""Up to this side the Kronecker product is formed whole, above it one equation is taken at a time."""


class SemidefiniteBlock:
    """The rows ``slack = b - A y`` of one block, triangles unpacked to symmetric matrices."""

    __slots__ = ("_A", "_b", "_p", "_packed", "_q", "_scale", "_whole", "side")

    def __init__(self, A: sparse.csr_array[np.float64], b: FloatArray, side: int) -> None:
        self.side = side
        self._A, self._b = sparse.csr_array(A), b
        self._p, self._q = np.triu_indices(side)
        self._scale = svec_scale(side)
        columns = sparse.csc_array(self._A)
        self._whole = _whole_matrices(columns, self._p, self._q, self._scale, side)
        self._packed = columns[:, self._whole.used]

    def pack(self, matrix: FloatArray) -> FloatArray:
        """The scaled triangle of a symmetric matrix."""
        return np.asarray(matrix[self._p, self._q] * self._scale)

    def unpack(self, triangle: FloatArray) -> FloatArray:
        """The symmetric matrix of a scaled triangle."""
        matrix = np.empty((self.side, self.side))
        values = triangle / self._scale
        matrix[self._p, self._q] = values
        matrix[self._q, self._p] = values
        return matrix

    def image(self, y: FloatArray) -> FloatArray:
        """The matrix Ay."""
        return self.unpack(np.asarray(self._A @ y))

    def slack(self, y: FloatArray) -> FloatArray:
        """The matrix b - Ay."""
        return self.unpack(self._b - self._A @ y)

    def adjoint(self, matrix: FloatArray) -> FloatArray:
        """The vector A'(matrix)."""
        return np.asarray(self.pack(matrix) @ self._A)

    def add_schur_complement(self, Z: FloatArray, W: FloatArray, total: FloatArray) -> None:
        r"""Add :math:`A'(Z \otimes W)A`, entry (k, l) being tr(A_k Z A_l W), to ``total``.

        Cost: side^4 for the products, plus the number of variables times side^2.
        """
        if self.side <= SMALL_SIDE:
            packed, used = self._packed, self._whole.used
            total[np.ix_(used, used)] += np.asarray(packed.T @ (self._kronecker(Z, W) @ packed))
            return
        whole = self._whole
        for first in range(0, len(whole.used), CHUNK):
            members = range(first, min(first + CHUNK, len(whole.used)))
            images = np.empty((len(members), self.side, self.side))
            for image, k in zip(images, members, strict=True):
                part = slice(whole.starts[k], whole.starts[k + 1])
                np.matmul(Z[:, whole.rows[part]] * whole.values[part], W[whole.columns[part]], out=image)
            total[whole.used[members]] += np.asarray(whole.matrix @ images.reshape(len(members), -1).T).T

    def _kronecker(self, Z: FloatArray, W: FloatArray) -> FloatArray:
        """The symmetric Kronecker product on scaled triangles."""
        p, q = self._p, self._q
        Zp, Zq, Wp, Wq = Z[p], Z[q], W[p], W[q]
        product = Zp[:, p] * Wq[:, q] + Zp[:, q] * Wq[:, p] + Zq[:, p] * Wp[:, q] + Zq[:, q] * Wp[:, p]
        return np.asarray(product * np.outer(self._scale, self._scale) / 4)


@dataclass(frozen=True, slots=True)
class _WholeMatrices:
    """The matrices A_k with all entries: ``used`` k, where each starts, its entries; together as rows."""

    used: IntArray
    starts: IntArray
    rows: IntArray
    columns: IntArray
    values: FloatArray
    matrix: sparse.csr_array[np.float64]


def _whole_matrices(
    packed: sparse.csc_array[np.float64], p: IntArray, q: IntArray, scale: FloatArray, side: int
) -> _WholeMatrices:
    counts = np.diff(packed.indptr)
    k = np.repeat(np.arange(packed.shape[1]), counts)
    rows, columns, values = p[packed.indices], q[packed.indices], packed.data / scale[packed.indices]
    off = rows != columns
    k = np.concatenate([k, k[off]])
    order = np.argsort(k, kind="stable")
    used, sizes = np.unique(k, return_counts=True)
    rows, columns = np.concatenate([rows, columns[off]])[order], np.concatenate([columns, rows[off]])[order]
    values = np.concatenate([values, values[off]])[order]
    shape = (packed.shape[1], side**2)
    matrix = sparse.csr_array((values, (k[order], rows * side + columns)), shape=shape)
    return _WholeMatrices(used, np.concatenate([[0], np.cumsum(sizes)]), rows, columns, values, matrix)
