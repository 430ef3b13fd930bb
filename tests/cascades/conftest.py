"""Simulated tables and the plain-numpy reading of the likelihood that the tests compare with."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import cascades as cs

Draw = Callable[..., cs.Network]


def random_network(
    n: int, degree: float, rng: np.random.Generator, low: float = 0.2, high: float = 1.0
) -> cs.Network:
    """Erdos-Renyi with uniform rates and no loops."""
    rates = (rng.random((n, n)) < degree / n) * rng.uniform(low, high, (n, n))
    np.fill_diagonal(rates, 0.0)
    return cs.Network.from_matrix(rates)


@pytest.fixture
def draw_network() -> Draw:
    return random_network


@pytest.fixture(scope="session")
def medium() -> tuple[cs.Network, cs.Cascades]:
    """Thirty nodes, 1500 cascades, exponential."""
    rng = np.random.default_rng(11)
    truth = random_network(30, 2.0, rng)
    return truth, cs.simulate(truth, n_cascades=1500, horizon=3.0, rng=rng)
