"""Upper bounds for large sparse matrices: descent on the smallest eigenvalue, sparse throughout."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, eigsh

from sosgames.conic.problem import FloatArray
from sosgames.sparse.decomposition import Decomposition
from sosgames.sparse.strategies import Factor
from sosgames.witnesses import Witness
from sosgames.witnesses.feasible import Point, feasible_set
from sosgames.witnesses.starts import starting_points

DENSE_SIDE = 200
N_STARTS = 8
N_DESCENTS = 2
MAX_ITERATIONS = 40
POINT_STEPS = 4096
"""Coordinates are rounded to this part of half an interval."""
DIRECTION_BITS = 12
PULLS = tuple(Fraction(k, 64) for k in (64, 63, 60, 48, 32, 0))


def find_sparse_witness(
    decomposition: Decomposition,
    *,
    start: FloatArray | None = None,
    rng: np.random.Generator | None = None,
    time_limit: float = 2.0,
) -> Witness | None:
    """A rational point and direction with a small value of y'My / y'Ry; None when no point of X was found.

    Parameters
    ----------
    decomposition
        The matrix and the set.
    start
        Coordinates to descend from, for instance the moments of a solution; by default the best of a few
        corners of the box, and its centre.
    rng
        Source of the corners; by default one with a fixed seed, so that answers repeat.
    time_limit
        Seconds after which no further descent is begun.

    Notes
    -----
    A smallest eigenvector by Lanczos iterations for each of at most some hundred points. Directions are
    truncated where they are small, so that the exact evaluation visits few entries.
    """
    deadline = time.perf_counter() + time_limit
    anchors = [_anchor(decomposition, factor) for factor in decomposition.factors]
    if any(anchor is None for anchor in anchors):
        return None
    matrix = SparseMatrix(decomposition)
    starts = _corners(matrix, rng or np.random.default_rng(0)) if start is None else [np.clip(start, -1, 1)]
    best: Witness | None = None
    for t in starts:
        if best is not None and time.perf_counter() > deadline:
            break
        for candidate in (t, _Descent(matrix, t, deadline).run()):
            x = _point(decomposition, [a for a in anchors if a is not None], candidate)
            found = _exact(decomposition, x, matrix.smallest_pair(_coordinates(decomposition, x))[1])
            if best is None or found.value < best.value:
                best = found
    return best


class SparseMatrix:
    """M(t) and its derivatives in floating point, term by term, whitened by the metric."""

    def __init__(self, decomposition: Decomposition) -> None:
        keys, n = list(decomposition.entries), len(decomposition.problem.variables)
        self.n, self.side = n, decomposition.matrix.side
        width = max((len(m) for _, _, m in keys), default=0)
        self._variables = np.full((len(keys), width), n)
        self._exponents = np.zeros((len(keys), width), dtype=np.int64)
        for k, (_, _, monomial) in enumerate(keys):
            for j, (v, e) in enumerate(monomial):
                self._variables[k, j], self._exponents[k, j] = v, e
        whitening = np.array([float(w) for w in decomposition.matrix.metric]) ** -0.5
        self._rows = np.array([a for a, _, _ in keys], dtype=np.int64)
        self._columns = np.array([b for _, b, _ in keys], dtype=np.int64)
        ratios = (c.as_integer_ratio() for c in decomposition.entries.values())
        coefficients = np.array([above / below for above, below in ratios])
        self._coefficients = coefficients * whitening[self._rows] * whitening[self._columns]
        self._whitening = whitening

    def smallest_pair(self, t: FloatArray, near: FloatArray | None = None) -> tuple[float, FloatArray]:
        """The smallest eigenvalue of M against R at a point, and a vector y with y'Ry = 1."""
        values = self._coefficients * self._powers(t).prod(axis=1)
        upper = sparse.csr_array((values, (self._rows, self._columns)), shape=(self.side, self.side))
        matrix = upper + upper.T - sparse.diags_array(upper.diagonal())
        value, vector = _smallest(matrix, near)
        return value, self._whitening * vector

    def gradient(self, t: FloatArray, y: FloatArray) -> FloatArray:
        """The gradient in t of y'M(t)y."""
        z = y / self._whitening
        weights = np.where(self._rows == self._columns, 1.0, 2.0) * z[self._rows] * z[self._columns]
        weights *= self._coefficients
        powers = self._powers(t)
        padded = np.append(t, 1.0)
        total = np.zeros(self.n + 1)
        for j in range(powers.shape[1]):
            others = np.delete(powers, j, axis=1).prod(axis=1)
            e = self._exponents[:, j]
            lowered = e * padded[self._variables[:, j]] ** np.maximum(e - 1, 0)
            np.add.at(total, self._variables[:, j], weights * others * lowered)
        return total[: self.n]

    def _powers(self, t: FloatArray) -> FloatArray:
        return np.asarray(np.append(t, 1.0)[self._variables] ** self._exponents)


