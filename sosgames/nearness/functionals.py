r"""Linear functionals that no game with the property violates, and the distance that they prove.

At a point x of X and along y, y'M_u(x)y is linear in the coefficients of the utilities:
:math:`-v + \ell \cdot \delta` for the game with changes :math:`\delta`. It is not negative for a game with
the property, so :math:`\ell \cdot \delta \ge v`, and :math:`|\delta| \ge v / |\ell|_*`. Positive
combinations of such functionals prove no less; the best one solves a small linear (for l2: least-distance)
problem.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import linprog, nnls

from sosgames.certificates.matrices import Entries, modulus_matrix
from sosgames.certificates.nearness import shifted
from sosgames.certificates.proofs import Witness
from sosgames.conic.problem import FloatArray
from sosgames.errors import InputError
from sosgames.nearness.family import GameFamily
from sosgames.nearness.programs import Question
from sosgames.sos.exponents import exponents_of
from sosgames.witnesses import find_witness
from sosgames.witnesses.compiled import CompiledMatrix
from sosgames.witnesses.feasible import feasible_set
from sosgames.witnesses.snapping import snapped_vectors
from sosgames.witnesses.starts import starting_points

MAX_POINTS = 64
MAX_CUTS = 40
ROUNDS = 16
STALE_ROUNDS = 3
"""So many rounds that add nothing end the search."""
WORTH_A_ROUND = Fraction(1, 10**5)
SMALL_GAP, CLOSED_GAP = Fraction(1, 1000), Fraction(1, 10**4)
"""Relative to the bound: at the first one round that adds nothing ends the search, at the second none."""
PATIENCE = 1.0
"""Seconds for each search for a new point."""
MULTIPLIER_DENOMINATOR = 10**6
VIOLATED = 1e-9
ROUNDING_ERROR = 1e-14
"""A residual, at most 1, that is taken for 0."""

Vector = tuple[Fraction, ...]
Ties = Sequence[list[int]]
"""Groups of coefficients whose changes add up to 0."""


@dataclass(frozen=True, slots=True)
class LowerBound:
    """The functionals with their factors, and the distance that they prove: squared for "l2"."""

    functionals: tuple[Witness, ...]
    value: Fraction


@dataclass(frozen=True, slots=True)
class Cut:
    """One functional: exact point and direction, violation v by the user's game and slopes l as floats."""

    question: CompiledQuestion
    x: Mapping[str, Fraction]
    y: Vector
    violation: float
    slopes: FloatArray

    def exact(self) -> tuple[Fraction, dict[int, Fraction]]:
        """The violation and the slopes that are not 0, exactly."""
        effects = self.question.question.effects
        return self.exact_violation(), {k: s for k, e in effects.items() if (s := _form(e, self.x, self.y))}

    def exact_violation(self) -> Fraction:
        """By how much the user's game violates the functional."""
        return -_form(self.question.question.matrix.entries, self.x, self.y)

    def witness(self, factor: Fraction) -> Witness:
        """The functional as a proof names it."""
        rows = self.question.question.matrix.rows
        return Witness(self.x, {row: v for row, v in zip(rows, self.y, strict=True) if v}, factor)


class CompiledQuestion:
    """A question's matrix and the effects of all coefficients on it, as arrays of terms."""

    __slots__ = ("_columns", "_exponents", "_index", "_rows", "_values", "n", "names", "question")

    def __init__(self, question: Question, family: GameFamily) -> None:
        self.question, self.names, self.n = question, family.game.variables, len(family.coefficients)
        matrices = [*question.effects.items(), (self.n, question.matrix.entries)]
        terms = [(k, a, b, m, c) for k, e in matrices for (a, b), p in e.items() for m, c in p.terms.items()]
        self._index, self._rows, self._columns = (
            np.array([t[i] for t in terms], dtype=int) for i in range(3)
        )
        self._exponents = exponents_of([t[3] for t in terms], self.names)
        self._values = np.array([float(t[4]) for t in terms]) * np.where(self._rows == self._columns, 1, 2)

    def cut(self, x: Mapping[str, Fraction], y: Vector) -> Cut:
        """The functional at a point of X along a direction."""
        point, along = np.array([float(x[n]) for n in self.names]), np.array([float(v) for v in y])
        terms = (
            self._values * (point**self._exponents).prod(axis=1) * along[self._rows] * along[self._columns]
        )
        sums = np.bincount(self._index, terms, minlength=self.n + 1).astype(np.float64)
        return Cut(self, x, y, -float(sums[-1]), sums[:-1])


