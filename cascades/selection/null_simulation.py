"""A p-value by simulation, where the asymptotic law of a likelihood ratio is not known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cascades.errors import ArgumentError
from cascades.exposures import Exposure, exposure_of, timeline
from cascades.models.clocks import bin_width
from cascades.models.netrate import NetRate
from cascades.networks import Network
from cascades.optimisation.descent import start
from cascades.results import NetworkFit
from cascades.selection.elimination import refit
from cascades.simulation import simulate
from cascades.tables import Cascades
from cascades.tables.types import Label
from cascades.transmission import as_law


def bootstrap_p_value(
    model: NetRate,
    data: Cascades,
    sender: Label,
    receiver: Label,
    *,
    n_replicates: int = 199,
    rng: np.random.Generator,
) -> float:
    """Return the p-value of one edge by simulating cascades from the fitted network without it.

    Sources and horizons are those of the table; grouped times are rounded like it. The receiver alone is
    refitted. Resolution 1 / (n_replicates + 1).

    Raises
    ------
    ArgumentError
        For an unknown node.
    """
    if sender not in data.nodes or receiver not in data.nodes:
        raise ArgumentError(f"sender, receiver: {sender!r} or {receiver!r} is not a node of the table")
    j, i = data.nodes.index(sender), data.nodes.index(receiver)
    observed = _one_statistic(model, data, j, i)
    if observed in (0.0, np.inf):
        return 1.0 if observed == 0.0 else 0.0
    fit = replace(model, standard_errors=False).fit(data, quiet=True)
    null = _null_network(model, data, fit, j, i)
    exceeding = 0
    for _ in range(n_replicates):
        replicate = simulate(
            null,
            n_cascades=data.n_cascades,
            horizon=data.horizons - data.first_times + fit.width / 2,
            rng=rng,
            transmission=fit.law,
            sources=data.members[data.starts[:-1]],
            background=fit.background,
        )
        exceeding += _one_statistic(model, _recorded(replicate, fit.width), j, i) >= observed
    return (1 + exceeding) / (1 + n_replicates)


def _recorded(data: Cascades, width: float) -> Cascades:
    """Return simulated cascades as the clock of grouped times records them, sources mid-bin."""
    if not width:
        return data
    bins = np.floor((data.times + width / 2) / width)
    return data.with_times(bins * width, np.floor(data.horizons / width) * width)


def _one_statistic(model: NetRate, data: Cascades, j: int, i: int) -> float:
    """Return 2 (L1 - L0) for j -> i in the full model; 0 when the pair was never seen in order."""
    x, grouped, _ = _receiver(model, data, i)
    rates = start(x.pointers, x.events, x.weights, x.exposures, x.n_events)
    full = refit(x, rates, x.exposures, grouped, model.settings)
    other = x.senders != j
    if other.all() or rates[~other][0] == 0.0:
        return 0.0
    counts = np.bincount(x.events[np.repeat(other, np.diff(x.pointers))], minlength=x.n_events)
    if np.any(counts == 0):
        return np.inf
    without = np.where(other, np.maximum(rates, 1e-6 / x.exposures), 0.0)
    less = refit(x, without, np.where(other, x.exposures, np.inf), grouped, model.settings)
    return max(0.0, 2.0 * (less - full))


def _null_network(model: NetRate, data: Cascades, fit: NetworkFit, j: int, i: int) -> Network:
    """Return the fitted network with receiver i refitted without j."""
    x, grouped, scale = _receiver(model, data, i)
    linear = np.where(x.senders == j, np.inf, x.exposures)
    rates = start(x.pointers, x.events, x.weights, x.exposures, x.n_events)
    rates[x.senders == j] = 0.0
    refit(x, rates, linear, grouped, model.settings)
    net, own = fit.network, x.senders >= 0
    others = net.receivers != i
    return Network(
        net.nodes,
        np.concatenate([net.senders[others], x.senders[own]]),
        np.concatenate([net.receivers[others], np.full(int(own.sum()), i)]),
        np.concatenate([net.weights[others], rates[own] * fit.law.rate_factor(scale)]),
    )


def _receiver(model: NetRate, data: Cascades, i: int) -> tuple[Exposure, bool, float]:
    width, _ = bin_width(data, model.ties, model.resolution)
    line = timeline(data, as_law(model.transmission), width=width)
    return exposure_of(line, i, background=model.background), width > 0.0, line.scale
