"""The answer of `Superposition`: two parts of one network."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from cascades.checks import count, number, text, texts
from cascades.errors import ArgumentError, InputError
from cascades.files import document_of, write_whole
from cascades.likelihood import account, left_out, log_likelihood_by_cascade
from cascades.networks import Network
from cascades.tables import Cascades
from cascades.tables.types import Floats
from cascades.transmission import Law, law_from_dict

FORMAT = "cascades superposition fit 1"


@dataclass(frozen=True, slots=True, eq=False)
class SuperpositionFit:
    """Sparse and low-rank parts of the rates.

    Parameters
    ----------
    theta, psi : Network
        The part on the support and the low-rank part; rates add up.
    rank : int
        Singular values of psi above 1e-4 of the largest.
    objective : float
        Penalised negative log-likelihood in internal units.
    log_likelihood : float
        Without penalties, in the table's unit.
    law : Law
    width : float
    iterations : int
    n_unexplained : int
        Activations that no candidate can explain; the log-likelihood is without them.
    unit : str
    notes : tuple of str
    """

    theta: Network
    psi: Network
    rank: int
    objective: float
    log_likelihood: float
    law: Law
    width: float
    iterations: int
    n_unexplained: int = 0
    unit: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.theta.nodes != self.psi.nodes:
            raise ArgumentError("theta, psi: wanted the same nodes in the same order")
        for name in ("rank", "iterations", "n_unexplained"):
            object.__setattr__(self, name, count(name, getattr(self, name)))
        for name, low in (("objective", -np.inf), ("log_likelihood", -np.inf), ("width", 0.0)):
            object.__setattr__(self, name, number(name, getattr(self, name), low=low))
        text("unit", self.unit)
        object.__setattr__(self, "notes", texts("notes", self.notes))

    def __repr__(self) -> str:
        return (
            f"SuperpositionFit(theta {self.theta.n_edges} edges, psi {self.psi.n_edges} edges of rank "
            f"{self.rank}, log-likelihood {self.log_likelihood:.4g})"
        )

    @property
    def network(self) -> Network:
        """The sum of both parts."""
        return Network.from_matrix(self.theta.matrix + self.psi.matrix, nodes=self.theta.nodes)

    def log_likelihood_on(self, data: Cascades, *, floor: float = 0.0) -> Floats:
        """Return the log-likelihood of each cascade of another table; as `NetworkFit.log_likelihood_on`."""
        background = np.full(self.theta.n_nodes, floor)
        book = account(self.network, data, self.law, background=background, width=self.width)
        return log_likelihood_by_cascade(book, data)

    def summary(self) -> str:
        """Say what was found."""
        lines = [repr(self), f"law {self.law}; {self.iterations} iterations"]
        lines.append("which part carries an edge depends on the penalties; the data measure only the sum")
        if self.n_unexplained:
            lines.append(left_out(self.n_unexplained, "have no possible sender"))
        return "\n".join(lines + [f"note: {n}" for n in self.notes])

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary; `from_dict` is its inverse."""
        plain = {k: getattr(self, k) for k in _PLAIN}
        nested = {"theta": self.theta.to_dict(), "psi": self.psi.to_dict(), "law": self.law.to_dict()}
        return {"format": FORMAT, **plain, **nested, "notes": list(self.notes)}

    @staticmethod
    def from_dict(document: dict[str, Any]) -> SuperpositionFit:
        """Rebuild from `to_dict`.

        Raises
        ------
        InputError
            When the document is not one.
        """
        if document.get("format") != FORMAT:
            raise InputError("the document is not a superposition written by SuperpositionFit.to_dict")
        with document_of("a superposition"):
            fields: dict[str, Any] = {k: document[k] for k in _PLAIN}
            fields |= {k: Network.from_dict(document[k]) for k in ("theta", "psi")}
            fields["law"] = law_from_dict(document["law"])
            return SuperpositionFit(**fields, notes=tuple(document["notes"]))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write as JSON; `load_fit` is the inverse."""
        write_whole(path, json.dumps(self.to_dict()))


_PLAIN = (
    "rank",
    "objective",
    "log_likelihood",
    "width",
    "iterations",
    "n_unexplained",
    "unit",
)
