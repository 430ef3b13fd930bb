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
from cascades.cli.edges import read_edges


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
        (["fit", "absent.csv", "--window", "3"], "cannot read absent.csv: No such file or directory"),
        (["fit", "{table}"], "give either --horizon (the time"),
        (["fit", "{table}", "--window", "-3"], "--window: got -3.0, wanted a finite duration"),
        (["fit", "{table}", "--window", "3", "--out", "{table}"], "is a file; name a folder"),
        (["fit", "{table}", "--window", "3", "--fdr", "2"], "--fdr: got 2.0, wanted a number above 0"),
        (["fit", "{table}", "--window", "3", "--layers", "3"], "--layers: netrate does not use it"),
        (
            ["fit", "{table}", "--window", "3", "--model", "mmrate", "--layers", "0"],
            "--layers: got 0, wanted",
        ),
        (["fit", "{table}", "--window", "3", "--model", "connie", "--ties", "strict"], "--ties: connie does"),
        (["compare", "{table}", "--window", "3", "--folds", "1"], "--folds: got 1, wanted 2 to"),
        (["fit", "{table}", "--window", "3", "--law", "weibull"], "--law: weibull needs its parameter"),
        (
            ["fit", "{table}", "--window", "3", "--law", "weibull:-1"],
            "--law weibull:-1: shape: got -1.0, wanted",
        ),
        (
            ["fit", "{table}", "--window", "3", "--law", "poisson"],
            "--law: got 'poisson', wanted exponential, rayleigh, power-law:DELTA",
        ),
        (
            ["fit", "{table}", "--horizon", "soon"],
            "--horizon: got 'soon', wanted a number, an ISO date or 'last'",
        ),
        (["fit", "{table}", "--window", "3", "--never", "x"], "--never: got 'x', wanted a number"),
        (["fit", "{table}", "--window", "3", "--node", "knot"], "no such column: --node knot"),
        (["fit", "{table}", "--window", "3", "--model", "netinf"], "--edges: NetInf returns as many"),
        (["fit", "{table}", "--window", "x"], "should be a valid number"),
        (["fit"], "Missing"),
        (["show", "{table}"], "cannot read"),
        (["simulate", "out.csv", "--cascades", "0"], "--cascades: got 0"),
        (["simulate", "out.csv", "--seed", "-1"], "--seed': Input should be greater than or equal to 0"),
        (["compare", "{table}", "--window", "3", "--seed", "-1"], "--seed': Input should be greater"),
        (["simulate", "out.csv", "--nodes", "1"], "--nodes: got 1, wanted at least 2"),
        (["simulate", "out.csv", "--horizon", "-1"], "--horizon: got -1.0, wanted finite times"),
        (["simulate", "out.csv", "--network", "{table}"], "its first line is 'a, b, c'; wanted a header"),
        (["simulate", "out.csv", "--network", "absent.csv"], "cannot read absent.csv: No such file"),
        (["simulate", "absent/out.csv"], "absent/out.csv: No such file or directory"),
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty; wanted a header line"),
        ("cascade;node;time\nx;a;1\n", "its fields are separated by semicolons; wanted commas"),
        ("cascade\tnode\ttime\nx\ta\t1\n", "its fields are separated by tabs; wanted commas"),
        ("cascade,node,time,time\nx,a,1,2\n", "the column 'time' stands twice; keep one"),
        ("cascade,node,time\nx,a,noon\n", "time is the text 'noon'"),
        ("cascade,node,time\nx,a\n", "row 1"),
        ("cascade,node,time\n\xff,a,1\n", "byte 18 is not UTF-8 text"),
        ("cascade,node,time\n" + "".join(f"x,{k},{k % 9}\n" for k in range(30)) + "x,a,-1\n", "--never -1"),
    ],
)
def test_a_file_that_is_no_table_is_refused_with_what_it_is(
    text: str, message: str, capfd, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_bytes(text.encode("latin-1"))
    assert run(["fit", str(tmp_path / "t.csv"), "--window", "3"]) == 2
    said = capfd.readouterr().err
    assert message in said
    assert "Errno" not in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sender,receiver\n0,1\n2,2\n", "row 2: 2 -> 2 is a self-loop; nobody passes on to themselves"),
        ("sender,receiver\n0,1\n0,1\n", "row 2: 0 -> 1 stands twice; keep one row"),
        ("sender,receiver\n0,99\n", "row 1: unknown node '99'"),
        ("sender,receiver,rate\n0,1,-2\n", "row 1: the weight of 0 -> 1 is no number above 0"),
        ("0,1\n1,2\n", "its first line is '0, 1'; wanted a header with a column sender (or from, source)"),
        ("", "is empty"),
    ],
)
def test_a_support_is_read_by_its_header_and_faults_name_the_row(
    text: str, message: str, table: Path, capfd, tmp_path: Path
) -> None:
    (tmp_path / "s.csv").write_text(text)
    arguments = ["--window", "3", "--model", "superposition", "--support", str(tmp_path / "s.csv")]
    assert run(["fit", str(table), *arguments]) == 2
    assert message in capfd.readouterr().err


