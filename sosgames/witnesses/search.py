"""The smallest exact value of y'M(x)y / y'Ry that a short search finds: an upper bound of the modulus."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sosgames.certificates.matrices import Basis, PolyMatrix, congruent
from sosgames.certificates.polynomials import Polynomial
from sosgames.sos.build import ProblemLike
from sosgames.sos.exponents import IntArray
from sosgames.witnesses.compiled import CompiledMatrix, FloatArray
from sosgames.witnesses.descent import descend
from sosgames.witnesses.exact import ExactMatrix
from sosgames.witnesses.feasible import FeasibleSet, Point, feasible_set
from sosgames.witnesses.snapping import snapped_points, whole_vectors
from sosgames.witnesses.starts import starting_points

MAX_STARTING_POINTS = 3_000
N_DESCENTS = 3
N_MIXTURES = 200
N_INNER_DESCENTS = 2
N_ANCHORING = 20
ROUNDING = 2.0**-44
EXACT_TERMS = 400_000
"""Terms that exact evaluation may visit in all."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A point of X and a direction: an exact proof that the modulus is at most ``value``.

    Attributes
    ----------
    x
        A number for every variable of the problem; every constraint holds exactly.
    y
        One entry per row of the matrix, not all zero, along the affine equations.
    value
        y'M(x)y / y'Ry.
    """

    x: Mapping[str, Fraction]
    y: tuple[Fraction, ...]
    value: Fraction


def find_witness(
    matrix: PolyMatrix,
    problem: ProblemLike,
    *,
    tangent: Basis | None = None,
    rng: np.random.Generator | None = None,
    time_limit: float = 2.0,
) -> Witness | None:
    """Search X for a small value of y'M(x)y / y'Ry, and evaluate the best candidates exactly.

    Parameters
    ----------
    matrix, problem
        The matrix with its metric, and the set.
    tangent
        A matrix B, row by row: only directions y = Bw are tried.
    rng
        Source of the random part of the search; by default one with a fixed seed, so that answers repeat.
    time_limit
        Seconds after which no new descent or evaluation is begun.

    Returns
    -------
    Witness or None
        None when no exact point of X was found, or there is no direction at all.

    Notes
    -----
    Grid, vertices and random points of X, all at once (at most 3,000 eigenvalue problems); local descent from
    the three best and from two mixtures of points; rounding to small denominators; exact evaluation.

    Examples
    --------
    >>> from sosgames.certificates.games import MatrixProblem
    >>> from sosgames.certificates.matrices import modulus_matrix
    >>> from sosgames.certificates.sets import Box
    >>> x = Polynomial.variable("x")
    >>> problem = MatrixProblem(((x**2 - x,),), ("x",), (Box({"x": (0, 3)}),))
    >>> find_witness(modulus_matrix(problem, "matrix"), problem)
    Witness(x={'x': Fraction(1, 2)}, y=(Fraction(1, 1),), value=Fraction(-1, 4))
    """
    generator = np.random.default_rng(0) if rng is None else rng
    deadline = time.perf_counter() + time_limit
    side = matrix.side if tangent is None else len(tangent[0])
    if side == 0:
        return None
    feasible = feasible_set(problem.variables, problem.constraints, matrix.entries.values())
    if feasible.is_plainly_empty:
        return None
    compiled = compile_matrix(matrix, tangent, feasible)
    starts = starting_points(feasible, generator, max(60, _fewer(MAX_STARTING_POINTS, side)))
    order = _ascending(compiled.smallest_eigenvalues(starts.scaled))
    ranked = [starts.point(int(i)) for i in order[:N_ANCHORING]]
    inner = _inner_starts(compiled, starts.scaled, generator, max(20, _fewer(N_MIXTURES, side)))
    begin = [*(feasible.scaled(point) for point in ranked[:N_DESCENTS]), *inner]
    if not begin:
        begin = [np.zeros(len(feasible.names))]  # descent may still reach X
    ends = points_near_minima(compiled, feasible, begin, _anchor(feasible, ranked), deadline)
    candidates = [*ranked[:N_DESCENTS], *ends]
    return best_witness(matrix, tangent, compiled, feasible, candidates, deadline)


def _fewer(points: int, side: int) -> int:
    """Less of them where each is an eigenvalue problem of some size."""
    return points * 100 // (100 + side**3)


def _inner_starts(
    compiled: CompiledMatrix, scaled: FloatArray, rng: np.random.Generator, n_mixtures: int
) -> FloatArray:
    """The best random mixtures of two starting points, (k, n): descents from corners may all be stuck."""
    if len(scaled) < 2:
        return scaled[:0]
    first, second = rng.integers(0, len(scaled), (2, n_mixtures))
    share = rng.random((n_mixtures, 1))
    mixed = (1 - share) * scaled[first] + share * scaled[second]
    order = _ascending(compiled.smallest_eigenvalues(mixed))
    return np.asarray(mixed[order[:N_INNER_DESCENTS]])


def compile_matrix(matrix: PolyMatrix, tangent: Basis | None, feasible: FeasibleSet) -> CompiledMatrix:
    """The matrix, or B'MB, in the coordinates of the set, ready for many points."""
    diagonal = {(a, a): Polynomial.constant(weight) for a, weight in enumerate(matrix.metric)}
    entries, metric = matrix.entries, diagonal
    if tangent is not None:
        entries, metric = congruent(entries, tangent), congruent(diagonal, tangent)
    side = matrix.side if tangent is None else len(tangent[0])
    dense = np.zeros((side, side))
    for (a, b), weight in metric.items():
        dense[a, b] = dense[b, a] = float(weight.constant_term)
    moved = {key: feasible.coordinates.to_coordinates(p) for key, p in entries.items()}
    return CompiledMatrix(moved, dense, feasible.names)


