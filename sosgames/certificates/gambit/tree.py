"""A game tree, as it was read, and the polynomial game that it stands for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sosgames.certificates.errors import counted
from sosgames.certificates.gambit.naming import Choice, choices, player_names
from sosgames.certificates.gambit.nodes import InformationSet, Node
from sosgames.certificates.gambit.payoffs import expected_payoff
from sosgames.certificates.gambit.recall import recall
from sosgames.certificates.games import ExactGame, ExactPlayer
from sosgames.certificates.limits import Work
from sosgames.certificates.sets import Box, Simplex, StrategySet


@dataclass(frozen=True, slots=True)
class GameTree:
    """An extensive-form game.

    Attributes
    ----------
    title, comment
        Labels of the file.
    labels
        The players' labels in the file; `players` has them not empty and all different.
    information_sets
        In the order in which the file first mentions them, chance moves among them.
    nodes
        In prefix order: the root first, each node before its children.
    choices : tuple of (Choice or None)
        The variables of each information set, None for chance; `legend` has them without the None.
    """

    title: str
    comment: str
    labels: tuple[str, ...]
    information_sets: tuple[InformationSet, ...]
    nodes: tuple[Node, ...]
    players: tuple[str, ...] = field(init=False)
    choices: tuple[Choice | None, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "players", player_names(self.labels))
        object.__setattr__(self, "choices", choices(self.players, self.information_sets))

    @property
    def legend(self) -> tuple[Choice, ...]:
        """Which variable is the probability of which action, and which action's is eliminated."""
        return tuple(choice for choice in self.choices if choice is not None)

    def to_game(self) -> ExactGame:
        """The game in behavioural strategies: one player's probabilities, multiplied along each path.

        A choice between two actions is one variable in [0, 1]; between k actions, k - 1 variables in a
        simplex; a single action has none. Payoffs of a path add up.

        Raises
        ------
        InputError
            When no player has a choice, or a polynomial passes the limits of size and degree.
        """
        work = Work()
        players = tuple(
            ExactPlayer(name, tuple(self._variables(k)), expected_payoff(self, k, work), tuple(self._sets(k)))
            for k, name in enumerate(self.players)
        )
        return ExactGame(players, name=self.title, source=self.comment)

    def describe(self) -> str:
        """The legend as text: per information set the player, the actions, and the probability of each."""
        nodes, sets = counted(len(self.nodes), "node"), counted(len(self.legend), "information set")
        lines = [f"{self.title or 'game tree'}: {nodes}, {sets}"]
        lines += [f"{name}: {recall(self, k)}" for k, name in enumerate(self.players)]
        lines += [choice.describe() for choice in self.legend]
        return "\n".join(lines)

    def _own(self, player: int) -> Iterator[Choice]:
        for s, choice in zip(self.information_sets, self.choices, strict=True):
            if choice is not None and s.player == player:
                yield choice

    def _variables(self, player: int) -> Iterator[str]:
        for choice in self._own(player):
            yield from choice.variables

    def _sets(self, player: int) -> Iterator[StrategySet]:
        for choice in self._own(player):
            if len(choice.variables) == 1:
                yield Box({choice.variables[0]: (0, 1)})
            elif choice.variables:
                yield Simplex(choice.variables)
