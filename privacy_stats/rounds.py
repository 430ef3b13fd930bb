"""One round of questions, announced to everybody: what is asked, how it is randomised, at which budgets."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from privacy_stats.budgets import BILLION, LARGEST, Kind
from privacy_stats.errors import ArgumentError, DocumentError
from privacy_stats.mechanisms import Channel, Mechanism, mechanism_from_dict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from privacy_stats.budgets import Budgets

MOST_LEVELS = 1 << 16
MOST_USERS = (1 << 31) - 1
_FORMAT, _VERSION = "privacy_stats.round", 1
_FIELDS = {"format", "version", "survey", "number", "mechanism", "kind", "levels", "n_users", "share"}


@dataclass(frozen=True, slots=True)
class Round:
    """The public announcement that clients answer and the server aggregates by.

    A client reads from it the mechanism, the range and the public levels, and computes everything that
    privacy depends on (level, scale, thresholds) itself from its own budget; a dishonest announcement can
    make reports useless, never less private than the budget.

    Parameters
    ----------
    survey : str
        Name of the survey, 1 to 100 printable characters.
    mechanism : Mechanism
        How a value becomes a report.
    kind : {"pure", "zcdp"}
        Notion of privacy of the levels.
    levels : tuple of Fraction
        Public total budgets, ascending; a user reports at the highest level within the own budget.
    n_users : int
        Number of enrolled users, at most 2**31 - 1; users are numbered 0..n_users - 1.
    number : int
        Number of the round in the survey, 1 to 1000.
    share : Fraction
        Part of the total budget that this round spends; the shares of a survey's rounds sum to at most 1.

    Raises
    ------
    ArgumentError
        If an argument is out of range, or the mechanism cannot keep budgets of this kind.

    Examples
    --------
    >>> from privacy_stats.budgets import Budgets
    >>> from privacy_stats.mechanisms import OneBit
    >>> budgets = Budgets.pure([0.5, 1, 1, 2])
    >>> round_ = Round.of("commuting", OneBit(0, 120), budgets)
    >>> round_
    Round(commuting, 1, one-bit, pure, 3 levels, n_users=4)
    >>> round_ == Round.from_json(round_.to_json())
    True
    """

    survey: str
    mechanism: Mechanism
    kind: Kind
    levels: tuple[Fraction, ...]
    n_users: int
    number: int = 1
    share: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if not (isinstance(self.survey, str) and 1 <= len(self.survey) <= 100 and self.survey.isprintable()):
            raise ArgumentError("survey: wanted a name of 1 to 100 printable characters")
        if not isinstance(self.mechanism, Mechanism):
            raise ArgumentError(f"mechanism: got {type(self.mechanism).__name__}, wanted a Mechanism")
        if self.kind not in LARGEST:
            raise ArgumentError(f"kind: got {self.kind!r}, wanted 'pure' or 'zcdp'")
        self.mechanism.require_kind(self.kind)
        _check_integer("n_users", self.n_users, MOST_USERS)
        _check_integer("number", self.number, 1000)
        if not (isinstance(self.share, Fraction) and 0 < self.share <= 1):
            raise ArgumentError(f"share: got {self.share!r}, wanted a Fraction in (0, 1]")
        self._check_levels()

    def _check_levels(self) -> None:
        if not 1 <= len(self.levels) <= MOST_LEVELS:
            raise ArgumentError(
                f"levels: got {len(self.levels)}, wanted 1 to {MOST_LEVELS}; "
                "group users with Budgets.rounded_down"
            )
        if not all(isinstance(level, Fraction) for level in self.levels):
            raise ArgumentError("levels: wanted exact Fractions, such as budgets.levels")
        whole = [level * BILLION for level in self.levels]
        if any(b.denominator != 1 or not 1 <= b <= LARGEST[self.kind] for b in whole):
            raise ArgumentError("levels: wanted whole billionths within the largest budget in use")
        if any(a >= b for a, b in zip(self.levels, self.levels[1:], strict=False)):
            raise ArgumentError("levels: wanted strictly ascending budgets")
        if self.spent(0) == 0:
            raise ArgumentError(f"share: {self.share} of the lowest level is below one billionth")

    @classmethod
    def of(
        cls,
        survey: str,
        mechanism: Mechanism,
        budgets: Budgets,
        *,
        n_users: int | None = None,
        number: int = 1,
        share: Fraction = Fraction(1),
    ) -> Round:
        """Announce a round at the levels of `budgets`, by default for as many users as `budgets` has."""
        count = len(budgets) if n_users is None else n_users
        return cls(survey, mechanism, budgets.kind, budgets.levels, count, number, share)

    def __repr__(self) -> str:
        return (
            f"Round({self.survey}, {self.number}, {self.mechanism.name}, {self.kind}, "
            f"{len(self.levels)} levels, n_users={self.n_users})"
        )

    @property
    def n_strata(self) -> int:
        """Number of (group of levels, arm) pairs; the stratum is part of every report."""
        return (max(self.mechanism.groups(self.levels)) + 1) * self.mechanism.arms

    def first_strata(self) -> tuple[int, ...]:
        """Return every level's stratum of arm 0: ``group * arms``; by default a level is its own group."""
        return tuple(group * self.mechanism.arms for group in self.mechanism.groups(self.levels))

    def report_ranges(self) -> list[tuple[int, int]]:
        """Return the smallest and the largest report of every stratum."""
        ranges: dict[int, tuple[int, int]] = {}
        for level, first in enumerate(self.first_strata()):
            for arm, channel in enumerate(self.channels(level)):
                low, high = channel.report_range
                known = ranges.get(first + arm, (low, high))
                ranges[first + arm] = (min(low, known[0]), max(high, known[1]))
        return [ranges[stratum] for stratum in range(self.n_strata)]

    def spent(self, level: int) -> Fraction:
        """Return the budget that an answer at a level spends: its share, rounded down to billionths."""
        return Fraction(int(self.levels[level] * BILLION * self.share), BILLION)

    def channels(self, level: int) -> tuple[Channel, ...]:
        """Return the checked channels at a level, one per arm."""
        make = _channels if self.mechanism.remembered else type(self.mechanism).channels
        return make(self.mechanism, self.kind, self.spent(level))

    def level_of(self, billionths: int) -> int:
        """Return the highest level within a budget.

        Raises
        ------
        ArgumentError
            If the budget is below every level.
        """
        below = [k for k, level in enumerate(self.levels) if level * BILLION <= billionths]
        if not below:
            raise ArgumentError(
                f"budget: {billionths / BILLION:g} is below the lowest level {float(self.levels[0]):g} "
                f"of {self!r}"
            )
        return below[-1]

    def levels_of(self, budgets: Budgets) -> NDArray[np.int32]:
        """Return every user's level; the array form of `level_of`."""
        import numpy as np

        if budgets.kind != self.kind:
            raise ArgumentError(f"budgets: got {budgets.kind} budgets, {self!r} takes {self.kind}")
        public = np.array([int(level * BILLION) for level in self.levels], dtype=np.int64)
        level = np.searchsorted(public, budgets.ladder, side="right") - 1
        if level[0] < 0:
            row = int(np.argmin(budgets.billionths))
            raise ArgumentError(
                f"budgets: {int(budgets.billionths[row]) / BILLION:g} in row {row} is below the lowest level "
                f"{float(self.levels[0]):g} of {self!r}"
            )
        return level.astype(np.int32)[budgets.rung]

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that change with every field."""
        text = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; levels in billionths."""
        return {
            "format": _FORMAT,
            "version": _VERSION,
            "survey": self.survey,
            "number": self.number,
            "mechanism": self.mechanism.to_dict(),
            "kind": self.kind,
            "levels": [int(level * BILLION) for level in self.levels],
            "n_users": self.n_users,
            "share": f"{self.share.numerator}/{self.share.denominator}",
        }

    def to_json(self) -> str:
        """Return the announcement as one line of JSON."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_dict(cls, document: Any) -> Round:
        """Read what `to_dict` wrote, trusting nothing.

        Raises
        ------
        DocumentError
            If the document is not an announcement of this version.
        """
        if not isinstance(document, dict) or document.get("format") != _FORMAT:
            raise DocumentError(f"round: wanted an object of format {_FORMAT!r}")
        if document.get("version") != _VERSION:
            raise DocumentError(f"round: version {document.get('version')!r} is not {_VERSION}")
        if set(document) != _FIELDS:
            raise DocumentError(f"round: wanted exactly the fields {', '.join(sorted(_FIELDS))}")
        levels, share = document["levels"], document["share"]
        if not isinstance(levels, list) or not all(type(b) is int and 0 < b < 2**62 for b in levels):
            raise DocumentError("round: 'levels' must be a list of positive integers (billionths)")
        if not isinstance(share, str) or not re.fullmatch(r"[0-9]{1,18}/[1-9][0-9]{0,17}", share):
            raise DocumentError("round: 'share' must be a fraction such as '1/4'")
        try:
            return cls(
                survey=document["survey"],
                mechanism=mechanism_from_dict(document["mechanism"]),
                kind=document["kind"],
                levels=tuple(Fraction(b, BILLION) for b in levels),
                n_users=document["n_users"],
                number=document["number"],
                share=Fraction(share),
            )
        except (ArgumentError, TypeError) as error:
            raise DocumentError(f"round: {error}") from None

    @classmethod
    def from_json(cls, text: str | bytes) -> Round:
        """Read what `to_json` wrote; at most 4 MB.

        Raises
        ------
        DocumentError
            If the text is not an announcement of this version.
        """
        if len(text) > 1 << 22:
            raise DocumentError(f"round: {len(text)} bytes are more than 4 MB")
        try:
            return cls.from_dict(json.loads(text))
        except (ValueError, RecursionError) as error:
            if isinstance(error, DocumentError):
                raise
            raise DocumentError(f"round: not JSON ({type(error).__name__})") from None


@lru_cache(maxsize=1 << 12)
def _channels(mechanism: Mechanism, kind: Kind, spent: Fraction) -> tuple[Channel, ...]:
    """Checked channels are values, and clients, server and estimates ask for the same ones again."""
    return mechanism.channels(kind, spent)


def _check_integer(name: str, value: Any, most: int) -> None:
    if type(value) is not int or not 1 <= value <= most:
        raise ArgumentError(f"{name}: got {value!r}, wanted an integer from 1 to {most}")
