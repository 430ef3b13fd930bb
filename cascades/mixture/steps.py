"""Steps between passes: multiplicative updates and Wald pruning."""

from __future__ import annotations

import numpy as np

from cascades.mixture.state import Parameters, Sums
from cascades.tables.types import Floats

EDGE = 1e-3


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


def prune(p: Parameters, s: Sums, threshold: float) -> Parameters:
    """Set entries of both factors to 0 whose squared Wald statistic u^2 I is below `threshold`."""
    return p.changed(
        u=np.where(p.u**2 * s.u_squares < threshold, 0.0, p.u),
        v=np.where(p.v**2 * s.v_squares < threshold, 0.0, p.v),
    )


def _ratio(above: Floats, below: Floats) -> Floats:
    """Return above / below; 1 where nothing was seen and 0 where only exposure was."""
    ratio: Floats = np.where(below > 0.0, above / np.where(below > 0.0, below, 1.0), 1.0)
    return ratio
