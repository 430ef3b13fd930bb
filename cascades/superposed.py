"""The answer of `Superposition`: two parts of one network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cascades.likelihood import account, log_likelihood_by_cascade
from cascades.networks import Network
from cascades.tables import Cascades
from cascades.tables.types import Floats
from cascades.transmission import Law


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
    notes: tuple[str, ...] = ()

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
        return "\n".join(lines + [f"note: {n}" for n in self.notes])

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary."""
        plain = {k: getattr(self, k) for k in ("rank", "objective", "log_likelihood", "width", "iterations")}
        nested = {"theta": self.theta.to_dict(), "psi": self.psi.to_dict(), "law": self.law.to_dict()}
        return {**plain, **nested, "notes": list(self.notes)}
