"""Every game with known truth gets the right verdict, with a proof."""

from __future__ import annotations

import os
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import sosgames as sg

FOLDER = Path(os.environ.get("CERTIKIT_CASES", "")) / "games"
FILES = sorted(FOLDER.glob("*.toml")) if "CERTIKIT_CASES" in os.environ else []
PROPERTIES = ("concave", "monotone")

pytestmark = pytest.mark.skipif(not FILES, reason="CERTIKIT_CASES does not name a folder with games/*.toml")


def _truth(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))["truth"]


def _modulus(truth: dict[str, Any], prop: str) -> float:
    """Minus the largest eigenvalue, as the case file states it (sampled where it is not constant)."""
    if prop == "monotone":
        return -float(truth["jacobian_max_eigenvalue"])
    return -max(float(v) for v in truth["hessian_max_eigenvalue"])


@pytest.mark.slow
@pytest.mark.parametrize("prop", PROPERTIES)
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_verdict_on_a_game_with_known_truth_is_right(path: Path, prop: str) -> None:
    truth = _truth(path)
    known = truth[prop]
    result = sg.certify(sg.load(path), prop)
    result.verify()
    allowed = {
        "strict": {sg.Verdict.CERTIFIED},
        "no": {sg.Verdict.REFUTED},
        "merely": {sg.Verdict.CERTIFIED},
    }[known]
    assert result.verdict in allowed
    assert result.upper is not None
    if known == "strict":
        assert result.strict is True
        assert abs(float(result.lower) - _modulus(truth, prop)) <= 1e-3 * max(1, abs(_modulus(truth, prop)))
    elif known == "merely":
        assert result.strict is False
        assert result.lower == result.upper == 0
    else:
        assert result.upper <= Fraction(-1, 10)


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_a_falsified_truth_in_the_file_changes_nothing(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    lie = tmp_path / path.name
    lie.write_text(text.replace('"no"', '"strict"').replace('"merely"', '"strict"'), encoding="utf-8")
    assert sg.load(lie).exact == sg.load(path).exact
