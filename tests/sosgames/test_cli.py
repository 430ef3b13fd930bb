"""The shell: exit codes, data on standard output, talk on standard error, one sentence for a fault."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import sosgames as sg
from sosgames.cli.app import app

GAMES = Path(__file__).resolve().parents[2] / "docs" / "examples" / "games"
PROGRAM = [sys.executable, "-m", "sosgames"]


def run(*arguments: str) -> Any:
    """The command in this process; starting Python anew each time would take most of the time."""
    return CliRunner().invoke(app, list(arguments))


@pytest.mark.parametrize(
    ("game", "prop", "code"),
    [("couple.toml", "monotone", 0), ("driver.efg", "concave", 0), ("chase.toml", "monotone", 10)],
)
def test_certify_saves_a_proof_that_verify_accepts(game: str, prop: str, code: int, tmp_path: Path) -> None:
    proof = str(tmp_path / "proof.json")
    done = run("certify", str(GAMES / game), "--property", prop, "--save", proof)
    assert done.exit_code == code, done.stderr
    assert prop in done.stdout
    checked = run("verify", proof, str(GAMES / game))
    assert checked.exit_code == 0, checked.stderr


def test_a_proof_about_another_game_is_rejected_with_code_4(tmp_path: Path) -> None:
    proof = str(tmp_path / "proof.json")
    run("certify", str(GAMES / "couple.toml"), "--save", proof)
    done = run("verify", proof, str(GAMES / "driver.efg"))
    assert done.exit_code == 4
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


def test_json_is_the_only_thing_on_standard_output() -> None:
    done = run("certify", str(GAMES / "chase.toml"), "--json")
    data = json.loads(done.stdout)
    assert data["verdict"] == "refuted"
    assert data["upper"] == [-2, 1]
    assert "leave: 1 - driver_go_on (eliminated)" in run("show", str(GAMES / "driver.efg")).stdout
    shown = run("show", str(GAMES / "couple.toml"), "--json")
    assert [p["name"] for p in json.loads(shown.stdout)["players"]] == ["row", "column"]
    solvers = json.loads(run("solvers", "--json").stdout)
    assert {"clarabel", "scs"} <= {row["name"] for row in solvers if row["available"]}


def test_quiet_says_nothing_and_leaves_the_exit_code() -> None:
    done = run("certify", str(GAMES / "chase.toml"), "--quiet")
    assert (done.exit_code, done.stdout, done.stderr) == (10, "", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ("certify", "absent.toml"),
        ("certify", str(GAMES)),
        ("certify", str(GAMES / "couple.toml"), "--level", "3"),
        ("certify", str(GAMES / "couple.toml"), "--weights", "row"),
        ("certify", str(GAMES / "couple.toml"), "--solver", "nobody"),
        ("certify", str(GAMES / "couple.toml"), "--property", "convex"),
        ("certify", str(GAMES / "couple.toml"), "--memory-limit", "nan"),
        ("certify", str(GAMES / "couple.toml"), "--memory-limit", "inf"),
        ("certify", str(GAMES / "couple.toml"), "--memory-limit", "-1"),
        ("verify", str(GAMES / "couple.toml"), str(GAMES / "couple.toml")),
        ("show", "absent.efg"),
        ("nonsense",),
    ],
)
def test_a_wrong_call_ends_in_a_sentence_and_code_2(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.exit_code in (2, 4) if arguments[0] == "verify" else done.exit_code == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()


def test_files_in_the_wrong_order_or_of_another_format_are_named(tmp_path: Path) -> None:
    proof, game = str(tmp_path / "proof.json"), str(GAMES / "couple.toml")
    run("certify", game, "--save", proof)
    swapped = run("verify", game, proof)
    assert (swapped.exit_code, "this is a proof; the proof is given first" in swapped.stderr) == (2, True)
    assert "By its name it is a game; the proof is given first." in run("verify", game, game).stderr
    sg.load(game).save(tmp_path / "game.json")
    said = run("verify", str(tmp_path / "game.json"), game).stderr
    assert "this is a game; the proof is given first" in said
    (tmp_path / "g.nfg").write_text('NFG 1 R "x" { "a" } { 2 } 1 2')
    assert (
        "strategic form (.nfg) is not read; save the game as a tree"
        in run("show", str(tmp_path / "g.nfg")).stderr
    )
    (tmp_path / "exp.toml").write_text(Path(game).read_text().replace("x**4", "exp(x)"))
    assert "'exp(' begins a function" in run("certify", str(tmp_path / "exp.toml")).stderr


def test_help_has_an_example_and_version_names_the_distribution() -> None:
    for command in ("certify", "verify", "solve", "nearest", "show", "solvers"):
        assert "Example" in run(command, "--help").stdout
    assert "certikit" in run("--version").stdout


def test_ctrl_c_prints_what_is_proved_and_exits_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sosgames.search.target.prove", interrupted)
    done = run("certify", str(GAMES / "couple.toml"))
    assert done.exit_code == 130
    assert "UNDECIDED" in done.stdout
    assert "interrupted" in done.stdout
    assert "<= mu* <= " in done.stdout


def test_a_memory_that_is_full_is_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("sosgames.cli.certify.read_problem", full)
    done = run("certify", str(GAMES / "couple.toml"))
    assert (done.exit_code, done.stderr.startswith("error: out of memory")) == (5, True)


def test_free_weights_are_found_from_the_shell(tmp_path: Path) -> None:
    game, proof = tmp_path / "game.toml", tmp_path / "proof.json"
    sg.catalog("rosen1965-weights").save(game)
    done = run("certify", str(game), "--weights", "free", "--save", str(proof))
    assert done.exit_code == 0
    assert "P2 40" in done.stdout
    assert run("verify", str(proof), str(game)).exit_code == 0


@pytest.mark.parametrize(
    ("place", "reason"),
    [("absent/proof.json", "there is no folder"), (".", "is a folder")],
)
@pytest.mark.parametrize("command", ["certify", "solve", "nearest"])
def test_a_place_where_no_proof_can_be_saved_is_refused_before_the_work(
    command: str, place: str, reason: str, tmp_path: Path
) -> None:
    done = run(command, str(GAMES / "couple.toml"), "--save", str(tmp_path / place))
    assert done.exit_code == 2
    assert done.stdout == ""
    assert reason in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("tolerance", ["nan", "-1"])
def test_a_tolerance_that_nothing_meets_is_refused(tolerance: str) -> None:
    done = run("solve", str(GAMES / "couple.toml"), "--tolerance", tolerance)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--tolerance" in done.stderr


def test_a_reader_who_leaves_early_costs_neither_the_proof_nor_a_complaint(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    proof = tmp_path / "proof.json"
    command = [*PROGRAM, "certify", str(GAMES / "chase.toml"), "--save", str(proof), "--quiet", "--json"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")
    assert run("verify", str(proof), str(GAMES / "chase.toml")).exit_code == 0


def test_help_and_verify_import_no_numerical_library() -> None:
    code = "import sys, sosgames.cli; print(sorted({'numpy', 'scipy', 'sympy', 'cvxpy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_catalogue_is_listed_and_its_games_are_printed_as_files(tmp_path: Path) -> None:
    listed = json.loads(run("catalog", "--json").stdout)
    assert [row["game"] for row in listed] == [entry.slug for entry in sg.catalog()]
    assert "krawczyk2000" in run("catalog").stdout
    file = tmp_path / "game.toml"
    file.write_text(run("catalog", "krawczyk2000").stdout)
    assert sg.load(file).exact == sg.catalog("krawczyk2000").exact
    unknown = run("catalog", "krawczyk")
    assert unknown.exit_code == 2
    assert "krawczyk2000" in unknown.stderr


def test_players_written_as_a_table_are_told_how_to_write_them(tmp_path: Path) -> None:
    file = tmp_path / "game.toml"
    file.write_text('[players.a]\nvariables = ["x"]\n')
    assert "[[players]] in TOML" in run("show", str(file)).stderr
