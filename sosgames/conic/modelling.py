"""Conic problems as cvxpy problems, from the sparse data as they are: modelling costs some 20 ms."""

from __future__ import annotations

import cvxpy
import numpy as np
from scipy import sparse

from sosgames.conic.problem import ConicProblem, svec_scale


def to_cvxpy(problem: ConicProblem) -> tuple[cvxpy.Problem, cvxpy.Variable]:
    """The conic problem as a cvxpy problem and its variable; constraints in the order of the cones."""
    x = cvxpy.Variable(problem.n_variables)
    A, b = sparse.csr_array(problem.A), problem.b
    zero, start = problem.cones.zero, problem.cones.zero + problem.cones.nonnegative
    constraints: list[cvxpy.Constraint] = [
        A[:zero] @ x == b[:zero],
        A[zero:start] @ x <= b[zero:start],
    ]
    for size in problem.cones.second_order:
        rows = slice(start, start + size)
        slack = b[rows] - A[rows] @ x
        constraints.append(cvxpy.SOC(slack[0], slack[1:]))
        start += size
    for side in problem.cones.semidefinite:
        stop = start + side * (side + 1) // 2
        unpack = unpacking(side)
        entries = unpack @ b[start:stop] - (unpack @ A[start:stop]) @ x
        constraints.append(cvxpy.reshape(entries, (side, side), order="C") >> 0)
        start = stop
    return cvxpy.Problem(cvxpy.Minimize(problem.c @ x), constraints), x


def unpacking(side: int) -> sparse.csr_array[np.float64]:
    """The matrix from a scaled triangle to all entries, row by row."""
    p, q = np.triu_indices(side)
    k = np.arange(len(p))
    values = 1 / svec_scale(side)
    off = p != q
    rows = np.concatenate([p * side + q, (q * side + p)[off]])
    columns = np.concatenate([k, k[off]])
    return sparse.csr_array(
        (np.concatenate([values, values[off]]), (rows, columns)), shape=(side * side, len(p))
    )
