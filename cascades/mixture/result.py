"""What a double mixture fit returns."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cascades.errors import ArgumentError, InputError
from cascades.exposures import timeline
from cascades.mixture.passes import expectation
from cascades.mixture.state import Edges, Parameters
from cascades.networks import Network
from cascades.tables import Cascades
from cascades.tables.types import Floats
from cascades.transmission import Law, law_from_dict

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

    from cascades.tables.types import Label

FORMAT = "cascades mixture fit 1"


@dataclass(frozen=True, slots=True, eq=False)
class MixtureFit:
    """Two networks and each node's preference between them.

    Parameters
    ----------
    support : Network
        The observed network.
    theta : Network
        Rates on the observed network, in the table's unit.
    u, v : (n_nodes, rank) float arrays
        Factors of the latent network psi = u v', senders and receivers.
    pi : (n_nodes,) float array
        Probability that a node is reached through theta in a cascade.
    touched : (n_nodes,) float array
        In how many cascades a network could have reached the node; pi is learnt from these alone.
    log_likelihood : float
        Of the table fitted given its sources, in internal units, without unexplained activations.
    n_unexplained : int
        Activations that both pruned networks declare impossible.
    law : Law
    steps : tuple of str
        What the search did.
    notes : tuple of str
        What limits the separation of the two networks.
    """

    support: Network
    theta: Network
    u: Floats
    v: Floats
    pi: Floats
    touched: Floats
    log_likelihood: float
    n_unexplained: int
    law: Law
    unit: str = ""
    steps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("u", "v", "pi", "touched"):
            array = np.array(getattr(self, name), dtype=float)
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def __repr__(self) -> str:
        return (
            f"MixtureFit({self.theta.n_nodes} nodes, theta {self.theta.n_edges} edges, "
            f"psi {self.psi.n_edges} edges of rank {self.rank})"
        )

    @property
    def psi(self) -> Network:
        """The latent network; the diagonal carries no data and is left out."""
        rates = self.u @ self.v.T
        np.fill_diagonal(rates, 0.0)
        return Network.from_matrix(rates, nodes=self.theta.nodes)

    @property
    def rank(self) -> int:
        """Number of factors that are in use."""
        return int(np.sum(self.u.any(axis=0) & self.v.any(axis=0)))

    def network(self, layer: str) -> Network:
        """Return "theta" or "psi"."""
        if layer not in ("theta", "psi"):
            raise ArgumentError(f"layer: got {layer!r}, wanted 'theta' or 'psi'")
        return self.theta if layer == "theta" else self.psi

    def to_networkx(self, layer: str) -> nx.DiGraph[Label]:
        """Return one network as a networkx digraph."""
        return self.network(layer).to_networkx()

    def responsibilities(self, data: Cascades) -> Floats:
        """Return, for each activation of `data`, the probability that theta carried it; nan at sources."""
        if data.nodes != self.theta.nodes:
            raise ArgumentError(
                "data: its nodes differ from the fit's in labels or order; read it with nodes="
            )
        line = timeline(data, self.law)
        factor = self.law.rate_factor(line.scale)
        rates = np.asarray(self.theta.matrix[self.support.senders, self.support.receivers]).ravel()
        root = np.sqrt(factor)
        inner = Parameters(rates / factor, self.u / root, self.v / root, np.array(self.pi))
        return expectation(line, Edges.of(self.support), inner, np.arange(len(data)))[1]

    def summary(self) -> str:
        """Say what was found and what limits it."""
        lines = [repr(self), f"law {self.law}; log-likelihood {self.log_likelihood:.6g} (internal units)"]
        lines.append(f"pi: median {np.median(self.pi):.2f}, from {self.pi.min():.2f} to {self.pi.max():.2f}")
        lines.append(
            "the likelihood of a mixture has several maxima: this is the best one found, not a certificate"
        )
        if self.n_unexplained:
            lines.append(f"{self.n_unexplained} activations are impossible under both pruned networks")
        lines += [f"step: {s}" for s in self.steps]
        return "\n".join(lines + [f"note: {n}" for n in self.notes])

    def plot(self, ax: tuple[Axes, Axes] | None = None) -> tuple[Axes, Axes]:
        """Draw both rate matrices side by side (needs matplotlib)."""
        from cascades.plotting import axes_pair, rate_matrix

        left, right = axes_pair() if ax is None else ax
        return rate_matrix(self.theta, ax=left, title="theta"), rate_matrix(self.psi, ax=right, title="psi")

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary; `from_dict` is its inverse."""
        arrays = {k: getattr(self, k).tolist() for k in ("u", "v", "pi", "touched")}
        plain = {k: getattr(self, k) for k in ("log_likelihood", "n_unexplained", "unit")}
        networks = {"support": self.support.to_dict(), "theta": self.theta.to_dict()}
        words = {"steps": list(self.steps), "notes": list(self.notes)}
        return {"format": FORMAT, **plain, **arrays, **networks, "law": self.law.to_dict(), **words}

    @staticmethod
    def from_dict(document: dict[str, Any]) -> MixtureFit:
        """Rebuild from `to_dict`."""
        if document.get("format") != FORMAT:
            raise InputError("the document is not a mixture fit written by MixtureFit.to_dict")
        fields: dict[str, Any] = {k: document[k] for k in ("log_likelihood", "n_unexplained", "unit")}
        fields |= {k: np.array(document[k]) for k in ("u", "v", "pi", "touched")}
        fields |= {k: Network.from_dict(document[k]) for k in ("support", "theta")}
        fields |= {k: tuple(document[k]) for k in ("steps", "notes")}
        return MixtureFit(**fields, law=law_from_dict(document["law"]))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write as JSON; `load_fit` is the inverse."""
        Path(path).write_text(json.dumps(self.to_dict()), encoding="utf-8")
