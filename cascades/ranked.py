"""The answer of models that rank edges without giving them rates (NetInf, ConNIe)."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cascades.checks import number, text, texts
from cascades.errors import InputError
from cascades.files import document_of, write_whole
from cascades.networks import Network
from cascades.transmission import Law, law_from_dict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMAT = "cascades ranked network 1"


@dataclass(frozen=True, slots=True, eq=False)
class RankedNetwork:
    """A network whose weights rank its edges.

    Parameters
    ----------
    model : str
    network : Network
    meaning : str
        What the weights are.
    law : Law
    delay_rate : float
        Rate of the delay density that was used, in the table's unit.
    residual : float
        KKT residual (ConNIe), 0 for greedy models.
    unit : str
    notes : tuple of str
    """

    model: str
    network: Network
    meaning: str
    law: Law
    delay_rate: float
    residual: float
    unit: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("delay_rate", "residual"):
            object.__setattr__(self, name, number(name, getattr(self, name), low=0.0))
        for name in ("model", "meaning", "unit"):
            text(name, getattr(self, name))
        object.__setattr__(self, "notes", texts("notes", self.notes))

    def __repr__(self) -> str:
        return f"RankedNetwork({self.model}, {self.network.n_nodes} nodes, {self.network.n_edges} edges)"

    def summary(self) -> str:
        """Say what the weights mean and which edges lead."""
        per = f" per {self.unit}" if self.unit else ""
        lines = [
            repr(self),
            f"weights: {self.meaning}; delay law {self.law} at rate {self.delay_rate:.3g}{per}",
        ]
        best = self.network.strongest(3)
        lines += [f"{j} -> {i}: {w:.3g}" for j, i, w in sorted(best.edges(), key=lambda e: -e[2])]
        lines.append("no standard errors: this model ranks edges, NetRate measures them")
        return "\n".join(lines + [f"note: {n}" for n in self.notes])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the matrix of weights (needs matplotlib)."""
        from cascades.plotting import rate_matrix

        return rate_matrix(self.network, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary; `from_dict` is its inverse."""
        plain = {k: getattr(self, k) for k in ("model", "meaning", "delay_rate", "residual", "unit")}
        nested = {"network": self.network.to_dict(), "law": self.law.to_dict(), "notes": list(self.notes)}
        return {"format": FORMAT, **plain, **nested}

    @staticmethod
    def from_dict(document: dict[str, Any]) -> RankedNetwork:
        """Rebuild from `to_dict`."""
        if document.get("format") != FORMAT:
            raise InputError("the document is not a ranked network written by RankedNetwork.to_dict")
        with document_of("a ranked network"):
            fields: dict[str, Any] = {
                k: document[k] for k in ("model", "meaning", "delay_rate", "residual", "unit")
            }
            fields["network"] = Network.from_dict(document["network"])
            fields["law"] = law_from_dict(document["law"])
            return RankedNetwork(**fields, notes=tuple(document["notes"]))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write as JSON; `load_fit` is the inverse."""
        write_whole(path, json.dumps(self.to_dict()))