def test_an_impossible_model_has_no_number_in_the_json_of_compare(
    table: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    """JSON has no infinity, and other readers refuse it."""
    scores = cs.HeldOut(("exponential", "rayleigh"), np.array([[-1.0, -np.inf], [-1.0, -2.0]]))
    monkeypatch.setattr("cascades.cli.compare.held_out", lambda *_, **__: scores)
    assert run(["compare", str(table), "--window", "3", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["log_likelihood"] for row in rows] == [None, -1.5]


@pytest.mark.parametrize("header", ["sender,receiver", "from,to", "Source,Target"])
def test_the_usual_names_of_the_ends_of_an_edge_are_known_in_any_order(header: str, tmp_path: Path) -> None:
    sender, receiver = header.split(",")
    (tmp_path / "s.csv").write_text(f"id,{receiver},{sender},rate\nx,1,0,0.5\n")
    assert read_edges(tmp_path / "s.csv", (0, 1)).edges() == [(0, 1, 0.5)]


def test_each_kind_of_fit_is_shown_under_headers_of_its_own(table: Path, capsys, tmp_path: Path) -> None:
    truth = str(table.parent / "truth.csv")
    headers = {
        "netrate": ("rate", "lower", "upper"),
        "netinf": ("gain in log-likelihood",),
        "superposition": ("rate", "network"),
        "double-mixture": ("rate", "network"),
    }
    options = {"netinf": ["--edges", "5"], "superposition": [], "double-mixture": ["--support", truth]}
    for model, names in headers.items():
        out = ["--out", str(tmp_path / model), "--quiet", *options.get(model, [])]
        assert run(["fit", str(table), "--window", "3", "--model", model, *out]) == 0
        capsys.readouterr()
        assert run(["show", str(tmp_path / model), "--quiet", "--top", "1"]) == 0
        first = capsys.readouterr().out.splitlines()[1]
        assert [w.strip() for w in first.strip("┃ ").split("┃")] == ["sender", "receiver", *names]
    for top in ("0", "-1"):
        assert run(["show", str(tmp_path / "netinf"), "--top", top]) == 2


def test_labels_are_shown_as_they_are(capsys, tmp_path: Path) -> None:
    net = cs.Network.from_edges([("[red]", ":smile:")], nodes=["[red]", ":smile:"])
    fit = cs.RankedNetwork("NetInf", net, "[bold]", cs.Exponential(), 1.0, 0.0)
    fit.save(tmp_path / "fit.json")
    assert run(["show", str(tmp_path), "--quiet"]) == 0
    said = capsys.readouterr().out
    assert all(label in said for label in ("[red]", ":smile:", "[bold]"))


def test_a_saved_fit_with_a_field_missing_or_broken_is_refused(table: Path, capfd, tmp_path: Path) -> None:
    assert run(["fit", str(table), "--window", "3", "--out", str(tmp_path), "--quiet"]) == 0
    whole = json.loads((tmp_path / "fit.json").read_text())
    broken: dict[str, object] = {"network": None, "law": {"law": "x"}, "background": "a", "notes": 3}
    for key in ("network", "law", "background", "notes"):
        for document in ({k: v for k, v in whole.items() if k != key}, {**whole, key: broken[key]}):
            (tmp_path / "fit.json").write_text(json.dumps(document))
            assert run(["show", str(tmp_path)]) == 2
            assert "the document is not a network" in capfd.readouterr().err
    (tmp_path / "fit.json").write_text("[" * 100_000)
    assert run(["show", str(tmp_path)]) == 2


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