class _Descent:
    """The objective of a local minimisation, which remembers the best point and the last eigenvector."""

    def __init__(self, matrix: SparseMatrix, start: FloatArray, deadline: float) -> None:
        self.matrix, self.deadline = matrix, deadline
        self.best, self.value = start, np.inf
        self.last: FloatArray | None = None

    def __call__(self, t: FloatArray) -> tuple[float, FloatArray]:
        if time.perf_counter() > self.deadline:
            raise TimeoutError
        value, y = self.matrix.smallest_pair(t, self.last)
        self.last = y
        if value < self.value:
            self.best, self.value = t.copy(), value
        return value, self.matrix.gradient(t, y)

    def run(self) -> FloatArray:
        """A local minimum over the box |t| <= 1, or the best point until time ran out."""
        bounds = [(-1.0, 1.0)] * len(self.best)
        arguments: dict[str, Any] = {
            "jac": True,
            "method": "L-BFGS-B",
            "options": {"maxiter": MAX_ITERATIONS},
        }
        with suppress(TimeoutError):
            minimize(self, self.best, bounds=bounds, **arguments)
        return self.best


def _smallest(matrix: sparse.csr_array[np.float64], near: FloatArray | None) -> tuple[float, FloatArray]:
    """The smallest eigenvalue and its unit vector; the best approximation where iterations ended."""
    if matrix.shape[0] <= DENSE_SIDE:
        values, vectors = np.linalg.eigh(matrix.toarray())
        return float(values[0]), vectors[:, 0]
    try:
        values, vectors = eigsh(matrix, k=1, which="SA", v0=near, tol=1e-4, ncv=40, maxiter=60)
    except ArpackNoConvergence as failure:
        values, vectors = failure.eigenvalues, failure.eigenvectors
    except ArpackError:
        values, vectors = np.zeros(0), np.zeros((0, 0))
    if not len(values):
        diagonal = matrix.diagonal()
        unit = np.zeros(matrix.shape[0])
        unit[int(np.argmin(diagonal))] = 1.0
        return float(diagonal.min()), unit
    return float(values[0]), np.real(vectors[:, 0])


def _corners(matrix: SparseMatrix, rng: np.random.Generator) -> list[FloatArray]:
    """The centre and random corners, those with the smallest eigenvalues."""
    points = [np.zeros(matrix.n), *rng.choice([-1.0, 1.0], size=(N_STARTS, matrix.n))]
    return sorted(points, key=lambda t: matrix.smallest_pair(t)[0])[:N_DESCENTS]


def _anchor(decomposition: Decomposition, factor: Factor) -> Point | None:
    """A point of a factor, inside of it where the factor is convex and one is known."""
    problem = decomposition.problem
    if factor.is_interval:
        return {name: factor.coordinates.inward[name].constant_term for name in factor.variables}
    feasible = feasible_set(factor.variables, [problem.constraints[k] for k in factor.constraints])
    offered = starting_points(feasible, np.random.default_rng(0), 60)
    points = [offered.point(i) for i in range(len(offered))]
    if not points:
        return None
    mean = {name: sum((p[name] for p in points), Fraction(0)) / len(points) for name in factor.variables}
    return mean if feasible.contains(mean) else points[0]


def _point(decomposition: Decomposition, anchors: Iterable[Point], t: FloatArray) -> Point:
    """An exact point of X near coordinates t: each factor as near as a pull towards its anchor allows."""
    point: Point = {}
    steps = np.rint(np.clip(t, -1, 1) * POINT_STEPS).astype(int).tolist()
    for factor, anchor in zip(decomposition.factors, anchors, strict=True):
        rounded = {name: Fraction(steps[decomposition.index[name]], POINT_STEPS) for name in factor.variables}
        wanted = {name: factor.coordinates.inward[name](rounded) for name in factor.variables}
        point |= wanted if factor.is_interval else _pulled(decomposition, factor, anchor, wanted)
    return {name: point[name] for name in decomposition.problem.variables}


def _pulled(decomposition: Decomposition, factor: Factor, anchor: Point, wanted: Point) -> Point:
    """The point of the factor nearest to the wanted one on the way from the anchor, among some."""
    for share in PULLS:
        moved = {name: anchor[name] + share * (wanted[name] - anchor[name]) for name in wanted}
        if all(decomposition.problem.constraints[k].holds(moved) for k in factor.constraints):
            break
    return moved


def _coordinates(decomposition: Decomposition, x: Point) -> FloatArray:
    outward = {n: p for factor in decomposition.factors for n, p in factor.coordinates.outward.items()}
    return np.array([float(outward[name](x)) for name in decomposition.problem.variables])


def _exact(decomposition: Decomposition, x: Point, y: FloatArray) -> Witness:
    """The best of some truncations of a direction, evaluated exactly."""
    matrix = decomposition.matrix
    found = [Witness(x, v, matrix.form(x, v) / matrix.norm(v)) for v in _truncations(y)]
    return min(found, key=lambda witness: witness.value)


def _truncations(y: FloatArray) -> Iterator[tuple[Fraction, ...]]:
    """The direction over its largest entry, rounded, without its small entries."""
    scaled = y / y[int(np.argmax(np.abs(y)))]
    for least in (0.5, 2.0**-6, 2.0**-10):
        kept = np.where(np.abs(scaled) >= least, scaled, 0.0)
        whole = np.rint(kept * 2**DIRECTION_BITS).astype(int).tolist()
        yield tuple(Fraction(v, 2**DIRECTION_BITS) for v in whole)
