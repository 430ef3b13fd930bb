"""Random networks to simulate from, with the designs of the literature by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import networkx as nx
import numpy as np

from cascades.errors import ArgumentError
from cascades.networks import Network
from cascades.tables.types import Floats


def random_network(
    n_nodes: int, degree: float, *, rng: np.random.Generator, low: float = 0.2, high: float = 1.0
) -> Network:
    """Return an Erdos-Renyi network: each ordered pair with probability degree / n_nodes, rates uniform.

    Examples
    --------
    >>> import numpy as np
    >>> import cascades as cs
    >>> cs.designs.random_network(30, 2.0, rng=np.random.default_rng(11))
    Network(30 nodes, 60 edges)
    """
    if n_nodes < 2 or not 0 <= degree <= n_nodes or not 0 < low <= high:
        raise ArgumentError("random_network: wanted n_nodes >= 2, 0 <= degree <= n_nodes and 0 < low <= high")
    rates = (rng.random((n_nodes, n_nodes)) < degree / n_nodes) * rng.uniform(low, high, (n_nodes, n_nodes))
    np.fill_diagonal(rates, 0.0)
    return Network.from_matrix(rates)


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Two networks with what is observed of them.

    Parameters
    ----------
    support : Network
        The observed network A; theta has its edges.
    theta, psi : Network
        Rates of the observed and of the latent network.
    pi : (n_nodes,) float array
        Probability that a node is reached through theta.
    """

    support: Network
    theta: Network
    psi: Network
    pi: Floats


def b1(
    kind: Literal["random", "community", "scale-free"],
    *,
    n_nodes: int = 200,
    rank: int = 5,
    rng: np.random.Generator,
) -> Design:
    """Return design B.1 of Huang, Yuan and Adeel (2025).

    A is Erdos-Renyi (0.01), four communities (0.05 within, 0.01 between) or Barabasi-Albert with one edge per
    node; theta has weights U(1, 5) on A; psi = F G' with factors n x rank of which a tenth are non-zero,
    U(1, 2). Edges are added to A, so that psi keeps its rank, until no node of the union lacks an in- or
    out-edge. The source does not print pi; U(0.3, 0.7) is used here.

    Examples
    --------
    >>> import numpy as np
    >>> import cascades as cs
    >>> design = cs.designs.b1("community", rng=np.random.default_rng(0))
    >>> design.theta.n_edges == design.support.n_edges
    True
    """
    support = _support(kind, n_nodes, rng)
    factors = [(rng.random((n_nodes, rank)) < 0.1) * rng.uniform(1.0, 2.0, (n_nodes, rank)) for _ in "FG"]
    psi = factors[0] @ factors[1].T
    np.fill_diagonal(psi, 0.0)
    _fill_empty(support, psi, rng)
    theta = support * rng.uniform(1.0, 5.0, support.shape)
    pi = rng.uniform(0.3, 0.7, n_nodes)
    networks = (Network.from_matrix(support), Network.from_matrix(theta), Network.from_matrix(psi))
    return Design(*networks, pi)


def _support(kind: str, n: int, rng: np.random.Generator) -> Floats:
    if kind == "random":
        matrix = rng.random((n, n)) < 0.01
    elif kind == "community":
        block = np.arange(n) * 4 // n
        matrix = rng.random((n, n)) < np.where(block[:, None] == block[None, :], 0.05, 0.01)
    elif kind == "scale-free":
        graph = nx.barabasi_albert_graph(n, 1, seed=int(rng.integers(2**31)))
        matrix = nx.to_numpy_array(graph, nodelist=range(n)) > 0
    else:
        raise ArgumentError(f"kind: got {kind!r}, wanted 'random', 'community' or 'scale-free'")
    support = matrix.astype(float)
    np.fill_diagonal(support, 0.0)
    return support


def _fill_empty(support: Floats, psi: Floats, rng: np.random.Generator) -> None:
    """Add one edge to A for every node without an in- or out-edge in the union, in place."""
    n = len(psi)
    for axis in (0, 1):
        for k in np.flatnonzero((psi + support).sum(axis=axis) == 0):
            other = (k + rng.integers(1, n)) % n
            support[(other, k) if axis == 0 else (k, other)] = 1.0