class DistanceBound:
    """The search for the best lower bound of the distance, which may go on when a near game is known.

    The bounds hold for every game with the property that differs from the user's in the family's coefficients
    only, and whose changes add up to 0 over each group of ``ties``; other ties of the family play no part.
    """

    def __init__(self, questions: Sequence[Question], family: GameFamily, norm: str, ties: Ties = ()) -> None:
        self._family, self._norm, self._ties = GameFamily.free(family.game, family.coefficients), norm, ties
        self._compiled = [CompiledQuestion(question, self._family) for question in questions]
        known = [cut for question in self._compiled for cut in _cuts_at_starts(question, self._family)]
        known.sort(key=lambda cut: _promise(cut, norm, ties), reverse=True)
        self._cuts = known[:MAX_CUTS]

    @property
    def is_zero(self) -> bool:
        """Whether no violation by the user's game was found, so that there is nothing to prove."""
        return not any(cut.exact_violation() > 0 for cut in self._cuts)

    def best(self, upper: Fraction | None = None) -> LowerBound:
        """The best bound that a short search proves; 0 without a violation.

        ``upper``, a distance that was reached (squared for "l2"), ends the search when the two meet.

        Raises
        ------
        InputError
            When the functionals prove that no game has the property.
        """
        best, stale = LowerBound((), Fraction(0)), 0
        for _ in range(ROUNDS if self._cuts else 0):
            factors, changes = combine(self._cuts, self._norm, self._ties)
            before, best = best, max([best, *self._bounds(factors)], key=lambda bound: bound.value)
            stale = 0 if best.value > before.value * (1 + WORTH_A_ROUND) else stale + 1
            gap = None if upper is None else upper - best.value
            patience = STALE_ROUNDS if gap is None or gap > SMALL_GAP * best.value else 1
            if stale >= patience or (gap is not None and gap <= CLOSED_GAP * best.value):
                break
            new = [cut for q in self._compiled for cut in _cuts_beyond(q, self._family, changes)]
            if not new:
                break
            self._cuts += new
        return best

    def _bounds(self, factors: Sequence[float]) -> list[LowerBound]:
        """What the most promising cut proves alone, and what the combination proves."""
        alone = exact_bound(self._cuts[:1], [1.0], self._norm, self._ties)
        return [alone, exact_bound(self._cuts, factors, self._norm, self._ties)]


def _promise(cut: Cut, norm: str, ties: Ties) -> float:
    """About the distance that a cut proves alone."""
    dual = {"linf": 1, "l1": np.inf, "l2": 2}[norm]
    size = float(np.linalg.norm(_projected(cut.slopes, ties), ord=dual))
    return cut.violation / size if size > VIOLATED * cut.violation else np.inf


def _projected(slopes: FloatArray, ties: Ties) -> FloatArray:
    """Slopes (..., n) with their means over each group taken out."""
    result = slopes.astype(np.float64)
    for group in ties:
        result[..., group] -= result[..., group].mean(axis=-1, keepdims=True)
    return result


def exact_bound(cuts: Sequence[Cut], factors: Sequence[float], norm: str, ties: Ties = ()) -> LowerBound:
    """What a positive combination proves, in exact arithmetic; the factors are rounded first."""
    largest = max(factors, default=0.0)
    if largest <= 0:
        return LowerBound((), Fraction(0))
    rounded = [Fraction(f / largest).limit_denominator(MULTIPLIER_DENOMINATOR) for f in factors]
    used = [(cut, c) for cut, c in zip(cuts, rounded, strict=True) if c > 0]
    violation, slopes = Fraction(0), dict[int, Fraction]()
    for cut, c in used:
        v, own = cut.exact()
        violation += c * v
        for k, slope in own.items():
            slopes[k] = slopes.get(k, Fraction(0)) + c * slope
    for group in ties:
        slopes |= zip(group, shifted([slopes.get(k, Fraction(0)) for k in group], norm), strict=True)
    sizes = [abs(slope) for slope in slopes.values()]
    if violation <= 0:
        return LowerBound((), Fraction(0))
    if not any(sizes):
        raise InputError(
            "nearest: no game that differs in these coefficients alone has the property; let more of them"
            f" change. This is proved at {dict(used[0][0].x)}."
        )
    witnesses = tuple(cut.witness(c) for cut, c in used)
    if norm == "l2":
        return LowerBound(witnesses, violation**2 / sum(size * size for size in sizes))
    dual = sum(sizes) if norm == "linf" else max(sizes)
    return LowerBound(witnesses, violation / dual)


