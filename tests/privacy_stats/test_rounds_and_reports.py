"""An announcement says everything that is public; reports carry its identity and nothing else."""

from __future__ import annotations

import io
import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privacy_stats as ps
from privacy_stats.reports import parse_line

BUDGETS = ps.Budgets.pure([0.5, 1, 1, 2])
ROUND = ps.Round.of("commuting", ps.Hybrid(0, 120), BUDGETS)
VECTORS = ps.Round.of("places", ps.VectorGaussian(3, 1.0), ps.Budgets.zcdp([0.1, 1]))


def reports() -> ps.Reports:
    return ps.randomise(ROUND, [1, 2, 3, 4], BUDGETS, rng=ps.simulation_rng(0))


def vector_reports() -> ps.Reports:
    return ps.randomise(VECTORS, np.eye(3)[:2], ps.Budgets.zcdp([0.1, 1]), rng=ps.simulation_rng(0))


@pytest.mark.parametrize("round_", [ROUND, VECTORS], ids=["scalar", "vector"])
def test_a_round_survives_json_and_its_fingerprint_names_it(round_: ps.Round) -> None:
    again = ps.Round.from_json(round_.to_json())
    assert again == round_
    assert again.fingerprint == round_.fingerprint


def test_every_field_changes_the_fingerprint() -> None:
    mechanism = ps.OneBit(0, 1)
    levels = (Fraction(1), Fraction(2))
    prints = {
        ps.Round("a", mechanism, "pure", levels, 10).fingerprint,
        ps.Round("b", mechanism, "pure", levels, 10).fingerprint,
        ps.Round("a", ps.OneBit(0, 2), "pure", levels, 10).fingerprint,
        ps.Round("a", mechanism, "zcdp", levels, 10).fingerprint,
        ps.Round("a", mechanism, "pure", levels[:1], 10).fingerprint,
        ps.Round("a", mechanism, "pure", levels, 11).fingerprint,
        ps.Round("a", mechanism, "pure", levels, 10, number=2).fingerprint,
        ps.Round("a", mechanism, "pure", levels, 10, share=Fraction(1, 2)).fingerprint,
    }
    assert len(prints) == 8


@pytest.mark.parametrize(
    "change",
    [
        {"survey": ""},
        {"survey": "a\nb"},
        {"number": 0},
        {"n_users": 2**31},
        {"n_users": True},
        {"kind": "both"},
        {"levels": []},
        {"levels": [2, 1]},
        {"levels": [0]},
        {"levels": [10**11]},
        {"levels": [1.5]},
        {"levels": list(range(1, 2**16 + 2))},
        {"share": "0/1"},
        {"share": "2/1"},
        {"share": "1/0"},
        {"share": "1/1000000000000"},
        {"share": "__import__('os')"},
        {"mechanism": {"name": "gaussian", "lower": 0, "upper": 1, "steps": 4}},
        {"mechanism": 3},
        {"version": 2},
        {"format": "x"},
        {"extra": 1},
    ],
)
def test_an_announcement_that_makes_no_sense_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ps.DocumentError):
        ps.Round.from_dict(ROUND.to_dict() | change)


@pytest.mark.parametrize("text", ["", "[", "[" * 100_000, "null", "1e999", " " * 5_000_000, b"\xff\xfe"])
def test_text_that_is_no_announcement_is_refused(text: Any) -> None:
    with pytest.raises(ps.DocumentError):
        ps.Round.from_json(text)


def test_a_user_answers_at_the_highest_level_within_the_own_budget() -> None:
    assert [ROUND.level_of(b) for b in (500_000_000, 999_999_999, 10**9, 10**10)] == [0, 0, 1, 2]
    assert ROUND.levels_of(ps.Budgets.pure([0.5, 0.999999999, 1, 10])).tolist() == [0, 0, 1, 2]
    with pytest.raises(ps.ArgumentError, match="below the lowest level"):
        ROUND.level_of(499_999_999)
    with pytest.raises(ps.ArgumentError, match="in row 1"):
        ROUND.levels_of(ps.Budgets.pure([1, 0.4]))
    with pytest.raises(ps.ArgumentError, match="takes pure"):
        ROUND.levels_of(ps.Budgets.zcdp([1]))


def test_a_round_spends_its_share_rounded_down() -> None:
    round_ = ps.Round("a", ps.OneBit(0, 1), "pure", (Fraction(1),), 5, share=Fraction(1, 3))
    assert round_.spent(0) == Fraction(333_333_333, 10**9)
    assert round_.channels(0)[0].inequality.holds


def test_the_client_charges_the_ledger_before_it_draws() -> None:
    ledger = ps.Ledger(BUDGETS)

    class Broken:
        simulated = False

        def bytes(self, size: int, /) -> bytes:
            raise RuntimeError(f"no entropy for {size} bytes")

    with pytest.raises(RuntimeError):
        ps.randomise(ROUND, [1, 2, 3, 4], BUDGETS, ledger=ledger, rng=Broken())
    assert [ledger.remaining(u) for u in range(4)] == [0, 0, 0, 0]
    with pytest.raises(ps.BudgetExhaustedError, match="already answered"):
        ps.randomise(ROUND, [1, 2, 3, 4], BUDGETS, ledger=ledger)


