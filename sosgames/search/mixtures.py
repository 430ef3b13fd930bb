r"""Refutations of all weights at once: points and directions that no choice of weights escapes.

For points x_k, directions y_k and factors c_k > 0, if
:math:`\sum_k c_k (y_k' M_i(x_k) y_k - v \, y_k' R_i y_k) \le 0` for every player i, then no positive
weights have a modulus above v. The factors are a linear program; its dual are the weights that the mixture
so far leaves best, and a witness at these weights is the next point (column generation).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog

from sosgames.certificates.games import ExactGame
from sosgames.certificates.matrices import Basis, modulus_matrix
from sosgames.certificates.parts import Numbers
from sosgames.certificates.proofs import RefutationProof, Witness
from sosgames.conic.problem import FloatArray
from sosgames.search.limits import Deadline
from sosgames.search.rosen import LEAST_SHARE, Weights, movers, player_matrix
from sosgames.witnesses import find_witness

MAX_ROUNDS = 5
MAX_STEPS = 20
STEP = 1e-12
GAIN = 1e-6
FACTOR_HEIGHT = 10**6


@dataclass(frozen=True, slots=True)
class Mixture:
    """Points with factors, and the bound that they prove for all positive weights."""

    witnesses: tuple[Witness, ...]
    value: Fraction

    def proof(self, game: ExactGame) -> RefutationProof:
        return RefutationProof(
            property="monotone",
            variables=game.variables,
            value=self.value,
            witnesses=self.witnesses,
            weights="free",
        )


class MixtureSearch:
    """Column generation; `add` takes weights and remembers the witness there, `best` is the bound so far."""

    def __init__(self, game: ExactGame, tangent: Basis | None, deadline: Deadline) -> None:
        self.game, self.tangent, self.deadline = game, tangent, deadline
        self.players = movers(game)
        self.matrices = [player_matrix(game, player) for player in self.players]
        self.witnesses: list[Witness] = []
        self.forms: list[list[Fraction]] = []
        self.norms: list[list[Fraction]] = []

    def run(self, weights: Sequence[Weights]) -> Mixture | None:
        """The bound that the witnesses at these weights, and those that the mixture then asks for, prove."""
        for chosen in weights:
            self.add(chosen)
        bound = np.inf
        for _ in range(MAX_ROUNDS):
            if not self.witnesses or self.deadline.passed:
                break
            value, _, dual = self._mixed()
            if value > bound - GAIN * (1 + abs(value)):
                break
            bound = value
            names = [player.name for player in self.players]
            ones = dict.fromkeys((p.name for p in self.game.players), Fraction(1))
            self.add(ones | dict(zip(names, dual, strict=True)))
        return self.best()

    def add(self, weights: Weights) -> None:
        """Remember the witness of the game with these weights."""
        matrix = modulus_matrix(self.game, "monotone", weights=weights)
        found = find_witness(matrix, self.game, tangent=self.tangent, time_limit=0.5)
        if found is not None:
            self.add_direction(found.x, dict(zip(matrix.rows, found.y, strict=True)))

    def add_direction(self, x: Numbers, y: Numbers) -> None:
        """Remember a point of X and a direction, given by its non-zero entries."""
        vector = [y.get(row, Fraction(0)) for row in self.game.variables]
        self.witnesses.append(Witness(x, {row: value for row, value in y.items() if value}))
        self.forms.append([m.form(x, vector) for m in self.matrices])
        self.norms.append([m.norm(vector) for m in self.matrices])

    def best(self) -> Mixture | None:
        """The best mixture with rational factors, and its exact bound."""
        if not self.witnesses:
            return None
        _, factors, _ = self._mixed()
        c = [Fraction(float(f)).limit_denominator(FACTOR_HEIGHT) for f in factors]
        used = [k for k, factor in enumerate(c) if factor > 0]
        ratios = []
        for i in range(len(self.players)):
            norm = sum((c[k] * self.norms[k][i] for k in used), Fraction(0))
            if norm:
                ratios.append(sum((c[k] * self.forms[k][i] for k in used), Fraction(0)) / norm)
        kept = (replace(self.witnesses[k], c=c[k]) for k in used)
        return Mixture(tuple(kept), max(ratios))

    def _mixed(self) -> tuple[float, FloatArray, list[Fraction]]:
        """The smallest bound, its factors and the dual weights: Dinkelbach's steps over linear programs."""
        forms = np.array([[float(v) for v in row] for row in self.forms])
        norms = np.array([[float(v) for v in row] for row in self.norms])
        starts = [np.full(len(forms), 1 / len(forms)), *np.eye(len(forms))]
        bounds = [_largest_ratio(c @ forms, c @ norms) for c in starts]
        factors, value = starts[int(np.argmin(bounds))], min(bounds)
        dual = np.ones(len(self.players))
        for _ in range(MAX_STEPS):
            excess, better, dual = _factors(forms - value * norms, factors @ norms)
            if excess >= -STEP * (1 + abs(value)):
                break
            factors, value = better, _largest_ratio(better @ forms, better @ norms)
        shares = np.maximum(dual, LEAST_SHARE * max(float(dual.max()), 1e-12))
        shares /= shares.max()
        return value, factors, [Fraction(float(s)).limit_denominator(FACTOR_HEIGHT) for s in shares]


def _largest_ratio(forms: FloatArray, norms: FloatArray) -> float:
    """The bound of one mixture: the largest ratio of a player that it moves at all."""
    moved = norms > 0
    return float((forms[moved] / norms[moved]).max())


def _factors(excesses: FloatArray, units: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """The mixture that minimises the largest excess of a player, that excess, and the dual weights.

    Measured in the norms of the mixture before (Crouzeix, Ferland, Schaible 1986), the steps converge fast.
    """
    n_points, n_players = excesses.shape
    objective = np.append(np.zeros(n_points), 1.0)
    A = np.hstack([excesses.T, -np.maximum(units, 1e-9 * units.max())[:, None]])
    total = np.append(np.ones(n_points), 0.0)[None, :]
    bounds = [(0, None)] * n_points + [(None, None)]
    solved = linprog(objective, A_ub=A, b_ub=np.zeros(n_players), A_eq=total, b_eq=[1.0], bounds=bounds)
    if solved.x is None or solved.fun is None:  # never infeasible: one point alone is a mixture
        return np.inf, np.full(n_points, 1 / n_points), np.ones(n_players)
    return float(solved.fun), np.asarray(solved.x[:-1]), np.maximum(-solved.ineqlin.marginals, 0.0)
