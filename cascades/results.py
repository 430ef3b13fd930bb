"""What a fit returns: the network, its uncertainty, how it was found, and what it does not say."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
from scipy.stats import norm

from cascades.checks import array, number, text, texts
from cascades.errors import ArgumentError, InputError
from cascades.files import document_of, read_document, write_whole
from cascades.likelihood import account, left_out, log_likelihood_by_cascade
from cascades.mixture.layers_fit import FORMAT as LAYERS
from cascades.mixture.layers_fit import LayersFit
from cascades.mixture.result import FORMAT as MIXTURE
from cascades.mixture.result import MixtureFit
from cascades.networks import Network
from cascades.ranked import FORMAT as RANKED
from cascades.ranked import RankedNetwork
from cascades.superposed import FORMAT as SUPERPOSED
from cascades.superposed import SuperpositionFit
from cascades.tables import Cascades
from cascades.tables.types import Floats, Integers, Label
from cascades.transmission import Law, law_from_dict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMAT = "cascades network fit 1"


@dataclass(frozen=True, slots=True)
class EdgeEstimate:
    """One edge with its interval, in the user's unit of time."""

    sender: Label
    receiver: Label
    rate: float
    standard_error: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True, eq=False)
class NetworkFit:
    """A fitted single network.

    Parameters
    ----------
    model : str
        Name of the model that made it.
    network : Network
        Rates above zero; per time (exponential), time^2 (Rayleigh), time^k (Weibull), pure (power law).
    standard_errors : (n_edges,) float array
        Observed-information standard errors in the order of the network's edges; nan where not determined.
    background : (n_nodes,) float array
        Spontaneous rate per unit of time of each node, zeros without a background.
    background_errors : (n_nodes,) float array
    law : Law
    width : float
        Width of the bins of the grouped likelihood; 0 for exact times.
    residuals : (n_nodes,) float array
        KKT residual of each receiver, relative to its exposures.
    n_events, n_unexplained, n_candidates : (n_nodes,) int arrays
        Activations explained, activations that no candidate can explain, and senders ever seen before.
    log_likelihood : float
        Of the table fitted, given the sources, without the unexplained activations and without any penalty.
    unit : str
    notes : tuple of str

    Examples
    --------
    >>> import cascades as cs
    >>> data = cs.Cascades.from_records([{"a": 0.0, "b": 1.0}, {"a": 0.0, "b": 3.0}, {"a": 0.0}], window=4.0)
    >>> fit = cs.NetRate().fit(data)
    >>> fit
    NetworkFit(NetRate, 2 nodes, 1 edges, log-likelihood -4.773)
    >>> estimate = fit.edge("a", "b")  # two activations in 8 units of exposure
    >>> estimate.rate, round(estimate.standard_error, 3)
    (0.25, 0.177)
    """

    model: str
    network: Network
    standard_errors: Floats
    background: Floats
    background_errors: Floats
    law: Law
    width: float
    residuals: Floats
    n_events: Integers
    n_unexplained: Integers
    n_candidates: Integers
    log_likelihood: float
    unit: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        node, edge = (self.network.n_nodes,), (self.network.n_edges,)
        checked: dict[str, object] = {
            "standard_errors": array("standard_errors", self.standard_errors, edge, low=0.0, unknown=True),
            "background": array("background", self.background, node, low=0.0),
            "width": number("width", self.width, low=0.0),
            "log_likelihood": number("log_likelihood", self.log_likelihood),
        }
        for name in ("background_errors", "residuals"):
            checked[name] = array(name, getattr(self, name), node, low=0.0, unknown=True)
        checked |= {k: array(k, getattr(self, k), node, low=0, kind=np.int64) for k in _COUNTS}
        checked |= {k: text(k, getattr(self, k)) for k in ("model", "unit")}
        checked["notes"] = texts("notes", self.notes)
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        net = self.network
        return (
            f"NetworkFit({self.model}, {net.n_nodes} nodes, {net.n_edges} edges, "
            f"log-likelihood {self.log_likelihood:.4g})"
        )

    @property
    def kkt_residual(self) -> float:
        """The largest KKT residual over receivers."""
        return float(self.residuals.max(initial=0.0))

    def edges(self, *, level: float = 0.95) -> list[EdgeEstimate]:
        """Return every edge with a confidence interval, strongest first.

        Wald intervals on the log of the rate, rate * exp(+- z se / rate): they stay positive and cover better
        at small counts. Asymptotic; nan where the information is singular.
        """
        if not 0 < level < 1:
            raise ArgumentError(f"level: got {level}, wanted a number between 0 and 1")
        z = norm.ppf(0.5 + level / 2)
        net = self.network
        estimates = [
            EdgeEstimate(net.nodes[j], net.nodes[i], *_interval(float(w), float(s), z))
            for j, i, w, s in zip(net.senders, net.receivers, net.weights, self.standard_errors, strict=True)
        ]
        return sorted(estimates, key=lambda e: -e.rate)

    def edge(self, sender: Label, receiver: Label, *, level: float = 0.95) -> EdgeEstimate:
        """Return one edge with its interval.

        Raises
        ------
        ArgumentError
            When the pair was not estimated above zero.
        """
        for estimate in self.edges(level=level):
            if (estimate.sender, estimate.receiver) == (sender, receiver):
                return estimate
        raise ArgumentError(
            f"{sender!r} -> {receiver!r} is not an edge of this fit; its rate was estimated as 0"
        )

    def log_likelihood_on(self, data: Cascades, *, floor: float = 0.0) -> Floats:
        """Return the log-likelihood of each cascade of another table (-inf where the network forbids one).

        With `floor` every node may also be activated by nobody at this rate.
        """
        book = account(self.network, data, self.law, background=self.background + floor, width=self.width)
        return log_likelihood_by_cascade(book, data)

    def summary(self) -> str:
        """Say in words what was found, how well it was determined, and what to be careful about."""
        net, per = self.network, f" per {self.unit}" if self.unit else ""
        times = f"grouped in bins of {self.width:g}" if self.width else "exact"
        lines = [
            repr(self),
            f"law {self.law}; times {times}; {int(self.n_events.sum())} activations explained",
            f"{net.n_edges} of {int(self.n_candidates.sum())} candidate edges have a rate above 0",
            f"KKT residual {self.kkt_residual:.1e} (numerical)",
        ]
        if np.any(self.background > 0):
            lines.append(self._background_words())
        if self.n_unexplained.any():
            lines.append(left_out(int(self.n_unexplained.sum()), "have no possible sender"))
        strongest = self.edges()[:3]
        lines += [
            f"{e.sender} -> {e.receiver}: {e.rate:.3g}{per}, 95 % interval [{e.lower:.3g}, {e.upper:.3g}]"
            for e in strongest
        ]
        if self.width:
            lines.append(
                "grouped times: mutual senders within a bin, so intervals and p-values are approximate"
            )
        return "\n".join(lines + [f"note: {n}" for n in self.notes])

    def _background_words(self) -> str:
        above = self.background[self.background > 0]
        per = f"node and {self.unit}" if self.unit else "node and unit of time"
        return (
            f"background: above 0 at {len(above)} of {len(self.background)} nodes, "
            f"there {np.median(above):.3g} per {per} (median)"
        )

    def to_networkx(self) -> nx.DiGraph[Label]:
        """Return the network as a networkx digraph with ``weight`` the rate."""
        return self.network.to_networkx()

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the rate matrix (needs matplotlib)."""
        from cascades.plotting import rate_matrix

        return rate_matrix(self.network, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary; `from_dict` is its inverse."""
        plain = {k: getattr(self, k) for k in ("model", "width", "log_likelihood", "unit")}
        arrays = {k: _listed(getattr(self, k)) for k in _ARRAYS}
        nested = {"network": self.network.to_dict(), "law": self.law.to_dict(), "notes": list(self.notes)}
        return {"format": FORMAT, **plain, **arrays, **nested}

    @staticmethod
    def from_dict(document: dict[str, Any]) -> NetworkFit:
        """Rebuild a fit from `to_dict`.

        Raises
        ------
        InputError
            When the document is not one.
        """
        if document.get("format") != FORMAT:
            raise InputError("the document is not a network fit written by NetworkFit.to_dict")
        with document_of("a network fit"):
            fields: dict[str, Any] = {k: document[k] for k in ("model", "width", "log_likelihood", "unit")}
            fields |= {k: np.array(document[k], dtype=float) for k in _ARRAYS if k not in _COUNTS}
            fields |= {k: np.array(document[k], dtype=np.int64) for k in _COUNTS}
            fields["network"] = Network.from_dict(document["network"])
            fields["law"] = law_from_dict(document["law"])
            return NetworkFit(**fields, notes=tuple(document["notes"]))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fit as JSON; `load_fit` is the inverse."""
        write_whole(path, json.dumps(self.to_dict()))


_ARRAYS = (
    "standard_errors",
    "background",
    "background_errors",
    "residuals",
    "n_events",
    "n_unexplained",
    "n_candidates",
)
_COUNTS = _ARRAYS[-3:]


Fit = NetworkFit | RankedNetwork | SuperpositionFit | MixtureFit | LayersFit

KINDS: dict[str, type[Fit]] = {
    FORMAT: NetworkFit,
    RANKED: RankedNetwork,
    SUPERPOSED: SuperpositionFit,
    MIXTURE: MixtureFit,
    LAYERS: LayersFit,
}


def load_fit(path: str | os.PathLike[str]) -> Fit:
    """Read what the ``save`` method of a fit wrote.

    Raises
    ------
    InputError
        When the file is missing or not such a fit.
    """
    document = read_document(path)
    kind = KINDS.get(str(document.get("format")))
    if kind is None:
        raise InputError(f"{path} is not a fit that this version knows; give the file that its `save` wrote")
    return kind.from_dict(document)


def _interval(rate: float, error: float, z: float) -> tuple[float, float, float, float]:
    factor = float(np.exp(min(z * error / rate, 700.0))) if error == error else np.nan
    return rate, error, rate / factor, rate * factor


def _listed(array: np.ndarray[Any, Any]) -> list[Any]:
    return [None if isinstance(v, float) and np.isnan(v) else v for v in array.tolist()]
