r"""Who is interchangeable with whom: colour refinement of the terms of a matrix and of its cliques.

Vertices are rows and variables (one vertex where a row is named after a variable). Each term of the matrix
and each clique joins some of them, every one in a role: as a row, as a variable with an exponent. Vertices
start with one colour for equal sets and metrics; then a vertex is told from another when they occur in terms
of different coefficients, or in other roles, or with vertices of other colours, until nothing changes
(Weisfeiler and Leman 1968, on hypergraphs). Colours are 64-bit sums, so a collision is possible; what is
built on them is checked exactly where it is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sosgames.sparse.decomposition import Decomposition

Colours = NDArray[np.uint64]
ROUNDS = 64
"""Long paths would refine longer; a coarser partition is checked like any other."""
ROW = 1 << 20
"""The role of a row, above all exponents."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """A clique's vertices in the order of their colours in it, and these colours."""

    vertices: tuple[int, ...]
    colours: tuple[int, ...]


def ordered_cliques(given: Decomposition) -> list[Ordered] | None:
    """Every clique with its vertices by colour; None where most vertices are unlike any other.

    The colour of a vertex in a clique also says what it does in the terms inside that clique: this orients
    edges between vertices that are alike. Cost: terms and members of cliques, times the rounds.
    """
    incidence = _Incidence(given)
    colours = incidence.stable()
    if colours is None:
        return None
    flags = iter(incidence.flags(colours).tolist())
    found = []
    for members in incidence.cliques:
        known = sorted((c, v) for v, c in zip(members, flags, strict=False))
        found.append(Ordered(tuple(v for _, v in known), tuple(c for c, _ in known)))
    return found


def vertex_of_row(given: Decomposition) -> list[int]:
    """The vertex of each row: that of the variable that it is named after, or one of its own."""
    n = len(given.problem.variables)
    return [given.index.get(row, n + a) for a, row in enumerate(given.matrix.rows)]


class _Incidence:
    """Vertices and what joins them, terms first and then cliques, as arrays of (edge, vertex, role)."""

    def __init__(self, given: Decomposition) -> None:
        vertex = vertex_of_row(given)
        self.n = len(given.problem.variables) + len(vertex)
        self.terms = [_members(vertex, a, b, monomial) for a, b, monomial in given.entries]
        self.cliques = [
            tuple(dict.fromkeys((*clique.variables, *(vertex[a] for a in clique.rows))))
            for clique in given.cliques
        ]
        labels: dict[object, int] = {}
        kinds = [labels.setdefault(c, len(labels)) for c in given.entries.values()]
        forms = ((len(clique.rows), len(clique.variables)) for clique in given.cliques)
        kinds += [labels.setdefault(form, len(labels)) for form in forms]
        members = [*self.terms, *([(v, 0) for v in vertices] for vertices in self.cliques)]
        self.edge = np.repeat(np.arange(len(members)), [len(m) for m in members])
        self.vertex = np.array([v for m in members for v, _ in m], dtype=np.int64)
        self.role = _mixed(np.array([role for m in members for _, role in m], dtype=np.uint64))
        self.kind = _mixed(np.array(kinds, dtype=np.uint64))
        self.start = np.zeros(self.n, dtype=np.uint64)
        for v, text in _sets(given):
            self.start[v] = labels.setdefault(text, len(labels))
        for v, weight in zip(vertex, given.matrix.metric, strict=True):
            self.start[v] = labels.setdefault((int(self.start[v]), weight), len(labels))
        self.used = np.unique(self.vertex)

    def stable(self) -> Colours | None:
        """Colours that no further round refines; None as soon as most vertices differ from all others."""
        colours, n_classes = _mixed(self.start), 0
        for _ in range(ROUNDS):
            found = len(np.unique(colours[self.used]))
            if 2 * found > len(self.used):
                return None
            if found == n_classes:
                break
            n_classes = found
            seen = np.zeros(self.n, dtype=np.uint64)
            np.add.at(seen, self.vertex, self._views(colours))
            colours = _mixed(colours + _mixed(seen))
        return colours

    def flags(self, colours: Colours) -> Colours:
        """The colour of each vertex in each clique, clique by clique, as in ``cliques``."""
        views = self._views(colours)
        flags, places = zip(*self._inside(), strict=True) if len(self.terms) else ((), ())
        ends = np.cumsum([0, *map(len, self.cliques)])
        seen = np.zeros(ends[-1], dtype=np.uint64)
        np.add.at(seen, np.array(flags, dtype=np.int64), views[np.array(places, dtype=np.int64)])
        vertices = np.array([v for members in self.cliques for v in members], dtype=np.int64)
        return _mixed(colours[vertices] + _mixed(seen))

    def _inside(self) -> Iterator[tuple[int, int]]:
        """Pairs (place among all members of cliques, place among incidences) of terms inside cliques."""
        of_vertex: list[list[int]] = [[] for _ in range(self.n)]
        place: list[dict[int, int]] = []
        first = 0
        for k, vertices in enumerate(self.cliques):
            place.append({v: first + i for i, v in enumerate(vertices)})
            first += len(vertices)
            for v in vertices:
                of_vertex[v].append(k)
        containing: dict[frozenset[int], list[int]] = {}
        incidence = 0
        for members in self.terms:
            joined = frozenset(v for v, _ in members)
            if joined not in containing:
                rarest = min((of_vertex[v] for v in joined), key=len)
                containing[joined] = [k for k in rarest if joined <= place[k].keys()]
            for v, _ in members:
                for k in containing[joined]:
                    yield place[k][v], incidence
                incidence += 1

    def _views(self, colours: Colours) -> Colours:
        """What each vertex sees in each of its edges: kind, and vertices in their roles, its own marked."""
        joined = np.zeros(len(self.kind), dtype=np.uint64)
        np.add.at(joined, self.edge, _mixed(colours[self.vertex] + self.role))
        return _mixed(_mixed(joined + self.kind)[self.edge] + self.role)


def _members(vertex: list[int], a: int, b: int, monomial: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The vertices of a term and their roles; a vertex may be a row, a variable, or both at once."""
    roles: dict[int, int] = {}
    for row in (a, b):
        roles[vertex[row]] = roles.get(vertex[row], 0) + ROW
    for v, exponent in monomial:
        roles[v] = roles.get(v, 0) + exponent
    return list(roles.items())


def _sets(given: Decomposition) -> Iterator[tuple[int, str]]:
    """What the set says about each variable: the generators of its factor, its own name marked."""
    for factor in given.factors:
        for name in factor.variables:
            terms = [
                (c, sorted((other != name, e) for other, e in monomial))
                for polynomial in factor.generators.values()
                for monomial, c in polynomial.terms.items()
            ]
            yield given.index[name], str(sorted(terms))


def _mixed(values: Colours) -> Colours:
    """Splitmix64's finaliser (Steele, Lea and Flood 2014): sums of what it returns tell multisets apart."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
