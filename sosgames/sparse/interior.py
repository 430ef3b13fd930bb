r"""The direction that makes every Gram matrix positive definite: one number written as a sum of squares.

On a factor such as [-1, 1] the constant 1 is :math:`z'Qz + \sum_j g_j \, z_j'Q_jz_j` with all Q positive
definite: (1 + x^2)/2 + (1 - x^2)/2. Added to the solution of a program, delta times these matrices on every
row lower the modulus by delta and make room for rounding, without a second solve.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from sosgames.conic.problem import FloatArray, svec_scale
from sosgames.conic.systems import GramSystem
from sosgames.solvers.registry import solve_system
from sosgames.sos.program import triangle_pairs
from sosgames.sparse.decomposition import SparseProgram
from sosgames.sparse.shapes import Shape, clique_shape

SMALLEST_MARGIN = 1e-7


def interior_direction(program: SparseProgram) -> FloatArray | None:
    """Entries whose image is about the metric, with positive definite Gram matrices; None if none is known.

    A row's weight is divided evenly among its cliques. One small solve for each form of a clique.
    """
    cliques = program.decomposition.cliques
    n_cliques = np.zeros(program.decomposition.matrix.side)
    for clique in cliques:
        n_cliques[list(clique.rows)] += 1
    weights = np.array([float(w) for w in program.decomposition.matrix.metric]) / n_cliques
    known: dict[int, list[FloatArray] | None] = {}
    pieces = []
    for clique, shape in zip(cliques, program.shapes, strict=True):
        if id(shape) not in known:
            known[id(shape)] = _on_all_rows(shape)
        lifted = known[id(shape)]
        if lifted is None:
            return None
        of_row = weights[list(clique.rows)]
        for block, entries in zip(shape.blocks, lifted, strict=True):
            pieces.append(entries * of_row[block.rows[triangle_pairs(block.side)[0]]])
    return np.concatenate(pieces)


def _on_all_rows(shape: Shape) -> list[FloatArray] | None:
    """The triangles of the Gram matrices of 1, repeated on every row of the clique."""
    grams = one_as_squares(shape)
    if grams is None:
        return None
    triangles = []
    for block, gram in zip(shape.blocks, grams, strict=True):
        p, q = triangle_pairs(block.side)
        same = block.rows[p] == block.rows[q]
        triangles.append(np.where(same, gram[p % len(gram), q % len(gram)], 0.0))
    return triangles


def one_as_squares(shape: Shape) -> list[FloatArray] | None:
    """Gram matrices of one row that represent 1, their smallest eigenvalue as large as can be."""
    row = clique_shape(1, shape.n_variables, shape.half, shape.generators)
    sides = tuple(block.side for block in row.blocks)
    scale = np.concatenate([1 / svec_scale(side) for side in sides])
    identity = np.concatenate([np.equal(*triangle_pairs(side)).astype(float) for side in sides])
    form = (len(row.keys), row.n_columns)
    A = sparse.csc_array((row.values.astype(float), (row.places, row.columns)), shape=form)
    A = sparse.csc_array(A @ sparse.diags_array(scale))
    b = np.array([float(not any(exponents)) for _, _, exponents in row.keys])
    system = GramSystem(A, sparse.csc_array((len(b), 0)), b, A @ identity, sides, 1.0)
    solution = solve_system(system, "clarabel")[1]
    if solution is None or solution.tau < SMALLEST_MARGIN:
        return None
    return [gram + solution.tau * np.eye(len(gram)) for gram in solution.grams]
