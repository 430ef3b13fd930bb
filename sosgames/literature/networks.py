"""Random games on a graph: every player meets only neighbours, pair by pair."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from sosgames.certificates.games import ExactGame, ExactPlayer
from sosgames.certificates.polynomials import Monomial, Polynomial
from sosgames.certificates.rationals import exact
from sosgames.certificates.sets import Box
from sosgames.errors import InputError
from sosgames.games import Game
from sosgames.literature.sampling import random_polynomial, up_to_degree

if TYPE_CHECKING:
    import networkx as nx


def network_game(
    graph: nx.Graph[Any], degree: int = 4, *, rng: np.random.Generator, curvature: Any = 0, name: str = ""
) -> Game:
    r"""A network game with random polynomial payoffs on its edges.

    Each node i chooses :math:`x_i \in [-1, 1]` to maximise

    .. math:: u_i(x) = \sum_{j \sim i} p_{ij}(x_i, x_j) - \tfrac{c}{2} x_i^2

    with c the curvature and :math:`p_{ij}` all monomials of two variables up to the degree, coefficients
    uniform on [-1, 1] (odd multiples of 2^-13). The curvature raises the modulus of the game by exactly c.

    Parameters
    ----------
    graph
        An undirected graph; its nodes become players 1, 2, ..., in its order, with variables x1, x2, ...
    degree
        Total degree of the payoff of an edge, at least 2.
    rng
        Where the coefficients come from, edge by edge.
    curvature
        Any exact number.
    name
        Of the game.

    Raises
    ------
    InputError
        When the graph has no node, is directed, or has a loop, or the degree is below 2.

    Examples
    --------
    >>> import networkx as nx, numpy as np, sosgames as sg
    >>> game = sg.network_game(nx.cycle_graph(1000), rng=np.random.default_rng(1), curvature=16)
    >>> game
    Game('1', '2', '3', '4' and 996 more: 1,000 variables, degree 4)
    >>> game.exact.player("1").utility.variables == {"x1", "x2", "x1000"}
    True
    """
    if graph.is_directed() or not len(graph) or any(a == b for a, b in graph.edges):
        raise InputError("graph: it must be undirected, without loops, and have a node.")
    if degree < 2:
        raise InputError(f"degree is {degree}; payoffs of edges have at least degree 2.")
    number = {node: k for k, node in enumerate(graph)}
    edges = [(number[a], number[b]) for a, b in graph.edges]
    return group_game(len(graph), edges, degree, rng=rng, curvature=curvature, name=name)


def group_game(
    n_players: int,
    groups: Iterable[tuple[int, ...]],
    degree: int,
    *,
    rng: np.random.Generator,
    curvature: Any = 0,
    name: str = "",
) -> Game:
    """The same for payoffs of any groups of players, numbered from 0: of three, for instance.

    Examples
    --------
    >>> import numpy as np
    >>> game = group_game(4, [(0, 1, 2), (1, 2, 3)], 3, rng=np.random.default_rng(1), curvature=1)
    >>> sorted(game.exact.player("1").utility.variables)
    ['x1', 'x2', 'x3']
    """
    names = [f"x{k}" for k in range(1, n_players + 1)]
    terms: list[dict[Monomial, Fraction]] = [{} for _ in names]
    for group in groups:
        monomials = list(up_to_degree([names[k] for k in group], degree))
        for k in group:
            for monomial, c in random_polynomial(monomials, rng).terms.items():
                terms[k][monomial] = terms[k].get(monomial, Fraction(0)) + c
    half = exact(curvature, "curvature") / 2
    players = []
    for number, (variable, own) in enumerate(zip(names, terms, strict=True), start=1):
        square = ((variable, 2),)
        own[square] = own.get(square, Fraction(0)) - half
        box = Box({variable: (-1, 1)})
        players.append(ExactPlayer(str(number), (variable,), Polynomial(own), (box,)))
    return Game.from_exact(ExactGame(tuple(players), name))
