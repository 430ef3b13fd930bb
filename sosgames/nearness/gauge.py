r"""The one-parameter repair: every player pays :math:`\varepsilon |x_i|^2`.

It adds 2 epsilon to the modulus, so the smallest epsilon is half of what the modulus lacks, and the identity
that bounds the modulus of the user's game proves the new game as it stands.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from sosgames.certificates.games import ExactGame
from sosgames.certificates.polynomials import Polynomial
from sosgames.errors import SolverError
from sosgames.nearness.approach import Member
from sosgames.nearness.claim import claimed
from sosgames.nearness.family import GameFamily
from sosgames.nearness.functionals import LowerBound
from sosgames.nearness.nearest_game import NearestGame
from sosgames.search import Limits, Search


def gauge_game(problem: ExactGame, prop: str, margin: Fraction, limits: Limits, begun: float) -> NearestGame:
    """The game with the smallest epsilon that can be proved; its distance is epsilon, in the norm "linf"."""
    found = Search(problem, prop, limits=limits).run().result()
    if found.lower_proof is None:
        raise SolverError("nearest: no lower bound of the modulus was proved; raise level or time_limit.")
    epsilon = max(Fraction(0), (margin - found.lower_proof.mu) / 2)
    players = tuple(
        replace(p, utility=p.utility - epsilon * sum((_square(v) for v in p.variables), Polynomial()))
        for p in problem.players
    )
    parts = tuple(replace(part, mu=part.mu + 2 * epsilon) for part in found.lower_proof.parts)
    member = Member(replace(problem, players=players), replace(found.lower_proof, parts=parts))
    squares = [(p.name, ((v, 2),)) for p in problem.players for v in p.variables]
    lower = LowerBound((), Fraction(0))
    if found.upper_proof is not None and found.upper_proof.value < 0:
        lower = LowerBound(found.upper_proof.witnesses, -found.upper_proof.value / 2)
    return claimed(problem, member, GameFamily.free(problem, squares), "linf", lower, begun)


def _square(variable: str) -> Polynomial:
    return Polynomial.variable(variable) ** 2
