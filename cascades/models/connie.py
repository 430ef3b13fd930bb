"""ConNIe: how probable each edge is to pass on at all (Myers and Leskovec 2010)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from cascades.errors import ArgumentError
from cascades.exposures import Exposure, lags_of
from cascades.models.delays import log_density, prepare
from cascades.networks import Network
from cascades.optimisation.descent import descend, start
from cascades.progress import progress
from cascades.ranked import RankedNetwork
from cascades.tables import Cascades
from cascades.tables.types import Floats
from cascades.transmission import Law, as_law

HALF_A_FAILURE = 0.5


@dataclass(frozen=True, slots=True)
class ConNIe:
    """Probabilities of passing on, with the delay density taken as known.

    For receiver i, in the limit of continuous time, ``max over 0 <= A < 1 of sum_e log(sum_j f_ej A_j) +
    sum_j m_j log(1 - A_j)``: f the delay density, m_j the cascades that reached j and never i. It is concave
    and solved by the coordinate descent of `NetRate`, with a barrier. Half a failure is added to every m_j,
    so that no probability of exactly 1 is claimed from finitely many cascades.

    Parameters
    ----------
    transmission : str or Law
    rate : float, optional
        Rate of the delay density, in the table's unit; estimated when not given.
    penalty : float
        l1 penalty on probabilities, in units of cascades.
    tolerance : float
        KKT residual, relative to m_j.

    Examples
    --------
    >>> import numpy as np
    >>> import cascades as cs
    >>> chain = cs.Network.from_edges({("a", "b"): 2.0, ("b", "c"): 1.0}, nodes="abc")
    >>> data = cs.simulate(chain, n_cascades=500, horizon=0.5, rng=np.random.default_rng(0))
    >>> found = cs.ConNIe().fit(data).network.matrix
    >>> share_in_time = 1 - np.exp(-2.0 * 0.5)
    >>> print(round(found[0, 1], 1), round(share_in_time, 1))
    0.6 0.6
    """

    transmission: str | Law = "exponential"
    rate: float | None = None
    penalty: float = 0.0
    tolerance: float = 1e-8

    def __post_init__(self) -> None:
        as_law(self.transmission)
        if not (np.isfinite(self.penalty) and self.penalty >= 0):
            raise ArgumentError(f"penalty: got {self.penalty}, wanted a finite number of at least 0")

    def fit(self, data: Cascades, *, quiet: bool = False) -> RankedNetwork:
        """Return the network; weights are probabilities of passing on."""
        law = as_law(self.transmission)
        line, rate, notes = prepare(data, law, self.rate)
        reached = sp.csr_array((np.ones(data.n_events), data.members, data.starts), (len(data), data.n_nodes))
        senders, receivers, weights, worst = [], [], [], 0.0
        with progress(data.n_nodes, "receivers", shown=not quiet) as advance:
            for i in range(data.n_nodes):
                x = lags_of(line, i)
                own = data.cascade_of[data.members == i]
                failures = (reached.sum(axis=0) - reached[own].sum(axis=0))[x.senders] + HALF_A_FAILURE
                density = np.exp(log_density(line.law, rate, x.weights))
                probabilities, residual = self._receiver(x, density, failures)
                senders.append(x.senders)
                receivers.append(np.full(len(x.senders), i))
                weights.append(probabilities)
                worst = max(worst, residual)
                advance(1)
        return RankedNetwork(
            model="ConNIe",
            network=Network(
                data.nodes, np.concatenate(senders), np.concatenate(receivers), np.concatenate(weights)
            ),
            meaning="probability of passing on",
            law=law,
            delay_rate=rate * law.rate_factor(line.scale),
            residual=worst,
            unit=data.unit,
            notes=notes,
        )

    def _receiver(self, x: Exposure, density: Floats, failures: Floats) -> tuple[Floats, float]:
        usable = density > 0.0
        if not usable.all():
            x, density = _drop(x, usable), density[usable]
        if not len(x.senders) or not x.n_events:
            return np.zeros(len(x.senders)), 0.0
        tried = failures + np.diff(x.pointers)
        rates = np.minimum(start(x.pointers, x.events, density, tried, x.n_events), 0.5)
        linear = np.full(len(rates), self.penalty)
        terms = (linear, np.zeros(len(rates)), np.zeros(len(rates)), failures)
        residual, _ = descend(
            x.pointers, x.events, density, rates, terms, x.n_events, False, self.tolerance, 20000
        )
        return rates, float(residual)


def _drop(x: Exposure, usable: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Exposure:
    """Return the exposure without the entries that the delay law forbids; events nobody explains go too."""
    kept = np.concatenate([[0], np.cumsum(usable)])
    events, rows = np.unique(x.events[usable], return_inverse=True)
    arrays = (kept[x.pointers], rows.astype(np.int64), x.weights[usable])
    return Exposure(x.receiver, x.senders, *arrays, x.exposures, len(events), x.n_events - len(events))
