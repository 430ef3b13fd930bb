"""The verdict: a function of the exact bracket and of nothing else."""

from __future__ import annotations

import enum
from fractions import Fraction


class Verdict(enum.Enum):
    """What is known about a property of a game.

    CERTIFIED
        The property holds for every x in X: a proof shows that the modulus is at least 0.
    REFUTED
        It fails: a rational point of X shows that the modulus is negative.
    UNDECIDED
        Neither is proved; the bracket says what is.
    """

    CERTIFIED = "certified"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


def verdict_of(lower: Fraction | None, upper: Fraction | None) -> Verdict:
    r"""The verdict that :math:`lower \le \mu^* \le upper` implies; None is an infinite end.

    >>> verdict_of(Fraction(0), None), verdict_of(None, Fraction(-1, 10**12))
    (<Verdict.CERTIFIED: 'certified'>, <Verdict.REFUTED: 'refuted'>)
    """
    if lower is not None and lower >= 0:
        return Verdict.CERTIFIED
    if upper is not None and upper < 0:
        return Verdict.REFUTED
    return Verdict.UNDECIDED


def is_strict(lower: Fraction | None, upper: Fraction | None) -> bool | None:
    """Whether the modulus is positive: True, False, or None when the bracket leaves it open."""
    if lower is not None and lower > 0:
        return True
    if upper is not None and upper <= 0:
        return False
    return None
