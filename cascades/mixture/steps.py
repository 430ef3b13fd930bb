"""Steps between passes: multiplicative updates and Wald pruning."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cascades.mixture.state import Parameters, Sums
from cascades.tables.types import Floats

EDGE = 1e-3
NEGLIGIBLE = 0.01
TINY = 1e-300
LONGEST = 1e4  # part of the way to a concave maximum is still upwards
FAINT = 1e-3
TRACE = 1e-4


def update(p: Parameters, s: Sums, *, factor: str, eta: float, free_pi: bool) -> Parameters:
    """Return the parameters after one M-step on theta, pi and one factor.

    Each rate is multiplied by (expected transmissions / exposure)^eta. With eta = 1 and the other factor
    fixed this is the EM step, so the likelihood of the cascades passed over does not fall.
    """
    theta = p.theta * _ratio(s.theta, s.theta_exposure * p.theta) ** eta
    changed = {"theta": theta}
    if factor == "u":
        changed["u"] = p.u * _ratio(s.u, s.u_exposure) ** eta
    else:
        changed["v"] = p.v * _ratio(s.v, s.v_exposure) ** eta
    if free_pi:
        seen = s.touched > 0
        share = np.where(seen, s.pi / np.maximum(s.touched, 1.0), p.pi)
        changed["pi"] = np.clip(share, EDGE, 1.0 - EDGE)
    return p.changed(**changed)


def shrink(p: Parameters, s: Sums, count: float, mean: float, *, factor: str) -> Parameters:
    """Return the parameters after an EM step on theta, pi and one factor under Gamma priors.

    rate = (transmissions expected + count) / (exposure + count / mean), the maximum of the expected
    log-likelihood plus count (log rate - rate / mean): `count` imagined transmissions at a mean rate, for
    theta the given one, for an entry of a factor that of its column. What is 0 stays 0.
    """
    new = update(p, s, factor=factor, eta=1.0, free_pi=True)
    theta = (s.theta + count) / (s.theta_exposure + count / mean)
    rates, slopes, exposures = (p.u, s.u, s.u_exposure) if factor == "u" else (p.v, s.v, s.v_exposure)
    sent, used = rates * slopes, (rates > 0.0) & (exposures > 0.0)
    means = _ratio((sent * used).sum(axis=0), (exposures * used).sum(axis=0))
    entries = (sent + count) / (exposures + count / np.maximum(means, TINY))
    return new.changed(
        theta=np.where(p.theta > 0.0, theta, 0.0), **{factor: np.where(used, entries, getattr(new, factor))}
    )


def mean_rate(s: Sums) -> float:
    """Return theta's transmissions over its exposure, each weighted by the rate it was exposed at."""
    return float(s.theta.sum() / s.theta_exposure.sum()) if s.theta_exposure.sum() > 0 else 1.0


def prune(p: Parameters, s: Sums, threshold: float) -> Parameters:
    """Set entries of both factors to 0 whose squared Wald statistic a^2 I is below `threshold`.

    An entry on its way down, of slope g < 0, is judged where a Newton step on its logarithm would take it,
    a exp(g / (a I)): what fades slowly would be significant for many passes.
    """
    found = {}
    for name in "uv":
        old, slope = getattr(p, name), getattr(s, name) - getattr(s, f"{name}_exposure")
        information = getattr(s, f"{name}_squares")
        known = old * information > 0.0
        with np.errstate(over="ignore"):
            falls = np.where(known, np.minimum(slope, 0.0) / np.where(known, old * information, 1.0), 0.0)
        found[name] = np.where((old * np.exp(falls)) ** 2 * information < threshold, 0.0, old)
    return p.changed(**found)


def trim(p: Parameters, s: Sums) -> Parameters:
    """Set entries of both factors to 0 that are expected to have passed on less than a hundredth of once."""
    return p.changed(
        u=np.where(p.u * s.u < NEGLIGIBLE, 0.0, p.u), v=np.where(p.v * s.v < NEGLIGIBLE, 0.0, p.v)
    )


def hint(p: Parameters) -> Parameters:
    """Return the parameters with every 0 of a used factor at a trace of its column's mean.

    Sums at these tell what an entry would pass on if it were there; the likelihood hardly notices.
    """
    return p.changed(u=_filled(p.u, p.used, TRACE), v=_filled(p.v, p.used, TRACE))


def grow(p: Parameters, s: Sums, threshold: float) -> tuple[Parameters, int]:
    """Return the parameters with the entries that the data ask for, and their number.

    An entry that is 0 comes in where its score test at 0 is significant: the slope g of the log-likelihood,
    expected transmissions less exposure for rate 1, is above 0 and g^2 over the observed information I above
    `threshold`. It starts at its one-step estimate g / I, at most the mean of its column. `s` are the sums at
    `hint(p)`.
    """
    found, count = {}, 0
    for name in "uv":
        old, slope = getattr(p, name), getattr(s, name) - getattr(s, f"{name}_exposure")
        information = getattr(s, f"{name}_squares")
        wanted = (old == 0.0) & p.used & (slope > 0.0) & (slope**2 > threshold * information)
        step = slope / np.where(information > 0.0, information, 1.0)
        count += int(np.sum(wanted))
        found[name] = np.where(wanted, np.minimum(step, _filled(old, p.used, 1.0)), old)
    return p.changed(**found), count


def _filled(factor: Floats, used: NDArray[np.bool_], part: float) -> Floats:
    """Return a factor with `part` of a column's mean over non-zero entries where a used column is 0."""
    means = factor.sum(axis=0) / np.maximum(np.count_nonzero(factor, axis=0), 1)
    filled: Floats = np.where((factor == 0.0) & used, part * means, factor)
    return filled


def awaken(p: Parameters) -> Parameters:
    """Lift theta to at least a thousandth of its median.

    Steps multiply, so a rate that died away on a sample of cascades, where its sender was hardly ever active,
    could not come back on the next.
    """
    return p.changed(theta=np.maximum(p.theta, FAINT * float(np.median(p.theta)) if len(p.theta) else 0.0))


def _ratio(above: Floats, below: Floats) -> Floats:
    """Return above / below, at most LONGEST; 1 where nothing was seen and 0 where only exposure was."""
    with np.errstate(over="ignore"):
        ratio: Floats = np.where(below > 0.0, above / np.where(below > 0.0, below, 1.0), 1.0)
    return np.minimum(ratio, LONGEST)
