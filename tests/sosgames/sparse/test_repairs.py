"""Repairs where the modulus is decided: a few cliques one level up, and the cycles through a few rows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

import sosgames as sg
from sosgames.certificates.matrices import modulus_matrix
from sosgames.search.limits import Limits
from sosgames.search.repairs import attempts, repaired_at
from sosgames.sparse import Decomposition, decompose, find_sparse_witness, prove_sparsely

CURVATURE = 60


def grid(seed: int, curvature: Fraction = Fraction(CURVATURE)) -> sg.Game:
    graph = nx.grid_2d_graph(4, 8)
    return sg.network_game(graph, rng=np.random.default_rng(seed), curvature=curvature)


def decomposed(game: sg.Game) -> Decomposition:
    found = decompose(modulus_matrix(game.exact, "monotone"), game.exact)
    assert found is not None
    return found


@pytest.mark.parametrize("seed", [1, 2])
def test_a_repair_at_the_rows_that_decide_closes_what_pairs_leave(seed: int) -> None:
    found = decomposed(grid(seed))
    pairs = prove_sparsely(found.program())
    witness = find_sparse_witness(found, start=pairs.point)
    assert 0 < len(pairs.heavy) <= 3
    repaired = repaired_at(found, pairs.heavy)
    assert repaired is not None
    assert witness is not None
    assert len(repaired.raised) <= len(found.cliques) // 4
    assert all(set(found.cliques[k].rows) & set(pairs.heavy) for k in repaired.raised)
    bound = prove_sparsely(repaired.program()).bound
    assert pairs.bound.mu is not None
    assert bound.mu is not None
    assert witness.value - pairs.bound.mu > Fraction(1, 50)
    assert 0 <= witness.value - bound.mu < Fraction(1, 1000)


def test_a_game_that_pairs_leave_open_is_certified_by_a_repair_at_few_places() -> None:
    found = decomposed(grid(2))
    start = prove_sparsely(found.program())
    witness = find_sparse_witness(found, start=start.point)
    assert witness is not None
    game = grid(2, CURVATURE + Fraction(1, 100) - witness.value)
    result = sg.certify(game, structure="cliques")
    steps = result.brackets[0].steps
    assert [step.level for step in steps] == [2, 4]
    assert steps[0].lower is not None
    assert steps[0].lower < 0
    assert result.verdict is sg.Verdict.CERTIFIED
    assert result.lower_proof is not None
    assert sg.verify(result.lower_proof, game).mu == result.lower
    by_pairs = sg.certify(game, structure="cliques", level=2)
    assert max(step.level for step in by_pairs.brackets[0].steps) == 2


def test_only_cliques_of_the_graph_are_raised_and_every_cycle_is_added_once() -> None:
    found = decomposed(grid(1))
    once = repaired_at(found, (9,))
    assert once is not None
    assert once.n_added == 4
    assert repaired_at(once, (9,)) is None
    twice = repaired_at(once, (10,))
    assert twice is not None
    rows = [clique.rows for clique in twice.cliques]
    assert len(set(rows)) == len(rows)
    assert twice.n_added == 6
    assert max(twice.raised) < len(found.cliques)
    levels = {twice.level_of(k, 2) for k in twice.raised}
    assert levels == {4}
    assert twice.level_of(len(rows) - 1, 2) == 2
    assert twice.size(4) == replace(twice, raised=frozenset()).size(4)


def test_the_estimate_of_a_repaired_program_is_that_of_its_blocks() -> None:
    repaired = repaired_at(decomposed(grid(1)), (9,))
    assert repaired is not None
    assert sorted(repaired.size(2).sides) == sorted(repaired.program().sides)


def test_where_many_rows_decide_nothing_is_repaired_at_places() -> None:
    found = decomposed(grid(1))
    assert repaired_at(found, range(9)) is None
    assert repaired_at(found, ()) is None
    tried = [pieces.raised for _, pieces in attempts(found, Limits(), lambda: range(9))]
    assert not any(tried)


@pytest.mark.parametrize("limits", [Limits(level=2), Limits(max_level=2)])
def test_a_level_that_the_user_bounds_is_never_passed(limits: Limits) -> None:
    tried = attempts(decomposed(grid(1)), limits, lambda: (9,))
    assert {pieces.level_of(k, level) for level, pieces in tried for k in range(len(pieces.cliques))} == {2}
