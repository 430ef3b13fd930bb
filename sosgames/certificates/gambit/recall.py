"""What players remember: perfect recall, imperfect recall, absent-mindedness."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sosgames.certificates.gambit.tree import GameTree

PERFECT = "perfect recall"
IMPERFECT = "imperfect recall"
ABSENT_MINDED = "absent-minded"


def recall(tree: GameTree, player: int) -> str:
    """How much of the own past a player (counted from 0) knows at each choice.

    Perfect recall: all nodes of an information set have the same sequence of own sets and actions before
    them. Absent-minded: a path comes through one of the sets more than once (then recall is imperfect).
    """
    histories: dict[tuple[int, int, int], int] = {}  # (earlier history, set, action) -> history
    before = [0] * len(tree.nodes)
    pasts: dict[int, set[int]] = {}
    for index, node in enumerate(tree.nodes):
        s = node.information_set
        own = s is not None and tree.information_sets[s].player == player
        if s is not None and own:
            pasts.setdefault(s, set()).add(before[index])
        for action, child in enumerate(node.children):
            step = (before[index], s or 0, action)
            before[child] = histories.setdefault(step, len(histories) + 1) if own else before[index]
    if _comes_back(tree, player):
        return ABSENT_MINDED
    return IMPERFECT if any(len(past) > 1 for past in pasts.values()) else PERFECT


def _comes_back(tree: GameTree, player: int) -> bool:
    """Whether some path passes an information set of the player twice."""
    open_sets: set[int] = set()
    todo = [(0, False)]
    while todo:
        index, leaving = todo.pop()
        node = tree.nodes[index]
        s = node.information_set
        if s is not None and tree.information_sets[s].player == player:
            if leaving:
                open_sets.remove(s)
                continue
            if s in open_sets:
                return True
            open_sets.add(s)
            todo.append((index, True))
        todo += [(child, False) for child in node.children]
    return False
