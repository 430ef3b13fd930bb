"""Every documented example, and the demo, runs to its end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
SCRIPTS = [*sorted((DOCS / "examples").glob("*.py")), DOCS / "demo.py"]


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_the_documented_example_runs_and_prints(script: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "CERTIKIT_FIGURES": str(tmp_path), "MPLBACKEND": "agg"}
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
