"""The diagonal rule on a face: diagonal entries of Gram matrices that an equation forces to zero.

An equation with right side 0 whose terms are all diagonal entries, with coefficients of one sign, makes each
of them zero, and with it the whole row of its positive semidefinite matrix. On the whole program this is what
`sosgames.sos.pruning` does; on a face other equations become of this form.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sosgames.faces.face import Face, IntMap, face_equations, without_columns
from sosgames.sos.program import ObjectArray, triangle_pairs


def without_forced_zeros(face: Face, right: ObjectArray) -> tuple[Face, IntMap] | None:
    """The face without rows that are zero, and its equations.

    ``right`` are the right sides of the equations, of which only the zeros matter. None when the equations
    would leave 64 bits.
    """
    vanishes = np.asarray(right == 0, dtype=bool)
    while (equations := face_equations(face)) is not None:
        forced = _forced_columns(face, equations, vanishes)
        if not any(mask.any() for mask in forced):
            return face, equations
        face = without_columns(face, forced)
    return None


def _forced_columns(face: Face, equations: IntMap, vanishes: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """Which diagonal entries of each H an equation forces to zero."""
    terms = sparse.coo_array(equations)
    n_equations, n_columns = equations.shape
    diagonals = [np.equal(*triangle_pairs(rank)) for rank in face.ranks]
    on_diagonal = np.zeros(n_columns, dtype=bool)
    on_diagonal[: sum(map(len, diagonals))] = np.concatenate([*diagonals, np.zeros(0, dtype=bool)])
    others = np.bincount(terms.row[~on_diagonal[terms.col]], minlength=n_equations)
    positive = np.bincount(terms.row[terms.data > 0], minlength=n_equations)
    negative = np.bincount(terms.row[terms.data < 0], minlength=n_equations)
    forcing = vanishes & (others == 0) & ((positive == 0) | (negative == 0))
    forced = np.zeros(n_columns, dtype=bool)
    forced[terms.col[forcing[terms.row]]] = True
    ends = np.cumsum([0, *map(len, diagonals)])
    return [forced[a:b][diagonal] for (a, b), diagonal in zip(pairwise(ends), diagonals, strict=True)]
