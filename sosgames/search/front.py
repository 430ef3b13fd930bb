"""The front doors: certify a game, many games, or a polynomial matrix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from sosgames.certificates.errors import shown
from sosgames.certificates.games import ExactGame, MatrixProblem
from sosgames.certificates.rationals import exact
from sosgames.errors import InputError, double_precision
from sosgames.games import Game, matrix_problem
from sosgames.results import Certification
from sosgames.search.bracketing import Report, Search
from sosgames.search.free import FreeWeightsSearch
from sosgames.search.limits import Limits, Structure
from sosgames.sos.sizes import MEMORY_LIMIT

if TYPE_CHECKING:
    import sympy

    from sosgames.certificates.sets import StrategySet


@double_precision()
def certify(
    game: Game | ExactGame | MatrixProblem,
    property: str = "monotone",
    *,
    weights: Mapping[str, Any] | Literal["free"] | None = None,
    level: int | None = None,
    max_level: int | None = None,
    gap: float = 1e-3,
    solver: str = "auto",
    structure: Structure = "auto",
    time_limit: float | None = None,
    memory_limit: int | None = MEMORY_LIMIT,
    form: str = "auto",
    cone: str = "sos",
    report: Report | None = None,
) -> Certification:
    r"""Decide whether a game is concave or monotone, with a proof of the answer.

    With M(x) minus the Hessian of each player's utility in its own variables (concave), or minus the
    symmetric part of the Jacobian of :math:`v = (\nabla_{x_i} u_i)_i` (monotone), the modulus
    :math:`\mu^*` is the largest mu with :math:`M(x) - \mu I \succeq 0` for every x in X. The result brackets
    it by exact rationals: from below by a matrix sum of squares

    .. math:: M(x) - \mu I = S_0(x) + \sum_j S_j(x) g_j(x) + \sum_k T_k(x) h_k(x)

    found in floating point, rounded to rationals and checked by the verifier (Scherer and Hol 2006; Peyrl and
    Parrilo 2008), from above by a rational point x of X and direction y. The verdict follows from the bracket
    and from nothing else; a solver's status plays no part.

    Parameters
    ----------
    game
        The game.
    property
        "concave" or "monotone".
    weights
        Rosen's weights, one positive number a player, for "monotone": M is then
        :math:`\sum_i r_i M_i` and the modulus is measured against diag(r). "free" asks for the best
        weights: the result prints those of the lower bound, and the upper bound holds for all of them.
    level
        Use this level (even degree of the identity) alone; None climbs from the lowest one.
    max_level
        Highest level to climb to; None allows 4 above the lowest.
    gap
        A decided bracket is improved until ``upper - lower <= gap * max(1, abs(upper))``.
    solver
        "auto" chooses by size; otherwise a name that ``sosgames solvers`` lists.
    structure
        "auto" proves large sparse games (network, polymatrix, graphical) by a sum over the cliques of their
        interaction graph, all others as one matrix; "cliques" and "whole" ask for one of the two.
    time_limit
        Seconds; None for no limit.
    memory_limit
        Bytes that a program may take, by an estimate made before it is built; 4 GiB unless you say
        otherwise, None for no limit.
    form
        The identity: "matrix" as above; "schmuedgen" adds multipliers for all products of the conditions up
        to the level; "scalar" is one polynomial in x and a unit vector y, whose level is the total degree in
        both. "auto" is "matrix", and tries the others at their lowest levels where that decides nothing.
    cone
        Where Gram matrices are sought: "sos", or the smaller "sdsos" and "dsos" (weaker bounds by
        second-order and linear programs). Proofs are checked in the same way.
    report
        Called with a line of text whenever there is news, for progress displays.

    Returns
    -------
    Certification

    Raises
    ------
    InputError
        When an argument is not what is asked for here.
    SolverError
        When the solver that was named cannot be used.

    Notes
    -----
    With N rows and d half the level the largest Gram matrix has side N C(n + d, n); one solve costs about the
    cube of the largest block after sign symmetries.

    Examples
    --------
    >>> import sosgames as sg
    >>> from sympy.abc import x
    >>> driver = sg.Game({"driver": 4*x - 3*x**2}, {"driver": sg.Box({x: (0, 1)})})
    >>> result = sg.certify(driver, "concave")
    >>> result.verdict, result.strict, result.lower, result.upper
    (<Verdict.CERTIFIED: 'certified'>, True, Fraction(6, 1), Fraction(6, 1))
    """
    limits = Limits(level, max_level, gap, time_limit, solver, structure, memory_limit, form, cone)
    problem = game.exact if isinstance(game, Game) else game
    if not isinstance(problem, (ExactGame, MatrixProblem)):
        raise InputError(f"certify: got {type(game).__name__}; pass a sosgames.Game, or use certify_matrix.")
    if isinstance(weights, str):
        if weights != "free":
            raise InputError(f"weights: got {shown(weights)}; give a number to each player, or 'free'.")
        return FreeWeightsSearch(problem, property, limits=limits, report=report).run().result()
    if weights is not None and not isinstance(weights, Mapping):
        raise InputError(f"weights: got {shown(weights)}; give a number to each player, or 'free'.")
    exact_weights = (
        None if weights is None else {str(p): exact(w, f"weights, {p}") for p, w in weights.items()}
    )
    prop = "matrix" if isinstance(problem, MatrixProblem) else property
    return Search(problem, prop, weights=exact_weights, limits=limits, report=report).run().result()


def certify_matrix(
    matrix: sympy.MatrixBase, strategies: StrategySet | Iterable[StrategySet], **limits: Any
) -> Certification:
    """Decide whether a symmetric polynomial matrix is positive semidefinite on a set.

    Parameters
    ----------
    matrix
        A symmetric SymPy matrix with polynomial entries; 1 x 1 asks whether a polynomial is non-negative.
    strategies
        The set, or several whose product is meant; it names every variable of the matrix.
    **limits
        ``level``, ``max_level``, ``gap``, ``solver``, ``structure``, ``time_limit``, ``memory_limit``,
        ``form``, ``cone``, ``report`` as in `certify`.

    Raises
    ------
    InputError
        As in `certify`.

    Examples
    --------
    >>> import sympy
    >>> import sosgames as sg
    >>> from sympy.abc import x
    >>> shifted = sympy.Matrix([[x**2 - 2*x + 2, x], [x, x**2 + 1]])
    >>> sg.certify_matrix(shifted, sg.Box({x: (-1, 1)})).verdict
    <Verdict.CERTIFIED: 'certified'>
    """
    return certify(matrix_problem(matrix, strategies), "matrix", **limits)


def certify_many(
    games: Iterable[Game | ExactGame | MatrixProblem],
    property: str = "monotone",
    *,
    executor: Executor | None = None,
    **limits: Any,
) -> list[Certification]:
    """Certify independent games, in order, on any executor.

    Parameters
    ----------
    games
        Games, or matrices with their sets.
    property
        "concave" or "monotone".
    executor
        Anything with the interface of `concurrent.futures.Executor`: a process pool, dask's
        ``client.get_executor()``, an MPI pool. None works through the list here.
    **limits
        As in `certify`.

    Examples
    --------
    >>> import sosgames as sg
    >>> from sympy.abc import x
    >>> games = [sg.Game({"P": -a * x**2}, {"P": sg.Box({x: (0, 1)})}) for a in (1, 2)]
    >>> [result.lower for result in sg.certify_many(games, "concave")]
    [Fraction(2, 1), Fraction(4, 1)]
    """
    work = partial(certify, property=property, **limits)
    return list(
        map(work, games) if executor is None else executor.map(work, list(games))
    )  # dask takes no iterators
