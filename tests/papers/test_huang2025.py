"""The study of Huang, Yuan and Adeel (2025): one cell run anew, and the recorded tables as documented."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "docs" / "papers" / "huang2025.jsonl"


@pytest.fixture(scope="module")
def study() -> ModuleType:
    spec = importlib.util.spec_from_file_location("study_cascades", ROOT / "benchmarks" / "study_cascades.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_a_cell_of_table_2_is_beaten_in_every_column(study: ModuleType) -> None:
    """Rayleigh, C = 500, seed 0: errors below and F1 above the printed ones."""
    line = study.run("table2/rayleigh-500", 0)
    theta, psi, pi, f1 = study.PRINTED["table2"]["rayleigh-500"]
    assert line["theta"] < theta
    assert line["psi"] < psi
    assert line["pi"] < pi
    assert line["f1"] > f1


def test_a_study_that_was_stopped_goes_on_where_it_was(study: ModuleType, tmp_path, monkeypatch) -> None:
    ran: list[tuple[str, int]] = []

    def run(cell: str, seed: int) -> dict[str, object]:
        ran.append((cell, seed))
        if len(ran) == 3:
            raise KeyboardInterrupt
        return {"cell": cell, "seed": seed}

    monkeypatch.setattr(study, "run", run)
    path = tmp_path / "lines.jsonl"
    with pytest.raises(KeyboardInterrupt):
        study.study(path, "table1/*", 2)
    assert len(study.read(path)) == 2
    study.study(path, "table1/*", 2)
    lines = [(line["cell"], line["seed"]) for line in study.read(path)]
    assert len(lines) == len(set(lines)) == 6


def test_the_tables_of_the_documents_are_those_of_the_recorded_runs(study: ModuleType) -> None:
    lines = study.read(RESULTS)
    assert lines
    assert {line["cell"] for line in lines} <= set(study.cells())
    assert RESULTS.with_name("huang2025-tables.md").read_text(encoding="utf-8") == study.show(lines)
