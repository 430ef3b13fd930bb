"""Short cycles of the interaction graph: triangles and chordless cycles of four rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations


def short_cycles(cliques: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The rows of each such cycle that no clique contains, in order.

    Cost: the sum of the squares of the degrees, times a degree.

    >>> short_cycles([(0, 1), (1, 2), (2, 3), (0, 3), (3, 4)])
    [(0, 1, 2, 3)]
    """
    neighbours = neighbours_of(cliques)
    found: set[frozenset[int]] = set()
    for a, around in neighbours.items():
        for b, d in combinations(around, 2):
            if d in neighbours[b]:
                found.add(frozenset((a, b, d)))
            else:
                opposite = (neighbours[b] & neighbours[d]) - around - {a}
                found |= {frozenset((a, b, c, d)) for c in opposite}
    inside = [frozenset(clique) for clique in cliques if len(clique) > 2]
    return sorted(tuple(sorted(cycle)) for cycle in found if not any(cycle <= other for other in inside))


def neighbours_of(cliques: Sequence[tuple[int, ...]]) -> dict[int, set[int]]:
    """For each row the other rows that it shares a clique with."""
    neighbours: dict[int, set[int]] = {}
    for clique in cliques:
        for a in clique:
            neighbours.setdefault(a, set()).update(b for b in clique if b != a)
    return neighbours
