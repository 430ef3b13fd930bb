"""Fewer factors: pairs that are two halves of one are merged when the likelihood hardly minds.

A search with more factors than needed often ends with one true factor split over two. For each pair the best
rank-1 approximation of what they add up to tells how much would be lost; the cheapest pairs are merged,
refitted and pruned, and a merger is kept when the Bayesian information criterion falls.
"""

from __future__ import annotations

import numpy as np

from cascades.mixture.state import Parameters
from cascades.tables.types import Floats

ITERATIONS = 50


def cheapest_pair(p: Parameters, tried: set[tuple[int, int]]) -> tuple[int, int] | None:
    """Return the pair of factors closest to a single one, the smaller first; None when none is left."""
    used = np.flatnonzero(p.used)
    size = np.linalg.norm(p.u, axis=0) * np.linalg.norm(p.v, axis=0)
    best, least = None, 1.0
    for a, r in enumerate(used):
        for s in used[:a]:
            pair = (int(r), int(s)) if size[r] < size[s] else (int(s), int(r))
            lost = _lost(p, *pair) / float(size[pair[0]] ** 2)
            if pair not in tried and lost < least:
                best, least = pair, lost
    return best


def merge(p: Parameters, r: int, s: int) -> Parameters:
    """Return the parameters with factor r merged into s: the best rank-1 approximation of both."""
    left, right, value = _leading(p.u[:, [r, s]], p.v[:, [r, s]])
    u, v = p.u.copy(), p.v.copy()
    u[:, r], v[:, r] = 0.0, 0.0
    u[:, s], v[:, s] = left * np.sqrt(value), right * np.sqrt(value)
    return p.changed(u=u, v=v)


def criterion(p: Parameters, log_likelihood: float, n_events: int) -> float:
    """Return the Bayesian information criterion; a factor's scale is no parameter."""
    rank = int(np.sum(p.used))
    free = int(np.count_nonzero(p.u) + np.count_nonzero(p.v)) - rank
    return -2.0 * log_likelihood + free * float(np.log(max(n_events, 2)))


def _lost(p: Parameters, r: int, s: int) -> float:
    """Return the squared norm of what rank 1 cannot keep of the two factors."""
    u, v = p.u[:, [r, s]], p.v[:, [r, s]]
    whole = float(np.sum((u.T @ u) * (v.T @ v)))
    return max(whole - _leading(u, v)[2] ** 2, 0.0)


def _leading(u: Floats, v: Floats) -> tuple[Floats, Floats, float]:
    """Return the leading singular triple of u v', non-negative as u and v are, by power iteration."""
    right = v.sum(axis=1)
    value = 0.0
    for _ in range(ITERATIONS):
        left = u @ (v.T @ right)
        left /= np.linalg.norm(left)
        right = v @ (u.T @ left)
        value = float(np.linalg.norm(right))
        right /= value
    return left, right, value
