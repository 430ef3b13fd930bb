"""The policies of the US states, where the user has them: do two networks predict better than one?"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import cascades as cs

DATA = os.environ.get("CERTIKIT_DATA")


@pytest.mark.skipif(DATA is None, reason="CERTIKIT_DATA names no folder with the real cascades")
def test_policies_of_the_us_states_are_predicted_better_by_two_networks() -> None:
    """Adoptions since 1950, land borders as the observed network: several nats per policy left out."""
    folder = Path(str(DATA))
    everything = cs.datasets.state_policies(folder / "spid_policies_long.csv")
    data = everything.select(np.flatnonzero(everything.first_times >= 1950))
    support = cs.datasets.borders(folder / "us_state_neighbours.csv", nodes=data.nodes)
    models = {
        "one": cs.NetRate(background=True, standard_errors=False),
        "double": cs.DoubleMixture(support, rank="full", background=True, passes=30, threshold=1.0),
    }
    scores = cs.held_out(models, data, n_folds=2, floor=1e-3, rng=np.random.default_rng(0))
    assert scores.best == "double"
    assert np.diff(scores.means)[0] > 2.0
