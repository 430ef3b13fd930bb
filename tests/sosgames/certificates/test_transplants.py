"""No part of a proof in the place of another makes the verifier accept what is not so."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import sosgames as sg
from tests.sosgames.certificates.constructions import Case
from tests.sosgames.certificates.game_constructions import all_cases
from tests.sosgames.certificates.transplants import survey_transplants


def _found() -> list[Case]:
    """A proof by cliques and one of regrets, as the search writes them."""
    ring = sg.network_game(nx.cycle_graph(3), rng=np.random.default_rng(0), curvature=40)
    cliques = sg.certify(ring, structure="cliques").lower_proof
    assert cliques is not None
    hills = sg.Game(
        {"P": "x**2*y - y", "Q": "x*y**2 - x**2*y"}, {"P": sg.Box({"x": (-1, 1)}), "Q": sg.Box({"y": (0, 1)})}
    )
    regrets = sg.solve(hills).proof
    return [
        Case("cliques of a ring", cliques.to_dict(), ring.exact),
        Case("regrets of two players", regrets.to_dict(), hills.exact),
    ]


@pytest.mark.slow
def test_of_proofs_with_their_parts_exchanged_only_confirmed_ones_are_accepted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    counts = survey_transplants(all_cases(), 20) + survey_transplants(_found(), 150)
    assert counts["refused"] > counts.total() // 2
    assert counts.total() == 20 * len(all_cases()) + 300
    with capsys.disabled():
        print("\n" + "; ".join(f"{n:,} {kind}" for kind, n in counts.most_common()))
