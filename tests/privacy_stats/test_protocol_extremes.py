"""One user, equal budgets, budgets far apart, odd values: an estimate or a sentence, whatever comes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import privacy_stats as ps
from tests.privacy_stats.test_protocols import PROTOCOLS

ALL = [
    *PROTOCOLS,
    ps.SunRadius(1e6, 3, joint=True),
    ps.HullDiameter(ps.SunRadius(1e6, 2, joint=True), rounds=1),
]
BUDGETS = {
    "one user": [1.0],
    "one user, hardly any budget": [1e-7],
    "two alike": [0.5, 0.5],
    "far apart": [1e-7, 1e5],
    "more levels than groups": np.geomspace(1e-6, 1e3, 80),
}


@pytest.mark.parametrize("rho", BUDGETS.values(), ids=BUDGETS)
@pytest.mark.parametrize("protocol", ALL, ids=repr)
def test_few_users_and_extreme_budgets_have_a_finite_estimate(protocol: Any, rho: Any) -> None:
    budgets, d = ps.Budgets.zcdp(rho), protocol.dimension
    for value in (0.0, np.nan, -np.inf, 1e300, 5e-324):
        values = np.full(len(rho) if d == 1 else (len(rho), d), value)
        found = ps.estimate_sum(values, budgets, protocol=protocol, rng=ps.simulation_rng(0))
        assert np.isfinite(found.value).all()
        assert np.isfinite(found.standard_error).all()
        assert ps.SurveyEstimate.from_json(found.to_json()) == found


@pytest.mark.parametrize("protocol", [p for p in ALL if p.n_rounds > 1], ids=repr)
def test_a_budget_that_rounds_to_nothing_is_refused_in_a_sentence(protocol: Any) -> None:
    values = np.zeros(1 if protocol.dimension == 1 else (1, protocol.dimension))
    with pytest.raises(ps.ArgumentError, match="below one billionth; leave such users out"):
        ps.estimate_sum(values, ps.Budgets.zcdp([1e-9]), protocol=protocol, rng=ps.simulation_rng(0))
