"""The shell command: data on stdout, talk on stderr, exit codes as documented."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import privacy_stats as ps
from privacy_stats.cli.app import run
from privacy_stats.files import whole


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = "\n".join(f"{k % 60},{[0.5, 1, 2][k % 3]}" for k in range(300))
    path = tmp_path / "data.csv"
    path.write_text(f"minutes,epsilon\n{rows}\n")
    return path


@pytest.fixture
def announced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    levels = [part for level in ("0.5", "1", "2") for part in ("--level", level)]
    options = ["--mechanism", "hybrid", "--lower", "0", "--upper", "120", "--users", "300"]
    assert run(["announce", "commuting", *options, *levels]) == 0
    path = tmp_path / "round.json"
    path.write_text(capsys.readouterr().out)
    return path


def randomise(table: Path, announced: Path, out: Path, *more: str) -> int:
    columns = ["--value", "minutes", "--budget", "epsilon"]
    return run(["randomise", str(table), "--round", str(announced), *columns, "--out", str(out), *more])


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_from_a_table_to_an_estimate(
    table: Path, announced: Path, tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out, state = tmp_path / f"reports{suffix}", tmp_path / "state.json"
    assert randomise(table, announced, out, "--json") == 0
    assert json.loads(capsys.readouterr().out)["n_reports"] == 300
    command = ["aggregate", str(out), "--round", str(announced), "--out", str(state), "--mean", "--json"]
    assert run(command) == 0
    mean = ps.Estimate.from_dict(json.loads(capsys.readouterr().out))
    assert abs(float(mean.value) - 29.5) < 6 * float(mean.standard_error)
    assert ps.State.load(state).n_reports == 300


def test_reports_give_a_population_mean_and_a_figure(
    table: Path, announced: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, figure = tmp_path / "a.parquet", tmp_path / "a.svg"
    assert randomise(table, announced, out, "-q") == 0
    command = ["aggregate", str(out), "--round", str(announced)]
    assert run([*command, "--population", "--json", "--figure", str(figure)]) == 0
    found = ps.PopulationMean.from_dict(json.loads(capsys.readouterr().out))
    assert abs(found.value - 29.5) < 6 * found.standard_error
    assert figure.stat().st_size > 1000
    assert run([*command, "--population", "--stratified"]) == 0
    assert "stratified weights" in capsys.readouterr().out
    assert run([*command, "--figure", str(figure)]) == 2


def test_randomise_says_whose_budget_was_lowered_and_who_is_missing(
    table: Path, announced: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table.write_text("minutes,epsilon\n30,0.5\n40,0.7\n50,1.9\n")
    assert randomise(table, announced, tmp_path / "a.jsonl") == 0
    said = capsys.readouterr().err
    assert "2 with a budget that is no announced level: the next lower one is spent" in said
    assert "3 of 300 enrolled users are in the table" in said
    assert randomise(table, announced, tmp_path / "b.jsonl", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["n_reports"], found["n_enrolled"], found["n_lowered"]) == (3, 300, 2)


def test_reports_are_drawn_once(table: Path, announced: Path, tmp_path: Path, capsys: Any) -> None:
    out, ledger = tmp_path / "a.jsonl", str(tmp_path / "ledger.json")
    assert randomise(table, announced, out, "--ledger", ledger, "--quiet") == 0
    assert randomise(table, announced, out, "--quiet") == 2
    assert "exists" in capsys.readouterr().err
    assert randomise(table, announced, tmp_path / "b.jsonl", "--ledger", ledger) == 2
    assert "already answered" in capsys.readouterr().err
    assert not (tmp_path / "b.jsonl").exists()


def test_an_interrupted_writing_leaves_no_part_and_no_device_is_replaced(
    table: Path, announced: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reports that were drawn and not handed out would spend the budget a second time if they stayed."""
    before = set(os.listdir(tmp_path))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", _interrupted)
        for name in ("a.jsonl", "a.parquet"):
            assert randomise(table, announced, tmp_path / name, "--ledger", str(tmp_path / "l.json")) == 130
    assert set(os.listdir(tmp_path)) == before
    with (
        open(tmp_path / "out", "w", encoding="utf-8") as file,
        whole(f"/proc/self/fd/{file.fileno()}") as part,
    ):
        part.write_text("x")
    assert (tmp_path / "out").read_text() == "x"


