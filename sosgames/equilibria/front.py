"""The front door: an equilibrium of a game, with what can be proved about it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Literal

from sosgames.certificates.errors import shown
from sosgames.certificates.games import ExactGame
from sosgames.certificates.gaps import first_order_gap, known_convex
from sosgames.certificates.proofs import EquilibriumProof, ModulusProof, RegretProof
from sosgames.certificates.verifier import verify
from sosgames.equilibria.candidates import first_order_points
from sosgames.equilibria.equilibrium import Equilibrium
from sosgames.equilibria.inequality import VariationalInequality
from sosgames.equilibria.projections import FloatArray
from sosgames.equilibria.regret import point_of_least_regret, prove_regret
from sosgames.equilibria.snapping import Point, rational_points
from sosgames.errors import InputError, double_precision
from sosgames.games import Game
from sosgames.search import Limits, certify
from sosgames.search.limits import Deadline

SMALL = Fraction(1, 10**9)
"""Gaps above it, in a game that is only concave, make it worth looking for a better point."""
Numbers = Mapping[str, Fraction]
Report = Callable[[str], None]


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
    report: Report | None = None,
) -> Equilibrium:
    r"""Find an equilibrium, and prove how near it is.

    The point solves the variational inequality :math:`v(x) \cdot (z - x) \le 0` for every z in X, with v the
    players' gradients: projected extragradient, finished by Newton's method on the natural residual, then
    moved to the simplest nearby fractions with the smallest gaps. The gaps are computed exactly; what they
    imply rests on a certificate of monotonicity, or else of concavity, which is searched for first.

    A game that is not certified, such as most extensive-form games with imperfect recall, need not have an
    equilibrium. There the point is one of small regret (for one player: of large payoff), and each player's
    regret is bounded by a sum of squares in the player's own variables, the others' strategies fixed,

    .. math:: u_i(x) + \varepsilon_i - u_i(z, x_{-i}) = s_0(z) + \sum_j s_j(z) g_j(z),

    rounded to rationals and checked by the verifier: an :math:`\varepsilon`-equilibrium with proved
    :math:`\varepsilon = \max_i \varepsilon_i`.

    Parameters
    ----------
    game
        The game. Strategy sets are boxes, simplices, balls and products of them; over other sets only best
        replies are bounded, and the point is what a search over the sets offers.
    weights
        Rosen's weights, one positive number a player, for the certificate of monotonicity; "free" searches
        for them.
    certificate
        A proof of monotonicity or concavity that `certify` gave; by default one is searched for.
    starts
        Points to start from when monotonicity is not certified; the smallest gap or regret wins.
    level, solver, report
        As in `certify`, for each search: that of the certificate and that of each player's bound.
    time_limit
        Seconds for the whole call; None for none. The search for a certificate takes at most three quarters,
        the players share what is left; one point is always looked for, however little that is.

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
    Korpelevich (1976); Qi and Sun (1993); for points of least regret Blankenship and Falk (1976); for bounds
    on best replies Lasserre (2001), Peyrl and Parrilo (2008). The bound on the distance is the strong
    monotonicity inequality:
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

    One player who is not concave: the best strategy, and a proof that no other is better.

    >>> best = sg.solve(sg.Game({"P": x**4 - x**2}, {"P": sg.Box({x: (-1, "1/2")})}))
    >>> best.point, best.payoffs, best.regret
    ({'x': Fraction(-1, 1)}, {'P': Fraction(0, 1)}, Fraction(0, 1))
    """
    begun = time.perf_counter()
    problem = game.exact if isinstance(game, Game) else game
    if not isinstance(problem, ExactGame):
        raise InputError(f"solve: got {type(game).__name__}; pass a sosgames.Game.")
    if type(starts) is not int or starts < 1:
        raise InputError(f"starts is {shown(starts)}; it must be a whole number that is at least 1.")
    report = report or (lambda _: None)
    limits = Limits(level=level, solver=solver, time_limit=time_limit)
    deadline = limits.deadline()
    if certificate is None:
        certificate = _certificate(problem, weights, limits, report)
    else:
        verify(certificate, problem)
    report("looking for an equilibrium")
    proof: EquilibriumProof | RegretProof | None = None
    if not _carries_regret(problem, certificate):
        proof = _by_best_replies(problem, starts, limits, deadline, report)
    proof = proof or _proof(problem, _best_point(problem, certificate, starts, deadline, report), certificate)
    verify(proof, problem)
    tree = game.tree if isinstance(game, Game) else None
    return Equilibrium(problem, proof, time.perf_counter() - begun, tree)


def _certificate(
    problem: ExactGame,
    weights: Mapping[str, Any] | Literal["free"] | None,
    limits: Limits,
    report: Report,
) -> ModulusProof | None:
    """A proof of monotonicity, or else of concavity, or None; each may take half of the time that is left."""
    deadline = limits.deadline()
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
            time_limit=limits.within(deadline, 0.5).time_limit,
            report=report,
        )
        if found.lower is not None and found.lower >= 0:
            return found.lower_proof
    return None


def _carries_regret(problem: ExactGame, certificate: ModulusProof | None) -> bool:
    """Whether the certificate turns gaps into regrets."""
    return certificate is not None and certificate.mu >= 0 and _all_convex(problem)


def _all_convex(problem: ExactGame) -> bool:
    return all(known_convex(player) for player in problem.players if player.variables)


def _by_best_replies(
    problem: ExactGame, starts: int, limits: Limits, deadline: Deadline, report: Report
) -> RegretProof | None:
    """A point of small regret with each best reply bounded, where sums of squares bound them all."""
    first = first_order_points(VariationalInequality(problem), starts, monotone=False)
    half = limits.within(deadline, 0.5).deadline()
    point = point_of_least_regret(problem, first, starts, half, report)
    return None if point is None else prove_regret(problem, point, limits.within(deadline), report)


def _best_point(
    problem: ExactGame, certificate: ModulusProof | None, starts: int, deadline: Deadline, report: Report
) -> Point:
    """The point with the smallest gaps: a first-order one, or in merely concave games one by exchanges."""
    weights = certificate.weights if certificate is not None else None
    inequality = VariationalInequality(problem, weights)
    monotone = certificate is not None and certificate.property == "monotone"
    reached: list[FloatArray] = []

    def nearby() -> Iterator[Point]:
        for x in first_order_points(inequality, starts, monotone=monotone):
            reached.append(x)
            yield from rational_points(problem, x)
            if deadline.passed:
                return

    total, point = _smallest_gaps(problem, nearby(), weights)
    if total > SMALL and not monotone and _carries_regret(problem, certificate):
        other = point_of_least_regret(problem, reached, starts, deadline, report)
        if other is not None:
            return _smallest_gaps(problem, [point, other], weights)[1]
    return point


def _smallest_gaps(
    problem: ExactGame, points: Iterable[Point], weights: Numbers | None
) -> tuple[Fraction, Point]:
    """The smallest sum of gaps among points of X, and the first point that has it; 0 ends the search."""
    best: tuple[Fraction, Point] | None = None
    refused: InputError | None = None
    for point in points:
        try:
            total = _total(_gaps(problem, point), weights)
        except InputError as error:
            refused = error
            continue
        if best is None or total < best[0]:
            best = total, point
        if total == 0:
            break
    if best is None:
        raise refused or InputError(
            "solve: no rational point of X was found near a solution; general constraints have no projection"
            " here, so write the sets as boxes, simplices or balls, and see that they are not empty."
        )
    return best


def _gaps(problem: ExactGame, point: Point) -> dict[str, Fraction]:
    return {player.name: first_order_gap(player, point) for player in problem.players if player.variables}


def _total(gaps: Numbers, weights: Numbers | None) -> Fraction:
    return sum(((weights[name] if weights else 1) * gap for name, gap in gaps.items()), Fraction(0))


def _proof(problem: ExactGame, point: Point, certificate: ModulusProof | None) -> EquilibriumProof:
    """The strongest claim that the gaps and the certificate carry."""
    gaps = _gaps(problem, point)
    if certificate is None or not _carries_regret(problem, certificate):
        return EquilibriumProof(point, gaps)
    if certificate.property != "monotone" or certificate.mu == 0:
        return EquilibriumProof(point, gaps, regret=True, certificate=certificate)
    distance_squared = _total(gaps, certificate.weights) / certificate.mu
    return EquilibriumProof(point, gaps, distance_squared, True, certificate)
