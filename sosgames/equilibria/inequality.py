r"""The variational inequality of a game: find x in X with v(x)'(z - x) <= 0 for every z in X.

v stacks the players' gradients :math:`r_i \nabla_{x_i} u_i`. Its solutions are the points where no player
gains to first order: the equilibria, when utilities are concave in own variables.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from sosgames.certificates.games import ExactGame
from sosgames.equilibria.projections import FloatArray, ProductSet
from sosgames.witnesses.compiled import CompiledPolynomials


class VariationalInequality:
    """The field v of a game, compiled, and the set X.

    ``step`` is a length over which v changes by about the change of its argument; it is the scale of the
    natural residual x - P(x + step v(x)), which is 0 exactly at the solutions.
    """

    __slots__ = ("_field", "feasible", "step")

    def __init__(self, game: ExactGame, weights: Mapping[str, Fraction] | None = None) -> None:
        sets = [part for player in game.players for part in player.strategies]
        self.feasible = ProductSet.of(sets, game.variables)
        slopes = [
            player.utility.derivative(name) * (weights[player.name] if weights else 1)
            for player in game.players
            for name in player.variables
        ]
        self._field = CompiledPolynomials(slopes, game.variables)
        steepness = float(np.linalg.norm(self.jacobian(self.feasible.middle())))
        self.step = 1 / steepness if steepness > 0 else 1.0

    def field(self, x: FloatArray) -> FloatArray:
        """v at a point."""
        return np.asarray(self._field.values(x[None, :])[0])

    def jacobian(self, x: FloatArray) -> FloatArray:
        """The derivative of v at a point: row i holds the gradient of the i-th component."""
        return self._field.gradients(x).T

    def residual(self, x: FloatArray) -> FloatArray:
        """The natural residual."""
        return np.asarray(x - self.feasible.project(x + self.step * self.field(x)))

    def error(self, x: FloatArray) -> float:
        """The largest entry of the natural residual; infinite where it is not a number."""
        size = float(np.abs(self.residual(x)).max(initial=0.0))
        return size if np.isfinite(size) else np.inf
