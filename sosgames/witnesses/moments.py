r"""Points that a solved program suggests: where the measure behind its dual solution may have its mass.

The dual solution is a vector of moments :math:`L(v_a v_b t^\alpha)`, of a measure on points t and directions
v where the bound is exact. Three ways lead from it to points:

* the mean of t;
* atoms. The moment matrix of atoms :math:`(t_k, v_k)` is :math:`\sum_k w_k u_k u_k'` with
  :math:`u_k = (v_{k,a} t_k^\alpha)_{a,\alpha}`; on its range multiplication by :math:`t_i` is a matrix whose
  eigenvalues are the i-th coordinates of the atoms (Henrion and Lasserre 2005), read off the Schur form of a
  random combination (Corless, Gianni and Trager 1997);
* draws from the normal distribution with the mean and the covariance of t, as in the rounding of Goemans and
  Williamson (1995), for relaxations that are not exact.

Nothing is trusted: these points are for a descent to start from.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import schur

from sosgames.conic.problem import FloatArray
from sosgames.sos.exponents import IntArray, MonomialCode, monomials_up_to
from sosgames.sos.program import SosProgram

MAX_SIDE = 200
"""Of the moment matrix that is taken apart."""
MAX_ATOMS = 8
NOISE = 1e-4
"""Eigenvalues of the moment matrix below this part of the largest one are taken for zero."""
N_DRAWS = 200


def suggested_points(program: SosProgram, moments: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Points in the coordinates of the program, shape (k, n), not rounded and not checked; often outside X.

    Parameters
    ----------
    program
        The program that was solved, for all moduli.
    moments
        Its dual solution: one number for each of its equations, in the units of the matrix.
    rng
        For the combination of multiplication matrices and for the draws.

    Notes
    -----
    Cost: one eigenvalue problem of side at most 200.
    """
    if not len(moments) or not np.isfinite(moments).all():
        return np.zeros((0, len(program.coordinates.names)))
    table = _MomentTable(program, moments)
    n = table.n_variables
    pairs = [(a, a) for a in range(table.n_rows)]
    of_point = sum((table.values(a, b, monomials_up_to(n, 2)) for a, b in pairs), np.zeros(1))
    if not n or of_point[0] <= 0:
        return np.zeros((0, n))
    of_point = of_point / of_point[0]
    mean, second = of_point[1 : n + 1], np.zeros((n, n))
    second[np.triu_indices(n)] = of_point[n + 1 :]
    covariance = second + np.triu(second, 1).T - np.outer(mean, mean)
    return np.concatenate([mean[None, :], *_atoms(table, rng), _draws(mean, covariance, rng)])


class _MomentTable:
    """The moments by row, column and monomial; 0 where the program has no equation for one."""

    def __init__(self, program: SosProgram, moments: FloatArray) -> None:
        keys = program.keys
        self.n_rows, self.n_variables = program.n_rows, len(program.coordinates.names)
        self.half = program.level // 2
        degree = max(int(keys.exponents.max(initial=0)), program.level)
        self._code = MonomialCode(self.n_variables, degree, self.n_rows**2)
        codes = self._codes(keys.rows, keys.columns, keys.exponents)
        order = np.argsort(codes, kind="stable")
        self._known, self._moments = codes[order], moments[order]

    def values(self, a: IntArray | int, b: IntArray | int, exponents: IntArray) -> FloatArray:
        """The moments of v_a v_b t^e, e row by row."""
        wanted = self._codes(np.minimum(a, b), np.maximum(a, b), exponents)
        place = np.minimum(np.searchsorted(self._known, wanted), len(self._known) - 1)
        return np.where(self._known[place] == wanted, self._moments[place], 0.0)

    def _codes(self, a: IntArray | int, b: IntArray | int, exponents: IntArray) -> IntArray:
        prefix = np.broadcast_to(np.asarray(a * self.n_rows + b), len(exponents))
        return np.asarray(self._code.prefixed(prefix, self._code.codes(exponents)))


def _atoms(table: _MomentTable, rng: np.random.Generator) -> Iterator[FloatArray]:
    """The atoms, as an array for each number of them that the eigenvalues suggest."""
    low = monomials_up_to(table.n_variables, table.half - 1)
    basis = monomials_up_to(table.n_variables, table.half)
    side, n_low = table.n_rows * len(basis), table.n_rows * len(low)
    if side > MAX_SIDE:
        return
    rows = np.repeat(np.arange(table.n_rows), len(basis))
    exponents = np.tile(basis, (table.n_rows, 1))
    p, q = (index.ravel() for index in np.indices((side, side)))
    matrix = table.values(rows[p], rows[q], exponents[p] + exponents[q]).reshape(side, side)
    values, vectors = np.linalg.eigh(matrix)
    values, vectors = values[::-1], vectors[:, ::-1]
    rank = int((values > NOISE * values[0]).sum())
    place = {tuple(e): i for i, e in enumerate(basis.tolist())}
    starts = np.arange(table.n_rows)[:, None] * len(basis)
    units = np.eye(table.n_variables, dtype=np.int64)

    def members(shift: IntArray) -> IntArray:
        shifted = np.array([place[tuple(e)] for e in (low + shift).tolist()], dtype=np.int64)
        return np.asarray(starts + shifted).ravel()

    for r in sorted({1, min(rank, n_low, MAX_ATOMS)}):
        range_basis = vectors[:, :r] * np.sqrt(values[:r])
        unshifted = range_basis[members(0 * units[0])]
        shifted = [range_basis[members(unit)] for unit in units]
        yield _joint_eigenvalues(np.linalg.lstsq(unshifted, np.hstack(shifted), rcond=None)[0], rng)


def _joint_eigenvalues(matrices: FloatArray, rng: np.random.Generator) -> FloatArray:
    """The eigenvalues of nearly commuting r x r matrices, side by side, as r points."""
    r = len(matrices)
    each = matrices.reshape(r, -1, r).swapaxes(0, 1)
    weights = rng.random(len(each))
    _, Q = schur(np.tensordot(weights, each, 1))
    return np.array([np.diag(Q.T @ N @ Q) for N in each]).T


def _draws(mean: FloatArray, covariance: FloatArray, rng: np.random.Generator) -> FloatArray:
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(mean + rng.standard_normal((N_DRAWS, len(mean))) @ root.T)
