"""The tree keeps its word: file sizes, what is exported, and what no file may say."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("sosgames", "privacy_stats", "cascades")
SOURCES = [p for package in PACKAGES for p in sorted((ROOT / package).rglob("*.py"))]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_source_file_stays_under_400_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < 400


def test_no_tracked_file_names_a_package_host_or_what_lies_outside_the_project() -> None:
    words = ["pythonhosted" + ".org", "pypi" + ".org", "index" + "-url", "/wo" + "rk/", "../sha" + "red"]
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    found = []
    for name in filter(None, listed.stdout.decode().split("\0")):
        path = ROOT / name
        if name == ".ci/run" or not path.is_file():
            continue
        text = path.read_bytes().decode("utf-8", errors="ignore")
        found += [f"{name}: {word}" for word in words if word in text]
    assert found == []
