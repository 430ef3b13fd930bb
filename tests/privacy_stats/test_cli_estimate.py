"""`privacy-stats estimate`: from a table to an estimate with limits, or to the reason why there are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

import privacy_stats as ps
from privacy_stats.cli.app import run

N = 1200
MINUTES = np.random.default_rng(3).gamma(3.0, 11.0, N).clip(0, 120)


@pytest.fixture
def table(tmp_path: Path) -> str:
    rho = [0.1, 0.5, 2.0]
    rows = "\n".join(f"{x},{x / 2},{rho[k % 3]}" for k, x in enumerate(MINUTES.tolist()))
    path = tmp_path / "data.csv"
    path.write_text(f"minutes,half,rho\n{rows}\n")
    return str(path)


def estimate(table: str, protocol: str, *more: str) -> int:
    return run(["estimate", table, "--value", "minutes", "--budget", "rho", "--protocol", protocol, *more])


RANGE = ("--lower", "0", "--upper", "120")


def test_a_table_becomes_an_estimate_with_limits(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert estimate(table, "hybrid-mean", *RANGE, "--mean") == 0
    assert "limits for the clipped values" in capsys.readouterr().out
    almost_sure = ("--declared", "0:120", "--coverage", "0.999999")  # reports are drawn anew at every run
    assert estimate(table, "guaranteed-sum", *RANGE, *almost_sure, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["limits"][0] < MINUTES.sum() < found["limits"][1]
    del found["limits"], found["coverage"]
    assert ps.SurveyEstimate.from_dict(found).n_reports == N


def test_where_no_interval_is_honest_the_reason_is_printed(table: str, capsys: Any) -> None:
    options = ("--bound", "1e4", "--non-negative", "--simulate", "1")
    assert estimate(table, "histogram-radius", *options, "--declared", "0:120") == 0
    assert "nothing bounds what this protocol clips away" in capsys.readouterr().out
    assert estimate(table, "one-hot-radius", *options, "--json") == 0
    assert "chose from the same reports" in json.loads(capsys.readouterr().out)["limits"]
    assert estimate(table, "one-hot-radius", *options, "--declared", "0:120", "--json") == 0
    low, high = json.loads(capsys.readouterr().out)["limits"]
    assert low < MINUTES.sum() < high


def test_a_population_mean_from_a_table(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert estimate(table, "hybrid-mean", *RANGE, "--population", "--simulate", "1") == 0
    assert "population mean" in capsys.readouterr().out
    assert estimate(table, "hybrid-mean", *RANGE, "--population", "--simulate", "1", "--json") == 0
    low, high = json.loads(capsys.readouterr().out)["limits"]
    assert low < 33 < high
    assert estimate(table, "histogram-radius", "--bound", "1e4", "--population") == 2
    assert "no mean of one number" in capsys.readouterr().err


def test_vectors_and_files(table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "found.parquet"
    both = ("--value", "half", "--bound", "200", "--non-negative", "--out", str(out), "--quiet")
    assert estimate(table, "hull-diameter", *both, "--inner", "histogram-radius") == 0
    assert capsys.readouterr().out == ""
    read = parquet.read_table(out)
    assert read.column_names == ["value", "standard_error", "lower", "upper"]
    assert len(read) == 2
    saved = tmp_path / "found.json"
    assert estimate(table, "duchi-mean", *RANGE, "--out", str(saved), "-q") == 0
    assert json.loads(saved.read_text())["protocol"]["name"] == "duchi-mean"


def test_auto_chooses_from_public_facts(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert estimate(table, "auto", "--bound", "1e4", "--simulate", "2", "--json") == 0
    assert json.loads(capsys.readouterr().out)["protocol"]["name"] in ("histogram-radius", "hull-diameter")
    assert estimate(table, "auto") == 2
    assert "bound" in capsys.readouterr().err


def test_a_hull_that_looks_for_no_centre_says_so(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert estimate(table, "hull-diameter", "--bound", "1e6", "--non-negative", "--simulate", "2") == 0
    assert "no centre pays with these budgets: histogram-radius ran alone" in capsys.readouterr().out
    assert estimate(table, "histogram-radius", "--bound", "1e6", "--non-negative", "--simulate", "2") == 0
    assert "centre" not in capsys.readouterr().out


def test_one_user_is_no_plural() -> None:
    budgets = ps.Budgets.zcdp([1.0])
    found = ps.estimate_sum([3.0], budgets, protocol=ps.NaiveGaussian(10.0), rng=ps.simulation_rng(0))
    assert "from 1 user, 1 round" in found.summary()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("magic",), "--protocol: got 'magic', wanted one of"),
        (
            ("hull-diameter", "--bound", "9", "--inner", "magic"),
            "--inner: got 'magic', wanted one of histogram",
        ),
        (("hull-diameter", "--bound", "9", "--inner", "hybrid-mean"), "--inner: got 'hybrid-mean'"),
        (("hybrid-mean",), "--lower: hybrid-mean needs it"),
        (("hybrid-mean", *RANGE, "--bound", "3"), "--bound: hybrid-mean does not take it"),
        (("duchi-mean", *RANGE, "--declared", "x"), "wanted low:high"),
        (("duchi-mean", *RANGE, "--declared", "0:500"), "bounds clipping on"),
        (("duchi-mean", *RANGE, "--out", "x.txt"), "ends in .json or .parquet"),
        (("duchi-mean", *RANGE, "--coverage", "2"), "coverage"),
        (("naive-gaussian", "--bound", "3", "--kind", "pure"), "pure budget"),
    ],
)
def test_bad_usage_leaves_with_2(table: str, options: Any, said: str, capsys: Any) -> None:
    assert estimate(table, *options) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


def test_a_column_called_epsilon_is_never_taken_for_rho(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    renamed = tmp_path / "epsilon.csv"
    renamed.write_text(Path(table).read_text().replace("minutes,half,rho", "minutes,half,Epsilon"))
    options = ["estimate", str(renamed), "--value", "minutes", "--budget", "Epsilon", *RANGE]
    assert run([*options, "--protocol", "hybrid-mean"]) == 2
    assert "say --kind pure" in capsys.readouterr().err
    assert run([*options, "--protocol", "hybrid-mean", "--kind", "pure"]) == 0
    assert "budgets were read as epsilon (pure)" in capsys.readouterr().out
    assert estimate(table, "hybrid-mean", *RANGE) == 0
    assert "budgets were read as rho (zcdp)" in capsys.readouterr().out
