"""The front door: an equilibrium of a game, with what can be proved about it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from sosgames.certificates.games import ExactGame
from sosgames.certificates.gaps import first_order_gap, known_convex
from sosgames.certificates.proofs import EquilibriumProof, ModulusProof
from sosgames.certificates.verifier import verify
from sosgames.equilibria.equilibrium import Equilibrium
from sosgames.equilibria.extragradient import extragradient
from sosgames.equilibria.inequality import VariationalInequality
from sosgames.equilibria.newton import newton
from sosgames.equilibria.projections import FloatArray
from sosgames.equilibria.snapping import Point, rational_points
from sosgames.errors import InputError, double_precision
from sosgames.games import Game
from sosgames.search import Limits, certify

TOLERANCE = 1e-14
ROUNDS = 10
"""Extragradient gets 16, 32, 64, ... steps before each attempt of Newton's method."""
Numbers = Mapping[str, Fraction]


@double_precision()
def solve(
    game: Game | ExactGame,
    *,
    weights: Mapping[str, Any] | Literal["free"] | None = None,
    certificate: ModulusProof | None = None,
    starts: int = 8,
    level: int | None = None,
    solver: str = "auto",
    time_limit: float | None = None,
    report: Callable[[str], None] | None = None,
) -> Equilibrium:
    r"""Find an equilibrium, and prove how near it is.

    The point solves the variational inequality :math:`v(x) \cdot (z - x) \le 0` for every z in X, with v the
    players' gradients: projected extragradient, finished by Newton's method on the natural residual, then
    moved to the simplest nearby fractions with the smallest gaps. The gaps are computed exactly; what they
    imply rests on a certificate of monotonicity, or else of concavity, which is searched for first.

    Parameters
    ----------
    game
        The game. Its strategy sets are boxes, simplices, balls and products of them; other sets are solved
        only where the solution lies where every gradient is 0.
    weights
        Rosen's weights, one positive number a player, for the certificate of monotonicity; "free" searches
        for them.
    certificate
        A proof of monotonicity or concavity that `certify` gave; by default one is searched for.
    starts
        Points to start from when monotonicity is not certified; the smallest gap wins.
    level, solver, time_limit, report
        For the search, as in `certify`.

    Returns
    -------
    Equilibrium

    Raises
    ------
    InputError
        When an argument is not what is asked for here, or no point with a finite gap was found.
    CertificateError
        When the certificate that was passed does not prove its claim about this game.

    Notes
    -----
    Each step evaluates v; Newton's steps cost the cube of the number of variables. Sources: Rosen (1965);
    Korpelevich (1976); Qi and Sun (1993). The bound on the distance is the strong monotonicity inequality:
    :math:`\mu |x - x^*|^2 \le (v(x^*) - v(x)) \cdot (x - x^*) \le \sum_i gap_i`.

    Examples
    --------
    >>> import sosgames as sg
    >>> from sympy.abc import x, y
    >>> duopoly = sg.Game({"A": x*(12 - x - y) , "B": y*(12 - x - y)},
    ...                   {"A": sg.Box({x: (0, 12)}), "B": sg.Box({y: (0, 12)})})
    >>> equilibrium = sg.solve(duopoly)
    >>> equilibrium.point, equilibrium.regret, equilibrium.distance_bound
    ({'x': Fraction(4, 1), 'y': Fraction(4, 1)}, Fraction(0, 1), Fraction(0, 1))
    """
    begun = time.perf_counter()
    problem = game.exact if isinstance(game, Game) else game
    if not isinstance(problem, ExactGame):
        raise InputError(f"solve: got {type(game).__name__}; pass a sosgames.Game.")
    if type(starts) is not int or starts < 1:
        raise InputError(f"starts is {starts!r}; it must be a whole number that is at least 1.")
    report = report or (lambda _: None)
    if certificate is None:
        limits = Limits(level=level, solver=solver, time_limit=time_limit)
        certificate = _certificate(problem, weights, limits, report)
    else:
        verify(certificate, problem)
    report("looking for an equilibrium")
    monotone = certificate is not None and certificate.property == "monotone"
    point = _best_point(problem, certificate, 1 if monotone else starts)
    proof = _proof(problem, point, certificate)
    verify(proof, problem)
    return Equilibrium(problem, proof, time.perf_counter() - begun)


