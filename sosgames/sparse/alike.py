"""Cliques that are alike: classes, and how the Gram entries of one become those of another.

Two cliques are alike when their vertices, in the order of their colours, have the same colours, and the map
that this gives carries the generators of one to those of the other. Vertices of one colour in one clique may
be exchanged; Gram matrices are then averaged over the exchanges.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, permutations, product
from math import prod

import numpy as np

from sosgames.sos.exponents import IntArray
from sosgames.sparse.cliques import Interaction
from sosgames.sparse.colours import Ordered, ordered_cliques, vertex_of_row
from sosgames.sparse.decomposition import SparseProgram
from sosgames.sparse.shapes import LocalPolynomial, Shape, clique_shape

MOST_EXCHANGES = 24
"""Of vertices of one colour in one clique: four alike."""
Places = tuple[tuple[int, ...], tuple[int, ...]]
"""For each row and each variable of one form its place in another."""


@dataclass(frozen=True, slots=True, eq=False)
class Alike:
    """A class: the shape of its cliques in the order of colours, its members and what may be exchanged.

    ``columns`` has, member by member, the column of the program that each column of ``shape`` is;
    ``exchanges`` are permutations of the shape's columns, the identity among them.
    """

    shape: Shape
    cliques: IntArray
    columns: IntArray
    exchanges: tuple[IntArray, ...]


def cliques_alike(program: SparseProgram) -> list[Alike] | None:
    """The classes of the program's cliques; None where they would save less than half of them."""
    ordered = ordered_cliques(program.decomposition)
    if ordered is None:
        return None
    vertex = vertex_of_row(program.decomposition)
    known: dict[tuple[int, Places], tuple[Shape, IntArray]] = {}
    shapes: dict[tuple[object, ...], Shape] = {}
    classes: dict[tuple[object, ...], tuple[Shape, Ordered, list[int], list[IntArray]]] = {}
    first = 0
    for k, (clique, shape, order) in enumerate(
        zip(program.decomposition.cliques, program.shapes, ordered, strict=True)
    ):
        places = _places(clique, order.vertices, vertex)
        if (id(shape), places) not in known:
            canonical = _reordered(shape, places, shapes)
            known[id(shape), places] = canonical, _column_map(canonical, shape, places)
        canonical, columns = known[id(shape), places]
        name = (order.colours, id(canonical), _roles(clique, order.vertices, vertex))
        entry = classes.setdefault(name, (canonical, order, [], []))
        entry[2].append(k)
        entry[3].append(columns + first)
        first += shape.n_columns
        if 2 * len(classes) > len(ordered):
            return None
    found = []
    for canonical, order, members, maps in classes.values():
        clique = program.decomposition.cliques[members[0]]
        ranks = _exchanges(clique, order, vertex)
        if ranks is None:
            return None
        kept = [_column_map(canonical, canonical, places) for places in ranks if _fits(canonical, places)]
        found.append(Alike(canonical, np.array(members), np.array(maps), tuple(kept)))
    return found


def _places(clique: Interaction, vertices: Sequence[int], vertex: Sequence[int]) -> Places:
    """The places of the clique's rows and variables, in the order of the vertices."""
    row = {vertex[a]: place for place, a in enumerate(clique.rows)}
    variable = {v: place for place, v in enumerate(clique.variables)}
    rows = tuple(row[v] for v in vertices if v in row)
    return rows, tuple(variable[v] for v in vertices if v in variable)


def _roles(
    clique: Interaction, vertices: Sequence[int], vertex: Sequence[int]
) -> tuple[tuple[bool, bool], ...]:
    """Which vertices are rows, and which are variables."""
    rows, variables = {vertex[a] for a in clique.rows}, set(clique.variables)
    return tuple((v in rows, v in variables) for v in vertices)


def _reordered(shape: Shape, places: Places, shapes: dict[tuple[object, ...], Shape]) -> Shape:
    """The shape with its variables in the order of the places, its generators sorted; equal ones once."""
    generators = tuple(sorted(_moved(g, places[1]) for g in shape.generators))
    form = (len(places[0]), shape.n_variables, shape.half, generators)
    if form not in shapes:
        shapes[form] = clique_shape(len(places[0]), shape.n_variables, shape.half, generators)
    return shapes[form]


def _moved(polynomial: LocalPolynomial, places: Sequence[int]) -> LocalPolynomial:
    return tuple(sorted((c, tuple(exponents[p] for p in places)) for c, exponents in polynomial))


def _fits(shape: Shape, places: Places) -> bool:
    """Whether an exchange of places keeps the generators as a set."""
    return tuple(sorted(_moved(g, places[1]) for g in shape.generators)) == tuple(
        _moved(g, range(shape.n_variables)) for g in shape.generators
    )


def _column_map(canonical: Shape, shape: Shape, places: Places) -> IntArray:
    """For each column of the canonical shape the column of the other that is the same Gram entry."""
    rows, variables = places
    number = {_moved(g, variables): k for k, g in enumerate(shape.generators, start=1)}
    numbers = [0, *(number[_moved(g, range(canonical.n_variables))] for g in canonical.generators)]
    ends = np.cumsum([0, *(block.n_entries for block in shape.blocks)])
    first = {block.generator: int(end) for block, end in zip(shape.blocks, ends[:-1], strict=True)}
    other = {block.generator: block for block in shape.blocks}
    pieces = []
    for block in canonical.blocks:
        target = other[numbers[block.generator]]
        place = {
            (a, *exponents): p
            for p, (a, exponents) in enumerate(
                zip(target.rows.tolist(), target.exponents.tolist(), strict=True)
            )
        }
        moved = np.zeros_like(block.exponents)
        moved[:, list(variables)] = block.exponents
        pairs = zip(block.rows.tolist(), moved.tolist(), strict=True)
        elements = np.array([place[rows[a], *exponents] for a, exponents in pairs])
        p, q = (elements[index] for index in np.triu_indices(block.side))
        low, high = np.minimum(p, q), np.maximum(p, q)
        pieces.append(first[target.generator] + low * target.side - low * (low - 1) // 2 + high - low)
    return np.concatenate(pieces)


def _exchanges(clique: Interaction, order: Ordered, vertex: Sequence[int]) -> Iterator[Places] | None:
    """All permutations of vertices of one colour, as places in the order of colours; None if too many."""
    runs = [len(list(run)) for _, run in groupby(order.colours)]
    if prod(_factorial(run) for run in runs) > MOST_EXCHANGES:
        return None
    starts = np.cumsum([0, *runs]).tolist()
    first = _places(clique, order.vertices, vertex)
    every = (permutations(range(a, b)) for a, b in pairwise(starts))
    return (
        _relative(first, _places(clique, [order.vertices[i] for part in chosen for i in part], vertex))
        for chosen in product(*every)
    )


def _relative(first: Places, then: Places) -> Places:
    """Places in the canonical order: which of its rows and variables stands where after an exchange."""
    rows, variables = ([f.index(p) for p in t] for f, t in zip(first, then, strict=True))
    return tuple(rows), tuple(variables)


def _factorial(n: int) -> int:
    return prod(range(2, n + 1))
