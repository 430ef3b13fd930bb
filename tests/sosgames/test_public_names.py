"""What `import sosgames` offers, and that the trusted folder needs nothing that is installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import sosgames

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(
    f"sosgames.certificates.{file.stem}"
    for file in (ROOT / "sosgames" / "certificates").glob("*.py")
    if not file.stem.startswith("__")
)


def test_the_public_names_are_exactly_these() -> None:
    assert sosgames.__all__ == [
        "Assurance",
        "Ball",
        "Box",
        "CertificateError",
        "Certification",
        "Change",
        "Coefficients",
        "Constraint",
        "Constraints",
        "Equilibrium",
        "Game",
        "InputError",
        "KeptConstraint",
        "LimitError",
        "NearestGame",
        "ProbabilitySimplex",
        "Program",
        "Simplex",
        "SolverError",
        "SosgamesError",
        "Space",
        "Verdict",
        "VerifiedClaim",
        "catalog",
        "certify",
        "certify_many",
        "certify_matrix",
        "load",
        "load_matrix",
        "nearest",
        "network_game",
        "program",
        "random_game",
        "solve",
        "solver_table",
        "verify",
    ]


def test_every_public_name_is_found_where_the_table_says() -> None:
    assert sorted(sosgames._HOME_OF) == sosgames.__all__
    for name in sosgames.__all__:
        assert getattr(sosgames, name).__doc__
        assert name in dir(sosgames)
    with pytest.raises(AttributeError, match="module 'sosgames' has no attribute 'certifi'"):
        _ = sosgames.certifi


@pytest.mark.parametrize("module", MODULES)
def test_a_trusted_module_imports_the_standard_library_and_its_own_folder_only(module: str) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); import {module}\n"
        "allowed = sys.stdlib_module_names | {'sosgames', '__main__'}\n"
        "print(*(m for m in sys.modules if m.partition('.')[0] not in allowed))\n"
        "ours = [m for m in sys.modules if m.startswith('sosgames.')]\n"
        "print(*(m for m in ours if not m.startswith('sosgames.certificates')))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, [], "")


def test_no_trusted_file_hides_a_module_of_the_standard_library() -> None:
    # A folder that runs as a program is first on the search path, even with -I.
    assert not {module.rpartition(".")[2] for module in MODULES} & sys.stdlib_module_names
