"""A point of a game in behavioural strategies, read at each information set of the tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sosgames.certificates.claims import number
from sosgames.certificates.gambit import GameTree
from sosgames.certificates.parts import pair_of


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What a player does at one information set: a probability for each action, in the tree's order.

    Examples
    --------
    >>> print(Behaviour("driver", 1, "exit", (("go on", Fraction(2, 3)), ("leave", Fraction(1, 3)))))
    driver, information set 1 'exit': go on 2/3, leave 1/3
    """

    player: str
    information_set: int
    name: str
    probabilities: tuple[tuple[str, Fraction], ...]

    def __str__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        actions = ", ".join(f"{action} {number(p)}" for action, p in self.probabilities)
        return f"{self.player}, information set {self.information_set}{name}: {actions}"

    def to_dict(self) -> dict[str, Any]:
        """The behaviour as JSON values."""
        return {
            "player": self.player,
            "information_set": self.information_set,
            "name": self.name,
            "probabilities": [[action, pair_of(p)] for action, p in self.probabilities],
        }


def behaviours(tree: GameTree, point: Mapping[str, Fraction]) -> tuple[Behaviour, ...]:
    """The strategy at every information set; the eliminated action gets what is left to 1."""
    found = []
    for choice in tree.legend:
        given = [point[variable] for variable in choice.variables]
        every = [*given, 1 - sum(given, Fraction(0))]
        pairs = tuple(zip(choice.actions, every, strict=True))
        found.append(Behaviour(choice.player, choice.information_set, choice.name, pairs))
    return tuple(found)
