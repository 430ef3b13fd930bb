"""No single edit of a valid proof, or of the game under it, makes the verifier accept what is not so."""

from __future__ import annotations

import pytest

from tests.sosgames.certificates.game_constructions import all_cases
from tests.sosgames.certificates.mutations import survey

EDITS = 20_000


@pytest.mark.slow
def test_of_20_000_edits_only_those_are_accepted_that_a_second_checker_confirms(
    capsys: pytest.CaptureFixture[str],
) -> None:
    counts = survey(all_cases(), EDITS)
    assert counts.total() == EDITS
    accepted = sum(n for kind, n in counts.items() if kind.startswith("accepted"))
    assert accepted >= EDITS // 100  # the second checker was asked often enough to mean something
    assert accepted <= EDITS // 5
    with capsys.disabled():
        print("\n" + "; ".join(f"{n:,} {kind}" for kind, n in counts.most_common()))
