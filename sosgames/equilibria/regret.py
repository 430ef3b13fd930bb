"""Points of small regret where utilities need not be concave, each player's best reply bounded by a proof."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import islice

import numpy as np

from sosgames.certificates.games import ExactGame, ExactPlayer, MatrixProblem
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.proofs import ModulusProof, RegretProof
from sosgames.equilibria.exchange import ExchangeMethod
from sosgames.equilibria.projections import FloatArray
from sosgames.equilibria.replies import best_reply
from sosgames.equilibria.snapping import Point, rational_points
from sosgames.search.limits import Deadline, Limits
from sosgames.witnesses import find_witness
from sosgames.witnesses.snapping import snapped_points

Report = Callable[[str], None]
TOLERANCE = 1e-9
"""Regrets below it, in units of the largest coefficient, count as none while points are compared."""


def point_of_least_regret(
    game: ExactGame, first: Iterable[FloatArray], starts: int, deadline: Deadline, report: Report
) -> Point | None:
    """An exact point of small regret: the simplest near the best one that is reached; None when none is.

    A player alone takes the best strategy that a search over the own set finds. Several players: the exchange
    method, from ``starts`` of the points ``first``, then from as many random ones, at least from one.
    """
    movers = [player for player in game.players if player.variables]
    if len(movers) == 1:
        return _best_strategy(movers[0])
    method = ExchangeMethod(game)
    if not method.applies:
        return None
    allowed = TOLERANCE * _size(game)
    best, least = None, np.inf
    for start in _starts(method, first, starts):
        t, regret = method.improved(start)
        if regret < least:
            best, least = t, regret
            report(f"a point of regret about {regret:.3g}")
        if least <= allowed or deadline.passed:
            break
    if best is None:
        return None
    regrets = [(method.regret(method.feasible.scaled(p)), p) for p in _exact_points(game, method, best)]
    smallest = min((regret for regret, _ in regrets), default=0.0)
    return next((point for regret, point in regrets if regret <= smallest + allowed), None)


def _best_strategy(player: ExactPlayer) -> Point | None:
    problem = MatrixProblem(((-player.utility,),), player.variables, player.strategies)
    witness = find_witness(modulus_matrix(problem, "matrix"), problem)
    if witness is None:
        return None
    alone = ExactGame((ExactPlayer(player.name, player.variables, player.utility, player.strategies),))
    near = rational_points(alone, np.array([float(value) for value in witness.x.values()]))
    return max([*near, dict(witness.x)], key=player.utility)


def _starts(method: ExchangeMethod, first: Iterable[FloatArray], starts: int) -> Iterator[FloatArray]:
    given = (method.scaled(x) for x in islice(first, starts))
    yield from (t for t in given if method.region.contains(t))
    rng = np.random.default_rng(0)
    yield from (method.random_start(rng) for _ in range(starts))


def _exact_points(game: ExactGame, method: ExchangeMethod, t: FloatArray) -> Iterator[Point]:
    """Exact points of X near coordinates t, simple ones first; general sets pull towards a known point."""
    near = method.feasible.unscaled(t)
    found = list(rational_points(game, np.array([float(value) for value in near.values()])))
    yield from found or snapped_points(method.feasible, t, method.known_point())


def prove_regret(game: ExactGame, point: Point, limits: Limits, report: Report) -> RegretProof | None:
    """The smallest regrets of a point that sums of squares prove; None where a player's are not bounded.

    Every player's bound may take an equal share of the time that is left.
    """
    deadline = limits.deadline()
    movers = [player for player in game.players if player.variables]
    tolerance = Fraction(TOLERANCE) * Fraction(_size(game))
    regrets: dict[str, Fraction] = {}
    certificates: dict[str, ModulusProof] = {}
    for k, player in enumerate(movers):
        share = 1 / (len(movers) - k)
        reply = best_reply(player, point, limits.within(deadline, share), tolerance, report)
        if reply.bound is None or reply.certificate is None:
            return None
        regrets[player.name], certificates[player.name] = reply.bound, reply.certificate
    return RegretProof(point, regrets, certificates)


def _size(game: ExactGame) -> float:
    sizes = [abs(c) for p in game.players for m, c in p.utility.terms.items() if m]
    return float(max(sizes, default=Fraction(1)))
