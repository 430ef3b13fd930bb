"""The answer of `solve`."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from sosgames import plotting
from sosgames.certificates.claims import VerifiedClaim, listing, number
from sosgames.certificates.gambit import GameTree
from sosgames.certificates.games import ExactGame
from sosgames.certificates.gaps import first_order_gap, square_root_above
from sosgames.certificates.prooffiles import from_dict
from sosgames.certificates.proofs import EquilibriumProof, ModulusProof, RegretProof
from sosgames.certificates.verifier import verify
from sosgames.equilibria.behaviour import Behaviour, behaviours
from sosgames.equilibria.deviations import gain_curves
from sosgames.errors import InputError, reading
from sosgames.games import Game
from sosgames.results.bracket import pair

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MOST_SHOWN = 20
"""Variables or information sets in a summary; the proof holds them all."""


class Assurance(enum.Enum):
    """What the gaps of a point prove; the text is diagnosis and remedy."""

    UNIQUE = "the game is strictly monotone, so the equilibrium is unique and within the distance"
    REGRET = "no player gains more than the regret by deviating; other equilibria may exist elsewhere"
    BEST_REPLIES = (
        "no player gains more than the regret by deviating: the game is not certified concave, but a sum of"
        " squares bounds each best reply; where the regret is not 0, other points may have less"
    )
    FIRST_ORDER = (
        "the gaps hold to first order only: neither concavity nor monotonicity is certified on a set that is"
        " known to be convex, and no sum of squares that bounds the best replies was found, so larger gains"
        " are not excluded; ask for a higher level, more time, or pass weights"
    )


@dataclass(frozen=True, slots=True, repr=False)
class Equilibrium:
    r"""A rational point with exact bounds on how far it is from an equilibrium.

    The gap of player i at x is :math:`\max_{z \in X_i} \nabla_i u_i(x) \cdot (z - x_i)`. Where every utility
    is concave in own variables no deviation gains more than the gap. Where the game is monotone with
    modulus :math:`\mu > 0` and weights r, every equilibrium x* has
    :math:`\sum_i r_i |x_i - x_i^*|^2 \le \sum_i r_i \, gap_i / \mu`.

    Where the game is not certified concave, each player's best reply to the point is bounded by a sum of
    squares in the player's own variables: the point is an :math:`\varepsilon`-equilibrium with
    :math:`\varepsilon` the ``regret``. For one player it is a best strategy up to the regret.

    Attributes
    ----------
    problem
        The game.
    proof
        What is claimed, for `sosgames.verify`; the verifier has accepted it.
    seconds
        Wall time of certifying and solving.
    tree
        The extensive form that the game was read from, for `behaviour`.
    """

    problem: ExactGame
    proof: EquilibriumProof | RegretProof
    seconds: float
    tree: GameTree | None = field(default=None, compare=False)

    @property
    def point(self) -> Mapping[str, Fraction]:
        """The value of each variable."""
        return self.proof.point

    @property
    def gaps(self) -> Mapping[str, Fraction]:
        """The first-order gap of each player who has variables; exact, rounded up on balls.

        Players whose sets have no closed form for it are left out of a point whose best replies are bounded.
        """
        if isinstance(self.proof, EquilibriumProof):
            return self.proof.gaps
        return dict(_known_gaps(self.problem, self.point))

    @property
    def is_exact(self) -> bool:
        """Whether all regrets, where they are proved, or else all gaps are 0."""
        return not any((self.gaps if self.regrets is None else self.regrets).values())

    @property
    def payoffs(self) -> Mapping[str, Fraction]:
        """The utility of each player at the point, exactly."""
        return {player.name: player.utility(self.point) for player in self.problem.players}

    @property
    def regrets(self) -> Mapping[str, Fraction] | None:
        """What each player who has variables gains at most by deviating; None when that is not proved."""
        if isinstance(self.proof, RegretProof):
            return self.proof.regrets
        return self.proof.gaps if self.proof.regret else None

    @property
    def regret(self) -> Fraction | None:
        """No player gains more than this by deviating; None when that is not proved."""
        return None if self.regrets is None else max(self.regrets.values())

    @property
    def behaviour(self) -> tuple[Behaviour, ...]:
        """For a game in extensive form, what is done at each information set; empty for other games."""
        return () if self.tree is None else behaviours(self.tree, self.point)

    @property
    def distance_bound(self) -> Fraction | None:
        """Proved bound on the distance to every equilibrium, a square root rounded up; None without one.

        With weights r it bounds the norm in which player i's squares count r_i times.
        """
        squared = None if isinstance(self.proof, RegretProof) else self.proof.distance_squared
        return None if squared is None else square_root_above(squared)

    @property
    def certificate(self) -> ModulusProof | None:
        """The proof of concavity or monotonicity behind ``regret`` and ``distance_bound``, or None."""
        return None if isinstance(self.proof, RegretProof) else self.proof.certificate

    @property
    def assurance(self) -> Assurance:
        """What the gaps prove about this game."""
        if isinstance(self.proof, RegretProof):
            return Assurance.BEST_REPLIES
        if self.proof.distance_squared is not None:
            return Assurance.UNIQUE
        return Assurance.REGRET if self.proof.regret else Assurance.FIRST_ORDER

    def verify(self) -> VerifiedClaim:
        """Check the proof again, from the game alone; raises `CertificateError` when it fails."""
        return verify(self.proof, self.problem)

    def summary(self) -> str:
        """In words: the point (for a tree, by information sets), the payoffs, and what is proved of them."""
        name = self.problem.name or "game"
        lines = [f"{name}: {self._headline}"]
        if self.tree is None:
            lines += [f"  {variable} = {number(value)}" for variable, value in self.point.items()]
        else:
            lines += [f"  {behaviour}" for behaviour in self.behaviour]
        if len(lines) > MOST_SHOWN + 1:
            lines[MOST_SHOWN + 1 :] = [f"  ... and {len(lines) - MOST_SHOWN - 1} more"]
        lines.append(f"  payoffs: {listing(self.payoffs)}")
        if self.regret is not None:
            lines.append(f"  regret: {self._regret_text}")
        if self.distance_bound is not None:
            lines.append(f"  distance to the equilibrium: at most {_short(self.distance_bound)}")
        lines.append(f"  {self.assurance.value}")
        return "\n".join(lines)

    @property
    def _headline(self) -> str:
        if self.regret is None:
            return f"point with {self._gap_text}"
        alone = len(self.regrets or ()) == 1
        if self.is_exact:
            return "best strategy" if alone else "equilibrium"
        return f"{'strategy' if alone else 'point'} with regret at most {_short(self.regret)}"

    @property
    def _regret_text(self) -> str:
        regrets = self.regrets or {}
        if not any(regrets.values()):
            return "0 for every player" if len(regrets) > 1 else "0"
        return "at most " + ", ".join(f"{_short(r)} for {name}" for name, r in list(regrets.items())[:6])

    @property
    def _gap_text(self) -> str:
        return "all gaps 0" if self.is_exact else f"gaps at most {_short(max(self.gaps.values()))}"

    def __repr__(self) -> str:
        return f"<solution: {self._headline}, {self.assurance.name}, {self.seconds:.2f} s>"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what each player gains along straight deviations, and what is proved of the gains, dashed.

        No curve rises above the player's regret; where no regret is proved, the dashed line is the gap.
        """
        times = np.linspace(0, 1, 101)
        curves = gain_curves(self.problem, {name: float(v) for name, v in self.point.items()}, times)
        bounds = self.gaps if self.regrets is None else self.regrets
        return plotting.plot_gains(times, curves, {name: float(b) for name, b in bounds.items()}, ax)

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON values; exact numbers are pairs of integers."""
        return {
            "point": {name: pair(value) for name, value in self.point.items()},
            "gaps": {name: pair(gap) for name, gap in self.gaps.items()},
            "payoffs": {name: pair(payoff) for name, payoff in self.payoffs.items()},
            "regret": pair(self.regret),
            "distance_bound": pair(self.distance_bound),
            "assurance": self.assurance.name.lower(),
            "behaviour": [behaviour.to_dict() for behaviour in self.behaviour],
            "proof": self.proof.to_dict(),
            "seconds": self.seconds,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], game: Game | ExactGame) -> Equilibrium:
        """The result that `to_dict` wrote about this game; call `verify` to check its proof again.

        Everything but the seconds comes from the proof.

        Raises
        ------
        InputError
            When the values are no such result; `CertificateError` when its proof is malformed.
        """
        with reading("an equilibrium"):
            proof, seconds = from_dict(data["proof"]), float(data["seconds"])
        if not isinstance(proof, (EquilibriumProof, RegretProof)):
            raise InputError(f"an equilibrium: got a {type(proof).__name__}, which claims something else.")
        problem, tree = (game.exact, game.tree) if isinstance(game, Game) else (game, None)
        bounds = proof.gaps if isinstance(proof, EquilibriumProof) else proof.regrets
        movers = {player.name for player in problem.players if player.variables}
        if proof.point.keys() != set(problem.variables) or bounds.keys() != movers:
            raise InputError("an equilibrium: its variables or players are not those of the game.")
        return cls(problem, proof, seconds, tree)


def _known_gaps(problem: ExactGame, point: Mapping[str, Fraction]) -> Iterator[tuple[str, Fraction]]:
    for player in problem.players:
        with suppress(InputError):
            if player.variables:
                yield player.name, first_order_gap(player, point)


def _short(bound: Fraction) -> str:
    """An upper bound for people: exact if it is short, otherwise three digits, rounded up."""
    if len(str(bound)) <= 12:
        return str(bound)
    with localcontext(Context(prec=3, rounding=ROUND_CEILING, Emax=MAX_EMAX, Emin=MIN_EMIN)):
        return f"{Decimal(bound.numerator) / Decimal(bound.denominator):g}"
