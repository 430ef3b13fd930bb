"""Plans: figures by hand, monotone in everything, and what the planned survey then shows."""

from __future__ import annotations

import json
import math
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privacy_stats as ps

MARKS = {0.5: 3.61, 1.0: 1.86, 2.0: 1.04, 4.0: 0.75}


def test_two_points_and_ten_thousand_users_take_the_level_of_the_closed_form() -> None:
    found = ps.plan(ps.Budgets.pure([1.0] * 10_000), mechanism=ps.OneBit(0, 100), half_width=2)
    z = 1.959963984540054
    # 50 coth(epsilon / 2) z / 100 = 2
    assert found.level_needed == pytest.approx(2 * math.atanh(50 * z / 200), rel=1e-5)
    assert round(found.level_needed or 0, 3) == 1.072
    assert found.half_width == pytest.approx(50 / math.tanh(0.5) * z / 100, rel=1e-6)
    assert not found.reached


@pytest.mark.parametrize("epsilon", MARKS)
def test_thirty_marks_in_five_to_ten(epsilon: float) -> None:
    found = ps.plan(
        ps.Budgets.pure([epsilon] * 30), mechanism=ps.OneBit(5, 10), half_width=1, spread=2.33**0.5
    )
    assert found.half_width == pytest.approx(MARKS[epsilon], abs=0.006)
    assert any("30 users are too few" in warning for warning in found.warnings) == (epsilon <= 1)
    assert ("WARNING" in found.summary()) == (epsilon <= 1)


@pytest.mark.parametrize("estimand", ["finite-population mean", "population mean"])
@pytest.mark.parametrize("make_mechanism", [ps.OneBit, ps.Piecewise, ps.Hybrid, ps.Laplace, ps.Gaussian])
def test_what_is_needed_gives_what_is_wanted(make_mechanism: Any, estimand: Any) -> None:
    mechanism = make_mechanism(0, 10)
    make = ps.Budgets.pure if "pure" in mechanism.kinds else ps.Budgets.zcdp
    levels = np.repeat([0.5, 1.0, 2.0], [300, 200, 100])
    options = {"mechanism": mechanism, "half_width": 0.5, "estimand": estimand}
    found = ps.plan(make(levels), **options)
    assert found.half_width_at(found.users_needed) <= 0.5 < found.half_width_at(found.users_needed - 1)
    more = ps.plan(make(np.repeat(levels, 2)), **options)
    assert more.half_width == pytest.approx(found.half_width / 2**0.5, rel=1e-9)
    level = found.level_needed
    assert level is not None
    assert ps.plan(make([level] * 600), **options).half_width == pytest.approx(0.5, rel=1e-4)
    assert ps.plan(make([level] * 600), **options).half_width <= 0.5


@given(st.floats(0.1, 6), st.floats(1.01, 3))
def test_more_budget_never_widens_the_interval(epsilon: float, factor: float) -> None:
    for mechanism in (ps.OneBit(0, 1), ps.Piecewise(0, 1), ps.Hybrid(0, 1), ps.Laplace(0, 1)):
        before, after = (
            ps.plan(ps.Budgets.pure([e] * 50), mechanism=mechanism, half_width=0.1).half_width
            for e in (epsilon, epsilon * factor)
        )
        assert after <= before * (1 + 1e-4)


def test_the_planned_interval_is_the_one_that_the_survey_then_shows() -> None:
    budgets = ps.Budgets.pure(np.repeat([0.5, 2.0], 5000))
    values = np.random.default_rng(1).choice([0.0, 10.0], 10_000)
    for mechanism in (ps.OneBit(0, 10), ps.Piecewise(0, 10), ps.Hybrid(0, 10)):
        planned = ps.plan(budgets, mechanism=mechanism, half_width=0.1, spread=5.0)
        sampled = ps.plan(
            budgets, mechanism=mechanism, half_width=0.1, spread=5.0, estimand="population mean"
        )
        round_ = ps.Round.of("x", mechanism, budgets)
        reports = ps.randomise(round_, values, budgets, rng=ps.simulation_rng(2))
        state = ps.aggregate(round_, reports, allow_simulated=True)
        mean = ps.unbiased_mean(state)
        if mechanism.name == "piecewise":  # one bit: only an upper bound of the noise can be seen
            assert 1.96 * float(mean.standard_error) == pytest.approx(planned.half_width, rel=0.03)
        error = ps.population_mean(state).standard_error
        assert 1.96 * error == pytest.approx(sampled.half_width, rel=0.03)


def test_no_budget_replaces_users_when_sampling_alone_is_too_much() -> None:
    found = ps.plan(
        ps.Budgets.pure([1.0] * 100), mechanism=ps.Hybrid(0, 1), half_width=0.01, estimand="population mean"
    )
    assert found.level_needed is None
    assert "sampling alone" in found.summary()
    few = ps.plan(ps.Budgets.pure([9.0] * 10), mechanism=ps.Hybrid(0, 1), half_width=0.5)
    assert few.warnings == ("below 30 users the normal approximation is a rough guide",)


def test_a_plan_round_trips_and_draws(tmp_path: Any) -> None:
    found = ps.plan(ps.Budgets.zcdp([0.5] * 100), mechanism=ps.Gaussian(0, 1), half_width=0.1)
    assert ps.Plan.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    for bad in ([], {"format": "privacy_stats.plan"}, {"format": "privacy_stats.plan", "version": 1}):
        with pytest.raises(ps.DocumentError):
            ps.Plan.from_dict(bad)
    mpl.use("agg")
    axes = found.plot()
    assert axes.get_xlabel() == "users"
    axes.figure.savefig(tmp_path / "plan.svg")
    mpl.pyplot.close(axes.figure)


def test_errors_over_the_budget_are_those_of_the_channels() -> None:
    mpl.use("agg")
    axes = ps.plot_rmse([ps.OneBit(-1, 1), ps.Laplace(-1, 1)], [0.5, 1.0, 4.0], n_users=100)
    one_bit, laplace = (line.get_ydata() for line in axes.lines)
    assert one_bit[1] == pytest.approx((4.683 / 100) ** 0.5, rel=1e-3)
    assert laplace[2] == pytest.approx((0.5 / 100) ** 0.5, rel=1e-3)
    mpl.pyplot.close(axes.figure)


@pytest.mark.parametrize(
    "change",
    [
        {"half_width": 0.0},
        {"half_width": math.nan},
        {"coverage": 1.0},
        {"spread": 0.6},
        {"spread": -0.1},
        {"estimand": "median"},
        {"mechanism": ps.RandomisedResponse(3)},
        {"mechanism": ps.Gaussian(0, 1)},
    ],
)
def test_a_plan_refuses_what_makes_no_sense(change: dict[str, Any]) -> None:
    options: dict[str, Any] = {"mechanism": ps.OneBit(0, 1), "half_width": 0.1} | change
    with pytest.raises(ps.ArgumentError):
        ps.plan(ps.Budgets.pure([1.0]), **options)
