"""From the end of a search, in internal units, to the fit that travels; what the data say limits it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cascades.exposures import Timeline
from cascades.mixture.climb import Climbed
from cascades.mixture.result import MixtureFit
from cascades.mixture.state import Parameters, Sums
from cascades.networks import Network
from cascades.tables import Cascades
from cascades.tables.types import Floats
from cascades.transmission import Law

SMALL_CASCADES = 5.0
TRACE = 1e-6


def fit_from_factors(
    data: Cascades,
    law: Law,
    line: Timeline,
    support: Network,
    p: Parameters,
    sums: Sums,
    steps: Sequence[str],
) -> MixtureFit:
    """Return the fit of a factorised search."""
    factor = law.rate_factor(line.scale)
    psi = p.u @ p.v.T
    np.fill_diagonal(psi, 0.0)
    unexplained = int(sums.unexplained[0])
    fit = MixtureFit(
        support=support,
        theta=Network(data.nodes, support.senders, support.receivers, p.theta * factor),
        psi=Network.from_matrix(psi * factor, nodes=data.nodes),
        u=p.u * np.sqrt(factor),
        v=p.v * np.sqrt(factor),
        pi=p.pi,
        touched=sums.touched,
        log_likelihood=float(sums.log_likelihood[0]) - _shift(data, line, unexplained),
        n_unexplained=unexplained,
        law=law,
        width=line.width * line.scale,
        unit=data.unit,
        steps=tuple(steps),
    )
    return _noted(fit, data, int(np.sum(sums.theta_exposure == 0.0)))


def fit_from_layers(
    data: Cascades, law: Law, line: Timeline, support: Network, end: Climbed, steps: Sequence[str]
) -> MixtureFit:
    """Return the fit of a search edge by edge; rates below a millionth of the largest are left out."""
    factor, layers = law.rate_factor(line.scale), end.layers
    least = TRACE * float(layers.rates.max(initial=0.0))
    networks = []
    for k in (0, 1):
        rates = layers.matrix(k)
        rates.data = np.where(rates.data > least, rates.data, 0.0)
        networks.append(Network.from_matrix(rates * factor, nodes=data.nodes))
    unexplained, none = int(end.sums.unexplained[0]), np.zeros((data.n_nodes, 0))
    fit = MixtureFit(
        support=support,
        theta=networks[0],
        psi=networks[1],
        u=none,
        v=none,
        pi=layers.shares[:, 0],
        touched=end.sums.touched,
        log_likelihood=end.value - _shift(data, line, unexplained),
        n_unexplained=unexplained,
        law=law,
        width=line.width * line.scale,
        background=layers.base / line.scale,
        unit=data.unit,
        steps=tuple(steps),
    )
    untried = (layers.rates[:, 0] > 0.0) & (end.sums.exposure[:, 0] == 0.0)
    return _noted(fit, data, int(np.sum(untried)))


def _shift(data: Cascades, line: Timeline, unexplained: int) -> float:
    """Return what turns a log density in internal units into the table's: log(scale) an activation."""
    if line.width > 0.0:
        return 0.0
    return (data.n_events - int(np.sum(data.is_source)) - unexplained) * float(np.log(line.scale))


def _noted(fit: MixtureFit, data: Cascades, n_untried: int) -> MixtureFit:
    notes = warnings_of(fit, data)
    if n_untried:
        notes.append(
            f"{n_untried} observed edges were never tried: their rates are the prior's, not the data's"
        )
    return replace(fit, notes=tuple(notes))


def warnings_of(fit: MixtureFit, data: Cascades) -> list[str]:
    """Return what the data say about how well the two networks can be told apart."""
    found, size = [], float(data.sizes.mean())
    if size < SMALL_CASCADES:
        found.append(
            f"mean cascade size {size:.1f}: the two networks are hard to tell apart in small cascades"
        )
    both = fit.theta.matrix.multiply(fit.psi.matrix).count_nonzero()
    if both > 0.1 * max(fit.theta.n_edges, 1):
        share = 100 * both / fit.theta.n_edges
        found.append(f"{share:.0f} % of theta's edges are latent edges too; their rates trade off")
    if np.any((fit.pi <= 1.5e-3) | (fit.pi >= 1 - 1.5e-3)):
        found.append("some preferences are at the end of their range: one network explains these nodes alone")
    sure = _told_apart(fit, data)
    if sure < 0.5:
        found.append(f"for only {100 * sure:.0f} % of activations one network is at least 90 % probable")
    return found


def _told_apart(fit: MixtureFit, data: Cascades) -> float:
    """Return the share of activations whose network is 90 % sure, in the first 500 cascades."""
    some = data.select(np.arange(min(len(data), 500)))
    carried: Floats = fit.responsibilities(some)
    known = carried[~np.isnan(carried)]
    return float(np.mean((known < 0.1) | (known > 0.9))) if len(known) else 1.0
