"""Time-rescaling residuals: under a right model, cumulative hazards at activation are unit exponentials.

A node's cumulative hazard until its activation is exponential with mean 1, censored at the value it has
reached by the horizon when it is not activated (Papangelou 1972; Cox and Snell 1968). The Nelson-Aalen
estimate of the residuals' cumulative hazard should then be the identity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cascades.likelihood import account
from cascades.results import NetworkFit
from cascades.tables import Cascades
from cascades.tables.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, eq=False)
class Residuals:
    """Cumulative hazards of all pairs at risk.

    Parameters
    ----------
    values : (n_pairs,) float array
        Cumulative hazard at activation (grouped: at a random point of the bin's hazard) or at the horizon.
    activated : (n_pairs,) bool array
        False where censored.
    observed, expected : (n_nodes,) float arrays
        Activations of each node after the source, and the sum of its cumulative hazards.
    """

    values: Floats
    activated: np.ndarray[tuple[int], np.dtype[np.bool_]]
    observed: Floats
    expected: Floats

    def __repr__(self) -> str:
        return f"Residuals({int(self.activated.sum())} activations, {int((~self.activated).sum())} censored)"

    def nelson_aalen(self) -> tuple[Floats, Floats]:
        """Return (r, A(r)) at the activations: A(r) = sum over residuals <= r of 1 / number still at risk."""
        order = np.lexsort((~self.activated, self.values))
        at_risk = len(order) - np.arange(len(order))
        steps = np.where(self.activated[order], 1.0 / at_risk, 0.0)
        kept = self.activated[order]
        return self.values[order][kept], np.cumsum(steps)[kept]

    @property
    def deviation(self) -> float:
        """Largest ``|exp(-r) - exp(-A(r))|``: 0 for a perfect model, descriptive (parameters were fitted)."""
        r, hazard = self.nelson_aalen()
        return float(np.max(np.abs(np.exp(-r) - np.exp(-hazard)), initial=0.0))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw A(r) against r; the diagonal is a perfect model (needs matplotlib)."""
        from cascades.plotting import quantiles

        return quantiles(*self.nelson_aalen(), ax=ax)


def residuals(fit: NetworkFit, data: Cascades, *, rng: np.random.Generator | None = None) -> Residuals:
    """Return the residuals of `data` under `fit`; O(sum of sizes * out-degree).

    Parameters
    ----------
    fit : NetworkFit
    data : Cascades
        The table fitted, or better one held out.
    rng : numpy Generator, optional
        For grouped times: where in its bin an activation fell is drawn from the model given the bin. Without
        `rng` the conditional median is taken.

    Examples
    --------
    >>> import numpy as np
    >>> import cascades as cs
    >>> chain = cs.Network.from_edges({("a", "b"): 2.0, ("b", "c"): 1.0}, nodes="abc")
    >>> data = cs.simulate(chain, n_cascades=2000, horizon=5.0, rng=np.random.default_rng(0))
    >>> cs.residuals(cs.NetRate().fit(data), data).deviation < 0.05
    True
    """
    book = account(fit.network, data, fit.law, background=fit.background, width=fit.width)
    inside = ~np.isnan(book.reached)
    values = book.reached[inside]
    if book.grouped:
        share = np.full(len(values), 0.5) if rng is None else rng.random(len(values))
        values = values - np.log1p(share * np.expm1(-book.hazards[inside]))
    nodes = data.members[inside]
    observed = np.bincount(nodes, minlength=data.n_nodes).astype(np.float64)
    expected = np.bincount(nodes, values, data.n_nodes).astype(np.float64) + np.bincount(
        book.survivor_nodes, book.survived, data.n_nodes
    )
    activated = np.concatenate([np.ones(len(values), dtype=bool), np.zeros(len(book.survived), dtype=bool)])
    return Residuals(np.concatenate([values, book.survived]), activated, observed, expected)
