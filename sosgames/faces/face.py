r"""A face of a program: each Gram matrix restricted to :math:`G = V H V'`, V an integer matrix.

When every Gram matrix that satisfies the identity is singular, its range lies in a fixed subspace, the
columns of V. On that face the smaller H may be positive definite, and then it can be rounded (facial
reduction, Borwein and Wolkowicz 1981). A wrong V proves nothing false: it only leaves the equations without
a solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import flint
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sosgames.sos.exponents import IntArray
from sosgames.sos.program import SosProgram, triangle_pairs

IntMap: TypeAlias = "sparse.csc_array[np.int64]"
"""A sparse matrix of 64-bit integers."""
LARGEST_ENTRY = 10**6
"""Of V; beyond it a face is taken for a wrong guess."""
LARGEST_SUM = 2.0**62


@dataclass(frozen=True, slots=True)
class Face:
    """A program and, block by block, the integer matrix V of shape (side, rank) with independent columns."""

    program: SosProgram
    vectors: tuple[IntArray, ...]

    def __post_init__(self) -> None:
        for matrix in self.vectors:
            matrix.setflags(write=False)

    @property
    def ranks(self) -> tuple[int, ...]:
        """Sides of the matrices H."""
        return tuple(matrix.shape[1] for matrix in self.vectors)

    @property
    def is_whole(self) -> bool:
        """Whether nothing has been cut off."""
        return self.ranks == self.program.sides

    def __repr__(self) -> str:
        return f"Face(sides {list(self.program.sides)} cut to {list(self.ranks)})"


def whole_face(program: SosProgram) -> Face:
    """The face that cuts off nothing."""
    return Face(program, tuple(np.eye(side, dtype=np.int64) for side in program.sides))


def restricted(face: Face, kernels: Sequence[Sequence[Sequence[int]]]) -> Face | None:
    """The face on which, block by block, ``H k = 0`` for every integer vector k given.

    None when a vector that spans the new face has entries above a million.
    """
    vectors = []
    for V, kernel in zip(face.vectors, kernels, strict=True):
        if not kernel:
            vectors.append(V)
            continue
        product = flint.fmpz_mat(V.tolist() or [[]]) * orthogonal_complement(kernel, V.shape[1])
        shortened = to_array(short_basis(product))
        if shortened is None:
            return None
        vectors.append(shortened)
    return Face(face.program, tuple(vectors))


def without_columns(face: Face, idle: Sequence[NDArray[np.bool_]]) -> Face:
    """The face with the columns of V that are marked left out."""
    cut = (V[:, ~mask] for V, mask in zip(face.vectors, idle, strict=True))
    return Face(face.program, tuple(np.ascontiguousarray(V) for V in cut))


def orthogonal_complement(kernel: Sequence[Sequence[int]], n: int) -> flint.fmpz_mat:
    """Integer columns that span the vectors v of length n with k'v = 0 for each k.

    >>> orthogonal_complement([[1, -1, 0]], 3).table()
    [[1, 0], [1, 0], [0, 1]]
    """
    basis, nullity = flint.fmpz_mat([list(k) for k in kernel]).nullspace()
    columns = [[int(basis[i, j]) for i in range(n)] for j in range(nullity)]
    primitive = [_primitive(column) for column in columns]
    return flint.fmpz_mat(n, nullity, [column[i] for i in range(n) for column in primitive])


def short_basis(columns: flint.fmpz_mat) -> flint.fmpz_mat:
    """Short integer vectors that span the same subspace as the columns (Lenstra, Lenstra, Lovász 1982)."""
    if columns.ncols() < 2:
        return columns
    return columns.transpose().lll().transpose()


def to_array(matrix: flint.fmpz_mat) -> IntArray | None:
    """The matrix as 64-bit integers, or None when an entry is too large for a face."""
    entries = [int(v) for v in matrix.entries()]
    if max(map(abs, entries), default=0) > LARGEST_ENTRY:
        return None
    return np.array(entries, dtype=np.int64).reshape(matrix.nrows(), matrix.ncols())


def _primitive(vector: Sequence[int]) -> list[int]:
    divisor = int(np.gcd.reduce(np.array(vector, dtype=object)))
    leading = next(v for v in vector if v)
    return [v // (divisor if leading > 0 else -divisor) for v in vector]


def face_equations(face: Face) -> IntMap | None:
    """The program's exact linear map on the triangles of H, block by block, then on the free entries.

    None when an entry would leave 64 bits. Cost: the squares of the numbers of non-zero entries of V.
    """
    program = face.program
    triplets = program.coefficients
    if triplets.values.dtype == object and any(abs(int(v)) >= 2**62 for v in triplets.values):
        return None
    values = triplets.values.astype(np.int64)
    whole = sparse.csc_array((values, (triplets.equations, triplets.columns)), shape=triplets.shape)
    lifts = [_lift(V) for V in face.vectors]
    lift = sparse.block_diag([*lifts, sparse.eye_array(program.n_free, dtype=np.int64)], format="csc")
    sums = abs(whole).astype(np.float64) @ abs(lift).astype(np.float64)
    if sums.nnz and sums.data.max() >= LARGEST_SUM:
        return None
    product = sparse.csc_array(whole @ lift, dtype=np.int64)
    product.eliminate_zeros()
    return product


def _lift(V: IntArray) -> sparse.csr_array[np.int64]:
    """The map from the triangle of H to that of V H V': G_pq = sum_rs V_pr V_qs H_rs."""
    side, rank = V.shape
    p, q = triangle_pairs(side)
    r, s = triangle_pairs(rank)
    columns = np.arange(len(r))
    off = r < s
    rows = np.concatenate([r * rank + s, s[off] * rank + r[off]])
    both = np.concatenate([columns, columns[off]])
    symmetric = sparse.csr_array((np.ones_like(rows), (rows, both)), shape=(rank * rank, len(r)))
    full = sparse.csr_array(V)
    return sparse.csr_array(sparse.kron(full, full, format="csr")[p * side + q] @ symmetric)
