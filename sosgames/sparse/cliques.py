"""Who meets whom in a polynomial matrix: the smallest groups of rows and variables that its terms need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from sosgames.certificates.matrices import PolyMatrix


@dataclass(frozen=True, slots=True)
class Interaction:
    """A clique of the interaction graph: rows and variables, by ascending index, that occur in one term."""

    rows: tuple[int, ...]
    variables: tuple[int, ...]


def interactions(
    matrix: PolyMatrix, variables: Sequence[str], tied: Mapping[str, frozenset[str]]
) -> tuple[Interaction, ...]:
    """The inclusion-maximal groups among those of single terms; together they cover every term and row.

    A term of entry (a, b) needs the rows a and b and its variables. A row that is named after a variable and
    that variable go together. Variables that one constraint ties go together as well (``tied`` maps each to
    its group). Pairwise payoffs give the edges of the network, payoffs of three players its triangles.

    Cost: about the number of different groups times the groups that meet one of them.
    """
    index = {name: v for v, name in enumerate(variables)}
    node_of_row = [index.get(row, len(index) + a) for a, row in enumerate(matrix.rows)]
    row_of_node = {node: a for a, node in enumerate(node_of_row)}
    closed: dict[int, tuple[int, ...]] = {node: (node,) for node in node_of_row}
    closed |= {index[name]: tuple(index[other] for other in group) for name, group in tied.items()}
    groups: set[frozenset[int]] = {frozenset(closed[node]) for node in node_of_row}
    for (a, b), polynomial in matrix.entries.items():
        for names in {tuple([name for name, _ in monomial]) for monomial in polynomial.terms}:
            nodes = (node_of_row[a], node_of_row[b], *(index[name] for name in names))
            groups.add(frozenset(chain.from_iterable(closed[node] for node in nodes)))
    return tuple(_interaction(group, row_of_node, len(index)) for group in _maximal(groups))


def _maximal(groups: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    """The groups that no other one contains, ordered by their members."""
    kept: list[frozenset[int]] = []
    of_node: dict[int, list[frozenset[int]]] = {}
    for group in sorted(groups, key=lambda g: (-len(g), sorted(g))):
        rarest = min((of_node.get(node, []) for node in group), key=len)
        if not any(group <= other for other in rarest):
            kept.append(group)
            for node in group:
                of_node.setdefault(node, []).append(group)
    return sorted(kept, key=sorted)


def _interaction(group: frozenset[int], row_of_node: Mapping[int, int], n_variables: int) -> Interaction:
    rows = sorted(row_of_node[node] for node in group if node in row_of_node)
    return Interaction(tuple(rows), tuple(sorted(node for node in group if node < n_variables)))