def test_a_device_charges_its_own_ledger_and_answers_once() -> None:
    ledger = ps.Ledger(ps.Budgets.pure([1.5]))
    json.loads(ps.answer(ROUND, 30, 1.5, user=2, ledger=ledger))
    assert ledger.spent(0) == 1
    with pytest.raises(ps.BudgetExhaustedError):
        ps.answer(ROUND, 30, 1.5, user=2, ledger=ledger)


@pytest.mark.parametrize(
    ("values", "users"),
    [
        ([[1.0], [2.0]], None),
        (3.0, None),
        ([], None),
        (["1", "2"], None),
        ([1j, 2], None),
        ([None, 1.0], None),
        ([1, 2, 3], None),
        ([1, 2], [0, 0]),
        ([1, 2], [0, 4]),
        ([1, 2], [-1, 0]),
        ([1, 2], [0.0, 1.0]),
        ([1, 2], [0]),
    ],
)
def test_columns_of_the_wrong_shape_or_type_are_refused(values: Any, users: Any) -> None:
    with pytest.raises(ps.ArgumentError):
        ps.randomise(ROUND, values, ps.Budgets.pure([1, 1]), users=users)


@pytest.mark.parametrize("value", ["1", None, 1j, [1.0, 2.0], b"1", {"a": 1}, object()])
def test_a_device_refuses_what_is_no_number(value: Any) -> None:
    with pytest.raises(ps.ArgumentError, match="value"):
        ps.answer(ROUND, value, 1, user=0)


@pytest.mark.parametrize("user", [-1, 4, 1.0, True, "0"])
def test_a_device_knows_its_enrolment_number(user: Any) -> None:
    with pytest.raises(ps.ArgumentError, match="user"):
        ps.answer(ROUND, 1, 1, user=user)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), -float("inf"), 10**400, -(10**400), True, np.float32(3)]
)
def test_a_device_reports_for_every_number(value: Any) -> None:
    assert json.loads(ps.answer(ROUND, value, 1, user=0))["user"] == 0


def test_simulated_reports_say_so() -> None:
    assert reports().header.simulated
    assert not ps.randomise(ROUND, [1, 2, 3, 4], BUDGETS).header.simulated
    assert json.loads(ps.answer(ROUND, 1, 1, user=0, rng=ps.simulation_rng(0)))["simulated"]


@pytest.mark.parametrize("made", [reports(), vector_reports()], ids=["scalar", "vector"])
def test_reports_survive_json_lines_and_arrow(made: ps.Reports) -> None:
    file = io.StringIO()
    ps.write_lines(made, file)
    assert list(ps.read_lines(file.getvalue().splitlines())) == [made]
    assert ps.from_arrow(ps.to_arrow(made)) == made
    assert not made.report.flags.writeable


def test_lines_of_devices_are_read_as_one_batch() -> None:
    lines = [ps.answer(ROUND, 5.0, 1, user=u) for u in range(4)]
    (batch,) = ps.read_lines(lines)
    assert batch.user.tolist() == [0, 1, 2, 3]
    assert [len(b) for b in ps.read_lines(lines, chunk=3)] == [3, 1]


GOOD: dict[str, Any] = json.loads(ps.answer(ROUND, 5.0, 1, user=0))


@pytest.mark.parametrize(
    "change",
    [
        {"user": "0"},
        {"user": True},
        {"user": 2**63},
        {"stratum": 1.0},
        {"stratum": None},
        {"report": 1},
        {"report": []},
        {"report": [1.5]},
        {"report": [2**31]},
        {"report": [True]},
        {"report": [float("nan")]},
        {"version": 2},
        {"format": None},
        {"simulated": 0},
        {"mechanism": "hybrid"},
        {"round": "1"},
        {"extra": 1},
    ],
)
def test_a_line_that_breaks_the_schema_is_refused_with_its_number(change: dict[str, Any]) -> None:
    lines = [json.dumps(GOOD), json.dumps(GOOD | change)]
    with pytest.raises(ps.DocumentError, match="line 2"):
        list(ps.read_lines(lines))


@pytest.mark.parametrize("line", ["", "{", "[" * 100_000, "1" * 10_000, "x" * (2**20 + 1), b"\xff"])
def test_a_line_that_is_not_json_is_refused(line: Any) -> None:
    with pytest.raises(ps.DocumentError):
        parse_line(line)


def test_arrow_tables_that_break_the_schema_are_refused() -> None:
    import pyarrow as pa

    table = ps.to_arrow(reports())
    broken = [
        table.replace_schema_metadata(None),
        table.replace_schema_metadata({b"privacy_stats.report": b"{"}),
        table.drop_columns(["report"]),
        table.append_column("value", pa.array([1.0, 2, 3, 4])),
        table.set_column(0, "user", pa.array([0, 1, None, 3])),
        table.set_column(0, "user", pa.array([0.0, 1.0, 2.0, 3.0])),
        table.set_column(2, "report", pa.array([2**40] * 4)),
    ]
    for bad in broken:
        with pytest.raises(ps.DocumentError):
            ps.from_arrow(bad)


def test_reports_hold_integers_of_matching_lengths() -> None:
    header = reports().header
    one = np.array([1])
    for columns in ((one, one, np.array([1.0])), (one, np.array([1, 2]), one), (one, one, np.array([1, 2]))):
        with pytest.raises(ps.ArgumentError):
            ps.Reports(header, *columns)
