"""Games with known truth: every one that is certified monotone is solved, and no claim is too strong."""

from __future__ import annotations

import os
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

import sosgames as sg
from sosgames.certificates.gaps import known_convex

FOLDER = Path(os.environ.get("CERTIKIT_CASES", "")) / "games"
FILES = sorted(FOLDER.glob("*.toml")) if "CERTIKIT_CASES" in os.environ else []

pytestmark = [
    pytest.mark.skipif(not FILES, reason="CERTIKIT_CASES does not name a folder with games/*.toml"),
    pytest.mark.slow,
]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_a_monotone_game_with_known_truth_is_solved_and_the_known_point_is_near(path: Path) -> None:
    truth = tomllib.loads(path.read_text(encoding="utf-8"))["truth"]
    if truth["monotone"] == "no":
        pytest.skip("the game is not monotone")
    game = sg.load(path)
    certification = sg.certify(game, "monotone", time_limit=10)
    if certification.verdict is not sg.Verdict.CERTIFIED:
        assert truth["monotone"] == "merely"
        pytest.skip("monotone, but not certified by this version")
    found = sg.solve(game, certificate=certification.lower_proof)
    assert max(found.gaps.values()) < Fraction(1, 10**6)
    convex = all(known_convex(player) for player in game.exact.players)
    if convex:
        assert found.regret == max(found.gaps.values())
        assert found.verify().kind == "equilibrium"
    else:  # gaps say nothing there, but best replies may be bounded
        assert found.regret is None or found.regret < Fraction(1, 10**6)
    if truth["monotone"] == "merely":
        assert found.distance_bound is None
    elif "equilibrium" in truth:
        known = zip(found.point.values(), map(Fraction, truth["equilibrium"]), strict=True)
        assert found.distance_bound is not None
        assert sum((p - q) ** 2 for p, q in known) <= found.distance_bound**2
