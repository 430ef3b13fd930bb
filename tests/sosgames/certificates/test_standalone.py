"""The trusted folder runs alone: the standard library, no installed package, an empty environment."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sosgames.certificates.gamefiles import dumps
from tests.sosgames.certificates.game_constructions import TAXI, TAXI_PROOF

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "sosgames" / "certificates"
MODULES = sorted(FOLDER.glob("*.py"))


def run(
    *arguments: str, folder: str = str(FOLDER), cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-S", folder, *arguments]
    return subprocess.run(command, env={}, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    TAXI_PROOF.save(tmp_path / "proof.json")
    (tmp_path / "game.toml").write_text(dumps(TAXI, "toml"), encoding="utf-8")
    return str(tmp_path / "proof.json"), str(tmp_path / "game.toml")


def test_a_proof_that_holds_is_put_in_words_and_ends_in_0(files: tuple[str, str]) -> None:
    done = run(*files)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("At every x in X, the game is strongly monotone, with modulus at least 6")


@pytest.mark.parametrize(
    ("folder", "cwd"), [("sosgames/certificates", ROOT), ("certificates", FOLDER.parent)]
)
def test_the_folder_may_be_named_from_anywhere(files: tuple[str, str], folder: str, cwd: Path) -> None:
    assert run(*files, folder=folder, cwd=cwd).returncode == 0


def test_a_proof_that_does_not_hold_ends_in_4_with_one_sentence(files: tuple[str, str]) -> None:
    Path(files[0]).write_text(TAXI_PROOF.dumps().replace("[6,1]", "[7,1]"), encoding="utf-8")
    done = run(*files)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith("rejected: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_claim_that_cannot_be_printed_does_not_end_in_0(files: tuple[str, str]) -> None:
    command = [sys.executable, "-I", "-S", str(FOLDER), *files]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, env={}, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 70
    assert done.stderr == "error: the claim cannot be printed (No space left on device).\n"


def test_a_file_that_is_no_proof_is_named(files: tuple[str, str]) -> None:
    Path(files[0]).write_text("{", encoding="utf-8")
    assert run(*files).stderr.startswith(f"rejected: {files[0]}: the proof is not JSON")


@pytest.mark.parametrize("arguments", [[], ["one"], ["a", "b", "c"], ["--check", "b"]])
def test_bad_usage_ends_in_2(arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: ")


def test_a_file_that_is_missing_ends_in_2(files: tuple[str, str]) -> None:
    for arguments in [(files[0], "absent.toml"), ("absent.json", files[1])]:
        done = run(*arguments)
        assert done.returncode == 2
        assert done.stderr.startswith("error: ")
        assert "Traceback" not in done.stderr


def test_help_is_help() -> None:
    assert run("--help").stdout.startswith("usage: ")


def test_no_file_of_the_folder_hides_a_module_of_the_standard_library() -> None:
    """A folder that is run is first on the path while Python itself is still importing."""
    assert {path.stem for path in MODULES} & set(sys.stdlib_module_names) == set()


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.name)
def test_a_trusted_file_imports_the_standard_library_and_the_folder_only(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in names:
            assert name.split(".")[0] in sys.stdlib_module_names or name.startswith("sosgames.certificates.")


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.name)
def test_a_trusted_file_has_no_floating_point_number_and_no_assert(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, (float, complex)))
        assert not isinstance(node, ast.Assert)  # python -O would drop it
        if isinstance(node, ast.ImportFrom) and node.module == "math":
            assert {alias.name for alias in node.names} <= {"gcd", "lcm", "isqrt", "prod", "comb"}


def test_the_check_proper_stays_under_300_lines_of_code() -> None:
    total = 0
    for name in ("verifier.py", "identities.py", "definite.py"):
        source = (FOLDER / name).read_text(encoding="utf-8")
        words = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Expr)]
        texts = [n for n in words if isinstance(n.value, ast.Constant)]
        described = {line for n in texts for line in range(n.lineno, (n.end_lineno or n.lineno) + 1)}
        lines = enumerate(source.splitlines(), start=1)
        total += sum(1 for i, line in lines if line.strip() and line.strip()[0] != "#" and i not in described)
    assert total < 300


def test_nothing_installed_is_reachable(files: tuple[str, str]) -> None:
    code = f"import sys; sys.path.insert(0, {os.fspath(ROOT)!r}); import sosgames.certificates.verifier as v;"
    code += f"print(v.verify(*{files!r}).mu); import numpy"
    command = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(command, env={}, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "6\n"
    assert "No module named 'numpy'" in done.stderr
