"""What the double mixture is made of: the observed network's edges, the latent factors, the preferences."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cascades.networks import Network
from cascades.tables.types import Floats, Integers


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """The support A, sorted by receiver, with the same edges listed by sender."""

    in_pointers: Integers
    senders: Integers
    out_pointers: Integers
    receivers: Integers
    out_edge: Integers

    @staticmethod
    def of(support: Network) -> Edges:
        """Index a network both ways."""
        n = support.n_nodes
        by_sender = np.argsort(support.senders, kind="stable")
        return Edges(
            _pointers(support.receivers, n),
            np.array(support.senders),
            _pointers(support.senders, n),
            support.receivers[by_sender],
            by_sender,
        )


def _pointers(keys: Integers, n: int) -> Integers:
    return np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=n))])


@dataclass(frozen=True, slots=True, eq=False)
class Parameters:
    """Rates of theta on the support's edges, psi = u v', and pi; internal units."""

    theta: Floats
    u: Floats
    v: Floats
    pi: Floats

    @property
    def used(self) -> NDArray[np.bool_]:
        """Whether each factor has senders and receivers; one without either carries nothing."""
        return np.logical_and(self.u.any(axis=0), self.v.any(axis=0))

    def changed(self, **arrays: Floats) -> Parameters:
        """Return a copy with some arrays replaced."""
        return replace(self, **arrays)


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sufficient statistics of one pass; they add up over blocks of cascades.

    For each rate: expected transmissions and exposure; for factors also the sum of squared shares. For pi:
    the sum of posteriors and the number of (cascade, node) pairs that were touched.
    """

    theta: Floats
    theta_exposure: Floats
    u: Floats
    u_exposure: Floats
    u_squares: Floats
    v: Floats
    v_exposure: Floats
    v_squares: Floats
    pi: Floats
    touched: Floats
    log_likelihood: Floats
    unexplained: Floats

    @staticmethod
    def zeros(n: int, rank: int, n_edges: int) -> Sums:
        """Return empty sums."""
        edge, factor, node = (n_edges,), (n, rank), (n,)
        shapes = [edge, edge, *[factor] * 6, node, node, (1,), (1,)]
        return Sums(*(np.zeros(shape) for shape in shapes))

    def add(self, other: Sums) -> None:
        """Add the sums of another block in place."""
        for name in self.__slots__:
            mine = getattr(self, name)
            mine += getattr(other, name)

    def arrays(self) -> tuple[Floats, ...]:
        """Return all arrays, in order, for the kernel."""
        return tuple(getattr(self, name) for name in self.__slots__)
