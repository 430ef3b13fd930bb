"""Tables that several test files share."""

from __future__ import annotations

import numpy as np
import pytest

import cascades as cs


@pytest.fixture(scope="session")
def medium() -> tuple[cs.Network, cs.Cascades]:
    """Thirty nodes, 1500 cascades, exponential."""
    rng = np.random.default_rng(11)
    truth = cs.designs.random_network(30, 2.0, rng=rng)
    return truth, cs.simulate(truth, n_cascades=1500, horizon=3.0, rng=rng)
