"""Standard errors of a double mixture, given which rates are not zero.

For receiver i the observed information of (theta column, psi column, pi) is Louis's (1982): the information
of the completed data minus what is missing, the variance of the completed score given the data. With q the
posterior of theta and d = (score of theta's column, minus that of psi's, 1/pi + 1/(1 - pi)),

    I_i = sum_c [ q J_theta + (1 - q) J_psi + (q / pi^2 + (1 - q) / (1 - pi)^2) - q (1 - q) d d' ].

Where psi was fitted edge by edge, receivers share nothing and each block is inverted alone. Where psi = U V',
V_i belongs to the receiver and U to all: the blocks are mapped to these (by the derivative of the product),
and U is what they have in common, so the receivers are eliminated first (Schur complement). Scales of a
factor's columns are not determined and do not matter: only rates are reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

from cascades.errors import ArgumentError
from cascades.exposures import Timeline, timeline
from cascades.tables import Cascades
from cascades.tables.types import Floats, Integers
from cascades.transmission import cumulative_of, weight_of

if TYPE_CHECKING:
    from cascades.mixture.result import MixtureFit

CLIPPED = 1.5e-3
SINGULAR = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class MixtureErrors:
    """Standard errors in the order of the fit's edges and nodes; nan where the data do not determine them.

    Parameters
    ----------
    theta, psi : float arrays
        Of each edge's rate, in the table's unit.
    pi : (n_nodes,) float array
    """

    theta: Floats
    psi: Floats
    pi: Floats

    def intervals(self, fit: MixtureFit, what: str, *, level: float = 0.95) -> Floats:
        """Return (n, 2) confidence limits of "theta", "psi" or "pi": Wald on the log (pi: logit) scale.

        Asymptotic, and given the selected edges: selection itself is not accounted for.
        """
        if what not in ("theta", "psi", "pi"):
            raise ArgumentError(f"what: got {what!r}, wanted 'theta', 'psi' or 'pi'")
        if not 0 < level < 1:
            raise ArgumentError(f"level: got {level}, wanted a number between 0 and 1")
        z = norm.ppf(0.5 + level / 2)
        error = getattr(self, what)
        if what == "pi":
            half = z * error / (fit.pi * (1.0 - fit.pi))
            return np.stack([expit(logit(fit.pi) - half), expit(logit(fit.pi) + half)], axis=1)
        rates = fit.network(what).weights
        factor = np.exp(np.minimum(z * error / rates, 700.0))
        return np.stack([rates / factor, rates * factor], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class _Receiver:
    """One receiver's information over (theta column, psi column, pi), in internal units."""

    information: Floats
    theta: slice
    psi: slice
    senders: Integers


def mixture_errors(fit: MixtureFit, data: Cascades) -> MixtureErrors:
    """Return standard errors from the table that was fitted; see `MixtureFit.standard_errors`."""
    line = timeline(data, fit.law, width=fit.width)
    factor = fit.law.rate_factor(line.scale)
    receivers = [_receiver(fit, line, i, factor) for i in range(data.n_nodes)]
    if fit.rank:
        variances = _shared(fit, receivers, factor)
    else:
        variances = [np.diag(_inverse(r.information)) for r in receivers]
    with np.errstate(invalid="ignore"):
        errors = [np.sqrt(v) for v in variances]
    return MixtureErrors(
        np.concatenate([e[r.theta] for e, r in zip(errors, receivers, strict=True)]) * factor,
        np.concatenate([e[r.psi] for e, r in zip(errors, receivers, strict=True)]) * factor,
        np.array([e[-1] for e in errors]),
    )


