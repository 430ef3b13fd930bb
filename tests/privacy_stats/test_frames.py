"""Any data frame gives the same reports' state, computed by its own engine."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import privacy_stats as ps
from tests.privacy_stats.test_aggregation import BUDGETS, ROUNDS, N, made, state_of

# narwhals says that its dask support will move to a plugin, which is not published yet
pytestmark = pytest.mark.filterwarnings("ignore:Dask support is moving:FutureWarning")


def to_pandas(columns: dict[str, Any]) -> Any:
    return pd.DataFrame(columns)


def to_duckdb(columns: dict[str, Any]) -> Any:
    duckdb = pytest.importorskip("duckdb")
    return duckdb.connect().from_arrow(pa.table(columns))


def to_dask(columns: dict[str, Any]) -> Any:
    dataframe = pytest.importorskip("dask.dataframe")
    return dataframe.from_pandas(pd.DataFrame(columns), npartitions=3)


FRAMES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": to_pandas,
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": to_duckdb,
    "dask": to_dask,
}


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("name", ["one-bit", "hybrid", "gaussian", "vector-gaussian", "randomised-response"])
def test_every_library_gives_the_same_state(name: str, library: str) -> None:
    reports = made(name)
    frame = FRAMES[library](reports.columns())
    assert ps.aggregate_frame(ROUNDS[name], frame, allow_simulated=True) == state_of(reports, name)


@pytest.mark.parametrize("library", FRAMES)
def test_every_library_counts_the_rounds_of_a_protocol(library: str) -> None:
    protocol, budgets = ps.HistogramRadius(100.0, 2, True), ps.Budgets.zcdp(np.resize([0.1, 1.0], N))
    announced, states = protocol.first_round(N, budgets.levels), []
    while True:
        values = np.random.default_rng(0).random((N, 2))
        reports = ps.randomise(announced.round_, values, budgets, rng=ps.simulation_rng(0))
        states.append(announced.aggregate(reports, allow_simulated=True))
        frame = FRAMES[library](reports.columns())
        assert ps.aggregate_frame(announced.round_, frame, allow_simulated=True) == states[-1]
        if announced.is_last:
            break
        announced = protocol.next_round(states)


@pytest.mark.parametrize("library", FRAMES)
def test_every_library_adds_extreme_reports_exactly(library: str) -> None:
    round_ = ROUNDS["laplace"]
    header = made("laplace").header
    extreme = np.where(np.arange(N) % 2, 2**31 - 1, -(2**31) + 1)
    reports = ps.Reports(header, np.arange(N), np.zeros(N, dtype=int), extreme)
    frame = FRAMES[library](reports.columns())
    assert ps.aggregate_frame(round_, frame, allow_simulated=True) == state_of(reports, "laplace")


@pytest.mark.parametrize("library", FRAMES)
def test_every_library_has_its_values_randomised_in_place(library: str) -> None:
    columns = {
        "id": np.arange(N)[::-1].copy(),
        "minutes": np.linspace(0, 1, N),
        "epsilon": np.tile([0.5, 1.0, 3.0], N // 3),
    }
    got = ps.randomise_frame(
        ROUNDS["hybrid"],
        FRAMES[library](columns),
        value="minutes",
        budget="epsilon",
        user="id",
        rng=ps.simulation_rng(3),
    )
    wanted = ps.randomise(
        ROUNDS["hybrid"], columns["minutes"], BUDGETS, users=columns["id"], rng=ps.simulation_rng(3)
    )
    assert got == wanted


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java on the path")
def test_spark_gives_the_same_state() -> None:
    pyspark = pytest.importorskip("pyspark", reason="Spark is optional: pip install 'certikit[spark]'")
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder = pyspark.sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        spark = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
        try:
            for name in ("hybrid", "gaussian", "randomised-response"):
                reports = made(name)
                frame = spark.createDataFrame(pd.DataFrame(reports.columns()))
                state = ps.aggregate_frame(ROUNDS[name], frame, allow_simulated=True)
                assert state == state_of(reports, name)
        finally:
            spark.stop()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"user": [0, 1, 1]}, "user 1 has reported twice"),
        ({"user": [0, 1, N]}, "enrolment numbers"),
        ({"user": [0, 1, None]}, "name no user"),
        ({"stratum": [0, 0, 9]}, "stratum 9 was not announced"),
        ({"report": [0, 1, 2]}, "outside what the mechanism can draw"),
        ({"report": [0, 1, None]}, "holds nulls"),
        ({"report": [0.0, 1.0, 1.0]}, "wanted integers"),
        ({"report": None}, "no column 'report'"),
        ({"round": ["a", "a", "a"]}, "round is a"),
        ({"round": None}, "wanted a column 'round'"),
        ({"simulated": [False, False, True]}, "protect nobody"),
    ],
)
def test_a_frame_with_a_bad_report_is_refused(change: dict[str, Any], reason: str) -> None:
    round_ = ROUNDS["one-bit"]
    columns: dict[str, Any] = {
        "user": [0, 1, 2],
        "stratum": [0, 1, 2],
        "report": [0, 1, 1],
        "round": [round_.fingerprint] * 3,
        "simulated": [False] * 3,
    } | change
    frame = pl.DataFrame({name: values for name, values in columns.items() if values is not None})
    with pytest.raises(ps.ReportRejectedError, match=reason):
        ps.aggregate_frame(round_, frame)


def test_a_frame_without_the_column_is_refused() -> None:
    frame = pl.DataFrame({"x": [1.0], "t": ["a"], "e": [1.0]})
    with pytest.raises(ps.ArgumentError, match="no column 'y'"):
        ps.randomise_frame(ROUNDS["hybrid"], frame, value="y", budget="e")
    with pytest.raises(ps.ArgumentError, match="wanted a column of numbers"):
        ps.randomise_frame(ROUNDS["hybrid"], frame, value="t", budget="e")


def test_null_values_count_as_the_middle_and_null_budgets_are_refused() -> None:
    frame = pl.DataFrame({"x": [None, 0.5], "e": [1.0, 1.0], "none": [1.0, None]})
    assert len(ps.randomise_frame(ROUNDS["hybrid"], frame, value="x", budget="e")) == 2
    with pytest.raises(ps.ArgumentError, match="in row 1"):
        ps.randomise_frame(ROUNDS["hybrid"], frame, value="x", budget="none")
