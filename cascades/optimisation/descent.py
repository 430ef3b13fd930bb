"""Coordinate descent with a damped step that provably never overshoots.

The problem of one receiver, over rates a >= 0:

    f(a) = sum_j [ D_j a_j + rho_j/2 (a_j - centre_j)^2 - m_j log(1 - a_j) ] + sum_e loss(u_e),   u = X a

with loss(u) = -log u (exact times), -log(1 - exp(-u)) (grouped). Along one coordinate let g and H be the
first two derivatives at the current point and d = -g / H.

* d > 0, no barrier (m_j = 0): the third derivative is negative, so g is concave along the coordinate and
  the full Newton step d stops at or before the minimum.
* d < 0: with M = max_e x_e / u_e the curvature grows at most like H / (1 - M r)^2 over a decrease of r, so
  the decrease r = |d| / (1 + M |d|) stops at or before the minimum; grouped times add max_e x_e to M, because
  coth(u / 2) <= 1 + 2 / u. With a barrier the same bound holds in both directions with 1 / (1 - a_j) in M.

So each step lowers f. A damped step never reaches 0 by itself: when the derivative at 0 is not negative, 0
is the minimum along the coordinate and is taken outright. The theory page has the proof.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from cascades.tables.types import Floats, Integers


@numba.njit(cache=True, nogil=True)
def start(pointers: Integers, events: Integers, weights: Floats, exposures: Floats, n_events: int) -> Floats:
    """Return rates after one EM step from equal rates: positive for every candidate."""
    mass = np.zeros(n_events)
    for e in range(len(events)):
        mass[events[e]] += weights[e]
    rates = np.empty(len(pointers) - 1)
    for k in range(len(rates)):
        share = 0.0
        for e in range(pointers[k], pointers[k + 1]):
            share += weights[e] / mass[events[e]]
        rates[k] = share / exposures[k] if exposures[k] > 0.0 else 0.0
    return rates


@numba.njit(cache=True, nogil=True)
def predictor(pointers: Integers, events: Integers, weights: Floats, rates: Floats, n_events: int) -> Floats:
    """Return u = X a."""
    u = np.zeros(n_events)
    for k in range(len(rates)):
        if rates[k] != 0.0:
            for e in range(pointers[k], pointers[k + 1]):
                u[events[e]] += weights[e] * rates[k]
    return u


@numba.njit(cache=True)
def _slope(grouped: bool, u: float) -> float:
    """Return -loss'(u) > 0."""
    return float(1.0 / np.expm1(u)) if grouped else 1.0 / u


@numba.njit(cache=True, nogil=True)
def _derivatives(column: Any, u: Floats, shift: float, grouped: bool) -> tuple[float, float, float, float]:
    """Return sum x s, sum x^2 s', max x / u and max x at u + shift x, s = -loss'; infinite where u <= 0."""
    events, weights = column
    first, second, ratio, largest = 0.0, 0.0, 0.0, 0.0
    for e in range(len(events)):
        x = weights[e]
        v = u[events[e]] + shift * x
        if v <= 1e-14 * u[events[e]]:
            return np.inf, np.inf, np.inf, largest
        s = _slope(grouped, v)
        first += x * s
        second += x * x * (s * (1.0 + s) if grouped else s * s)
        ratio = max(ratio, x / v)
        largest = max(largest, x)
    return first, second, ratio, largest


@numba.njit(cache=True, nogil=True)
def _step(a: float, column: Any, u: Floats, terms: Any, grouped: bool) -> float:
    """Return the change of one rate; 0 when it is at its minimum along the coordinate."""
    D, rho, centre, m = terms
    first, second, ratio, largest = _derivatives(column, u, 0.0, grouped)
    room = 1.0 - a if m > 0.0 else 1.0
    g = D + rho * (a - centre) + m / room - first
    H = second + rho + m / (room * room)
    if g >= 0.0 and a == 0.0:
        return 0.0
    if H <= 0.0:  # linear: a sender that explains no event
        return -a
    d = float(-g / H)
    damping = ratio + (largest if grouped else 0.0)
    if m > 0.0:
        damping = max(damping, 1.0 / room)
    if d >= 0.0:
        return d / (1.0 + d / room) if m > 0.0 else d
    step = d / (1.0 - damping * d)
    if step <= -a:
        return -a
    if a < -2.0 * d:  # near enough to 0 that it may be the minimum
        at_zero = _derivatives(column, u, -a, grouped)[0]
        if D - rho * centre + m - at_zero >= 0.0:
            return -a
    return step


@numba.njit(cache=True, nogil=True)
def residual(
    pointers: Integers, events: Integers, weights: Floats, u: Floats, rates: Floats, terms: Any, grouped: bool
) -> float:
    """Return the largest KKT violation over coordinates, relative to D_j + m_j (1 where both are 0)."""
    D, rho, centre, m = terms
    worst = 0.0
    for k in range(len(rates)):
        a = rates[k]
        g = D[k] + rho[k] * (a - centre[k])
        if m[k] > 0.0:
            g += m[k] / (1.0 - a)
        for e in range(pointers[k], pointers[k + 1]):
            g -= weights[e] * _slope(grouped, u[events[e]])
        violation = abs(g) if a > 0.0 else max(0.0, -g)
        size = D[k] + m[k] + rho[k] * abs(centre[k])
        worst = max(worst, violation / size if size > 0.0 else violation)
    return worst


@numba.njit(cache=True, nogil=True)
def descend(
    pointers: Integers,
    events: Integers,
    weights: Floats,
    rates: Floats,
    terms: Any,
    n_events: int,
    grouped: bool,
    tolerance: float,
    max_sweeps: int,
) -> tuple[float, int]:
    """Minimise f in place over `rates`; return (KKT residual, sweeps).

    `terms` is (D, rho, centre, m). Sweeps over the positive rates alternate with full ones, until a full
    sweep ends with a residual of at most `tolerance`.
    """
    D, rho, centre, m = terms
    u = predictor(pointers, events, weights, rates, n_events)
    worst, sweeps = np.inf, 0
    while sweeps < max_sweeps:
        full = sweeps % 5 == 0
        for k in range(len(rates)):
            if not full and rates[k] == 0.0:
                continue
            part = slice(pointers[k], pointers[k + 1])
            column = (events[part], weights[part])
            change = _step(rates[k], column, u, (D[k], rho[k], centre[k], m[k]), grouped)
            if change != 0.0:
                rates[k] = max(rates[k] + change, 0.0)
                for e in range(pointers[k], pointers[k + 1]):
                    u[events[e]] += weights[e] * change
        sweeps += 1
        if full:
            u = predictor(pointers, events, weights, rates, n_events)
            worst = residual(pointers, events, weights, u, rates, terms, grouped)
            if worst <= tolerance:
                break
    return worst, sweeps


@numba.njit(cache=True, nogil=True)
def objective(
    pointers: Integers,
    events: Integers,
    weights: Floats,
    rates: Floats,
    exposures: Floats,
    n_events: int,
    grouped: bool,
) -> float:
    """Return sum_j D_j a_j + sum_e loss(u_e), the negative log-likelihood; infinite where some u is 0."""
    u = predictor(pointers, events, weights, rates, n_events)
    total = 0.0
    for k in range(len(rates)):
        total += exposures[k] * rates[k]
    for e in range(n_events):
        if u[e] <= 0.0:
            return np.inf
        total -= np.log(-np.expm1(-u[e])) if grouped else np.log(u[e])
    return total
