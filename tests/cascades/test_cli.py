"""The shell command: what it writes, what it says, and its exit codes."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cascades as cs
from cascades.cli import app as command
from cascades.cli.app import run


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    arguments = ["--nodes", "12", "--cascades", "400", "--truth", str(folder / "truth.csv"), "--quiet"]
    assert run(["simulate", str(folder / "table.csv"), *arguments]) == 0
    return folder / "table.csv"


def test_a_simulated_table_is_fitted_shown_and_compared(table: Path, capsys, tmp_path: Path) -> None:
    assert run(["fit", str(table), "--window", "3", "--out", str(tmp_path / "fit"), "--quiet"]) == 0
    said = capsys.readouterr()
    assert "edges kept at a false-discovery rate of 5 %" in said.out
    assert said.err == ""
    with open(tmp_path / "fit" / "edges.csv", newline="") as file:
        kept = {(row["sender"], row["receiver"]) for row in csv.DictReader(file) if row["kept"] == "True"}
    with open(table.parent / "truth.csv", newline="") as file:
        truth = {(row["sender"], row["receiver"]) for row in csv.DictReader(file)}
    assert 2 * len(kept & truth) / (len(kept) + len(truth)) > 0.9
    assert run(["show", str(tmp_path / "fit"), "--top", "2"]) == 0
    assert "95 % interval" in capsys.readouterr().out
    assert run(["compare", str(table), "--window", "3", "--quiet"]) == 0
    assert "exponential: " in capsys.readouterr().out


def test_json_is_data_on_stdout_that_reads_back(table: Path, capsys, tmp_path: Path) -> None:
    assert run(["fit", str(table), "--window", "3", "--json", "--out", str(tmp_path / "f")]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["selection"]["fdr"] == 0.05
    assert isinstance(cs.load_fit(tmp_path / "f" / "fit.json"), cs.NetworkFit)
    assert run(["compare", str(table), "--window", "3", "--json"]) == 0
    assert {row["law"] for row in json.loads(capsys.readouterr().out)} == {"exponential", "rayleigh"}
    assert run(["show", str(tmp_path / "f"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["model"] == "NetRate"


@pytest.mark.parametrize(
    "options",
    [
        ["--model", "netinf", "--edges", "5"],
        ["--model", "connie"],
        ["--model", "superposition", "--nuclear", "50"],
    ],
)
def test_the_other_models_are_fitted_too(table: Path, options: list[str], capsys, tmp_path: Path) -> None:
    assert run(["fit", str(table), "--window", "3", *options, "--out", str(tmp_path), "--quiet"]) == 0
    assert (tmp_path / "edges.csv").read_text().startswith("sender,receiver,weight,meaning")
    capsys.readouterr()


def test_a_known_network_supports_a_superposition_and_a_simulation(
    table: Path, capsys, tmp_path: Path
) -> None:
    truth = str(table.parent / "truth.csv")
    assert (
        run(["fit", str(table), "--window", "3", "--model", "superposition", "--support", truth, "--quiet"])
        == 0
    )
    assert "depends on the penalties" in capsys.readouterr().out
    mixture = ["--model", "double-mixture", "--support", truth, "--out", str(tmp_path / "two"), "--quiet"]
    assert run(["fit", str(table), "--window", "3", *mixture]) == 0
    assert run(["show", str(tmp_path / "two")]) == 0
    assert "not a certificate" in capsys.readouterr().out
    assert run(["fit", str(table), "--window", "3", "--model", "double-mixture"]) == 2
    assert "--support: the double mixture needs the known network" in capsys.readouterr().err
    assert run(["simulate", str(tmp_path / "t.csv"), "--network", truth, "--cascades", "5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cascades"] == 5


def test_models_are_compared_and_a_mixture_of_whole_cascades_is_fitted(
    table: Path, capsys, tmp_path: Path
) -> None:
    truth = str(table.parent / "truth.csv")
    few = tmp_path / "few.csv"
    few.write_text("".join(table.read_text().splitlines(keepends=True)[:300]))
    models = ["--models", "--support", truth, "--folds", "2", "--json"]
    assert run(["compare", str(few), "--window", "3", *models]) == 0
    rows = json.loads(capsys.readouterr().out)
    names = ["one-network", "superposition", "whole-cascade", "double-mixture"]
    assert [row["model"] for row in rows] == names
    assert all(np.isfinite(row["log_likelihood"]) for row in rows)
    out = ["--out", str(tmp_path / "layers"), "--quiet"]
    assert run(["fit", str(few), "--window", "3", "--model", "mmrate", *out]) == 0
    capsys.readouterr()
    assert run(["show", str(tmp_path / "layers"), "--top", "1"]) == 0
    assert "layer 1" in capsys.readouterr().out
    assert run(["compare", str(few), "--window", "3", "--model", "two"]) == 2
    assert "--model: got 'two'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "absent.csv", "--window", "3"], "no such file: absent.csv"),
        (["fit", "{table}"], "give either horizon="),
        (["fit", "{table}", "--window", "3", "--law", "weibull"], "--law: weibull needs its parameter"),
        (["fit", "{table}", "--window", "3", "--law", "poisson"], "transmission: got 'poisson'"),
        (
            ["fit", "{table}", "--horizon", "soon"],
            "--horizon: got 'soon', wanted a number, an ISO date or 'last'",
        ),
        (["fit", "{table}", "--window", "3", "--never", "x"], "--never: got 'x', wanted a number"),
        (["fit", "{table}", "--window", "3", "--node", "knot"], "no such column: node='knot'"),
        (["fit", "{table}", "--window", "3", "--model", "netinf"], "--edges: NetInf returns as many"),
        (["fit", "{table}", "--window", "x"], "should be a valid number"),
        (["fit"], "Missing"),
        (["show", "{table}"], "cannot read"),
        (["simulate", "out.csv", "--cascades", "0"], "--cascades: got 0"),
        (["simulate", "out.csv", "--network", "{table}"], "could not convert"),
    ],
)
def test_bad_usage_or_input_ends_with_code_2_and_a_sentence(
    arguments: list[str], message: str, table: Path, capfd, monkeypatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    bad = tmp_path / "bad.csv"
    bad.write_text("a,b,c\nx,y,z\n")
    words = [a.replace("{table}", str(bad if "--network" in arguments else table)) for a in arguments]
    assert run(words) == 2
    assert message in capfd.readouterr().err


def test_limits_interruptions_and_internal_errors_have_codes_of_their_own(
    table: Path, capfd, monkeypatch
) -> None:
    arguments = ["fit", str(table), "--window", "3"]
    for error, code in (
        (cs.SizeError("too big"), 5),
        (MemoryError(), 5),
        (KeyboardInterrupt(), 130),
        (ZeroDivisionError(), 70),
    ):

        def fail(*_: object, error: BaseException = error, **__: object) -> None:
            raise error

        monkeypatch.setattr(command, "app", fail)
        assert run(arguments) == code
    assert "internal error: ZeroDivisionError" in capfd.readouterr().err


def test_the_version_is_printed(capsys) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("cascades ")


def test_text_parquet_and_dates_are_read_by_suffix(tmp_path: Path, capsys) -> None:
    rng = np.random.default_rng(0)
    data = cs.simulate(cs.designs.random_network(6, 2.0, rng=rng), n_cascades=60, horizon=3.0, rng=rng)
    cs.save(data, tmp_path / "t.parquet")
    lines = [f"{k},{k}" for k in data.nodes] + [""]
    lines += [f"{c};" + ",".join(f"{i},{t!r}" for i, t in times.items()) for c, times in data]
    (tmp_path / "t.txt").write_text("\n".join(lines))
    days = [
        "cascade,node,time",
        "x,a,2020-01-01",
        "x,b,2020-01-03",
        "y,a,2020-02-01",
        "y,b,2020-02-02",
        "z,a,2020-02-05",
    ]
    (tmp_path / "t.csv").write_text("\n".join(days))
    assert run(["fit", str(tmp_path / "t.parquet"), "--quiet"]) == 0
    assert run(["fit", str(tmp_path / "t.txt"), "--window", "3", "--quiet"]) == 0
    first, second = capsys.readouterr().out.split("Cascades(")[1:]
    assert first.splitlines()[-2:] == second.splitlines()[-2:]
    assert (
        run(["fit", str(tmp_path / "t.csv"), "--horizon", "2020-03-01", "--unit", "day", "--ties", "strict"])
        == 0
    )
    assert "a -> b" in capsys.readouterr().out


DATA = os.environ.get("CERTIKIT_DATA")


@pytest.mark.skipif(DATA is None, reason="CERTIKIT_DATA names no folder with the real cascades")
def test_the_us_policies_are_fitted_end_to_end_from_the_shell(tmp_path: Path) -> None:
    """In a process of its own, as a user would: 728 policies, 50 states, yearly ties."""
    options = [
        "--cascade",
        "policy",
        "--node",
        "statenam",
        "--time",
        "adopt_year",
        "--horizon",
        "2017",
        "--unit",
        "year",
        "--quiet",
        "--json",
    ]
    code = "import sys; from cascades.cli import main; main()"
    arguments = ["fit", str(Path(str(DATA), "spid_policies_long.csv")), *options, "--out", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    document = json.loads(done.stdout)
    assert document["width"] == 1.0
    assert 100 < document["selection"]["kept"] < 600
    assert document["selection"]["deviation"] > 0.1  # an exponential law does not describe policies well
    neighbours = {("Washington", "Oregon"), ("New York", "New Jersey")}
    assert neighbours <= {(e["sender"], e["receiver"]) for e in document["edges"][:10]}
