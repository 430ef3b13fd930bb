"""Every protocol is public numbers, announces rounds that devices can check, and estimates from integers."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privacy_stats as ps

N = 3000
PURE = ps.Budgets.pure(np.tile([0.5, 1.0, 2.0], N // 3))
ZCDP = ps.Budgets.zcdp(np.tile([0.01, 0.1, 1.0], N // 3))
NUMBERS = np.linspace(2, 8, N)
BASELINES: list[Any] = [
    ps.LaplaceMean(0, 10),
    ps.DuchiMean(0, 10),
    ps.PiecewiseMean(0, 10),
    ps.HybridMean(0, 10),
    ps.NaiveGaussian(10.0),
    ps.NaiveGaussian(10.0, non_negative=True),
    ps.NaiveGaussian(10.0, dimension=3),
]


def values_of(protocol: Any) -> Any:
    dimension = getattr(protocol, "dimension", 1)
    return NUMBERS if dimension == 1 else np.column_stack([NUMBERS / (k + 2) for k in range(dimension)])


@pytest.mark.parametrize("protocol", BASELINES, ids=repr)
def test_a_baseline_estimates_the_sum_within_its_standard_error(protocol: Any) -> None:
    # 6 standard errors in at most 3 coordinates: false alarm below 1e-8.
    budgets = ZCDP if isinstance(protocol, ps.NaiveGaussian) else PURE
    values = values_of(protocol)
    total = ps.estimate_sum(values, budgets, protocol=protocol, rng=ps.simulation_rng(3))
    assert total.estimand == "finite-population sum"
    assert (np.abs(total.value - values.sum(axis=0)) < 6 * total.standard_error).all()
    mean = ps.estimate_mean(values, budgets, protocol=protocol, rng=ps.simulation_rng(3))
    assert mean == total.as_mean()
    assert np.allclose(mean.value * N, total.value)


@pytest.mark.parametrize("protocol", BASELINES, ids=repr)
def test_protocols_rounds_and_estimates_survive_json(protocol: Any) -> None:
    assert ps.protocol_from_dict(json.loads(json.dumps(protocol.to_dict()))) == protocol
    announced = protocol.first_round(N, ZCDP.levels)
    assert ps.ProtocolRound.from_json(announced.to_json()) == announced
    total = ps.estimate_sum(values_of(protocol), ZCDP, protocol=protocol, rng=ps.simulation_rng(0))
    assert ps.SurveyEstimate.from_json(total.to_json()) == total
    assert "SIMULATED" in total.summary()


def test_the_rounds_of_a_study_are_the_rounds_of_a_deployment() -> None:
    protocol = ps.DuchiMean(0, 10)
    announced = protocol.first_round(4, PURE.levels, kind="pure")
    ledgers = [ps.Ledger(ps.Budgets.pure([1.0])) for _ in range(4)]
    lines = [announced.randomise(5.0, 1.0, user=u, ledger=ledgers[u]) for u in range(4)]
    state = announced.aggregate(lines)
    assert protocol.estimate(state).n_reports == 4
    assert not protocol.estimate(state).simulated
    with pytest.raises(ps.BudgetExhaustedError):
        announced.randomise(5.0, 1.0, user=0, ledger=ledgers[0])
    with pytest.raises(ps.ArgumentError, match="all are done"):
        protocol.next_round(state)


def test_a_device_refuses_rounds_past_the_last_and_other_shares() -> None:
    announced = ps.DuchiMean(0, 10).first_round(4, PURE.levels, kind="pure")
    for change in ({"number": 2}, {"share": Fraction(1, 2)}, {"mechanism": ps.Laplace(0, 10)}):
        with pytest.raises(ps.ArgumentError, match="do not answer it"):
            ps.ProtocolRound(announced.protocol, dataclasses.replace(announced.round_, **change))  # type: ignore[arg-type]
    document = announced.to_dict()
    document["round"]["number"] = 2
    with pytest.raises(ps.DocumentError, match="the protocol has 1 rounds"):
        ps.ProtocolRound.from_dict(document)


@pytest.mark.parametrize(
    "document",
    [
        None,
        {},
        {"name": "no-such"},
        {"name": "duchi-mean"},
        {"name": "duchi-mean", "lower": 1, "upper": 0},
        {"name": "duchi-mean", "lower": 0, "upper": 1, "steps": "__import__('os')"},
    ],
)
def test_a_document_that_is_no_protocol_is_refused(document: Any) -> None:
    with pytest.raises(ps.DocumentError):
        ps.protocol_from_dict(document)


def test_an_estimate_refuses_states_of_another_protocol() -> None:
    total = ps.estimate_sum(NUMBERS, PURE, protocol=ps.DuchiMean(0, 10), rng=ps.simulation_rng(0))
    with pytest.raises(ps.ArgumentError, match="wanted laplace"):
        ps.LaplaceMean(0, 10).estimate(total.states)
    with pytest.raises(ps.ArgumentError, match="wanted one for each of 1 rounds"):
        ps.DuchiMean(0, 10).estimate(total.states * 2)


def test_a_study_charges_its_ledger() -> None:
    ledger = ps.Ledger(PURE)
    ps.estimate_sum(NUMBERS, PURE, protocol=ps.HybridMean(0, 10), ledger=ledger)
    assert ledger.remaining(0) == 0
    with pytest.raises(ps.BudgetExhaustedError):
        ps.estimate_sum(NUMBERS, PURE, protocol=ps.HybridMean(0, 10), ledger=ledger)
