"""What a player gains along straight lines towards the ends of the own set, for pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from sosgames.certificates.games import ExactGame, ExactPlayer
from sosgames.certificates.sets import Ball, Box, ProbabilitySimplex, Simplex, StrategySet
from sosgames.equilibria.projections import FloatArray
from sosgames.witnesses.compiled import CompiledPolynomials

Values = dict[str, float]


def gain_curves(
    game: ExactGame, point: Mapping[str, float], times: FloatArray
) -> dict[str, list[FloatArray]]:
    r"""The gains :math:`u_i(x + t(z - x)) - u_i(x)` for ends z of player i's set, at each t of ``times``."""
    return {player.name: _curves(game, player, point, times) for player in game.players if player.variables}


def _curves(
    game: ExactGame, player: ExactPlayer, point: Mapping[str, float], times: FloatArray
) -> list[FloatArray]:
    utility = CompiledPolynomials([player.utility], game.variables)
    here = np.array([point[name] for name in game.variables])
    curves = []
    for part in player.strategies:
        for end in _ends(part, point):
            there = np.array([end.get(name, point[name]) for name in game.variables])
            points = here + times[:, None] * (there - here)
            curves.append(utility.values(points)[:, 0] - utility.values(here[None, :])[0, 0])
    return curves


def _ends(part: StrategySet, point: Mapping[str, float]) -> Iterator[Values]:
    match part:
        case Box():
            for name, bounds in part.intervals.items():
                yield from ({name: float(bound)} for bound in bounds)
        case Simplex() | ProbabilitySimplex():
            if isinstance(part, Simplex):
                yield dict.fromkeys(part.variables, 0.0)
            for name in part.variables:
                yield {**dict.fromkeys(part.variables, 0.0), name: 1.0}
        case Ball():
            center = dict(zip(part.variables, map(float, part.center), strict=True))
            radius = float(part.radius_squared) ** 0.5
            for name in part.variables:
                yield from ({**center, name: center[name] + sign * radius} for sign in (-1, 1))
        case _:
            yield from ({name: point[name] + sign} for name in part.variables for sign in (-1.0, 1.0))
