r"""How much a player can gain by deviating: a reply that gains so much, and a proof that none gains more.

The loss of deviating :math:`L(z) = u_i(x) - u_i(z, x_{-i})` is a polynomial in the player's own variables.
Its minimum over the own set is bracketed as any modulus is: from above by an exact point, from below by sums
of squares of level 2, 4, ..., :math:`L(z) + \varepsilon = s_0(z) + \sum_j s_j(z) g_j(z)` (Lasserre 2001).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from sosgames.certificates.games import ExactPlayer, MatrixProblem
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.proofs import ModulusProof
from sosgames.certificates.regrets import loss_of_deviating
from sosgames.errors import LimitError
from sosgames.results import Step
from sosgames.search.forms import MatrixForm
from sosgames.search.limits import Deadline, Limits
from sosgames.search.target import COMFORTABLE_SIDE, LARGEST_SIDE, Target
from sosgames.witnesses import Witness, find_witness

Point = Mapping[str, Fraction]
NEARLY = 10**6
SIMPLE = 10_000
"""Largest denominator of a reply that may be the best one exactly."""


@dataclass(frozen=True, slots=True)
class BestReply:
    """A player's best reply to the others' strategies, as far as it is known.

    Attributes
    ----------
    strategy
        The best reply that was found, exactly in the player's set.
    gain
        What it gains over the point that was asked about; at least 0.
    bound
        No reply gains more; None when nothing is proved.
    certificate
        The proof of ``bound``.
    steps
        What was tried, level by level; their bounds are minus the gain beyond ``gain``.
    """

    strategy: Point
    gain: Fraction
    bound: Fraction | None
    certificate: ModulusProof | None
    steps: tuple[Step, ...]


def find_reply(player: ExactPlayer, x: Point) -> tuple[Point, Fraction]:
    """The best reply that a short search finds, or the strategy at x itself, and what it gains."""
    stay = {name: x[name] for name in player.variables}
    problem = loss_of_deviating(player, x)
    witness = find_witness(modulus_matrix(problem, "matrix"), problem)
    return (stay, Fraction(0)) if witness is None or witness.value >= 0 else (witness.x, -witness.value)


def best_reply(
    player: ExactPlayer,
    x: Point,
    limits: Limits,
    tolerance: Fraction,
    report: Callable[[str], None],
) -> BestReply:
    """Bracket what a player can gain by leaving x; levels rise until the bracket is within the tolerance."""
    strategy, gain = find_reply(player, x)
    target = _loss_beyond(player, x, strategy, gain)
    deadline = limits.deadline()
    if target.is_constant:
        target.bound_constant()
    else:
        for level in target.levels(target.form(MatrixForm.name), limits):
            if deadline.passed or not _raised(target, level, limits, deadline, NEARLY * tolerance):
                break
            report(f"player {player.name}: level {level}; regret at most {_shown(gain, target)}")
            if target.lower is not None and -target.lower <= tolerance:
                break
    if target.part is None:
        return BestReply(strategy, gain, None, None, tuple(target.steps))
    part = replace(target.part, mu=target.part.mu - gain)
    proof = ModulusProof("matrix", player.variables, (part,))
    return BestReply(strategy, gain, -proof.mu, proof, tuple(target.steps))


def _loss_beyond(player: ExactPlayer, x: Point, strategy: Point, gain: Fraction) -> Target:
    """The search for a proof that no reply gains more than ``gain``, as far as there is one."""
    loss = loss_of_deviating(player, x)
    problem = MatrixProblem(((loss.rows[0][0] + gain,),), loss.variables, loss.strategies)
    witness = Witness(strategy, (Fraction(1),), Fraction(0))
    return Target(problem, None, modulus_matrix(problem, "matrix"), None, witness=witness)


def _raised(target: Target, level: int, limits: Limits, deadline: Deadline, enough: Fraction) -> bool:
    """Work at one level, exactly where the best reply is simple; whether higher levels may come.

    A bracket narrower than ``enough`` is improved where that is cheap.
    """
    form = target.form(MatrixForm.name)
    nearly = target.lower is not None and -target.lower <= enough
    largest = COMFORTABLE_SIDE if nearly else LARGEST_SIDE
    simple = target.witness is not None and all(v.denominator <= SIMPLE for v in target.witness.x.values())
    try:
        if not (simple and target.close(form, level, limits, deadline, sides=(0, largest))):
            target.bound_below(form, level, limits, deadline, only_if_cheap=nearly)
    except LimitError:
        return False
    return True


def _shown(gain: Fraction, target: Target) -> str:
    return "?" if target.lower is None else f"{float(gain - target.lower):.3g}"
