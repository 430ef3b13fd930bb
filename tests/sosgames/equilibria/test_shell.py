"""`sosgames solve` at the shell: exit codes, a proof that `verify` accepts, JSON alone on standard output."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from sosgames.cli.app import app

GAMES = Path(__file__).resolve().parents[3] / "docs" / "examples" / "games"


SADDLE = """
[[players]]
name = "P"
variables = ["x"]
utility = "x**2"
[players.strategies]
space = ["x"]
"""


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def test_solve_saves_a_proof_that_verify_accepts(tmp_path: Path) -> None:
    game, proof = str(GAMES / "couple.toml"), str(tmp_path / "proof.json")
    done = run("solve", game, "--save", proof)
    assert done.exit_code == 0, done.stderr
    assert "distance to the equilibrium" in done.stdout
    checked = run("verify", proof, game)
    assert checked.exit_code == 0, checked.stderr
    assert "No player gains more" in checked.stdout
    assert run("verify", proof, str(GAMES / "chase.toml")).exit_code == 4


def test_solve_prints_json_and_exits_with_11_where_no_regret_is_proved(tmp_path: Path) -> None:
    unbounded = tmp_path / "saddle.toml"  # the best reply to 0 is beyond all bounds
    unbounded.write_text(SADDLE, "utf-8")
    done = run("solve", str(unbounded), "--json")
    assert done.exit_code == 11
    data = json.loads(done.stdout)
    assert data["assurance"] == "first_order"
    assert data["regret"] is None


def test_solve_bounds_the_regret_of_a_game_that_is_not_concave(tmp_path: Path) -> None:
    game, proof = str(GAMES / "chase.toml"), str(tmp_path / "proof.json")
    done = run("solve", game, "--save", proof)
    assert done.exit_code == 11
    assert "regret at most 0.501" in done.stdout
    checked = run("verify", proof, game, "--json")
    assert checked.exit_code == 0, checked.stderr
    assert Fraction(*json.loads(checked.stdout)["regrets"]["row"]) < Fraction(501, 1000)
    assert run("verify", proof, str(GAMES / "couple.toml")).exit_code == 4


def test_solve_of_a_matrix_is_refused_in_a_sentence(tmp_path: Path) -> None:
    matrix = tmp_path / "matrix.toml"
    matrix.write_text('variables = ["x"]\nmatrix = [["x**2"]]\n[strategies]\nspace = ["x"]\n', "utf-8")
    done = run("solve", str(matrix))
    assert done.exit_code == 2
    assert "equilibria belong to games" in done.stderr
