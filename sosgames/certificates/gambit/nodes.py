"""Nodes and information sets of a game tree."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class InformationSet:
    """Nodes at which the same player has the same choice without telling them apart; or a move of chance.

    ``player`` counts from 0 and is None for chance, which has ``probabilities``, one an action. ``number``
    and ``name`` are those of the file.
    """

    player: int | None
    number: int
    name: str
    actions: tuple[str, ...]
    probabilities: tuple[Fraction, ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """A node; ``information_set`` is an index into the tree's, None where the game ends.

    ``payoffs`` are paid when the node is reached, on top of those before it; one a player, or none at all.
    ``children`` are indices into the tree's nodes, in the order of the actions, each above the node's own.
    """

    information_set: int | None
    payoffs: tuple[Fraction, ...]
    children: tuple[int, ...]
