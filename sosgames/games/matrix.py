"""Symmetric polynomial matrices on a set, for questions that are not about a game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import sympy

from sosgames.certificates.errors import InputError, shown
from sosgames.certificates.gamefiles import read_problem
from sosgames.certificates.games import MatrixProblem
from sosgames.certificates.sets import StrategySet
from sosgames.games.game import variables_of
from sosgames.games.symbolic import polynomial_from


def matrix_problem(
    matrix: sympy.MatrixBase | Sequence[Sequence[Any]] | Any,
    strategies: StrategySet | Iterable[StrategySet],
    *,
    name: str = "",
) -> MatrixProblem:
    """The question whether a symmetric matrix of polynomials is positive semidefinite on a set.

    Parameters
    ----------
    matrix
        A SymPy matrix, rows of entries, or a single polynomial for a 1 by 1 matrix; entries as in `Game`.
    strategies
        A set or several; the variables are theirs, in their order.
    name
        A label for people.

    Raises
    ------
    InputError
        When the matrix is not square and symmetric, an entry is no polynomial, or a set does not fit.

    Examples
    --------
    >>> from sosgames.certificates.sets import Space
    >>> x = sympy.Symbol("x")
    >>> problem = matrix_problem(sympy.Matrix([[1, x], [x, x**2 + 1]]), Space([x]))
    >>> problem.side, str(problem.rows[1][1])
    (2, 'x**2 + 1')
    """
    rows = matrix.tolist() if isinstance(matrix, sympy.MatrixBase) else matrix
    if not isinstance(rows, (list, tuple)):
        rows = [[rows]]
    if not all(isinstance(row, (list, tuple)) for row in rows):
        raise InputError(f"matrix: got {shown(rows)}; pass rows of entries, or a SymPy matrix.")
    entries = tuple(
        tuple(polynomial_from(entry, f"matrix, row {i}, column {j}") for j, entry in enumerate(row, start=1))
        for i, row in enumerate(rows, start=1)
    )
    sets = tuple(strategies) if isinstance(strategies, Iterable) else (strategies,)
    return MatrixProblem(entries, variables_of(sets), sets, name)


def load_matrix(path: str | Path) -> MatrixProblem:
    """Read a matrix problem from a ``.toml`` or ``.json`` file.

    Its keys are ``variables``, ``matrix`` (rows of texts) and ``strategies``.

    Raises
    ------
    InputError
        In one sentence that begins with the file's name, when it cannot be read or holds a game.
    """
    problem = read_problem(path)
    if not isinstance(problem, MatrixProblem):
        raise InputError(f"{Path(path).name}: the file holds a game, not a matrix; use load.")
    return problem
