"""What a mixture over whole cascades returns."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from cascades.checks import array, count, number, text, texts
from cascades.errors import ArgumentError, InputError
from cascades.exposures import timeline
from cascades.files import document_of, write_whole
from cascades.likelihood import left_out
from cascades.mixture.layered import Layers, LayerSums, layered_expectation
from cascades.networks import Network
from cascades.tables import Cascades
from cascades.tables.types import Floats
from cascades.transmission import Law, law_from_dict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMAT = "cascades layers fit 1"
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class LayersFit:
    """Networks of which each carries whole cascades.

    Parameters
    ----------
    networks : tuple of Network
        One per layer, most used first; rates in the table's unit.
    shares : (n_layers,) float array
        Probability that a cascade runs on each layer.
    background : (n_nodes, n_layers) float array
        Rate of activations by nobody, per unit of time.
    log_likelihood : float
        Of the table fitted, given its sources, in the table's unit, without unexplained activations.
    starts : tuple of float
        The log-likelihood that each random start reached, best first: their spread says how much the answer
        depends on the start.
    law : Law
    width : float
        Width of the bins of grouped times, 0 for exact times.
    n_unexplained : int
    unit : str
    notes : tuple of str
    """

    networks: tuple[Network, ...]
    shares: Floats
    background: Floats
    log_likelihood: float
    starts: tuple[float, ...]
    law: Law
    width: float
    n_unexplained: int = 0
    unit: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.networks or any(n.nodes != self.networks[0].nodes for n in self.networks):
            raise ArgumentError("networks: wanted one or more, with the same nodes in the same order")
        sizes = (self.networks[0].n_nodes, len(self.networks))
        checked: dict[str, object] = {
            "shares": array("shares", self.shares, sizes[1:], low=0.0, high=1.0 + ROUNDING),
            "background": array("background", self.background, sizes, low=0.0),
            "log_likelihood": number("log_likelihood", self.log_likelihood),
            "starts": tuple(number("starts", v) for v in self.starts),
            "width": number("width", self.width, low=0.0),
            "n_unexplained": count("n_unexplained", self.n_unexplained),
            "unit": text("unit", self.unit),
            "notes": texts("notes", self.notes),
        }
        if not self.starts:
            raise ArgumentError("starts: wanted the log-likelihood of at least one start")
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        parts = zip(self.shares, self.networks, strict=True)
        sizes = ", ".join(f"{s:.2f}: {n.n_edges} edges" for s, n in parts)
        return (
            f"LayersFit({self.networks[0].n_nodes} nodes; {sizes}; log-likelihood {self.log_likelihood:.6g})"
        )

    def responsibilities(self, data: Cascades) -> Floats:
        """Return the (n_cascades, n_layers) probabilities that each layer carried each cascade."""
        return self._pass(data).posterior

    def carriers(self, data: Cascades) -> Floats:
        """Return, for each activation, the probabilities of the layers that carried it; nan at sources."""
        return np.where(data.is_source[:, None], np.nan, self.responsibilities(data)[data.cascade_of])

    def log_likelihood_on(self, data: Cascades, *, floor: float = 0.0) -> Floats:
        """Return the log-likelihood of each cascade of another table, in its unit.

        With `floor` every node may also be activated by nobody at this rate, in all layers; without it a
        cascade that no layer can explain has -inf.
        """
        sums = self._pass(data, floor)
        unit = unit_shift(data, self.width, self.law)
        impossible = np.isnan(sums.posterior).any(axis=1) | (np.nansum(sums.posterior, axis=1) == 0.0)
        return np.where(impossible, -np.inf, sums.by_cascade - unit)

    def _pass(self, data: Cascades, floor: float = 0.0) -> LayerSums:
        nodes = self.networks[0].nodes
        shares = np.tile(self.shares, (len(nodes), 1))
        layers = inner_layers(self.networks, shares, self.background + floor, whole=True)
        return evaluate(layers, nodes, data, self.law, self.width)

    def summary(self) -> str:
        """Say what was found and how much it depends on the start."""
        lines = [repr(self)]
        for k, (share, network) in enumerate(zip(self.shares, self.networks, strict=True)):
            lines.append(f"layer {k}: share {share:.3f}, {network!r}")
        spread = f"from {self.starts[-1]:.6g} to {self.starts[0]:.6g}"
        lines.append(
            f"{len(self.starts)} random starts ended {spread}: the best is kept, and is no certificate"
        )
        if self.n_unexplained:
            lines.append(left_out(self.n_unexplained, "have no possible sender in any layer"))
        return "\n".join(lines + [f"note: {n}" for n in self.notes])

    def plot(self, ax: tuple[Axes, ...] | None = None) -> tuple[Axes, ...]:
        """Draw the rate matrices side by side (needs matplotlib)."""
        from cascades.plotting import axes_row, rate_matrix

        row = axes_row(len(self.networks)) if ax is None else ax
        titles = [f"layer {k}, share {s:.2f}" for k, s in enumerate(self.shares)]
        return tuple(
            rate_matrix(n, ax=a, title=t) for n, a, t in zip(self.networks, row, titles, strict=True)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary; `from_dict` is its inverse."""
        plain = {k: getattr(self, k) for k in ("log_likelihood", "width", "n_unexplained", "unit")}
        arrays = {k: getattr(self, k).tolist() for k in ("shares", "background")}
        nested = {"networks": [n.to_dict() for n in self.networks], "law": self.law.to_dict()}
        words = {"starts": list(self.starts), "notes": list(self.notes)}
        return {"format": FORMAT, **plain, **arrays, **nested, **words}

    @staticmethod
    def from_dict(document: dict[str, Any]) -> LayersFit:
        """Rebuild from `to_dict`."""
        if document.get("format") != FORMAT:
            raise InputError("the document is not a layers fit written by LayersFit.to_dict")
        with document_of("a layers fit"):
            fields: dict[str, Any] = {
                k: document[k] for k in ("log_likelihood", "width", "n_unexplained", "unit")
            }
            fields |= {k: np.array(document[k]) for k in ("shares", "background")}
            fields |= {k: tuple(document[k]) for k in ("starts", "notes")}
            networks = tuple(Network.from_dict(n) for n in document["networks"])
            return LayersFit(networks=networks, law=law_from_dict(document["law"]), **fields)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write as JSON; `load_fit` is the inverse."""
        write_whole(path, json.dumps(self.to_dict()))


def inner_layers(networks: tuple[Network, ...], shares: Floats, base: Floats, *, whole: bool) -> Layers:
    """Lay fitted networks over each other, in the unit of their rates."""
    return Layers.of([sp.csr_array(n.matrix) for n in networks], shares, base=base, whole=whole)


def evaluate(layers: Layers, nodes: tuple[Any, ...], data: Cascades, law: Law, width: float) -> LayerSums:
    """Pass over `data` with layers in the table's unit.

    Raises
    ------
    ArgumentError
        When the table has other nodes.
    """
    if data.nodes != nodes:
        raise ArgumentError("data: its nodes differ from the fit's in labels or order; read it with nodes=")
    line = timeline(data, law, width=width)
    factor = law.rate_factor(line.scale)
    inner = layers.changed(rates=layers.rates / factor, base=layers.base * line.scale)
    return layered_expectation(line, inner, np.arange(len(data)))


def unit_shift(data: Cascades, width: float, law: Law) -> Floats:
    """Return what turns log densities in internal units into the table's: log(scale) an activation."""
    if width > 0.0:
        return np.zeros(len(data))
    events = np.add.reduceat((~data.is_source).astype(float), data.starts[:-1])
    result: Floats = events * np.log(timeline(data, law).scale)
    return result
