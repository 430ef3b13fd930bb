"""NetRate: rates of one network by maximum likelihood (Gomez-Rodriguez, Balduzzi and Schoelkopf 2011)."""

from __future__ import annotations

from concurrent.futures import Executor, Future, as_completed
from dataclasses import dataclass

import numpy as np

from cascades.errors import ArgumentError
from cascades.exposures import Timeline, timeline
from cascades.models.clocks import Ties, bin_width
from cascades.networks import Network
from cascades.optimisation.receiver import ReceiverFit, Settings, fit_block
from cascades.progress import progress
from cascades.results import NetworkFit
from cascades.tables import Cascades
from cascades.transmission import Law, as_law


@dataclass(frozen=True, slots=True)
class NetRate:
    """Maximum-likelihood transmission rates, receiver by receiver.

    For receiver i the convex problem is ``min_a>=0  sum_j D_j a_j - sum_e log(sum_j x_ej a_j)`` (see
    `cascades.exposures`), solved by coordinate descent with a step that never overshoots.

    Parameters
    ----------
    transmission : str or Law
        "exponential", "rayleigh", `PowerLaw(delta)` or `Weibull(shape)`.
    background : bool
        Give every node a constant spontaneous rate. Without it every activation after the source must have
        been passed on by an earlier one; a few that were not then create false edges.
    penalty : float
        l1 penalty on rates, counted per mean time watched, so a change of unit changes nothing. 0 for none.
    debias : bool
        With a penalty: refit the surviving edges without it.
    ties : {"auto", "strict", "grouped"}
        See `cascades.models.clocks`; "auto" uses the grouped likelihood above 5 % tied activations.
    resolution : float, optional
        Bin width of the grouped likelihood; by default the grid that the times lie on.
    standard_errors : bool
        Compute standard errors from the observed information (given the edges above zero).
    tolerance : float
        KKT residual at which a receiver is finished, relative to its exposures.

    Notes
    -----
    Cost O(sum of size^2 over cascades) per sweep, about ten sweeps; memory that of one receiver at a time.

    Examples
    --------
    >>> import numpy as np
    >>> import cascades as cs
    >>> chain = cs.Network.from_edges({("a", "b"): 2.0, ("b", "c"): 1.0}, nodes="abc")
    >>> data = cs.simulate(chain, n_cascades=2000, horizon=5.0, rng=np.random.default_rng(0))
    >>> fit = cs.NetRate().fit(data)
    >>> [(j, i, round(rate, 1)) for j, i, rate in fit.network.edges() if rate > 0.1]
    [('a', 'b', 2.0), ('b', 'c', 1.0)]
    """

    transmission: str | Law = "exponential"
    background: bool = False
    penalty: float = 0.0
    debias: bool = True
    ties: Ties = "auto"
    resolution: float | None = None
    standard_errors: bool = True
    tolerance: float = 1e-8

    def __post_init__(self) -> None:
        as_law(self.transmission)
        if not (np.isfinite(self.penalty) and self.penalty >= 0):
            raise ArgumentError(f"penalty: got {self.penalty}, wanted a finite number of at least 0")
        if not 0 < self.tolerance < 1:
            raise ArgumentError(f"tolerance: got {self.tolerance}, wanted a number between 0 and 1")

    def fit(self, data: Cascades, *, executor: Executor | None = None, quiet: bool = False) -> NetworkFit:
        """Fit all receivers, on `executor` when given (threads, processes, dask's ``get_executor()``)."""
        law = as_law(self.transmission)
        width, notes = bin_width(data, self.ties, self.resolution)
        line = timeline(data, law, width=width)
        return _result(self, data, law, line, width, notes, fit_all(line, self.settings, executor, quiet))

    @property
    def settings(self) -> Settings:
        """The settings of the per-receiver problems."""
        return Settings(
            background=self.background,
            penalty=self.penalty,
            debias=self.debias,
            errors=self.standard_errors,
            tolerance=self.tolerance,
        )


def fit_all(line: Timeline, settings: Settings, executor: Executor | None, quiet: bool) -> list[ReceiverFit]:
    """Fit every receiver, in order; blocks of receivers are the pieces of work."""
    n = line.n_nodes
    size = 1 if executor is None else max(1, n // 32)
    blocks = [list(range(k, min(k + size, n))) for k in range(0, n, size)]
    found: list[ReceiverFit] = []
    with progress(n, "receivers", shown=not quiet) as advance:
        if executor is None:
            for block in blocks:
                found += fit_block(line, block, settings)
                advance(len(block))
            return found
        waiting: list[Future[list[ReceiverFit]]] = [
            executor.submit(fit_block, line, b, settings) for b in blocks
        ]
        try:
            for done in as_completed(waiting):
                advance(len(done.result()))
        finally:
            for future in waiting:
                future.cancel()
    return [fit for future in waiting for fit in future.result()]


def _result(
    model: NetRate,
    data: Cascades,
    law: Law,
    line: Timeline,
    width: float,
    notes: tuple[str, ...],
    fits: list[ReceiverFit],
) -> NetworkFit:
    senders = np.concatenate([f.senders for f in fits])
    receivers = np.repeat([f.receiver for f in fits], [len(f.senders) for f in fits])
    rates, errors = np.concatenate([f.rates for f in fits]), np.concatenate([f.errors for f in fits])
    edge, factor = senders >= 0, law.rate_factor(line.scale)
    background, background_errors = np.zeros((2, data.n_nodes))
    background[receivers[~edge]] = rates[~edge] / line.scale
    background_errors[receivers[~edge]] = errors[~edge] / line.scale
    n_events = np.array([f.n_events for f in fits])
    likelihood = sum(f.log_likelihood for f in fits) - (0.0 if width else n_events.sum() * np.log(line.scale))
    unfinished = [data.nodes[f.receiver] for f in fits if f.residual > model.tolerance]
    if unfinished:
        notes += (f"{len(unfinished)} receivers stopped above the tolerance, e.g. {unfinished[0]!r}",)
    return NetworkFit(
        model="NetRate",
        network=Network(data.nodes, senders[edge], receivers[edge], rates[edge] * factor),
        standard_errors=errors[edge] * factor,
        background=background,
        background_errors=background_errors,
        law=law,
        width=width,
        residuals=np.array([f.residual for f in fits]),
        n_events=n_events,
        n_unexplained=np.array([f.n_unexplained for f in fits]),
        n_candidates=np.array([f.n_candidates for f in fits]),
        log_likelihood=float(likelihood),
        unit=data.unit,
        notes=notes,
    )
