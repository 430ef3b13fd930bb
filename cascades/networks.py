"""A weighted directed network with labels: the answer of every model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from cascades.errors import ArgumentError
from cascades.files import document_of
from cascades.tables.types import Floats, Integers, Label


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Edges ``senders[k] -> receivers[k]`` with weight ``weights[k]`` > 0, sorted by receiver, then sender.

    Parameters
    ----------
    nodes : tuple of str or int
        Labels, in the order of rows and columns of `matrix`.
    senders, receivers : (n_edges,) int arrays
        Node indices.
    weights : (n_edges,) float array
        Rates, probabilities or gains, as the model that made the network says.

    Examples
    --------
    >>> import cascades as cs
    >>> net = cs.Network.from_matrix([[0.0, 2.0], [0.5, 0.0]], nodes=["ann", "bob"])
    >>> net
    Network(2 nodes, 2 edges)
    >>> net.edges()
    [('bob', 'ann', 0.5), ('ann', 'bob', 2.0)]
    """

    nodes: tuple[Label, ...]
    senders: Integers
    receivers: Integers
    weights: Floats

    def __post_init__(self) -> None:
        senders = np.asarray(self.senders, dtype=np.int64)
        receivers = np.asarray(self.receivers, dtype=np.int64)
        weights = np.asarray(self.weights, dtype=float)
        if not len(senders) == len(receivers) == len(weights):
            raise ArgumentError("senders, receivers and weights differ in length; give one of each per edge")
        if np.any(~np.isfinite(weights)) or np.any(weights < 0):
            raise ArgumentError("weights: wanted finite numbers of at least 0")
        if len(senders) and min(senders.min(), receivers.min()) < 0:
            raise ArgumentError("senders, receivers: indices below 0")
        if len(senders) and max(senders.max(), receivers.max()) >= len(self.nodes):
            raise ArgumentError(f"senders, receivers: an index is not below the {len(self.nodes)} nodes")
        loops = senders[(senders == receivers) & (weights > 0)]
        if len(loops):
            label = self.nodes[loops[0]]
            raise ArgumentError(
                f"edges: {label!r} -> {label!r}; nobody passes on to themselves, leave it out"
            )
        order = np.lexsort((senders, receivers))
        order = order[weights[order] > 0]
        for name, array in (("senders", senders), ("receivers", receivers), ("weights", weights)):
            array = array[order]
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def __reduce__(self) -> tuple[type[Network], tuple[object, ...]]:
        """Unpickle through the constructor: arrays come back read-only and with memory of their own."""
        return Network, (self.nodes, self.senders, self.receivers, self.weights)

    @staticmethod
    def from_matrix(matrix: ArrayLike | sp.sparray, *, nodes: Sequence[Label] | None = None) -> Network:
        """Build from an (n, n) matrix, dense or sparse: entry (j, i) is the weight of j -> i."""
        table = sp.coo_array(matrix if sp.issparse(matrix) else np.asarray(matrix, dtype=float))
        if table.ndim != 2 or table.shape[0] != table.shape[1]:
            raise ArgumentError(f"matrix: got shape {table.shape}, wanted a square one")
        labels = tuple(range(table.shape[0])) if nodes is None else tuple(nodes)
        if len(labels) != table.shape[0]:
            raise ArgumentError(f"nodes: got {len(labels)} labels for {table.shape[0]} rows; give one each")
        table.sum_duplicates()
        senders, receivers = (np.asarray(axis, dtype=np.int64) for axis in table.coords)
        return Network(labels, senders, receivers, table.data)

    @staticmethod
    def from_edges(
        edges: Sequence[tuple[Label, Label]] | Mapping[tuple[Label, Label], float], *, nodes: Sequence[Label]
    ) -> Network:
        """Build from (sender, receiver) pairs, or a mapping of them to weights (1 without)."""
        index = {label: k for k, label in enumerate(nodes)}
        unknown = [f"{j!r} -> {i!r}" for j, i in edges if j not in index or i not in index]
        if unknown:
            raise ArgumentError(
                f"edges: unknown node in {', '.join(unknown[:5])}; nodes has {len(index)} labels"
            )
        weights = list(edges.values()) if isinstance(edges, Mapping) else [1.0] * len(edges)
        pairs = np.array([(index[j], index[i]) for j, i in edges], dtype=np.int64).reshape(-1, 2)
        return Network(tuple(nodes), pairs[:, 0], pairs[:, 1], np.array(weights, dtype=float))

    def __repr__(self) -> str:
        return f"Network({self.n_nodes} nodes, {self.n_edges} edges)"

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.nodes)

    @property
    def n_edges(self) -> int:
        """Number of edges with a weight above 0."""
        return len(self.weights)

    @property
    def matrix(self) -> sp.csc_array:
        """Sparse (n_nodes, n_nodes) matrix; entry (j, i) is the weight of j -> i."""
        shape = (self.n_nodes, self.n_nodes)
        return sp.csc_array((self.weights, (self.senders, self.receivers)), shape=shape)

    def edges(self) -> list[tuple[Label, Label, float]]:
        """Return (sender, receiver, weight) with labels, sorted by receiver, then sender."""
        triples = zip(self.senders, self.receivers, self.weights, strict=True)
        return [(self.nodes[j], self.nodes[i], float(w)) for j, i, w in triples]

    def strongest(self, n_edges: int) -> Network:
        """Return the network of the `n_edges` largest weights (ties by position)."""
        order = np.argsort(-self.weights, kind="stable")[:n_edges]
        return Network(self.nodes, self.senders[order], self.receivers[order], self.weights[order])

    def to_networkx(self) -> nx.DiGraph[Label]:
        """Return a networkx digraph with the attribute ``weight`` on each edge, all nodes included."""
        graph: nx.DiGraph[Label] = nx.DiGraph()
        graph.add_nodes_from(self.nodes)
        graph.add_weighted_edges_from(self.edges())
        return graph

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary; `from_dict` is its inverse."""
        arrays = ("senders", "receivers", "weights")
        return {"nodes": list(self.nodes), **{a: getattr(self, a).tolist() for a in arrays}}

    @staticmethod
    def from_dict(document: dict[str, Any]) -> Network:
        """Rebuild a network from `to_dict`."""
        with document_of("a network"):
            return Network(
                tuple(document["nodes"]),
                np.array(document["senders"], dtype=np.int64),
                np.array(document["receivers"], dtype=np.int64),
                np.array(document["weights"], dtype=float),
            )