def _receiver(fit: MixtureFit, line: Timeline, i: int, factor: float) -> _Receiver:
    parts = [
        (net.senders[net.receivers == i], net.weights[net.receivers == i]) for net in (fit.theta, fit.psi)
    ]
    base = np.asarray(fit.background)[i] * line.scale
    columns = [
        _column(line, i, senders, rates / factor, b) for (senders, rates), b in zip(parts, base, strict=True)
    ]
    (log_a, score_a, hazards_a, curvature_a), (log_b, score_b, hazards_b, curvature_b) = columns
    pi, n_a, n_b = float(fit.pi[i]), score_a.shape[1], score_b.shape[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        q = expit(log_a - log_b + logit(pi))
    usable = np.isfinite(q) & (score_a.any(axis=1) | score_b.any(axis=1))
    q = np.where(usable, q, 0.0)
    other = np.where(usable, 1.0 - q, 0.0)
    matrix = np.zeros((n_a + n_b + 1, n_a + n_b + 1))
    matrix[:n_a, :n_a] = (hazards_a.T * (q * curvature_a)) @ hazards_a
    matrix[n_a:-1, n_a:-1] = (hazards_b.T * (other * curvature_b)) @ hazards_b
    matrix[-1, -1] = (q / pi**2 + other / (1.0 - pi) ** 2).sum()
    spread = np.full((len(q), 1), 1.0 / (pi * (1.0 - pi)))
    d = np.concatenate([score_a, -score_b, spread], axis=1)
    matrix -= (d.T * (q * other)) @ d
    if not CLIPPED < pi < 1.0 - CLIPPED:  # at the end of its range: known, as far as the others go
        matrix[-1], matrix[:, -1], matrix[-1, -1] = 0.0, 0.0, np.inf
    return _Receiver(matrix, slice(0, n_a), slice(n_a, n_a + n_b), parts[1][0])


def _column(
    line: Timeline, i: int, senders: Integers, rates: Floats, base: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return log P, its gradient, the weights x, and the curvature in the hazard, by cascade."""
    n_cascades = len(line.horizons)
    index = line.by_node
    own = index.events[index.starts[i] : index.starts[i + 1]]
    when = np.full(n_cascades, np.inf)
    when[index.cascade_of[own]] = line.times[own]
    when[when == 0.0] = np.nan  # a source: nothing to explain
    weights, exposures = np.zeros((2, n_cascades, len(senders)))
    table = (line.times, line.horizons, index.cascade_of, index.events, index.starts)
    _rows(table, senders, when, (line.law.code, line.law.parameter, line.width), weights, exposures)
    active, watched = np.isfinite(when), np.where(np.isinf(when), line.horizons + line.width, when)
    hazard = weights @ rates + base * (line.width or 1.0)
    reached = exposures @ rates + base * np.maximum(watched - 0.5 * line.width, 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        gain = np.log(hazard) if line.width == 0.0 else np.log(-np.expm1(-hazard))
        slope = 1.0 / hazard if line.width == 0.0 else 1.0 / np.expm1(hazard)
    slope = np.where(active & (hazard > 0.0), slope, 0.0)
    curvature = slope**2 if line.width == 0.0 else slope * (1.0 + slope)
    log_p = np.where(active, gain, 0.0) - np.where(np.isnan(when), np.nan, reached)
    score = np.where(np.isnan(when)[:, None], 0.0, weights * slope[:, None] - exposures)
    return log_p, score, weights, curvature


@numba.njit(cache=True)
def _rows(table: Any, senders: Integers, when: Floats, how: Any, weights: Floats, exposures: Floats) -> None:
    """Fill, per cascade and sender, the weight at the receiver's activation and the exposure before it."""
    times, horizons, cascade_of, events_by_node, node_starts = table
    code, parameter, width = how
    for k in range(len(senders)):
        for e in range(node_starts[senders[k]], node_starts[senders[k] + 1]):
            p = events_by_node[e]
            c = cascade_of[p]
            if np.isnan(when[c]):
                continue
            if np.isinf(when[c]):
                exposures[c, k] = cumulative_of(code, parameter, horizons[c] - times[p] + 0.5 * width)
                continue
            lag = when[c] - times[p]
            if lag > 0.0 or (width > 0.0 and lag == 0.0):
                weights[c, k] = weight_of(code, parameter, width, lag)
                exposures[c, k] = cumulative_of(code, parameter, max(lag - 0.5 * width, 0.0))


def _shared(fit: MixtureFit, receivers: list[_Receiver], factor: float) -> list[Floats]:
    """Return the variances of each receiver's (theta, psi, pi) when psi = U V'."""
    u, v = fit.u / np.sqrt(factor), fit.v / np.sqrt(factor)
    index = np.full(u.shape, -1)
    index[u > 0.0] = np.arange(np.count_nonzero(u))
    common = np.zeros((np.count_nonzero(u), np.count_nonzero(u)))
    pieces = []
    for i, r in enumerate(receivers):
        own, shared = _jacobians(r, i, u, v, index)
        inner = np.where(np.isinf(r.information), 0.0, r.information)
        local = own.T @ inner @ own
        if np.isinf(r.information[-1, -1]):
            local[-1, -1] = np.inf
        inverse, cross = _inverse(local), own.T @ inner @ shared
        safe = np.nan_to_num(inverse)
        common += shared.T @ inner @ shared - cross.T @ safe @ cross
        pieces.append((own, shared, inverse, safe @ cross))
    covariance = np.linalg.pinv(common, rcond=1e-9, hermitian=True)
    found = []
    for own, shared, inverse, gain in pieces:
        through = shared - own @ gain
        total = own @ np.nan_to_num(inverse) @ own.T + through @ covariance @ through.T
        lost = (own != 0.0) @ np.isnan(np.diag(inverse))
        found.append(np.where(lost, np.nan, np.diag(total)))
    return found


def _jacobians(r: _Receiver, i: int, u: Floats, v: Floats, index: Integers) -> tuple[Floats, Floats]:
    """Derivatives of (theta, psi column, pi) in the receiver's own parameters, and in the entries of U."""
    used = np.flatnonzero(v[i])
    n_a, n_b = r.theta.stop, len(r.senders)
    own = np.zeros((n_a + n_b + 1, n_a + len(used) + 1))
    own[:n_a, :n_a] = np.eye(n_a)
    own[n_a:-1, n_a:-1] = u[np.ix_(r.senders, used)]
    own[-1, -1] = 1.0
    shared = np.zeros((n_a + n_b + 1, index.max(initial=-1) + 1))
    for row, j in enumerate(r.senders):
        for f in used:
            if index[j, f] >= 0:
                shared[n_a + row, index[j, f]] = v[i, f]
    return own, shared


def _inverse(matrix: Floats) -> Floats:
    """Return the inverse; rows that an infinite diagonal marks as known are 0, undetermined ones nan."""
    known = np.isinf(np.diag(matrix))
    free = np.flatnonzero(~known)
    result = np.zeros(matrix.shape)
    block = matrix[np.ix_(free, free)]
    scale = np.sqrt(np.maximum(np.diag(block), 0.0))
    seen = scale > 0.0
    result[free[~seen], free[~seen]] = np.nan
    if seen.any():
        rows = free[seen]
        values, vectors = np.linalg.eigh(block[np.ix_(seen, seen)] / np.outer(scale[seen], scale[seen]))
        good = values > SINGULAR * max(float(values[-1]), 0.0)
        inverse = (vectors[:, good] / values[good]) @ vectors[:, good].T / np.outer(scale[seen], scale[seen])
        lost = (vectors[:, ~good] ** 2).sum(axis=1) > 1e-6
        inverse[lost, lost] = np.nan
        result[np.ix_(rows, rows)] = inverse
    return result
