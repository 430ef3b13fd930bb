r"""Rosen's weights as unknowns: those with the largest modulus of :math:`M_r = \sum_i r_i M_i` (Rosen 1965).

The identity for :math:`M_r - \mu R_r` is linear in the weights r and the Gram matrices together once mu is
fixed, so the largest mu is found by bisection. All of it is floating point: it only proposes weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from scipy import sparse

from sosgames.certificates.games import ExactGame, ExactPlayer
from sosgames.certificates.matrices import Basis, PolyMatrix, congruent, weighted_matrix
from sosgames.certificates.polynomials import Polynomial
from sosgames.conic.problem import FloatArray
from sosgames.conic.systems import MARGIN_CAP, GramSystem, margin_system, program_scaling
from sosgames.search.limits import Deadline
from sosgames.solvers.registry import solve_system
from sosgames.solvers.status import SolverOptions
from sosgames.sos import SosProgram, build_program
from sosgames.sos.exponents import exponents_of

LEAST_SHARE = 1e-4
"""Of the mean weight: no weight is sought below it."""
BISECTIONS = 18
DOUBLINGS = 24
INSIDE = 1e-7
ROUNDING = 0.01
"""Relative change of a weight that makes it a simpler number."""

NEARBY = tuple(Fraction(percent, 100) for percent in (90, 99, 101, 110))

Weights = dict[str, Fraction]


def movers(game: ExactGame) -> list[ExactPlayer]:
    """The players that have variables; the others' weights change nothing."""
    return [player for player in game.players if player.variables]


def player_matrix(game: ExactGame, player: ExactPlayer) -> PolyMatrix:
    """The matrix M_i, over the variables of all players, with R_i as its metric."""
    return weighted_matrix([(player, Fraction(1))], game.variables)


def propose_weights(
    game: ExactGame, level: int | None, tangent: Basis | None, ceiling: float, solver: str, deadline: Deadline
) -> Weights:
    """Simple rational weights whose modulus at this level is about the largest; 1 where nothing was found.

    ``ceiling`` is an upper bound of the modulus for all weights. The smallest weight is 1.
    """
    family = _Family(game, level, tangent, solver, deadline)
    found = family.best(ceiling)
    weights = dict.fromkeys((player.name for player in game.players), Fraction(1))
    if found is not None:
        names = [player.name for player in movers(game)]
        weights |= dict(zip(names, simple_ratios(found.tolist()), strict=True))
    return weights


def at_lower_bound(weights: Mapping[str, Fraction]) -> list[str]:
    """The players whose weight is about the least that is sought, so that a smaller one may do better."""
    mean = sum(weights.values()) / len(weights)
    return [name for name, weight in weights.items() if weight <= 2 * Fraction(LEAST_SHARE) * mean]


def simple_ratios(weights: Sequence[float]) -> list[Fraction]:
    """The weights over their minimum, with the smallest common denominator that changes none by over 1 %.

    >>> simple_ratios([0.0249, 1.0])
    [Fraction(1, 1), Fraction(40, 1)]
    """
    ratios = np.asarray(weights) / min(weights)
    for denominator in (1, 2, 3, 4, 5, 8, 10, 100):
        rounded = [Fraction(round(float(r) * denominator), denominator) for r in ratios]
        if all(abs(float(new) - r) <= ROUNDING * r for new, r in zip(rounded, ratios, strict=True)):
            return rounded
    return [Fraction(float(r)).limit_denominator(1_000) for r in ratios]


def neighbours(weights: Weights) -> list[Weights]:
    """The weights themselves, and those that differ by 1 % or 10 % in one player's."""
    found = [weights]
    for name, weight in weights.items():
        found += [weights | {name: weight * factor} for factor in NEARBY]
    return found


