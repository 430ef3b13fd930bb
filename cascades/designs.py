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
    if n_nodes < 2:
        raise ArgumentError(f"n_nodes: got {n_nodes}, wanted at least 2")
    if not 0 <= degree <= n_nodes:
        raise ArgumentError(f"degree: got {degree}, wanted a number from 0 to the number of nodes, {n_nodes}")
    if not 0 < low <= high:
        raise ArgumentError(f"low, high: got {low} and {high}, wanted 0 < low <= high")
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
    senders, receivers : (n_nodes, rank) float arrays
        Factors of psi: ``senders @ receivers.T``, without the diagonal.
    """

    support: Network
    theta: Network
    psi: Network
    pi: Floats
    senders: Floats
    receivers: Floats


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
    factors = _factors(n_nodes, rank, 0.1, (1.0, 2.0), rng)
    _fill_empty(support, _product(factors), rng)
    return _design(support * rng.uniform(1.0, 5.0, support.shape), factors, rng)


def b2(
    transmission: Literal["exponential", "rayleigh", "power-law"] = "exponential",
    *,
    n_nodes: int = 200,
    rank: int = 5,
    rng: np.random.Generator,
) -> Design:
    """Return design B.2: every node has one in-edge in both networks and one in A alone.

    Psi as in `b1`, theta U(2, 5); for Rayleigh the factors are U(0.1, 0.8) and theta is U(0.02, 2). Power-law
    cascades are drawn with delta = 1. Nodes without a latent in-edge have the one edge in A alone.

    Examples
    --------
    >>> import numpy as np
    >>> import cascades as cs
    >>> design = cs.designs.b2(rng=np.random.default_rng(0))
    >>> int(design.support.matrix.sum(axis=0).max())
    2
    """
    rayleigh = transmission == "rayleigh"
    factors = _factors(n_nodes, rank, 0.1, (0.1, 0.8) if rayleigh else (1.0, 2.0), rng)
    psi = _product(factors)
    support = np.zeros_like(psi)
    for i in range(n_nodes):
        latent = np.flatnonzero(psi[:, i])
        others = np.setdiff1d(np.flatnonzero(psi[:, i] == 0.0), [i])
        support[rng.choice(others), i] = 1.0
        if len(latent):
            support[rng.choice(latent), i] = 1.0
    low, high = (0.02, 2.0) if rayleigh else (2.0, 5.0)
    return _design(support * rng.uniform(low, high, support.shape), factors, rng)


def b3(*, n_nodes: int, rng: np.random.Generator) -> Design:
    """Return design B.3, for large networks: as `b1` with A random (0.001) and psi of rank 5, density 0.01.

    Examples
    --------
    >>> import numpy as np
    >>> import cascades as cs
    >>> design = cs.designs.b3(n_nodes=500, rng=np.random.default_rng(0))
    >>> 0.003 < design.psi.n_edges / 500**2 < 0.02
    True
    """
    support = (rng.random((n_nodes, n_nodes)) < 0.001).astype(float)
    np.fill_diagonal(support, 0.0)
    factors = _factors(n_nodes, 5, _factor_density(0.01, 5), (1.0, 2.0), rng)
    _fill_empty(support, _product(factors), rng)
    return _design(support * rng.uniform(1.0, 5.0, support.shape), factors, rng)


def c1(
    overlap: float,
    *,
    n_nodes: int = 200,
    rank: int = 30,
    density: float = 0.025,
    theta_density: float | None = None,
    rng: np.random.Generator,
) -> Design:
    """Return design C.1: a latent network of high rank that shares edges with the observed one.

    The share of edges in both among edges in either is about `overlap`. Psi has `rank` factors U(0.2, 1.5)
    and the given density; A has one edge of its own per node (or `theta_density` of all pairs), the shared
    edges are drawn from psi's. Theta is U(0.1, 0.2) or U(1.9, 2), half each, on shared edges and U(1, 2)
    elsewhere. Design C.2 is this one with overlap 0.3, watched for 1, 2, 3, 5 or 10 units of time.

    Examples
    --------
    >>> import numpy as np
    >>> import cascades as cs
    >>> design = cs.designs.c1(0.3, rng=np.random.default_rng(0))
    >>> both = (design.support.matrix * (design.psi.matrix > 0)).sum()
    >>> round(float(both / (design.support.n_edges + design.psi.n_edges - both)), 1)
    0.3
    """
    if not 0 <= overlap < 1:
        raise ArgumentError(f"overlap: got {overlap}, wanted a share between 0 and 1")
    factors = _factors(n_nodes, rank, _factor_density(density, rank), (0.2, 1.5), rng)
    psi = _product(factors)
    latent = rng.permutation(np.flatnonzero(psi))
    if theta_density is None:
        own = n_nodes
        n_shared = round(overlap * (len(latent) + own))
    else:
        n_theta = round(theta_density * n_nodes * (n_nodes - 1))
        n_shared = round(overlap * (len(latent) + n_theta) / (1.0 + overlap))
        own = n_theta - n_shared
    shared = np.zeros(psi.shape, dtype=bool)
    shared.flat[latent[:n_shared]] = True
    alone = _outside(psi, own, rng)
    weak, strong = rng.uniform(0.1, 0.2, psi.shape), rng.uniform(1.9, 2.0, psi.shape)
    on_shared = np.where(rng.random(psi.shape) < 0.5, weak, strong)
    return _design(shared * on_shared + alone * rng.uniform(1.0, 2.0, psi.shape), factors, rng)


def c3(*, rng: np.random.Generator) -> Design:
    """Return design C.3: `c1` with 100 nodes, rank 15, densities 0.02 (theta) and 0.05 (psi), overlap 0.15.

    Made for estimation without knowledge of A.

    Examples
    --------
    >>> import numpy as np
    >>> import cascades as cs
    >>> cs.designs.c3(rng=np.random.default_rng(0)).theta.n_edges
    198
    """
    return c1(0.15, n_nodes=100, rank=15, density=0.05, theta_density=0.02, rng=rng)


def _factors(
    n: int, rank: int, density: float, weights: tuple[float, float], rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return two n x rank factors; a share `density` of their entries is not zero."""
    f, g = ((rng.random((n, rank)) < density) * rng.uniform(*weights, (n, rank)) for _ in "FG")
    return f, g


def _product(factors: tuple[Floats, Floats]) -> Floats:
    """Return F G' without its diagonal."""
    psi: Floats = factors[0] @ factors[1].T
    np.fill_diagonal(psi, 0.0)
    return psi


def _outside(psi: Floats, n_edges: int, rng: np.random.Generator) -> Floats:
    """Return a 0-1 matrix of edges that psi does not have, spread evenly over receivers."""
    alone = np.zeros(psi.shape)
    for i in rng.permutation(np.arange(n_edges) % len(psi)):
        free = np.setdiff1d(np.flatnonzero((psi[:, i] == 0.0) & (alone[:, i] == 0.0)), [i])
        alone[rng.choice(free), i] = 1.0
    return alone


def _factor_density(density: float, rank: int) -> float:
    """Return the density of factors whose product has `density`: 1 - (1 - d^2)^rank of all pairs."""
    return float(np.sqrt(1.0 - (1.0 - density) ** (1.0 / rank)))


def _design(theta: Floats, factors: tuple[Floats, Floats], rng: np.random.Generator) -> Design:
    support, psi = (theta > 0.0).astype(float), _product(factors)
    networks = (Network.from_matrix(support), Network.from_matrix(theta), Network.from_matrix(psi))
    return Design(*networks, rng.uniform(0.3, 0.7, len(psi)), *factors)


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
