"""A sample of the soundness suite: no bound on its wrong side, at any scale, however small the gap."""

from __future__ import annotations

import json
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path

import pytest

from sosgames.certificates.games import ExactGame
from tests.sosgames.soundness import CLASSES, Outcome, case, logged, outcome, report


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 60, 12))
def test_no_case_gets_a_false_bound(start: int) -> None:
    found = [outcome(seed) for seed in range(start, start + 12)]
    assert not [o for o in found if o.false_lower or o.false_upper]
    assert any(o.verdict != "undecided" for o in found)


def test_the_cases_cover_every_class_both_signs_and_many_scales() -> None:
    cases = [case(seed) for seed in range(200)]
    assert {kind for kind, _ in cases} == set(CLASSES)
    moduli = [known.modulus for _, known in cases]
    assert min(moduli) < 0 < max(moduli)
    assert min(abs(m) for m in moduli if m) < Fraction(1, 10**15)
    assert sum(isinstance(known.problem, ExactGame) for _, known in cases) > 100


def test_the_report_counts_what_is_false() -> None:
    wrong = Outcome(CLASSES[0], "fails", "certified", True, False)
    right = Outcome(CLASSES[0], "holds", "certified", False, False)
    text = report([wrong, right, right])
    assert "3 cases; false certificates: 1; false refutations: 0" in text
    assert "| potential game | 2 of 2 | 0 of 1 | 66.7 % |" in text


def test_a_log_that_was_cut_short_is_taken_up_after_its_last_whole_line(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    whole = json.dumps(asdict(Outcome(CLASSES[0], "holds", "certified", False, False, 0.5))) + "\n"
    log.write_text(whole + whole[:20])
    assert [o.seconds for o in logged(log)] == [0.5]
    assert log.read_text() == whole
    assert logged(tmp_path / "none.jsonl") == logged(None) == []