class _Family:
    """The programs of all weights at one level: the same unknowns, right sides linear in r."""

    def __init__(
        self, game: ExactGame, level: int | None, tangent: Basis | None, solver: str, deadline: Deadline
    ) -> None:
        self.solver, self.deadline = solver, deadline
        self.players = movers(game)
        # weights without accidental cancellations, so that no entry is missing from the program
        generic = [(player, Fraction(97 + 13 * i, 89)) for i, player in enumerate(self.players)]
        matrix = weighted_matrix(generic, game.variables)
        self.program = build_program(matrix, game, level, tangent=tangent)
        self.scaling = program_scaling(self.program)
        self.frame = margin_system(self.program, self.scaling, Fraction(0))
        size = float(self.scaling.size)
        moduli, metrics = [], []
        for player in self.players:
            own = player_matrix(game, player)
            diagonal = {(a, a): Polynomial.constant(w) for a, w in enumerate(own.metric) if w}
            moduli.append(_coefficients(self.program, own.entries, tangent) / size)
            metrics.append(_coefficients(self.program, diagonal, tangent) / size)
        self.matrices, self.metrics = np.array(moduli).T, np.array(metrics).T

    def best(self, ceiling: float) -> FloatArray | None:
        """The weights at the largest modulus that the bisection reaches."""
        step, found, low = 0.05 * (1.0 + abs(ceiling)), None, ceiling
        for _ in range(DOUBLINGS):
            low = ceiling - step
            if (found := self.weights_at(low)) is not None or self.deadline.passed:
                break
            step *= 2
        high = ceiling if step <= 0.05 * (1.0 + abs(ceiling)) else ceiling - step / 2
        for _ in range(BISECTIONS if found is not None else 0):
            if self.deadline.passed or high - low <= 1e-6 * (1.0 + abs(high)):
                break
            middle = (low + high) / 2
            weights = self.weights_at(middle)
            if weights is None:
                high = middle
            else:
                low, found = middle, weights
        return found

    def weights_at(self, mu: float) -> FloatArray | None:
        """Weights for which the identity at mu has an interior, as far as floating point can tell."""
        system = self.system(mu)
        _, solution = solve_system(system, self.solver, SolverOptions(time_limit=self.deadline.remaining))
        if solution is None or solution.tau <= INSIDE:
            return None
        excess = [float(gram[0, 0]) for gram in solution.grams[len(self.frame.sides) :]]
        return np.asarray(np.maximum(np.array(excess), 0.0) + LEAST_SHARE)

    def system(self, mu: float) -> GramSystem:
        """The margin problem with r_i = least share + s_i, every s_i >= 0 a block of side 1, sum r = n."""
        n = len(self.players)
        P = self.matrices - mu * self.metrics
        A = sparse.vstack(
            [
                sparse.hstack([self.frame.A, sparse.csc_array(-P)]),
                sparse.hstack(
                    [sparse.csc_array((1, self.frame.A.shape[1])), sparse.csc_array(np.full((1, n), 1 / n))]
                ),
            ]
        )
        F = sparse.vstack([self.frame.F, sparse.csc_array((1, self.frame.F.shape[1]))])
        b = np.append(LEAST_SHARE * P.sum(axis=1), 1.0 - LEAST_SHARE)
        sides = self.frame.sides + (1,) * n
        c = np.append(self.frame.c, 0.0)
        return GramSystem(sparse.csc_array(A), sparse.csc_array(F), b, c, sides, MARGIN_CAP)


def _coefficients(
    program: SosProgram, entries: Mapping[tuple[int, int], Polynomial], tangent: Basis | None
) -> FloatArray:
    """The coefficients of a matrix in the coordinates of a program, one for each of its equations."""
    keys = program.keys
    place = {
        (int(a), int(b), tuple(e.tolist())): k
        for k, (a, b, e) in enumerate(zip(keys.rows, keys.columns, keys.exponents, strict=True))
    }
    values = np.zeros(len(keys))
    names = program.coordinates.names
    for (a, b), entry in (entries if tangent is None else congruent(entries, tangent)).items():
        moved = program.coordinates.to_coordinates(entry)
        exponents = exponents_of(moved.terms, names).tolist()
        for exponent, coefficient in zip(exponents, moved.terms.values(), strict=True):
            values[place[a, b, tuple(exponent)]] += float(coefficient)
    return values
