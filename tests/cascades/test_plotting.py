"""Figures are drawn from the numbers they claim to show."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

import cascades as cs

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt.close("all")


def test_the_rate_matrix_shows_every_rate_and_masks_the_rest(medium: tuple[cs.Network, cs.Cascades]) -> None:
    fit = cs.NetRate().fit(medium[1])
    shown = fit.plot().images[0].get_array()
    np.testing.assert_array_equal(shown.filled(0.0), fit.network.matrix.toarray())
    assert np.ma.count(shown) == fit.network.n_edges


def test_the_distribution_counts_every_edge(medium: tuple[cs.Network, cs.Cascades]) -> None:
    ax = cs.plotting.rate_distribution(medium[0])
    assert sum(bar.get_height() for bar in ax.patches) == medium[0].n_edges
    assert ax.get_xscale() == "log"


def test_precision_and_recall_of_the_truth_itself_are_one(medium: tuple[cs.Network, cs.Cascades]) -> None:
    recall, precision = cs.plotting.precision_recall(medium[0], medium[0]).lines[0].get_data()
    assert np.all(precision == 1.0)
    assert recall[-1] == 1.0


def test_residuals_are_drawn_with_the_line_on_which_they_should_lie(
    medium: tuple[cs.Network, cs.Cascades],
) -> None:
    found = cs.residuals(cs.NetRate().fit(medium[1]), medium[1])
    steps, diagonal = found.plot().lines
    assert len(steps.get_xdata()) == found.activated.sum()
    np.testing.assert_array_equal(diagonal.get_xdata(), diagonal.get_ydata())


def test_two_networks_are_drawn_side_by_side() -> None:
    rng = np.random.default_rng(0)
    design = cs.designs.b1("community", n_nodes=20, rank=2, rng=rng)
    data = cs.simulate(design.theta, design.psi, design.pi, n_cascades=100, horizon=10.0, rng=rng)
    left, right = cs.DoubleMixture(design.support, rank=2, passes=5).fit(data, rng=rng).plot()
    assert (left.get_title(), right.get_title()) == ("theta", "psi")
    assert left.figure is right.figure
