"""EM for networks given edge by edge, over-relaxed: a step that loses likelihood is undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from cascades.exposures import Timeline
from cascades.mixture.layered import Layers, LayerSums, layered_expectation
from cascades.tables.types import Floats, Integers

ACCELERATION = 1.8
EDGE = 1e-3
VANISHED = 1e-50
LONGEST = 1e4  # part of the way to a concave maximum is still upwards


@dataclass(frozen=True, slots=True, eq=False)
class Climbed:
    """Where a climb ended: the layers, their sums, and how it went."""

    layers: Layers
    sums: LayerSums
    passes: int
    undone: int

    @property
    def value(self) -> float:
        """The log-likelihood reached."""
        return self.sums.log_likelihood


def climb(
    line: Timeline,
    layers: Layers,
    cascades: Integers,
    *,
    passes: int,
    frozen: int = 0,
    penalty: Floats | float = 0.0,
    tolerance: float = 1e-6,
    eta: float = ACCELERATION,
    tell: Callable[[int], None] = lambda _: None,
) -> Climbed:
    """Run up to `passes` EM passes; shares stay as they are for the first `frozen`.

    With `penalty` (a weight per layer) the objective is the log-likelihood minus penalty times the sum of the
    layer's rates. With eta = 1 it never falls. Larger exponents take longer steps; one that lowers the
    objective is replaced by the plain step.
    """
    charge = np.broadcast_to(np.asarray(penalty, dtype=float), (layers.base.shape[1],))
    sums = layered_expectation(line, layers, cascades)
    value, undone, k = _objective(layers, sums, charge), 0, 0
    for k in range(1, passes + 1):
        tell(1)
        tried = step(layers, sums, eta=eta, free_shares=k > frozen, charge=charge)
        new = layered_expectation(line, tried, cascades)
        if eta > 1.0 and _objective(tried, new, charge) < value:
            undone += 1
            tried = step(layers, sums, eta=1.0, free_shares=k > frozen, charge=charge)
            new = layered_expectation(line, tried, cascades)
        gain = _objective(tried, new, charge) - value
        layers, sums, value = tried, new, value + gain
        if k > frozen + 10 and gain < tolerance * abs(value):
            break
    return Climbed(layers, sums, k, undone)


def step(layers: Layers, sums: LayerSums, *, eta: float, free_shares: bool, charge: Floats) -> Layers:
    """Return the layers after one M-step: each rate times (transmissions expected / exposure)^eta."""
    rates = layers.rates * _ratio(sums.score, sums.exposure + charge) ** eta
    changed = {"rates": np.where(rates < VANISHED, 0.0, rates)}
    if layers.base.any():
        changed["base"] = layers.base * _ratio(sums.base_score, sums.base_exposure) ** eta
    if free_shares:
        changed["shares"] = _shares(layers, sums)
    return layers.changed(**changed)


def best_by_receiver(ends: Sequence[Climbed]) -> Layers:
    """Return each receiver's rates and shares from the climb, over the same edges, where it fits best.

    Receivers share no parameter, so each may take its own best end; without a base rate.
    """
    frame = ends[0].layers
    best = np.argmax(np.stack([e.sums.by_node for e in ends]), axis=0)
    every = np.arange(len(frame.receivers))
    rates = np.stack([e.layers.rates for e in ends])[best[frame.receivers], every]
    shares = np.stack([e.layers.shares for e in ends])[best, np.arange(len(best))]
    return frame.changed(rates=rates, shares=shares)


def settle(line: Timeline, end: Climbed, cascades: Integers, *, count: float, passes: int) -> Climbed:
    """Take plain EM steps under a Gamma prior on the first layer: `count` transmissions at its mean rate."""
    layers, sums, zeros = end.layers, end.sums, np.zeros(end.layers.base.shape[1])
    used = layers.rates[:, 0] > 0.0
    exposed = float(sums.exposure[used, 0].sum())
    mean = float((layers.rates * sums.score)[used, 0].sum()) / exposed if exposed > 0.0 else 1.0
    for _ in range(passes if count > 0.0 else 0):
        new = step(layers, sums, eta=1.0, free_shares=True, charge=zeros)
        rates = new.rates.copy()
        shrunk = (layers.rates[:, 0] * sums.score[:, 0] + count) / (sums.exposure[:, 0] + count / mean)
        rates[:, 0] = np.where(used, shrunk, 0.0)
        layers = new.changed(rates=rates)
        sums = layered_expectation(line, layers, cascades)
    return Climbed(layers, sums, end.passes, end.undone)


def prune(layers: Layers, sums: LayerSums, threshold: Floats) -> Layers:
    """Set rates to 0 whose squared Wald statistic, rate^2 * information, is below the layer's threshold."""
    weak = layers.rates**2 * sums.information < threshold
    return layers.changed(rates=np.where(weak, 0.0, layers.rates)).compact()


def _objective(layers: Layers, sums: LayerSums, charge: Floats) -> float:
    return sums.log_likelihood - float((layers.rates @ charge).sum())


def _shares(layers: Layers, sums: LayerSums) -> Floats:
    if layers.whole:
        share = sums.shares / np.maximum(sums.touched, 1.0)[:, None]
        total: Floats = share / np.maximum(share.sum(axis=1, keepdims=True), 1e-300)
        return total
    seen = (sums.touched > 0)[:, None]
    share = np.where(seen, sums.shares / np.maximum(sums.touched, 1.0)[:, None], layers.shares)
    clipped = np.clip(share, EDGE, 1.0 - EDGE)
    normal: Floats = clipped / clipped.sum(axis=1, keepdims=True)
    return normal


def _ratio(above: Floats, below: Floats) -> Floats:
    """Return above / below, at most LONGEST; 1 where nothing was seen."""
    with np.errstate(over="ignore"):
        ratio: Floats = np.where(below > 0.0, above / np.where(below > 0.0, below, 1.0), 1.0)
    return np.minimum(ratio, LONGEST)
