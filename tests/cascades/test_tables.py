"""Cascade tables: every source gives the same value, and every fault is named."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cascades as cs

ROWS = [("x", "ann", 0.0), ("x", "bob", 1.5), ("y", "bob", 3.0), ("y", "cy", 4.0), ("y", "ann", 9.0)]
COLUMNS = ["cascade", "node", "time"]
HOW = {"cascade": "cascade", "node": "node", "time": "time"}


def pandas_frame(rows: list[tuple[object, ...]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=COLUMNS)


def content(data: cs.Cascades) -> list[tuple[object, dict[object, float]]]:
    return [(name, dict(times)) for name, times in data]


EXPECTED = [("x", {"ann": 0.0, "bob": 1.5}), ("y", {"bob": 3.0, "cy": 4.0, "ann": 9.0})]


@pytest.mark.parametrize("kind", ["pandas", "polars", "polars lazy", "pyarrow", "duckdb"])
def test_every_kind_of_frame_gives_the_same_table(kind: str) -> None:
    frame = pandas_frame(ROWS)
    arrow = pa.Table.from_pandas(frame)
    source = {
        "pandas": lambda: frame,
        "polars": lambda: pl.DataFrame(ROWS, schema=COLUMNS, orient="row"),
        "polars lazy": lambda: pl.DataFrame(ROWS, schema=COLUMNS, orient="row").lazy(),
        "pyarrow": lambda: arrow,
        "duckdb": lambda: duckdb.from_arrow(arrow),
    }[kind]()
    data = cs.Cascades.from_frame(source, **HOW, window=20.0)
    assert content(data) == EXPECTED
    assert data.horizons.tolist() == [20.0, 23.0]


def test_records_wide_and_text_give_the_same_table() -> None:
    records = {"x": {"ann": 0.0, "bob": 1.5}, "y": {"bob": 3.0, "cy": 4.0, "ann": 9.0}}
    wide = [[0.0, 1.5, np.nan], [9.0, 3.0, np.inf]]
    wide[1][2] = 4.0
    text = "0,ann\r\n1,bob\r\n2,cy\r\n\r\nx;1,1.5,0,0\r\ny;0,9,2,4,1,3\r\n"
    forest = "x;ann,0 bob,1.5\ny;bob,3 cy,4 ann,9\n"
    tables = [
        cs.Cascades.from_records(records, window=20.0),
        cs.Cascades.from_wide(wide, nodes=["ann", "bob", "cy"], names=["x", "y"], window=20.0),
        cs.Cascades.from_text(text, window=20.0),
        cs.Cascades.from_text(forest, window=20.0),
    ]
    assert [content(t) for t in tables] == [EXPECTED] * 4


def test_a_file_with_descending_times_and_no_final_newline_is_read(tmp_path: Path) -> None:
    path = tmp_path / "cascades.txt"
    path.write_bytes(b"0,0\n1,1\n\n1,2.5,0,1.0\n0,7")
    data = cs.Cascades.from_text(path, window=5.0)
    assert content(data) == [(0, {0: 1.0, 1: 2.5}), (1, {0: 7.0})]


def test_dates_become_numbers_in_the_stated_unit() -> None:
    rows = [("x", "ann", dt.date(2020, 1, 1)), ("x", "bob", dt.date(2020, 1, 15))]
    data = cs.Cascades.from_frame(pandas_frame(rows), **HOW, horizon=dt.date(2020, 1, 29), unit="week")
    assert data.times.tolist() == [0.0, 2.0]
    assert data.horizons.tolist() == [4.0]
    assert data.origin.startswith("2020-01-01")


def test_datetimes_with_time_zones_are_compared_as_moments() -> None:
    zone = dt.timezone(dt.timedelta(hours=2))
    rows = [
        ("x", "ann", dt.datetime(2020, 1, 1, 12, tzinfo=dt.UTC)),
        ("x", "bob", dt.datetime(2020, 1, 1, 15, tzinfo=zone)),
    ]
    frame = pl.DataFrame(
        {
            "cascade": ["x", "x"],
            "node": ["ann", "bob"],
            "time": [r[2].astimezone(dt.UTC) for r in rows],
        }
    )
    data = cs.Cascades.from_frame(frame, **HOW, window=10.0, unit="hour")
    assert data.times.tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("rows", "how", "message"),
    [
        ([("x", "ann", float("nan"))], {}, r"row 1: cascade 'x', node 'ann': time is nan; give a number"),
        (
            [("x", "ann", "2001-05-03")],
            {},
            r"row 1: .*time is the text '2001-05-03'; make the column numbers",
        ),
        ([("x", None, 1.0)], {}, r"row 1: no label in column 'node'"),
        ([("x", "zed", 1.0)], {"nodes": ["ann"]}, r"row 1: cascade 'x', node 'zed': unknown node; it is not"),
        ([("x", "ann", 1.0), ("x", "ann", 2.0)], {"duplicates": "refuse"}, r"row 2: .*activated again at 2"),
        (
            [("x", "ann", 5.0)],
            {"horizon": 3.0, "window": None},
            r"node 'ann': activated at 5, after the horizon 3",
        ),
        ([("x", "ann", 5.0)], {"horizon": {"y": 9.0}, "window": None}, r"no entry for 1 cascade\(s\): 'x'"),
        ([("x", "ann", 5.0)], {"window": None}, r"give either horizon= .*here 5\) or window="),
        ([("x", "ann", 5.0)], {"window": -1.0}, r"window: got -1.0, wanted a finite duration above 0"),
        ([("x", "ann", dt.date(2020, 1, 1))], {}, r"unit: got ''; a date column needs one of second"),
        ([("x", "ann", 5.0)], {"node": "knot"}, r"no such column: node='knot'; the frame has"),
        ([("x", "ann", 5.0)], {"never": 99}, r"never: no time equals 99"),
        ([], {}, r"no activations: the table is empty"),
    ],
)
def test_each_fault_of_a_frame_is_named(
    rows: list[tuple[object, ...]], how: dict[str, object], message: str
) -> None:
    with pytest.raises(cs.CascadesError, match=message):
        cs.Cascades.from_frame(pandas_frame(rows), **{**HOW, "window": 9.0, **how})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,a\n1,b\n\n0,0,7,1\n", r"line 4: cascade 0, node 7: unknown node"),
        ("0,a\n1,b\n\n0,0,1\n", r"line 4: cascade 0: 3 fields, but they come in pairs"),
        ("0,a\n1,b\n\n5;0,zero\n", r"line 4: cascade 5, node 0: time is 'zero'"),
        ("0,a\n1,b\n\n5;0,nan\n", r"line 4: cascade 5, node 0: time is 'nan'"),
        ("0,a\n0,b\n\n0,0\n", r"line 2: node id 0 is named twice"),
        ("0,a\n1,b\n\n", r"no activations"),
    ],
)
def test_each_fault_of_a_text_is_named(text: str, message: str) -> None:
    with pytest.raises(cs.InputError, match=message):
        cs.Cascades.from_text(text, window=9.0)


def test_all_faults_are_listed_and_the_message_stays_short() -> None:
    rows = [("x", f"n{k}", float("nan")) for k in range(30)]
    with pytest.raises(cs.InputError, match="and 22 more faults") as caught:
        cs.Cascades.from_frame(pandas_frame(rows), **HOW, window=1.0)
    assert len(caught.value.faults) == 30


def test_the_first_of_repeated_activations_is_kept_and_counted() -> None:
    rows = [("x", "ann", 4.0), ("x", "bob", 1.0), ("x", "ann", 2.0)]
    data = cs.Cascades.from_frame(pandas_frame(rows), **HOW, window=9.0)
    assert content(data) == [("x", {"bob": 1.0, "ann": 2.0})]
    assert data.notes == (
        "1 repeated activation(s) dropped, the first kept; e.g. row 1: cascade 'x', node 'ann'",
    )


def test_a_code_for_never_is_asked_about_and_obeyed() -> None:
    rows = [("x", k, float(1 + k % 10)) for k in range(50)] + [("x", 100 + k, 11.0) for k in range(20)]
    with pytest.raises(cs.NeverCodeQuestion, match="20 of 70 activations have time 11") as caught:
        cs.Cascades.from_frame(pandas_frame(rows), **HOW, horizon=11.0)
    assert "never=11" in str(caught.value)
    read = cs.Cascades.from_frame(pandas_frame(rows), **HOW, horizon=10.0, never=11)
    assert (read.n_events, read.n_nodes) == (50, 70)
    kept = cs.Cascades.from_frame(pandas_frame(rows), **HOW, horizon=11.0, never=None)
    assert kept.n_events == 70


def test_minus_one_among_times_that_are_not_negative_is_asked_about() -> None:
    with pytest.raises(cs.NeverCodeQuestion, match="never=-1"):
        cs.Cascades.from_wide([[0.0, 1.0, -1.0], [-1.0, 0.0, 3.0]], window=9.0)
    data = cs.Cascades.from_wide([[0.0, 1.0, -1.0], [-1.0, -1.0, -1.0]], window=9.0, never=-1)
    assert content(data) == [(0, {0: 0.0, 1: 1.0})]
    assert any("1 empty cascade(s) left out" in n for n in data.notes)


def test_the_summary_warns_of_what_the_table_cannot_tell() -> None:
    data = cs.Cascades.from_records([{"a": 1.0, "b": 1.0}], window=2.0, nodes=["a", "b", "c"])
    for words in (
        "one cascade only",
        "1 nodes are never activated",
        "all times within each cascade are equal",
    ):
        assert words in data.summary()
    assert (
        "1 cascades reached nobody"
        in cs.Cascades.from_records([{"a": 1.0}, {"a": 0, "b": 1}], window=1).summary()
    )


tables = st.lists(
    st.dictionaries(st.integers(0, 6), st.floats(-1e6, 1e6), min_size=1, max_size=5), min_size=1, max_size=6
)


@settings(max_examples=30, deadline=None)
@given(tables, st.sampled_from([".json", ".parquet"]))
def test_saving_and_loading_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, rows: list, kind: str
) -> None:
    data = cs.Cascades.from_records(rows, window=1.0 + 4e6, unit="day", never=None)
    path = tmp_path_factory.mktemp("table") / f"table{kind}"
    cs.save(data, path)
    assert cs.load(path).to_dict() == data.to_dict()


def test_a_foreign_file_is_refused_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("{}")
    with pytest.raises(cs.InputError, match="is not a cascade table written by"):
        cs.load(path)
    with pytest.raises(cs.InputError, match="cannot read"):
        cs.load(tmp_path / "absent.parquet")
    with pytest.raises(cs.ArgumentError, match=r"wanted .json or .parquet"):
        cs.save(cs.Cascades.from_records([{"a": 0.0}], window=1.0), tmp_path / "x.csv")


def test_rounding_ends_the_watch_with_the_last_bin_that_was_watched() -> None:
    data = cs.Cascades.from_records([{"a": 0.2, "b": 2.9}, {"b": 0.0, "c": 3.0}], horizon=3.0)
    coarse = data.round(1.0)
    assert coarse.times.tolist() == [0.0, 2.0, 0.0, 3.0]
    assert coarse.horizons.tolist() == [2.0, 3.0]
    with pytest.raises(cs.ArgumentError, match="resolution: got 0"):
        data.round(0)


def test_arrays_in_a_table_cannot_be_written_to() -> None:
    data = cs.Cascades.from_records([{"a": 0.0, "b": 1.0}], window=1.0)
    with pytest.raises(ValueError, match="read-only"):
        data.times[0] = 3.0


DATA = os.environ.get("CERTIKIT_DATA")
needs_data = pytest.mark.skipif(DATA is None, reason="CERTIKIT_DATA names no folder with the real cascades")


@needs_data
@pytest.mark.parametrize(
    ("file", "node", "time", "code"),
    [("medInnovations_toa.csv", "id", "toa_month", 18), ("kfamily_toa.csv", "id", "toa_year", 11)],
)
def test_real_tables_that_code_never_as_last_plus_one_trigger_the_question(
    file: str, node: str, time: str, code: int
) -> None:
    frame = pd.read_csv(Path(str(DATA), file))
    frame["where"] = frame.iloc[:, 0]
    with pytest.raises(cs.NeverCodeQuestion, match=f"never={code}"):
        cs.Cascades.from_frame(frame, cascade="where", node=node, time=time, horizon="last")


@needs_data
def test_the_brazilian_farmers_trigger_the_question_too() -> None:
    frame = pd.read_csv(Path(str(DATA), "brfarmers_toa.csv"))
    with pytest.raises(cs.NeverCodeQuestion, match="never=20"):
        cs.Cascades.from_frame(frame, cascade="village", node="id", time="toa", horizon="last")


@needs_data
@pytest.mark.parametrize(("tool", "cascades"), [("netinf", 54), ("infopath", 1000)])
def test_the_sample_files_of_the_tools_are_read_as_they_are(tool: str, cascades: int) -> None:
    data = cs.Cascades.from_text(Path(str(DATA), f"snap_{tool}_example_cascades.txt"), window=50.0)
    assert (data.n_nodes, data.n_cascades) == (32, cascades)