def _certificate(
    problem: ExactGame,
    weights: Mapping[str, Any] | Literal["free"] | None,
    limits: Limits,
    report: Callable[[str], None],
) -> ModulusProof | None:
    """A proof of monotonicity, or else of concavity, or None."""
    movers = [player for player in problem.players if player.variables]
    if not all(map(known_convex, movers)):
        return None
    for prop in ("monotone", "concave") if len(movers) > 1 else ("monotone",):
        found = certify(
            problem,
            prop,
            weights=weights if prop == "monotone" else None,
            level=limits.level,
            solver=limits.solver,
            time_limit=limits.time_limit,
            report=report,
        )
        if found.lower is not None and found.lower >= 0:
            return found.lower_proof
    return None


def _best_point(problem: ExactGame, certificate: ModulusProof | None, starts: int) -> Point:
    weights = certificate.weights if certificate is not None else None
    inequality = VariationalInequality(problem, weights)
    best: tuple[Fraction, Point] | None = None
    refused: InputError | None = None
    for start in _starts(inequality, starts):
        for point in rational_points(problem, _approach(inequality, start)):
            try:
                total = _total(_gaps(problem, point), weights)
            except InputError as error:
                refused = error
                continue
            if best is None or total < best[0]:
                best = total, point
            if total == 0:
                return point
    if best is None:
        raise refused or InputError(
            "solve: no rational point of X was found near a solution; general constraints have no projection"
            " here, so write the sets as boxes, simplices or balls, and see that they are not empty."
        )
    return best[1]


def _starts(inequality: VariationalInequality, count: int) -> Iterator[FloatArray]:
    """The middle of X, then seeded random points that are projected onto X."""
    middle = inequality.feasible.middle()
    yield inequality.feasible.project(middle)
    rng = np.random.default_rng(0)
    for spread in 2.0 ** (np.arange(1, count) % 4):
        yield inequality.feasible.project(middle + spread * rng.normal(size=len(middle)))


def _approach(inequality: VariationalInequality, start: FloatArray) -> FloatArray:
    """Extragradient and Newton in turn until the natural residual vanishes or patience ends."""
    x, tolerance = start, TOLERANCE * max(1.0, float(np.abs(start).max()))
    for k in range(ROUNDS):
        x = newton(inequality, x, tolerance)
        if inequality.error(x) <= tolerance:
            break
        moved = extragradient(inequality, x, 16 * 2**k, tolerance)
        if not np.isfinite(moved).all():
            break
        x = moved
    return x


def _gaps(problem: ExactGame, point: Point) -> dict[str, Fraction]:
    return {player.name: first_order_gap(player, point) for player in problem.players if player.variables}


def _total(gaps: Numbers, weights: Numbers | None) -> Fraction:
    return sum(((weights[name] if weights else 1) * gap for name, gap in gaps.items()), Fraction(0))


def _proof(problem: ExactGame, point: Point, certificate: ModulusProof | None) -> EquilibriumProof:
    """The strongest claim that the gaps and the certificate carry."""
    gaps = _gaps(problem, point)
    convex = all(known_convex(player) for player in problem.players if player.variables)
    if certificate is None or certificate.mu < 0 or not convex:
        return EquilibriumProof(point, gaps)
    if certificate.property != "monotone" or certificate.mu == 0:
        return EquilibriumProof(point, gaps, regret=True, certificate=certificate)
    distance_squared = _total(gaps, certificate.weights) / certificate.mu
    return EquilibriumProof(point, gaps, distance_squared, True, certificate)
