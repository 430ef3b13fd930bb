"""Groups of rows that get a constant matrix of their own: what pairs cannot show around cycles.

A sum over edges may miss a constant matrix K that is positive semidefinite as a whole and has the pattern of
the graph. Where the graph is chordal every such K is a sum over its maximal cliques (Agler et al. 1988);
others are completed to chordal ones by eliminating vertices, those of smallest degree first.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from itertools import combinations

from sosgames.sparse.cycles import neighbours_of

LARGEST_GROUP = 8
"""Rows of a group. Vertices that would need larger ones stay, and constants around them are lost."""

Groups = list[tuple[int, ...]]


def elimination_groups(
    cliques: Sequence[tuple[int, ...]], largest: int = LARGEST_GROUP
) -> tuple[Groups, tuple[int, ...]]:
    """Groups of at least three rows, each a vertex with its neighbours at the moment of its elimination.

    The second answer is the core: the rows that are left when every other elimination would need a group
    of more than ``largest``. With the core as one more group the graph is completed to a chordal one.

    Cost: about the number of rows times the square of ``largest``.

    >>> elimination_groups([(0, 1), (1, 2), (2, 3), (0, 3)])
    ([(0, 1, 3), (1, 2, 3)], ())
    >>> elimination_groups([(0, 1), (1, 2), (2, 3), (0, 3)], 2)
    ([], (0, 1, 2, 3))
    """
    neighbours = neighbours_of(cliques)
    of_row: dict[int, list[frozenset[int]]] = {}
    for clique in cliques:
        for a in clique:
            of_row.setdefault(a, []).append(frozenset(clique))
    queue = [(len(others), a) for a, others in neighbours.items()]
    heapify(queue)
    groups = []
    while queue and queue[0][0] < largest:
        degree, a = heappop(queue)
        if a not in neighbours or degree != len(neighbours[a]):
            continue
        around = neighbours.pop(a)
        group = frozenset((a, *around))
        if len(group) > 2 and not any(group <= other for other in of_row[a]):
            groups.append(tuple(sorted(group)))
            for b in group:
                of_row[b].append(group)
        for b in around:
            neighbours[b].discard(a)
        for b, c in combinations(around, 2):
            neighbours[b].add(c)
            neighbours[c].add(b)
        for b in around:
            heappush(queue, (len(neighbours[b]), b))
    return groups, tuple(sorted(neighbours))
