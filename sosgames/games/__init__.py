"""Games from SymPy expressions, texts and files, held as exact polynomials."""

from sosgames.certificates.sets import (
    Ball,
    Box,
    Constraint,
    Constraints,
    ProbabilitySimplex,
    Simplex,
    Space,
    StrategySet,
)
from sosgames.games.game import Game, load
from sosgames.games.matrix import load_matrix, matrix_problem
from sosgames.games.symbolic import expression_from, polynomial_from

__all__ = [
    "Ball",
    "Box",
    "Constraint",
    "Constraints",
    "Game",
    "ProbabilitySimplex",
    "Simplex",
    "Space",
    "StrategySet",
    "expression_from",
    "load",
    "load_matrix",
    "matrix_problem",
    "polynomial_from",
]