def combine(cuts: Sequence[Cut], norm: str, ties: Ties = ()) -> tuple[list[float], FloatArray]:
    """The best factors of the cuts, and the smallest changes that satisfy all of them; numerical."""
    G, v = np.array([cut.slopes for cut in cuts]), np.array([cut.violation for cut in cuts])
    m, n = G.shape
    if norm == "l2":
        return _least_distance(_projected(G, ties), v)
    sums = np.zeros((len(ties), n))
    for i, group in enumerate(ties):
        sums[i, group] = 1.0
    if norm == "linf":  # changes, then their bound
        identity, ones = np.eye(n), np.ones((n, 1))
        A = np.block([[identity, -ones], [-identity, -ones], [-G, np.zeros((m, 1))]])
        costs, bounds = np.r_[np.zeros(n), 1.0], [(None, None)] * n + [(0, None)]
        sums = np.hstack([sums, np.zeros((len(ties), 1))])
    else:  # positive and negative parts
        A, costs, bounds = np.hstack([-G, G]), np.ones(2 * n), [(0, None)] * (2 * n)
        sums = np.hstack([sums, -sums])
    b = np.r_[np.zeros(A.shape[0] - m), -v]
    tied: dict[str, Any] = {"A_eq": sums, "b_eq": np.zeros(len(ties))} if ties else {}
    answer: Any = linprog(costs, A_ub=A, b_ub=b, bounds=bounds, method="highs", **tied)
    if answer.x is None:
        return [0.0] * m, np.zeros(n)
    factors = np.maximum(-answer.ineqlin.marginals[-m:], 0.0)
    return factors.tolist(), answer.x[:n] if norm == "linf" else answer.x[:n] - answer.x[n:]


def _least_distance(G: FloatArray, v: FloatArray) -> tuple[list[float], FloatArray]:
    """min |delta| subject to G delta >= v (Lawson and Hanson 1974, chapter 23); 0 where nothing satisfies it.

    Without a residual the factors are the reason why there is no delta.
    """
    factors, _ = nnls(np.vstack([G.T, v]), np.r_[np.zeros(G.shape[1]), 1.0])
    residual = np.r_[G.T @ factors, v @ factors - 1.0]
    if residual[-1] > -ROUNDING_ERROR:
        return factors.tolist(), np.zeros(G.shape[1])
    return factors.tolist(), -residual[:-1] / residual[-1]


def _cuts_at_starts(compiled: CompiledQuestion, family: GameFamily) -> Iterator[Cut]:
    """Cuts of the user's game at vertices and the like, along units and the worst eigenvectors."""
    game, question = family.game, compiled.question
    matrix = CompiledMatrix(
        question.compressed(question.matrix.entries), np.eye(question.n_directions), game.variables
    )
    starts = starting_points(
        feasible_set(game.variables, game.constraints), np.random.default_rng(0), MAX_POINTS
    )
    for i in range(min(len(starts), MAX_POINTS)):
        x = starts.point(i)
        if all(constraint.holds(x) for constraint in game.constraints):
            _, worst = matrix.smallest_pair(np.array([float(x[name]) for name in game.variables]))
            for w in (*_units(question.n_directions), *snapped_vectors(worst)):
                cut = compiled.cut(x, question.outward(w))
                if cut.violation > VIOLATED:
                    yield cut
    found = find_witness(question.matrix, game, tangent=question.tangent, time_limit=PATIENCE)
    if found is not None and found.value < 0:
        yield compiled.cut(found.x, found.y)


def _cuts_beyond(compiled: CompiledQuestion, family: GameFamily, changes: FloatArray) -> Iterator[Cut]:
    """A cut that the changed game still violates."""
    question = compiled.question
    exact = [Fraction(float(change)).limit_denominator(MULTIPLIER_DENOMINATOR) for change in changes]
    changed = family.game_at(exact)
    prop = "monotone" if question.player is None else "concave"
    matrix = modulus_matrix(changed, prop, player=question.player)
    found = find_witness(matrix, changed, tangent=question.tangent, time_limit=PATIENCE)
    if found is not None and found.value < -VIOLATED:
        yield compiled.cut(found.x, found.y)


def _units(n: int) -> list[Vector]:
    return [tuple(Fraction(a == b) for b in range(n)) for a in range(n)]


def _form(entries: Entries, x: Mapping[str, Fraction], y: Vector) -> Fraction:
    terms = ((1 if a == b else 2) * y[a] * y[b] * p(x) for (a, b), p in entries.items() if y[a] and y[b])
    return sum(terms, Fraction(0))
