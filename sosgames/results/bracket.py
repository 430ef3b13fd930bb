"""The bracket around one modulus, and how it was reached."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sosgames.results.verdict import Verdict, verdict_of


class Stop(enum.Enum):
    """Why the search ended; the text is diagnosis and remedy."""

    DECIDED = "the bracket decides"
    NOT_NEEDED = "another player's counterexample decides; ask for a level to bound this one as well"
    EMPTY = "the conditions of X contradict each other: X is empty, and the claim holds without a point"
    EXACT = "the bracket is closed: the modulus is known exactly"
    LEVEL_LIMIT = "the highest level allowed was reached; raise max_level to go on"
    CLIQUES = (
        "the sum of clique matrices proved no more: couplings around cycles may need more than each pair of "
        "neighbours can show; raise max_level, or ask for structure='whole' if the game is small enough"
    )
    NO_RATIONAL_FACE = (
        "at the value that a point of X suggests for the modulus the identity has no interior, and no face "
        "of it that rational vectors span was found; raise max_level, or try form='schmuedgen' or 'scalar'"
    )
    REAL_SQUARES_ONLY = (
        "at the value that a point of X suggests for the modulus floating point finds sums of squares and "
        "exact arithmetic none: they may exist over the real numbers only, and then no level of this form "
        "has a rational proof; try another form, or describe the set by other constraints"
    )
    TIME_LIMIT = "the time limit was reached; raise time_limit to go on"
    SIZE_LIMIT = "the next level is larger than memory_limit allows; raise it, or ask for a lower level"
    SIZE_LIMIT_TIED = (
        "the next level is larger than memory_limit allows, and equations between strategies rule out the "
        "cliques by which large sparse games are proved; write each probability simplex with one variable "
        "eliminated (Simplex), raise memory_limit, or ask for a lower level"
    )
    WEIGHT_BOUND = (
        "a weight ended at the least one that is sought, a ten-thousandth of the mean; smaller ones may do "
        "better without end; give weights by hand to ask about yours"
    )
    INTERRUPTED = "interrupted; the bracket is what was proved until then"
    ZERO_MODULUS = (
        "the bracket contains 0 and has nearly closed: the modulus is 0 or within the bracket's width of it; "
        "a proof at 0 needs a face spanned by rational vectors, which was not found (sums of squares may "
        "exist over the real numbers only); raise max_level, or describe the set by other constraints"
    )
    OUT_OF_RANGE = (
        "the numbers are too large or too far apart for floating point, in which proofs are sought; rescale "
        "the utilities, the weights or the variables"
    )
    NO_POINT = (
        "no rational point of X was found, so nothing can be refuted; X may be empty, or have equations that "
        "no simple rational point solves"
    )
    REFUSED = "the verifier refused the proof that was found, so it was dropped; please report the game"
    SOLVER_FAILED = (
        "no solver reached a point that could be rounded to a proof; try another solver or a higher level"
    )


@dataclass(frozen=True, slots=True)
class Step:
    """One level of the hierarchy: the bound that was proved there, and what it cost.

     ``numeric`` is the solver's own bound: numerical, not proved. ``rung`` names the idea: "strict" (an
     interior point was rounded), "face: zeros", "face: range", "denominator", "constant", "cliques" (a sum
     over the cliques of the interaction graph), "empty" (the conditions contradict each other), "averages"
    (of the entries that feed a coefficient; no solver).
    ``form`` is that of the identity, "matrix", "schmuedgen" or
     "scalar"; levels of different forms are not the same degree.
    """

    level: int
    lower: Fraction | None
    numeric: float | None
    side: int
    equations: int
    solver: str
    rung: str
    seconds: float
    form: str = "matrix"

    def to_dict(self) -> dict[str, Any]:
        return {
            "level": self.level,
            "lower": pair(self.lower),
            "numeric": self.numeric,
            "side": self.side,
            "equations": self.equations,
            "solver": self.solver,
            "rung": self.rung,
            "seconds": self.seconds,
            "form": self.form,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Step:
        return cls(**{**data, "lower": unpair(data["lower"])})


@dataclass(frozen=True, slots=True)
class Bracket:
    r"""Exact bounds :math:`lower \le \mu^* \le upper` for one player's Hessian or for the whole game.

    ``player`` is None where the bracket speaks of the whole game or of a matrix. A bound is None where
    nothing is proved. ``level`` is the level whose proof gave ``lower``.
    """

    player: str | None
    lower: Fraction | None
    upper: Fraction | None
    level: int | None
    steps: tuple[Step, ...]
    stop: Stop
    seconds: float

    @property
    def verdict(self) -> Verdict:
        return verdict_of(self.lower, self.upper)

    @property
    def rung(self) -> str | None:
        """The idea behind ``lower``; None where nothing is proved."""
        step = self._decisive
        return None if step is None else step.rung

    @property
    def form(self) -> str | None:
        """The form of the identity behind ``lower``; None where nothing is proved."""
        step = self._decisive
        return None if step is None else step.form

    @property
    def _decisive(self) -> Step | None:
        """The first step that proved ``lower``."""
        found = (step for step in self.steps if step.lower is not None and step.lower == self.lower)
        return next(found, None)

    @property
    def width(self) -> Fraction | None:
        """Upper minus lower, None while one of them is missing."""
        return None if self.lower is None or self.upper is None else self.upper - self.lower

    def to_dict(self) -> dict[str, Any]:
        return {
            "player": self.player,
            "lower": pair(self.lower),
            "upper": pair(self.upper),
            "level": self.level,
            "steps": [step.to_dict() for step in self.steps],
            "stop": self.stop.name.lower(),
            "seconds": self.seconds,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Bracket:
        return cls(
            player=data["player"],
            lower=unpair(data["lower"]),
            upper=unpair(data["upper"]),
            level=data["level"],
            steps=tuple(Step.from_dict(step) for step in data["steps"]),
            stop=Stop[data["stop"].upper()],
            seconds=data["seconds"],
        )


def pair(value: Fraction | None) -> list[int] | None:
    """A rational number as JSON: numerator and denominator."""
    return None if value is None else [value.numerator, value.denominator]


def unpair(value: list[int] | None) -> Fraction | None:
    """The rational number that `pair` wrote."""
    return None if value is None else Fraction(value[0], value[1])
