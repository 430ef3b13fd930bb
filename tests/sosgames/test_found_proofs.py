"""Proofs that the search finds go through the mill of hand-made ones: no edit proves anything false."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import sympy
from sympy.abc import x, y

import sosgames as sg
from tests.sosgames.certificates.constructions import Case
from tests.sosgames.certificates.mutations import survey
from tests.sosgames.families import potential_game, simplex_player, square_matrix

EDITS = 2_000


def _found() -> list[Case]:
    square = {"P": sg.Box({x: (-1, 1)}), "Q": sg.Box({y: (-1, 1)})}
    couple = sg.Game({"P": -(x**4) - x**2 + x * y, "Q": -3 * y**2 + x**2 * y}, square)
    rosen = sg.Game({"P": -(x**2) / 2 + 4 * x * y, "Q": x * y / 10 - y**2 / 2}, square)
    mixed = sg.Game({"P": x**3 - 2 * x * y - y**2}, {"P": sg.ProbabilitySimplex([x, y])})
    finite = sg.Game({"P": -(x**4)}, {"P": sg.Constraints([sympy.Eq(x**3, x), x + 3 >= 0])})
    results = {
        "monotone on a square": sg.certify(couple, "monotone"),
        "concave on a square": sg.certify(couple, "concave"),
        "weights": sg.certify(rosen, weights={"P": 1, "Q": 40}),
        "refuted": sg.certify(rosen),
        "tangent directions": sg.certify(mixed, "concave"),
        "an equation": sg.certify(finite, "concave"),
        "a simplex": sg.certify(simplex_player(random.Random(0), 2, Fraction(1)).problem, "concave"),
        "three players": sg.certify(potential_game(random.Random(0), 3, Fraction(1)).problem),
        "a matrix": sg.certify(square_matrix(random.Random(0), 2, 2, Fraction(1)).problem),
    }
    results |= {
        "scalar form": sg.certify(couple, "concave", form="scalar", level=4),
        "scalar form, tangent directions": sg.certify(mixed, "concave", form="scalar", level=4),
        "products of conditions": sg.certify(couple, form="schmuedgen", level=2),
        "dsos": sg.certify(couple, cone="dsos", level=2),
        "sdsos": sg.certify(finite, "concave", cone="sdsos", level=4),
    }
    proofs = {name: (r.problem, r.certificate) for name, r in results.items() if r.certificate is not None}
    return [Case(name, proof.to_dict(), problem) for name, (problem, proof) in proofs.items()]


@pytest.mark.slow
def test_of_2_000_edits_of_proofs_that_were_found_only_confirmed_ones_are_accepted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cases = _found()
    assert len(cases) == 14
    counts = survey(cases, EDITS)
    assert counts.total() == EDITS
    with capsys.disabled():
        print("\n" + "; ".join(f"{n:,} {kind}" for kind, n in counts.most_common()))