def _ranked(compiled: CompiledMatrix, feasible: FeasibleSet, points: Sequence[Point]) -> list[Point]:
    """Points by their smallest eigenvalue, the smallest first; ties keep their order."""
    if not points:
        return []
    scaled = np.array([feasible.scaled(point) for point in points]).reshape(len(points), -1)
    return [points[i] for i in _ascending(compiled.smallest_eigenvalues(scaled))]


def _ascending(values: FloatArray) -> IntArray:
    """The order of the values; those that differ by rounding errors only keep theirs."""
    noise = ROUNDING * float(np.abs(values).max(initial=0.0))
    return np.argsort(np.rint(values / noise) if noise else values, kind="stable")


def points_near_minima(
    compiled: CompiledMatrix,
    feasible: FeasibleSet,
    starts: Iterable[FloatArray],
    anchor: Point | None,
    deadline: float,
) -> Iterator[Point]:
    """Exact points of X near the ends of descents from scaled coordinates."""
    for start in starts:
        if time.perf_counter() > deadline:
            return
        yield from snapped_points(feasible, descend(compiled, feasible, start), anchor)


def _anchor(feasible: FeasibleSet, points: Sequence[Point]) -> Point | None:
    """The mean of known points where it lies in X (convex sets), else the best of them."""
    if not points:
        return None
    mean = {name: sum((p[name] for p in points), Fraction(0)) / len(points) for name in points[0]}
    return mean if feasible.contains(mean) else points[0]


def best_witness(
    matrix: PolyMatrix,
    tangent: Basis | None,
    compiled: CompiledMatrix,
    feasible: FeasibleSet,
    candidates: Sequence[Point],
    deadline: float,
) -> Witness | None:
    """The smallest exact value among the candidates; of equal ones the first, which is the simplest."""
    best: Witness | None = None
    n_terms = sum(len(p.terms) for p in matrix.entries.values()) + 1
    budget = max(3, EXACT_TERMS // n_terms)
    exact = ExactMatrix(matrix)
    for point in _ranked(compiled, feasible, candidates)[:budget]:
        if best is not None and time.perf_counter() > deadline:
            break
        found = _exact_value(exact, tangent, point, compiled.smallest_pair(feasible.scaled(point))[1])
        if best is None or found.value < best.value:
            best = found
    return best


def _exact_value(exact: ExactMatrix, tangent: Basis | None, point: Point, w: FloatArray) -> Witness:
    """The best direction near w at an exact point; the matrix is evaluated once."""
    ratio = exact.at(point)
    directions = [(v, k) if tangent is None else (_image(tangent, v), k) for v, k in whole_vectors(w)]
    values = [ratio(y) for y, _ in directions]
    best = min(values)
    y, largest = directions[values.index(best)]
    return Witness(point, tuple(Fraction(v) / largest for v in y), best)


def _image(tangent: Basis, w: Sequence[int]) -> tuple[Fraction, ...]:
    return tuple(sum((Fraction(b) * v for b, v in zip(row, w, strict=True)), Fraction(0)) for row in tangent)
