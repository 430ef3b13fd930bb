"""One probability an action: which variable it is, and which action of a choice has none.

At each information set the probability of the last action listed is eliminated, being 1 minus the others.
A variable is named ``player_action``, or ``player_set_action`` when the player has several choices, with
everything but ASCII letters and digits turned into underscores and a number added to what would repeat.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sosgames.certificates.gambit.nodes import InformationSet

_LENGTH = 24


@dataclass(frozen=True, slots=True)
class Choice:
    """How one information set of a player enters the polynomials.

    ``variables[k]`` is the probability of ``actions[k]``; the last action has the rest to 1 and no
    variable. A single action is certain and has none either.
    """

    player: str
    information_set: int
    name: str
    actions: tuple[str, ...]
    variables: tuple[str, ...]

    @property
    def eliminated(self) -> str:
        """The action without a variable."""
        return self.actions[-1]

    def describe(self) -> str:
        """The choice as text, one line an action.

        >>> print(Choice("Ann", 1, "start", ("left", "right"), ("Ann_left",)).describe())
        Ann, information set 1 'start'
          left: Ann_left
          right: 1 - Ann_left (eliminated)
        """
        name = f" {self.name!r}" if self.name else ""
        rest = " - ".join(["1", *self.variables])
        lines = [
            f"  {action}: {variable}" for action, variable in zip(self.actions, self.variables, strict=False)
        ]
        last = f"  {self.eliminated}: {rest}" + (" (eliminated)" if self.variables else " (the only action)")
        return "\n".join([f"{self.player}, information set {self.information_set}{name}", *lines, last])


def player_names(labels: Sequence[str]) -> tuple[str, ...]:
    """Names that are not empty and all different, from a file's labels."""
    fresh = _Fresh(" ")
    return tuple(fresh.name(label or f"player {k}") for k, label in enumerate(labels, start=1))


def printable(label: str) -> str:
    """The first 1,000 characters of a label, with question marks for what would not print on one line."""
    return "".join(c if c.isprintable() else "?" for c in label[:1_000])


def choices(players: Sequence[str], sets: Sequence[InformationSet]) -> tuple[Choice | None, ...]:
    """The choice of each information set, in the same order; None for chance."""
    several = Counter(s.player for s in sets if len(s.actions) > 1)
    fresh = _Fresh("_")
    found: list[Choice | None] = []
    for s in sets:
        if s.player is None:
            found.append(None)
            continue
        middle = [_label(s.name, str(s.number))] if several[s.player] > 1 else []
        actions = [action or f"action {k}" for k, action in enumerate(s.actions, start=1)]
        variables = []
        for k, action in enumerate(actions[:-1], start=1):
            parts = [_label(players[s.player], f"P{s.player + 1}"), *middle, _identifier(action) or f"a{k}"]
            variables.append(fresh.name(_legal("_".join(parts))))
        found.append(Choice(players[s.player], s.number, s.name, tuple(actions), tuple(variables)))
    return tuple(found)


def _identifier(label: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", label).strip("_")[:_LENGTH]


def _label(label: str, otherwise: str) -> str:
    """The label if it has a letter to tell it by; ``(1,2)`` and the like are numbers in disguise."""
    name = _identifier(label)
    return name if re.search(r"[A-Za-z]", name) else otherwise


def _legal(name: str) -> str:
    return f"_{name}" if name[0].isdigit() else name


class _Fresh:
    """Gives out names, with the next free number behind a name that is taken."""

    def __init__(self, joint: str) -> None:
        self._joint = joint
        self._used: set[str] = set()
        self._numbers: dict[str, int] = {}

    def name(self, wanted: str) -> str:
        name = wanted
        while name in self._used:
            self._numbers[wanted] = self._numbers.get(wanted, 1) + 1
            name = f"{wanted}{self._joint}{self._numbers[wanted]}"
        self._used.add(name)
        return name
