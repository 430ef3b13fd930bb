"""The sum-of-squares program behind `certify`, for people who take it elsewhere."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sosgames.certificates.games import ExactGame, MatrixProblem
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.rationals import exact
from sosgames.certificates.tangents import tangent_basis
from sosgames.conic import ConicProblem, gram_form, modulus_system, program_scaling
from sosgames.conic.cbf import save_cbf
from sosgames.conic.sdpa import save_sdpa
from sosgames.errors import InputError, double_precision
from sosgames.games import Game
from sosgames.sos import build_program

if TYPE_CHECKING:
    import cvxpy


@dataclass(frozen=True, slots=True)
class Program:
    r"""The largest modulus at one level, as a conic problem in floating point; proves nothing by itself.

    Attributes
    ----------
    conic
        Minimise :math:`-\tau` over scaled triangles of Gram matrices, free entries and, last, :math:`\tau`.
    size
        The modulus is :math:`\tau` times this power of two.
    level
        Degree of the identity.
    """

    conic: ConicProblem
    size: Fraction
    level: int

    def to_cvxpy(self) -> tuple[cvxpy.Problem, cvxpy.Expression]:
        """The problem for cvxpy, and the modulus as an expression of its variables."""
        from sosgames.conic.modelling import to_cvxpy

        problem, x = to_cvxpy(self.conic)
        return problem, float(self.size) * x[self.conic.n_variables - 1]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the problem in SDPA's format (``.dat-s``) or the conic benchmark format (``.cbf``)."""
        name = Path(path).name
        if name.endswith(".dat-s"):
            save_sdpa(self.conic, path)
        elif name.endswith(".cbf"):
            save_cbf(self.conic, path)
        else:
            raise InputError(f"{name}: the ending is unknown; use .dat-s or .cbf.")


@double_precision()
def program(
    game: Game | ExactGame | MatrixProblem,
    property: str = "monotone",
    *,
    player: str | None = None,
    weights: Mapping[str, Any] | None = None,
    level: int | None = None,
) -> Program:
    """The program that `certify` solves at one level, to be solved, changed or kept elsewhere.

    Parameters
    ----------
    game
        The game, or a matrix problem.
    property
        "monotone", or "concave" with a player; of no account for a matrix problem.
    player
        Whose Hessian, for "concave".
    weights
        Rosen's weights, one positive number a player, for "monotone".
    level
        Even degree of the identity; the lowest possible one by default.

    Raises
    ------
    InputError
        When the arguments do not go with each other.
    LimitError
        When the program would be too large.

    Notes
    -----
    In Gram form, scaled as for the solvers here. What another solver answers proves nothing until it is
    rounded and checked: `certify` with ``solver`` does both.

    Examples
    --------
    >>> import sosgames as sg
    >>> model, modulus = sg.program(sg.catalog("krawczyk2000")).to_cvxpy()
    >>> _ = model.solve(solver="CLARABEL")
    >>> round(float(modulus.value), 3)
    1.0
    """
    problem = game.exact if isinstance(game, Game) else game
    prop = "matrix" if isinstance(problem, MatrixProblem) else property
    given = None if weights is None else {str(p): exact(w, f"weights, {p}") for p, w in weights.items()}
    matrix = modulus_matrix(problem, prop, player=player, weights=given)
    built = build_program(matrix, problem, level, tangent=tangent_basis(problem, matrix.rows))
    scaling = program_scaling(built)
    conic, _ = gram_form(modulus_system(built, scaling))
    return Program(conic, scaling.size, built.level)
