r"""An interior-point method for moment problems, whose Gram matrices can be rounded to a proof as they are.

Primal-dual with the HKM direction (Helmberg, Rendl, Vanderbei and Wolkowicz 1996; Kojima, Shindoh and Hara
1997; Monteiro 1997) and Mehrotra's corrector. For ``min c'y : b - Ay in K`` with slack S and dual Z, a step
solves one dense system of the size of y,

.. math:: A'(Z \otimes S^{-1})A \, dy + A_0' dz_0 = r,

much smaller than what a general solver factors, since a moment problem has few variables y and large blocks.
After a full dual step the Gram matrices Z meet their equations to rounding error, and they stay positive
definite: the method stops short of the digits in which rounding errors outgrow their smallest eigenvalues.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from sosgames.conic.problem import ConicPoint, ConicProblem, FloatArray
from sosgames.solvers.semidefinite_block import SemidefiniteBlock
from sosgames.solvers.status import SolverAnswer, SolverOptions, SolverStatus

NAME = "interior"
TOLERANCE = 1e-6
MAX_ITERATIONS = 60
SHORTENED = 0.95
WORTHLESS = 1e-2


def solve(problem: ConicProblem, options: SolverOptions) -> SolverAnswer:
    """Solve by the interior-point method; never raises for numerical trouble."""
    start = time.perf_counter()
    tolerance = TOLERANCE if options.tolerance is None else options.tolerance
    if problem.cones.second_order:
        return SolverAnswer(SolverStatus.FAILED, None, NAME, 0.0, 0, "it takes no second-order cones")
    method = _Method(problem)
    status = SolverStatus.ITERATION_LIMIT
    for _ in range((options.max_iterations or MAX_ITERATIONS) + 1):
        if method.accuracy() <= tolerance:
            status = SolverStatus.SOLVED
            break
        if options.time_limit is not None and time.perf_counter() - start > options.time_limit:
            status = SolverStatus.TIME_LIMIT
            break
        if not method.advance():
            status = SolverStatus.INACCURATE
            break
    detail = f"relative accuracy {method.accuracy():.1e}"
    point = method.point()
    seconds = time.perf_counter() - start
    if not point.is_finite or (status is SolverStatus.INACCURATE and method.accuracy() > WORTHLESS):
        return SolverAnswer(SolverStatus.FAILED, None, NAME, seconds, method.n_steps, detail)
    return SolverAnswer(status, point, NAME, seconds, method.n_steps, detail)


@dataclass(frozen=True, slots=True)
class _Direction:
    """Changes of y, of the multipliers of equations, and of slacks and duals (linear, then by block)."""

    y: FloatArray
    equations: FloatArray
    slack: FloatArray
    dual: FloatArray
    slacks: tuple[FloatArray, ...]
    duals: tuple[FloatArray, ...]


class _Method:
    """The iterate and the steps of the method."""

    def __init__(self, problem: ConicProblem) -> None:
        A = sparse.csr_array(problem.A)
        zero, stop = problem.cones.zero, problem.cones.zero + problem.cones.nonnegative
        self.problem, self.c = problem, problem.c
        self.A0, self.b0 = A[:zero].toarray(), problem.b[:zero]
        self.A1, self.b1 = A[zero:stop].toarray(), problem.b[zero:stop]
        self.blocks: list[SemidefiniteBlock] = []
        for side in problem.cones.semidefinite:
            start, stop = stop, stop + side * (side + 1) // 2
            self.blocks.append(SemidefiniteBlock(A[start:stop], problem.b[start:stop], side))
        self.n = problem.cones.nonnegative + sum(block.side for block in self.blocks)
        self.y = np.zeros(problem.n_variables)
        self.z0 = np.zeros(zero)
        self.s, self.z = np.ones(len(self.b1)), np.ones(len(self.b1))
        self.S = [np.eye(block.side) for block in self.blocks]
        self.Z = [np.eye(block.side) for block in self.blocks]
        self.n_steps = 0
        self.measure()

    def measure(self) -> None:
        """Residuals of all equations at the iterate, and the complementarity gap."""
        images = [block.adjoint(Z) for block, Z in zip(self.blocks, self.Z, strict=True)]
        self.r_dual = -(self.c + self.A0.T @ self.z0 + self.A1.T @ self.z + np.sum(images, axis=0))
        self.r_zero = self.b0 - self.A0 @ self.y
        self.r_slack = self.b1 - self.A1 @ self.y - self.s
        self.r_slacks = [block.slack(self.y) - S for block, S in zip(self.blocks, self.S, strict=True)]
        self.gap = float(self.z @ self.s) + sum(
            float(np.sum(Z * S)) for Z, S in zip(self.Z, self.S, strict=True)
        )

    def accuracy(self) -> float:
        """The largest of the gap and the residuals, relative to the size of the objective and the data."""
        objective = 1.0 + abs(float(self.c @ self.y))
        primal = max(_largest(r) for r in [self.r_zero, self.r_slack, *self.r_slacks])
        return max(self.gap / objective, primal, _largest(self.r_dual) / (1.0 + _largest(self.c)))

    def advance(self) -> bool:
        """One predictor-corrector step; False when arithmetic ends or no progress is left."""
        try:
            self.factor()
            predictor = self.direction(0.0, None)
            primal, dual = self.lengths(predictor, 1.0)
            after = self.gap_after(predictor, primal, dual)
            centring = min(1.0, max(1e-6, (after / self.gap) ** (3 if min(primal, dual) > 0.5 else 2)))
            step = self.direction(centring * self.gap / self.n, predictor)
            primal, dual = self.lengths(step, SHORTENED)
        except np.linalg.LinAlgError:
            return False
        if not np.isfinite(step.y).all() or max(primal, dual) < 1e-8:
            return False
        self.move(step, primal, dual)
        self.n_steps += 1
        self.measure()
        return True

    def factor(self) -> None:
        """Inverse slacks, and the Schur complement in y with its Cholesky factor."""
        self.W = [_inverse(S) for S in self.S]
        schur = self.A1.T @ ((self.z / self.s)[:, None] * self.A1)
        for block, Z, W in zip(self.blocks, self.Z, self.W, strict=True):
            block.add_schur_complement(Z, W, schur)
        schur[np.diag_indices_from(schur)] *= 1.0 + 1e-14
        if len(
            self.z0
        ):  # equations of their own weight keep the system regular where no cone sees a variable
            self.weight = float(np.trace(schur)) / len(schur)
            schur += self.weight * (self.A0.T @ self.A0)
        self.cholesky = linalg.cho_factor(schur, lower=True, check_finite=False)
        if len(self.z0):
            self.lifted = linalg.cho_solve(self.cholesky, self.A0.T)
            reduced = self.A0 @ self.lifted
            reduced[np.diag_indices_from(reduced)] += 1e-13 * np.trace(reduced) / len(reduced)
            self.reduced = linalg.cho_factor(reduced, check_finite=False)

    def direction(self, target: float, corrector: _Direction | None) -> _Direction:
        """The HKM direction towards complementarity ``target``, second-order terms from ``corrector``."""
        constant = target / self.s - self.z - self.z * self.r_slack / self.s
        constants = []
        for j, (Z, W, r) in enumerate(zip(self.Z, self.W, self.r_slacks, strict=True)):
            bent = Z @ r if corrector is None else Z @ r + corrector.duals[j] @ corrector.slacks[j]
            constants.append(target * W - Z - _symmetric(bent @ W))
        if corrector is not None:
            constant = constant - corrector.dual * corrector.slack / self.s
        right = self.r_dual - self.A1.T @ constant
        for block, matrix in zip(self.blocks, constants, strict=True):
            right = right - block.adjoint(matrix)
        y, equations = self.solve_for(right)
        slack = self.r_slack - self.A1 @ y
        moves = [block.image(y) for block in self.blocks]
        return _Direction(
            y,
            equations,
            slack,
            constant + self.z * (self.A1 @ y) / self.s,
            tuple(r - move for r, move in zip(self.r_slacks, moves, strict=True)),
            tuple(
                matrix + _symmetric(Z @ move @ W)
                for matrix, Z, move, W in zip(constants, self.Z, moves, self.W, strict=True)
            ),
        )

    def solve_for(self, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        if not len(self.z0):
            return linalg.cho_solve(self.cholesky, right, check_finite=False), self.z0
        weighted = right + self.weight * (self.A0.T @ self.r_zero)
        y = linalg.cho_solve(self.cholesky, weighted, check_finite=False)
        equations = linalg.cho_solve(self.reduced, self.A0 @ y - self.r_zero, check_finite=False)
        return y - self.lifted @ equations, equations

    def lengths(self, d: _Direction, share: float) -> tuple[float, float]:
        """Step lengths of slacks and duals: ``share`` of the way to the boundary, at most 1."""
        primal = [_linear_length(self.s, d.slack), *map(_semidefinite_length, self.S, d.slacks)]
        dual = [_linear_length(self.z, d.dual), *map(_semidefinite_length, self.Z, d.duals)]
        return min(1.0, share * min(primal)), min(1.0, share * min(dual))

    def gap_after(self, d: _Direction, primal: float, dual: float) -> float:
        total = float((self.z + dual * d.dual) @ (self.s + primal * d.slack))
        for Z, dZ, S, dS in zip(self.Z, d.duals, self.S, d.slacks, strict=True):
            total += float(np.sum((Z + dual * dZ) * (S + primal * dS)))
        return max(total, 0.0)

    def move(self, d: _Direction, primal: float, dual: float) -> None:
        self.y = self.y + primal * d.y
        self.s = self.s + primal * d.slack
        self.S = [S + primal * dS for S, dS in zip(self.S, d.slacks, strict=True)]
        self.z0 = self.z0 + dual * d.equations
        self.z = self.z + dual * d.dual
        self.Z = [Z + dual * dZ for Z, dZ in zip(self.Z, d.duals, strict=True)]

    def point(self) -> ConicPoint:
        """The iterate in the order of the cones."""
        duals = [block.pack(Z) for block, Z in zip(self.blocks, self.Z, strict=True)]
        slacks = [block.pack(S) for block, S in zip(self.blocks, self.S, strict=True)]
        zeros = np.zeros(len(self.z0))
        return ConicPoint(
            self.y, np.concatenate([self.z0, self.z, *duals]), np.concatenate([zeros, self.s, *slacks])
        )


def _largest(values: FloatArray) -> float:
    return float(np.abs(values).max(initial=0.0))


def _symmetric(matrix: FloatArray) -> FloatArray:
    return (matrix + matrix.T) / 2


def _inverse(matrix: FloatArray) -> FloatArray:
    factor = linalg.cho_factor(matrix, lower=True, check_finite=False)
    return _symmetric(linalg.cho_solve(factor, np.eye(len(matrix)), check_finite=False))


def _linear_length(values: FloatArray, change: FloatArray) -> float:
    falling = change < 0
    return float((-values[falling] / change[falling]).min(initial=np.inf))


def _semidefinite_length(matrix: FloatArray, change: FloatArray) -> float:
    """The largest step that keeps the matrix positive semidefinite."""
    factor = np.linalg.cholesky(matrix)
    half = linalg.solve_triangular(factor, change, lower=True, check_finite=False)
    whole = linalg.solve_triangular(factor, half.T, lower=True, check_finite=False)
    smallest = float(np.linalg.eigvalsh(_symmetric(whole))[0])
    return np.inf if smallest >= 0 else -1.0 / smallest
