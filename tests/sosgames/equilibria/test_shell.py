"""`sosgames solve` at the shell: exit codes, a proof that `verify` accepts, JSON alone on standard output."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

GAMES = Path(__file__).resolve().parents[3] / "docs" / "examples" / "games"

pytestmark = pytest.mark.slow


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sosgames", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def test_solve_saves_a_proof_that_verify_accepts(tmp_path: Path) -> None:
    game = str(GAMES / "couple.toml")
    done = run("solve", game, "--save", "proof.json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "distance to the equilibrium" in done.stdout
    checked = run("verify", "proof.json", game, folder=tmp_path)
    assert checked.returncode == 0, checked.stderr
    assert "No player gains more" in checked.stdout
    assert run("verify", "proof.json", str(GAMES / "chase.toml"), folder=tmp_path).returncode == 4


def test_solve_prints_json_and_exits_with_11_where_no_regret_is_proved(tmp_path: Path) -> None:
    done = run("solve", str(GAMES / "chase.toml"), "--json", folder=tmp_path)
    assert done.returncode == 11
    data = json.loads(done.stdout)
    assert data["assurance"] == "first_order"
    assert data["regret"] is None


def test_solve_of_a_matrix_is_refused_in_a_sentence(tmp_path: Path) -> None:
    matrix = tmp_path / "matrix.toml"
    matrix.write_text('variables = ["x"]\nmatrix = [["x**2"]]\n[strategies]\nspace = ["x"]\n', "utf-8")
    done = run("solve", str(matrix), folder=tmp_path)
    assert done.returncode == 2
    assert "equilibria belong to games" in done.stderr
    assert "Example" in run("solve", "--help", folder=tmp_path).stdout
