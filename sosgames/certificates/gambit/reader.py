"""Reads Gambit's ``.efg`` format (version 2, rational or decimal numbers) into a `GameTree`.

::

    EFG 2 R "title" { "player" ... } ["comment"]
    c "node" set ["set name" { "action" probability ... }] outcome ["name" { payoffs }]
    p "node" player set ["set name" { "action" ... }] outcome ["name" { payoffs }]
    t "node" outcome ["name" { payoffs }]

Nodes come in prefix order. Sets and outcomes are described where their number first occurs and may be
described again, then in the same way. Outcome 0 pays nothing. Payoffs inside the tree add to later ones.

Source: the file format page of the Gambit documentation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from sosgames.certificates.errors import shown
from sosgames.certificates.gambit.nodes import InformationSet, Node
from sosgames.certificates.gambit.tree import GameTree
from sosgames.certificates.gambit.words import Words
from sosgames.certificates.limits import MAX_COEFFICIENT_BITS, MAX_NODES, MAX_PLAYERS, check_count


def read_efg(text: str, where: str = "game tree") -> GameTree:
    """Read a game tree from the text of an ``.efg`` file.

    Raises
    ------
    InputError
        With the line, when the text is not of the format, an information set or an outcome is described in
        two ways, probabilities do not sum to 1, the tree is not complete, or it passes a limit of size.

    Examples
    --------
    >>> tree = read_efg('''EFG 2 R "Taxi" { "driver" }
    ... p "" 1 1 "crossing" { "go on" "leave" } 0
    ... p "" 1 1 0
    ... t "" 1 "home, late" { 1 }
    ... t "" 2 "home" { 4 }
    ... t "" 3 "lost" { 0 }
    ... ''')
    >>> print(tree.to_game().players[0].utility)
    -3*driver_go_on**2 + 4*driver_go_on
    """
    return _Reader(Words(text, where)).read()


@dataclass(slots=True)
class _Draft:
    """A node whose children are still being read."""

    information_set: int | None
    payoffs: tuple[Fraction, ...]
    wanted: int
    children: list[int] = field(default_factory=list)


class _Reader:
    __slots__ = ("drafts", "indices", "outcomes", "players", "sets", "words")

    def __init__(self, words: Words) -> None:
        self.words = words
        self.players: list[str] = []
        self.sets: list[InformationSet] = []
        self.indices: dict[tuple[int | None, int], int] = {}
        self.outcomes: dict[int, tuple[Fraction, ...]] = {}
        self.drafts: list[_Draft] = []

    def read(self) -> GameTree:
        title, comment = self.prologue()
        incomplete: list[int] = []  # nodes from the root down that still want children
        while incomplete or not self.drafts:
            if incomplete:
                self.drafts[incomplete[-1]].children.append(len(self.drafts))
            self.drafts.append(self.node())
            incomplete.append(len(self.drafts) - 1)
            while incomplete and self.is_complete(self.drafts[incomplete[-1]]):
                incomplete.pop()
        if self.words.next.kind != "end":
            self.words.refuse(f"the tree is complete, but {shown(self.words.next.text)} follows")
        nodes = tuple(Node(d.information_set, d.payoffs, tuple(d.children)) for d in self.drafts)
        return GameTree(title, comment, tuple(self.players), tuple(self.sets), nodes)

    @staticmethod
    def is_complete(draft: _Draft) -> bool:
        return len(draft.children) == draft.wanted

    def prologue(self) -> tuple[str, str]:
        words = self.words
        for wanted in (("EFG",), ("2",), ("R", "D")):
            if words.next.kind != "bare" or words.next.text not in wanted:
                words.refuse(f"got {shown(words.next.text)}; an .efg file starts with EFG 2 R")
            words.take()
        title = words.label("the title")
        words.open("the names of the players")
        while not words.closes():
            self.players.append(words.label("a player's name"))
            check_count(len(self.players), MAX_PLAYERS, "players")
        if not self.players:
            words.refuse("the list of players is empty")
        return title, words.optional_label() or ""

    def node(self) -> _Draft:
        words = self.words
        if len(self.drafts) >= MAX_NODES:
            words.refuse(f"the tree has more than {MAX_NODES:,} nodes, the most that are read")
        kind = words.next.text if words.next.kind == "bare" else ""
        if kind not in ("c", "p", "t"):
            words.refuse(f"got {shown(words.next.text)} in place of a node, which starts with c, p or t")
        words.take()
        words.label("the node's name")
        if kind == "t":
            return _Draft(None, self.outcome(), 0)
        index = self.information_set(None if kind == "c" else self.player())
        return _Draft(index, self.outcome(), len(self.sets[index].actions))

    def player(self) -> int:
        start = self.words.next.start
        number = self.words.count("the player's number")
        if not 1 <= number <= len(self.players):
            self.words.refuse(f"player {number} is not among the {len(self.players)} players", start)
        return number - 1

    # -- information sets -------------------------------------------------------------------------------

    def information_set(self, player: int | None) -> int:
        """The index of the set that a node belongs to, which may be described here."""
        start = self.words.next.start
        number = self.words.count("the number of an information set")
        name = self.words.optional_label()
        described = self.described(player, number, name or "") if self.words.opens() else None
        what = f"information set {number} of {'chance' if player is None else f'player {player + 1}'}"
        known = self.indices.get((player, number))
        if known is None:
            if described is None:
                self.words.refuse(f"{what} is used before its actions are listed", start)
            self.sets.append(described)
            self.indices[player, number] = len(self.sets) - 1
            return len(self.sets) - 1
        if described is not None and not _same(described, self.sets[known]):
            self.words.refuse(
                f"{what} has other actions or probabilities than where it is first listed", start
            )
        return known

    def described(self, player: int | None, number: int, name: str) -> InformationSet:
        """The description of a set, after its opening brace."""
        start = self.words.next.start
        actions: list[str] = []
        probabilities: list[Fraction] = []
        while not self.words.closes():
            actions.append(self.words.label("an action"))
            if len(actions) > MAX_NODES:
                self.words.refuse(f"a set has more than {MAX_NODES:,} actions, the most that are read", start)
            if player is None:
                probabilities.append(self.words.number("the probability of an action"))
        if not actions:
            self.words.refuse("the list of actions is empty", start)
        if player is None and min(probabilities) < 0:
            self.words.refuse(f"a probability is {min(probabilities)}; it must not be negative", start)
        if player is None and (total := self.total(probabilities, start)) != 1:
            self.words.refuse(f"probabilities sum to {total}, not to 1; write fractions such as 1/3", start)
        return InformationSet(player, number, name, tuple(actions), tuple(probabilities))

    def total(self, probabilities: list[Fraction], start: int) -> Fraction:
        """Their sum, as long as its numbers stay within the limits."""
        total = Fraction(0)
        for probability in probabilities:
            total += probability
            if total.denominator.bit_length() > MAX_COEFFICIENT_BITS:
                self.words.refuse("the probabilities have no common denominator that can be read", start)
        return total

    # -- outcomes ---------------------------------------------------------------------------------------

    def outcome(self) -> tuple[Fraction, ...]:
        """What reaching a node pays; nothing for outcome 0."""
        start = self.words.next.start
        number = self.words.count("the number of an outcome")
        named = self.words.optional_label() is not None
        payoffs = self.payoffs() if self.words.opens() else None
        if number == 0:
            if named or payoffs is not None:
                self.words.refuse("outcome 0 means no payoffs, so it has no name and no list", start)
            return ()
        known = self.outcomes.get(number, payoffs)
        if known is None:
            self.words.refuse(f"outcome {number} is used before its payoffs are listed", start)
        if payoffs is not None and payoffs != known:
            self.words.refuse(f"outcome {number} has other payoffs than where it is first listed", start)
        self.outcomes[number] = known
        return known

    def payoffs(self) -> tuple[Fraction, ...]:
        start = self.words.next.start
        values: list[Fraction] = []
        while len(values) <= len(self.players) and not self.words.closes():
            values.append(self.words.number("a payoff"))
        if len(values) != len(self.players):
            given = f"more than {len(self.players)}" if len(values) > len(self.players) else len(values)
            self.words.refuse(f"{given} payoffs for {len(self.players)} players; give one each", start)
        return tuple(values)


def _same(a: InformationSet, b: InformationSet) -> bool:
    return a.actions == b.actions and a.probabilities == b.probabilities
