r"""The point of least regret, in floating point, by the exchange method of semi-infinite programming.

An :math:`\varepsilon`-equilibrium with the least :math:`\varepsilon` solves

.. math:: \min_{x \in X, \, t} t \quad \text{s.t.} \quad u_i(z, x_{-i}) - u_i(x) \le t
          \quad \text{for every player } i \text{ and every } z \in X_i ,

a program with infinitely many conditions. A finite list of replies z is kept for each player; the program
with these alone is solved locally, the best replies to its solution join the list, and so on until they say
nothing new (Blankenship and Falk 1976). Nothing here is trusted: what is claimed of a point is proved
elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sosgames.certificates.games import ExactGame, ExactPlayer
from sosgames.equilibria.projections import FloatArray
from sosgames.equilibria.regions import Region
from sosgames.witnesses.compiled import CompiledPolynomials
from sosgames.witnesses.feasible import FeasibleSet, Point, feasible_set
from sosgames.witnesses.starts import starting_points

MAX_VARIABLES = 60
N_SAMPLES = 400
N_MIXTURES = 200
N_ASCENTS = 3
MAX_ROUNDS = 12
SETTLED = 1e-10


@dataclass(frozen=True, slots=True)
class _Mover:
    """A player in scaled coordinates: the own columns, the payoff, and points of the own set."""

    columns: NDArray[np.int64]
    payoff: CompiledPolynomials
    own: FeasibleSet
    region: Region
    samples: FloatArray

    def with_reply(self, t: FloatArray, reply: FloatArray) -> FloatArray:
        moved = t.copy()
        moved[self.columns] = reply
        return moved

    def value(self, t: FloatArray) -> float:
        return float(self.payoff.values(t[None, :])[0, 0])

    def slope(self, t: FloatArray) -> FloatArray:
        return np.asarray(self.payoff.gradients(t)[:, 0])

    def best_reply(self, t: FloatArray) -> FloatArray:
        """The best of many points of the own set, and of ascents from the two best ones."""
        points = np.repeat(t[None, :], len(self.samples), axis=0)
        points[:, self.columns] = self.samples
        order = np.argsort(-self.payoff.values(points)[:, 0], kind="stable")
        replies = [self.samples[k] for k in order[:N_ASCENTS]] + [t[self.columns]]
        replies += [self._ascended(t, reply) for reply in replies]
        return max(replies, key=lambda reply: self.value(self.with_reply(t, reply)))

    def _ascended(self, t: FloatArray, start: FloatArray) -> FloatArray:
        def loss(reply: FloatArray) -> tuple[float, FloatArray]:
            there = self.with_reply(t, reply)
            return -self.value(there), -self.slope(there)[self.columns]

        return self.region.minimised(loss, start)


class ExchangeMethod:
    """The search for points of least regret in one game; coordinates t as in `FeasibleSet`."""

    def __init__(self, game: ExactGame) -> None:
        self.feasible = feasible_set(game.variables, game.constraints)
        self.movers = [self._mover(player) for player in game.players if player.variables]
        self.region = Region.of(self.feasible, max(player.utility.degree for player in game.players))

    @property
    def applies(self) -> bool:
        """Whether the game is small enough, and points of every player's set are known."""
        return len(self.feasible.names) <= MAX_VARIABLES and all(len(m.samples) for m in self.movers)

    def _mover(self, player: ExactPlayer) -> _Mover:
        own = feasible_set(player.variables, player.constraints)
        region = Region.of(own, player.utility.degree)
        column = {name: i for i, name in enumerate(self.feasible.names)}
        return _Mover(
            np.array([column[name] for name in own.names], dtype=np.int64),
            CompiledPolynomials(
                [self.feasible.coordinates.to_coordinates(player.utility)], self.feasible.names
            ),
            own,
            region,
            _samples(own, region),
        )

    def random_start(self, rng: np.random.Generator) -> FloatArray:
        """For each player a random mixture of two points of the own set."""
        t = np.zeros(len(self.feasible.names))
        for mover in self.movers:
            first, second = mover.samples[rng.integers(0, len(mover.samples), 2)]
            share = rng.random()
            t[mover.columns] = (1 - share) * first + share * second
        return t

    def scaled(self, x: FloatArray) -> FloatArray:
        """The coordinates of a point that is given by the game's variables."""
        exact = {name: Fraction(float(v)) for name, v in zip(self.feasible.variables, x, strict=True)}
        return self.feasible.scaled(exact)

    def known_point(self) -> Point | None:
        """An exact point of X, or None."""
        points = [starting_points(m.own, np.random.default_rng(0), 1) for m in self.movers]
        return dict(item for p in points for item in p.point(0).items()) if all(map(len, points)) else None

    def regret(self, t: FloatArray) -> float:
        """The largest gain of a best reply, as far as the search for it sees."""
        return max((self._gain(m, t, m.best_reply(t)) for m in self.movers), default=0.0)

    def improved(self, start: FloatArray) -> tuple[FloatArray, float]:
        """A point of small regret, reached from a start, and its regret."""
        replies: list[list[FloatArray]] = [[] for _ in self.movers]
        t, best, least = start, start, np.inf
        for _ in range(MAX_ROUNDS):
            found = [mover.best_reply(t) for mover in self.movers]
            regret = max(self._gain(m, t, reply) for m, reply in zip(self.movers, found, strict=True))
            settled = regret >= least - SETTLED
            if regret < least:
                best, least = t, regret
            if settled or least <= SETTLED:
                break
            for known, reply in zip(replies, found, strict=True):
                known.append(reply)
            t = self._least_regret(t, regret, replies)
        return best, float(least)

    def _gain(self, mover: _Mover, t: FloatArray, reply: FloatArray) -> float:
        return mover.value(mover.with_reply(t, reply)) - mover.value(t)

    def _least_regret(
        self, t: FloatArray, regret: float, replies: Sequence[Sequence[FloatArray]]
    ) -> FloatArray:
        """A local solution of the program with these replies alone, from (t, regret)."""
        pairs = [(m, reply) for m, known in zip(self.movers, replies, strict=True) for reply in known]

        def slack(v: FloatArray) -> FloatArray:
            return np.array([v[-1] - self._gain(m, v[:-1], reply) for m, reply in pairs])

        def slack_slope(v: FloatArray) -> FloatArray:
            rows = []
            for mover, reply in pairs:
                there = mover.slope(mover.with_reply(v[:-1], reply))
                there[mover.columns] = 0.0
                rows.append(np.append(mover.slope(v[:-1]) - there, 1.0))
            return np.array(rows)

        upwards = np.append(np.zeros(len(t)), 1.0)
        conditions = [{"type": "ineq", "fun": slack, "jac": slack_slope}]
        moved = self.region.minimised(lambda v: (float(v[-1]), upwards), np.append(t, regret), conditions)
        return moved[:-1]


def _samples(own: FeasibleSet, region: Region) -> FloatArray:
    """Points of a set: corners, middles and the like, and mixtures of pairs of them that lie in the set."""
    rng = np.random.default_rng(0)
    known = starting_points(own, rng, N_SAMPLES).scaled
    if not len(known):
        return known
    first, second = known[rng.integers(0, len(known), (2, N_MIXTURES))]
    mixed = first + rng.random((N_MIXTURES, 1)) * (second - first)
    return np.concatenate([known, mixed[[region.contains(t) for t in mixed]]])
