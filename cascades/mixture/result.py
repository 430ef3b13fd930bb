"""What a double mixture fit returns."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from cascades.checks import array, count, number, text, texts
from cascades.errors import ArgumentError, InputError
from cascades.files import document_of, write_whole
from cascades.likelihood import left_out
from cascades.mixture.layered import Layers, LayerSums, entries
from cascades.mixture.layers_fit import evaluate, inner_layers, unit_shift
from cascades.mixture.state import Parameters
from cascades.mixture.uncertainty import MixtureErrors, mixture_errors
from cascades.networks import Network
from cascades.tables import Cascades
from cascades.tables.types import Floats
from cascades.transmission import Law, law_from_dict

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

    from cascades.tables.types import Label

FORMAT = "cascades mixture fit 2"
SAME_RATE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class MixtureFit:
    """Two networks and each node's preference between them.

    Parameters
    ----------
    support : Network
        Where theta may be: the observed network, or every pair that theta was tried on.
    theta, psi : Network
        Rates of the observed and of the latent network, in the table's unit.
    u, v : (n_nodes, rank) float arrays
        Factors of psi = u v' without its diagonal; rank 0 when psi was fitted edge by edge.
    pi : (n_nodes,) float array
        Probability that a node is reached through theta in a cascade.
    touched : (n_nodes,) float array
        In how many cascades a network could have reached the node; pi is learnt from these alone.
    log_likelihood : float
        Of the table fitted given its sources, in the table's unit, without unexplained activations.
    n_unexplained : int
        Activations that both pruned networks declare impossible.
    law : Law
    width : float
        Width of the bins of grouped times, 0 for exact times.
    background : (n_nodes, 2) float array
        Rate of activations by nobody in each layer, per unit of time.
    model : str
    unit : str
    steps : tuple of str
        What the search did.
    notes : tuple of str
        What limits the separation of the two networks, and what was approximated.
    """

    support: Network
    theta: Network
    psi: Network
    u: Floats
    v: Floats
    pi: Floats
    touched: Floats
    log_likelihood: float
    n_unexplained: int
    law: Law
    width: float = 0.0
    background: Floats | None = None
    model: str = "DoubleMixture"
    unit: str = ""
    steps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n, base = self.theta.n_nodes, np.zeros((self.theta.n_nodes, 2))
        if not self.support.nodes == self.theta.nodes == self.psi.nodes:
            raise ArgumentError("support, theta, psi: wanted the same nodes in the same order")
        factors = (n, np.shape(self.u)[-1] if np.ndim(self.u) else 0)
        checked: dict[str, object] = {k: array(k, getattr(self, k), factors, low=0.0) for k in ("u", "v")}
        checked["pi"] = array("pi", self.pi, (n,), low=0.0, high=1.0)
        checked["touched"] = array("touched", self.touched, (n,), low=0.0)
        given = base if self.background is None else self.background
        checked["background"] = array("background", given, base.shape, low=0.0)
        checked["log_likelihood"] = number("log_likelihood", self.log_likelihood)
        checked["n_unexplained"] = count("n_unexplained", self.n_unexplained)
        checked["width"] = number("width", self.width, low=0.0)
        checked |= {k: text(k, getattr(self, k)) for k in ("model", "unit")}
        checked |= {k: texts(k, getattr(self, k)) for k in ("steps", "notes")}
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        self._refuse_other_factors()

    def _refuse_other_factors(self) -> None:
        """Refuse factors whose product is another network than psi."""
        if self.u.shape[1] == 0:
            return
        product = sp.coo_array(sp.csr_array(self.u) @ sp.csr_array(self.v).T)
        product.data[product.coords[0] == product.coords[1]] = 0.0
        apart = abs(sp.csr_array(product) - self.psi.matrix).max()
        if apart > SAME_RATE * product.max():
            raise ArgumentError("u, v: their product without its diagonal is not psi")

    def __repr__(self) -> str:
        of_rank = f" of rank {self.rank}" if self.rank else ""
        return (
            f"MixtureFit({self.theta.n_nodes} nodes, theta {self.theta.n_edges} edges, "
            f"psi {self.psi.n_edges} edges{of_rank})"
        )

    @property
    def rank(self) -> int:
        """Number of factors that are in use; 0 when psi has none."""
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
        """Return, for each activation of `data`, the probability that theta carried it; nan at sources.

        nan too where both networks declare the activation impossible.
        """
        return self._pass(data, 0.0).posterior[:, 0]

    def log_likelihood_on(self, data: Cascades, *, floor: float = 0.0) -> Floats:
        """Return the log-likelihood of each cascade of another table, in its unit.

        With `floor` every node may also be activated by nobody at this rate, whichever network it listens to;
        without it a cascade with an activation that neither network can explain has -inf.
        """
        sums = self._pass(data, floor)
        lost = ~data.is_source & np.isnan(sums.posterior[:, 0])
        impossible = np.add.reduceat(lost, data.starts[:-1]) > 0
        return np.where(impossible, -np.inf, sums.by_cascade - unit_shift(data, self.width, self.law))

    def standard_errors(self, data: Cascades) -> MixtureErrors:
        """Return standard errors of theta, psi and pi from `data`, the table that was fitted.

        Observed information with the missing-information correction of Louis (1982), given the edges above
        zero; for psi = u v' the factors are the parameters. O(cascades * senders^2) per receiver.
        """
        if data.nodes != self.theta.nodes:
            raise ArgumentError("data: its nodes differ from the fit's in labels or order")
        return mixture_errors(self, data)

    def layers(self, floor: float = 0.0) -> Layers:
        """Return both networks edge by edge, with `floor` added to the background."""
        shares = np.stack([self.pi, 1.0 - self.pi], axis=1)
        base = np.asarray(self.background) + floor
        return inner_layers((self.theta, self.psi), shares, base, whole=False)

    def _pass(self, data: Cascades, floor: float) -> LayerSums:
        return evaluate(self.layers(floor), self.theta.nodes, data, self.law, self.width)

    def inner(self, support: Network, scale: float) -> Parameters:
        """Return the parameters in internal units, theta in the order of the edges of `support`."""
        factor = self.law.rate_factor(scale)
        rates = entries(self.theta.matrix, support.senders, support.receivers)
        root = np.sqrt(factor)
        return Parameters(rates / factor, self.u / root, self.v / root, np.array(self.pi))

    def summary(self) -> str:
        """Say what was found and what limits it."""
        times = f"grouped in bins of {self.width:g}" if self.width else "exact"
        lines = [repr(self), f"law {self.law}; times {times}; log-likelihood {self.log_likelihood:.6g}"]
        lines.append(f"pi: median {np.median(self.pi):.2f}, from {self.pi.min():.2f} to {self.pi.max():.2f}")
        lines.append(
            "the likelihood of a mixture has several maxima: this is the best one found, not a certificate"
        )
        if self.n_unexplained:
            lines.append(left_out(self.n_unexplained, "are impossible under both pruned networks"))
        lines += [f"step: {s}" for s in self.steps]
        return "\n".join(lines + [f"note: {n}" for n in self.notes])

    def plot(self, ax: tuple[Axes, ...] | None = None) -> tuple[Axes, ...]:
        """Draw both rate matrices side by side (needs matplotlib)."""
        from cascades.plotting import axes_row, rate_matrix

        left, right = axes_row(2) if ax is None else ax
        return rate_matrix(self.theta, ax=left, title="theta"), rate_matrix(self.psi, ax=right, title="psi")

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary; `from_dict` is its inverse."""
        arrays = {k: getattr(self, k).tolist() for k in _ARRAYS}
        plain = {k: getattr(self, k) for k in _PLAIN}
        networks = {k: getattr(self, k).to_dict() for k in _NETWORKS}
        words = {"steps": list(self.steps), "notes": list(self.notes)}
        return {"format": FORMAT, **plain, **arrays, **networks, "law": self.law.to_dict(), **words}

    @staticmethod
    def from_dict(document: dict[str, Any]) -> MixtureFit:
        """Rebuild from `to_dict`."""
        if document.get("format") != FORMAT:
            raise InputError("the document is not a mixture fit written by MixtureFit.to_dict")
        with document_of("a mixture fit"):
            n_nodes, rows = len(document["pi"]), ("u", "v", "background")
            fields: dict[str, Any] = {k: document[k] for k in _PLAIN}
            fields |= {k: np.array(document[k], dtype=float).reshape(n_nodes, -1) for k in rows}
            fields |= {k: np.array(document[k]) for k in ("pi", "touched")}
            fields |= {k: Network.from_dict(document[k]) for k in _NETWORKS}
            fields |= {k: tuple(document[k]) for k in ("steps", "notes")}
            return MixtureFit(**fields, law=law_from_dict(document["law"]))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write as JSON; `load_fit` is the inverse."""
        write_whole(path, json.dumps(self.to_dict()))


_ARRAYS = ("u", "v", "pi", "touched", "background")
_PLAIN = ("log_likelihood", "n_unexplained", "width", "model", "unit")
_NETWORKS = ("support", "theta", "psi")
