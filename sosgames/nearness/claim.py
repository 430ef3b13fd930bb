"""The claim about a game that was found, accepted by the verifier before it leaves."""

from __future__ import annotations

import json
import time
from fractions import Fraction

from sosgames.certificates.gamefiles import dumps
from sosgames.certificates.games import ExactGame
from sosgames.certificates.parts import IndexMonomial
from sosgames.certificates.proofs import NearestProof
from sosgames.certificates.verifier import verify
from sosgames.nearness.approach import Member
from sosgames.nearness.family import GameFamily
from sosgames.nearness.functionals import LowerBound
from sosgames.nearness.nearest_game import NearestGame


def claimed(
    problem: ExactGame,
    member: Member,
    family: GameFamily,
    norm: str,
    lower: LowerBound,
    begun: float,
    *,
    zero_sum: bool = False,
) -> NearestGame:
    """The result, with its begin on the clock of `time.perf_counter`."""
    index = {name: i for i, name in enumerate(problem.variables)}
    changeable: dict[str, list[IndexMonomial]] = {}
    for player, monomial in family.coefficients:
        changeable.setdefault(player, []).append(tuple(sorted((index[n], e) for n, e in monomial)))
    proof = NearestProof(
        property=member.certificate.property,
        game=json.loads(dumps(member.game, "json")),
        norm=norm,
        distance=norm_of_changes(problem, member.game, norm),
        certificate=member.certificate,
        changeable={player: tuple(listed) for player, listed in changeable.items()},
        distance_lower=lower.value,
        functionals=lower.functionals,
        zero_sum=zero_sum,
    )
    verify(proof, problem)
    seconds = time.perf_counter() - begun
    return NearestGame.of(problem, member.game, proof, seconds, member.constraints)


def norm_of_changes(problem: ExactGame, found: ExactGame, norm: str) -> Fraction:
    """The distance between two games, exactly; squared for "l2"."""
    pairs = zip(problem.players, found.players, strict=True)
    sizes = [abs(c) for old, new in pairs for c in (new.utility - old.utility).terms.values()]
    if norm == "linf":
        return max(sizes, default=Fraction(0))
    return sum((size * size if norm == "l2" else size for size in sizes), Fraction(0))