def _interrupted(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_simulated_reports_are_rejected_with_4(
    table: Path, announced: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "a.jsonl"
    assert randomise(table, announced, out, "--simulate", "1", "-q") == 0
    assert run(["aggregate", str(out), "--round", str(announced)]) == 4
    assert "seeded generator" in capsys.readouterr().err
    assert run(["aggregate", str(out), "--round", str(announced), "--allow-simulated"]) == 0
    assert "SIMULATED" in capsys.readouterr().out


def test_a_checkpoint_makes_a_second_run_harmless(
    table: Path, announced: Path, tmp_path: Path, capsys: Any
) -> None:
    out, place = tmp_path / "a.jsonl", str(tmp_path / "checkpoint.json")
    randomise(table, announced, out)
    command = ["aggregate", str(out), "--round", str(announced), "--checkpoint", place, "--json"]
    assert run(command) == 0
    first = capsys.readouterr().out
    assert run(command) == 0
    assert capsys.readouterr().out == first
    assert run(["aggregate", str(out), str(out.with_name("b.jsonl")), "--round", str(announced)]) == 2


def test_categories_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "d.csv").write_text("choice,rho\n" + "1,1\n" * 50 + "2,1\n" * 50)
    options = ["--mechanism", "randomised-response", "--categories", "3", "--kind", "zcdp"]
    assert run(["announce", "vote", *options, "--users", "100", "--level", "1"]) == 0
    round_file = tmp_path / "round.json"
    round_file.write_text(capsys.readouterr().out)
    columns = ["--value", "choice", "--budget", "rho", "--out", str(tmp_path / "r.parquet")]
    assert run(["randomise", str(tmp_path / "d.csv"), "--round", str(round_file), *columns]) == 0
    assert run(["aggregate", str(tmp_path / "r.parquet"), "--round", str(round_file)]) == 0
    assert "in each category" in capsys.readouterr().out


def test_an_audit_passes_and_prints_what_it_found(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["audit", "--mechanism", "one-bit", "--lower", "0", "--upper", "1", "--level", "1"]
    assert run([*command, "--draws", "40000", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["passed"]
    assert 0.5 < found["lower_bound"] < 1
    assert run([*command, "--draws", "40000"]) == 0
    assert "consistent" in capsys.readouterr().out


def test_a_plan_says_what_it_takes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    range_ = ["--mechanism", "one-bit", "--lower", "0", "--upper", "100"]
    command = ["plan", *range_, "--level", "1:10000", "--half-width", "2"]
    assert run(command) == 0
    assert "epsilon = 1.072 for each of 10000 users" in capsys.readouterr().out
    figure = tmp_path / "plan.svg"
    assert run([*command, "--json", "--figure", str(figure)]) == 0
    found = ps.Plan.from_dict(json.loads(capsys.readouterr().out))
    assert (found.users_needed, figure.stat().st_size > 1000) == (11243, True)
    assert run([*command, "--figure", str(tmp_path / "plan.txt")]) == 2
    for level in ("1", "1:0", "1:x", "x:5", "0:5"):
        assert run(["plan", *range_, "--level", level, "--half-width", "2"]) == 2
    assert "wanted budget:users" in capsys.readouterr().err


def test_a_refuted_claim_leaves_with_10(monkeypatch: pytest.MonkeyPatch) -> None:
    channels = ps.OneBit.channels

    def careless(self: ps.OneBit, kind: Any, level: Any) -> Any:
        return channels(self, kind, level * 2)

    monkeypatch.setattr(ps.OneBit, "channels", careless)
    command = ["audit", "--mechanism", "one-bit", "--lower", "0", "--upper", "1", "--level", "1"]
    assert run([*command, "--draws", "40000", "--quiet"]) == 10


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            ["announce", "x", "--mechanism", "hybrid", "--users", "3", "--level", "1"],
            "--lower: hybrid needs it",
        ),
        (
            ["announce", "x", "--mechanism", "magic", "--users", "3", "--level", "1"],
            "--lower: magic needs it",
        ),
        (
            [
                "announce",
                "x",
                "--mechanism",
                "randomised-response",
                "--categories",
                "3",
                "--bound",
                "1",
                "--users",
                "3",
                "--level",
                "1",
            ],
            "does not take it",
        ),
        (["audit", "--mechanism", "gaussian", "--lower", "0", "--upper", "1", "--level", "1"], "pure budget"),
        (["aggregate", "no.jsonl", "--round", "no.json"], "privacy-stats: no.json: No such file"),
        (["aggregate", "no.jsonl", "--round", "no.json", "--stratified"], "--stratified: says how"),
        (["aggregate"], "Usage"),
        (["nothing"], "Usage"),
    ],
)
def test_bad_usage_leaves_with_2_and_a_sentence(
    command: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(command) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n", "wanted one column 'minutes'"),
        ("minutes,epsilon\nx,1\n", "line 2: minutes is 'x'"),
        ("minutes,epsilon\n1,\n", "epsilon in row 0"),
        ("", "wanted one column 'minutes'; it has none"),
        ("minutes,epsilon\n", "has no rows, wanted one for each user"),
    ],
)
def test_a_bad_table_is_named_by_its_line(
    text: str, said: str, announced: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    assert randomise(path, announced, tmp_path / "r.jsonl") == 2
    assert said in capsys.readouterr().err


def test_what_looks_like_markup_or_emoji_is_printed_as_given(
    announced: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["aggregate", "[red]:smile:.jsonl", "--round", str(announced)]) == 2
    assert "[red]:smile:.jsonl: No such file" in capsys.readouterr().err


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("privacy-stats ")
    assert run(["randomise", "--help"]) == 0
    assert "Example" in capsys.readouterr().out


def test_an_internal_error_is_one_sentence(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("surprise")

    monkeypatch.setattr("privacy_stats.cli.announce.Round", broken)
    options = ["--mechanism", "one-bit", "--lower", "0", "--upper", "1", "--users", "3", "--level", "1"]
    assert run(["announce", "x", *options]) == 70
    assert "internal error: RuntimeError: surprise" in capsys.readouterr().err


def test_an_interrupt_leaves_with_130(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("privacy_stats.cli.announce.Round", interrupted)
    options = ["--mechanism", "one-bit", "--lower", "0", "--upper", "1", "--users", "3", "--level", "1"]
    assert run(["announce", "x", *options]) == 130
    assert "interrupted" in capsys.readouterr().err
