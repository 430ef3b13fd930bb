"""The answer of `solve`."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from sosgames import plotting
from sosgames.certificates.claims import VerifiedClaim, number
from sosgames.certificates.games import ExactGame
from sosgames.certificates.gaps import square_root_above
from sosgames.certificates.prooffiles import from_dict
from sosgames.certificates.proofs import EquilibriumProof, ModulusProof
from sosgames.certificates.verifier import verify
from sosgames.equilibria.deviations import gain_curves
from sosgames.errors import InputError
from sosgames.results.bracket import pair

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Assurance(enum.Enum):
    """What the gaps of a point prove; the text is diagnosis and remedy."""

    UNIQUE = "the game is strictly monotone, so the equilibrium is unique and within the distance"
    REGRET = "no player gains more than the regret by deviating; other equilibria may exist elsewhere"
    FIRST_ORDER = (
        "the gaps hold to first order only: neither concavity nor monotonicity is certified on a set that is"
        " known to be convex, so larger gains are not excluded; certify the game at a higher level, or pass"
        " weights"
    )


@dataclass(frozen=True, slots=True, repr=False)
class Equilibrium:
    r"""A rational point with exact bounds on how far it is from an equilibrium.

    The gap of player i at x is :math:`\max_{z \in X_i} \nabla_i u_i(x) \cdot (z - x_i)`. Where every utility
    is concave in own variables no deviation gains more than the gap. Where the game is monotone with
    modulus :math:`\mu > 0` and weights r, every equilibrium x* has
    :math:`\sum_i r_i |x_i - x_i^*|^2 \le \sum_i r_i \, gap_i / \mu`.

    Attributes
    ----------
    problem
        The game.
    proof
        What is claimed, for `sosgames.verify`; the verifier has accepted it.
    seconds
        Wall time of certifying and solving.
    """

    problem: ExactGame
    proof: EquilibriumProof
    seconds: float

    @property
    def point(self) -> Mapping[str, Fraction]:
        """The value of each variable."""
        return self.proof.point

    @property
    def gaps(self) -> Mapping[str, Fraction]:
        """The first-order gap of each player who has variables; exact, rounded up on balls."""
        return self.proof.gaps

    @property
    def is_exact(self) -> bool:
        """Whether all gaps are 0: with a certificate the point is an equilibrium."""
        return not any(self.gaps.values())

    @property
    def regret(self) -> Fraction | None:
        """No player gains more than this by deviating; None when that is not proved."""
        return max(self.gaps.values()) if self.proof.regret else None

    @property
    def distance_bound(self) -> Fraction | None:
        """Proved bound on the distance to every equilibrium, a square root rounded up; None without one.

        With weights r it bounds the norm in which player i's squares count r_i times.
        """
        squared = self.proof.distance_squared
        return None if squared is None else square_root_above(squared)

    @property
    def certificate(self) -> ModulusProof | None:
        """The proof of concavity or monotonicity behind ``regret`` and ``distance_bound``."""
        return self.proof.certificate

    @property
    def assurance(self) -> Assurance:
        """What the gaps prove about this game."""
        if self.proof.distance_squared is not None:
            return Assurance.UNIQUE
        return Assurance.REGRET if self.proof.regret else Assurance.FIRST_ORDER

    def verify(self) -> VerifiedClaim:
        """Check the proof again, from the game alone; raises `CertificateError` when it fails."""
        return verify(self.proof, self.problem)

    def summary(self) -> str:
        """In words: the point, the gaps, and what they prove."""
        name = self.problem.name or "game"
        lines = [f"{name}: {'equilibrium' if self._is_equilibrium else 'point'} with {self._gap_text}"]
        lines += [f"  {variable} = {number(value)}" for variable, value in list(self.point.items())[:20]]
        if len(self.point) > 20:
            lines.append(f"  ... and {len(self.point) - 20} more")
        if self.regret is not None:
            lines.append(f"  regret: at most {_short(self.regret)} for every player")
        if self.distance_bound is not None:
            lines.append(f"  distance to the equilibrium: at most {_short(self.distance_bound)}")
        lines.append(f"  {self.assurance.value}")
        return "\n".join(lines)

    @property
    def _is_equilibrium(self) -> bool:
        return self.is_exact and self.proof.regret

    @property
    def _gap_text(self) -> str:
        return "all gaps 0" if self.is_exact else f"gaps at most {_short(max(self.gaps.values()))}"

    def __repr__(self) -> str:
        return f"<equilibrium: {self._gap_text}, {self.assurance.name}, {self.seconds:.2f} s>"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what each player gains along straight deviations; no curve rises above the player's gap."""
        times = np.linspace(0, 1, 101)
        curves = gain_curves(self.problem, {name: float(v) for name, v in self.point.items()}, times)
        return plotting.plot_gains(times, curves, {name: float(gap) for name, gap in self.gaps.items()}, ax)

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON values; exact numbers are pairs of integers."""
        return {
            "point": {name: pair(value) for name, value in self.point.items()},
            "gaps": {name: pair(gap) for name, gap in self.gaps.items()},
            "regret": pair(self.regret),
            "distance_bound": pair(self.distance_bound),
            "assurance": self.assurance.name.lower(),
            "proof": self.proof.to_dict(),
            "seconds": self.seconds,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], problem: ExactGame) -> Equilibrium:
        """The result that `to_dict` wrote about this game; call `verify` to check its proof again."""
        proof = from_dict(data["proof"])
        if not isinstance(proof, EquilibriumProof):
            raise InputError(f"an equilibrium: got a {type(proof).__name__}, not an EquilibriumProof.")
        return cls(problem, proof, data["seconds"])


def _short(value: Fraction) -> str:
    return str(value) if len(str(value)) <= 12 else f"{float(value):.3g}"
