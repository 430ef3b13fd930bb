"""Sparse proofs against the dense route, against planted violations, and against the limits of a machine."""

from __future__ import annotations

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

import sosgames as sg
from sosgames.certificates.games import ExactGame, ExactPlayer
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.proofs import ModulusProof
from sosgames.sparse import decompose, prove_sparsely


def random_sparse_game(seed: int) -> sg.Game:
    """Few players on a random graph, with a curvature that makes either verdict possible."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 6))
    graph = nx.gnp_random_graph(n, 0.5, seed=seed)
    return sg.network_game(graph, int(rng.integers(2, 4)), rng=rng, curvature=int(rng.integers(0, 7)))


@pytest.mark.slow
def test_on_200_random_games_cliques_and_the_whole_matrix_never_contradict_each_other() -> None:
    """Lower bounds of one lie below upper bounds of the other; both verdicts occur."""
    seen = set()
    for seed in range(200):
        game = random_sparse_game(seed)
        pieces = sg.certify(game, structure="cliques", level=2)
        whole = sg.certify(game, structure="whole", level=2)
        for one, other in ((pieces, whole), (whole, pieces)):
            assert one.lower is None or one.lower <= other.upper, seed
        assert {pieces.verdict, whole.verdict} != {sg.Verdict.CERTIFIED, sg.Verdict.REFUTED}, seed
        seen.add(pieces.verdict)
    assert {sg.Verdict.CERTIFIED, sg.Verdict.REFUTED} <= seen


def with_one_violated_edge(n: int, excess: Fraction) -> sg.Game:
    """A ring whose matrix is 2 I + small couplings everywhere, and has the eigenvalue -excess on one edge."""
    x = [Polynomial.variable(f"x{k}") for k in range(n)]
    players = []
    for k in range(n):
        utility = -(x[k] ** 2) - x[k] * (x[k - 1] + x[(k + 1) % n]) ** 3 / 100
        if k == n // 2:
            utility = utility - 2 * (2 + excess) * x[k] * x[k - 1]
        players.append(ExactPlayer(str(k), (f"x{k}",), utility, (sg.Box({f"x{k}": (-1, 1)}),)))
    return sg.Game.from_exact(ExactGame(tuple(players)))


@pytest.mark.parametrize("excess", [Fraction(1, 2), Fraction(1, 10), Fraction(1, 10**4)])
def test_one_violated_edge_among_many_is_never_certified(excess: Fraction) -> None:
    result = sg.certify(with_one_violated_edge(120, excess), structure="cliques")
    assert result.verdict is sg.Verdict.REFUTED
    assert result.upper is not None
    assert result.lower is None or result.lower <= result.upper < 0


def test_a_proof_of_one_game_proves_nothing_about_the_game_with_one_violated_edge() -> None:
    good, bad = with_one_violated_edge(12, Fraction(-2)), with_one_violated_edge(12, Fraction(1, 2))
    proof = sg.certify(good, structure="cliques").lower_proof
    assert proof is not None
    assert sg.verify(proof, good).mu > 0
    with pytest.raises(sg.CertificateError, match="identity fails"):
        sg.verify(proof, bad)


def pushing_players(graph: nx.Graph, curvature: str) -> sg.Game:
    """Identical players who push their neighbours: frustrated wherever the graph has odd cycles."""
    number = {node: k for k, node in enumerate(graph)}
    utilities = {}
    for node, k in number.items():
        around = " ".join(f"- x{k}*x{number[other]} - x{k}*x{number[other]}**3/100" for other in graph[node])
        utilities[str(k)] = f"-{curvature}*x{k}**2/2 - x{k}**4/100 {around}"
    return sg.Game(utilities, {str(k): sg.Box({f"x{k}": (-1, 1)}) for k in number.values()})


def test_a_constant_matrix_on_the_core_repairs_what_groups_of_rows_cannot() -> None:
    graph = nx.random_regular_graph(3, 80, seed=1)
    game = pushing_players(graph, "3")
    found = decompose(modulus_matrix(game.exact, "monotone"), game.exact)
    assert found is not None
    assert len(found.core) > 16
    by_pairs, by_groups, by_core = (
        prove_sparsely(pieces.program()).bound
        for pieces in (found, found.with_constants(), found.with_core())
    )
    assert by_pairs.mu is not None
    assert by_groups.mu is not None
    assert by_core.mu is not None
    assert by_core.part is not None
    adjacency = nx.to_numpy_array(graph)
    modulus = 3 - 0.12 + np.linalg.eigvalsh(adjacency)[0]  # attained within this of the true one
    assert by_pairs.mu < by_groups.mu < by_core.mu
    assert modulus - 0.05 < by_core.mu <= 3 + np.linalg.eigvalsh(adjacency)[0]
    assert sg.verify(ModulusProof("monotone", game.variables, (by_core.part,)), game).mu == by_core.mu


def test_a_core_above_the_limit_gets_no_matrix_of_its_own() -> None:
    game = sg.network_game(nx.random_regular_graph(3, 120, seed=1), rng=np.random.default_rng(0))
    found = decompose(modulus_matrix(game.exact, "monotone"), game.exact)
    assert found is not None
    assert found.with_core(largest=len(found.core) - 1) is found
    assert len(found.with_core(largest=len(found.core)).cliques) > len(found.cliques)


def test_large_blocks_are_estimated_for_the_solver_that_would_take_them() -> None:
    """A clique of ten players at level 4 has side 660: no interior point is asked, and little refused."""
    game = sg.network_game(nx.complete_graph(3), rng=np.random.default_rng(0))
    found = decompose(modulus_matrix(game.exact, "monotone"), game.exact)
    assert found is not None
    assert found.suits_interior_point(found.size(2).sides)
    assert not found.suits_interior_point([61])
    with pytest.raises(sg.LimitError, match="memory_limit"):
        found.program(40, memory_limit=2**30)


def mixing_players(n: int, kind: type[sg.Simplex] | type[sg.ProbabilitySimplex]) -> sg.Game:
    """A ring of players who mix between two actions, written with both probabilities or with one."""
    sets: dict[str, object] = {}
    utilities = {}
    for k in range(n):
        around = f"p{k}*(p{(k - 1) % n} + p{(k + 1) % n})**2/16"
        if kind is sg.Simplex:
            utilities[str(k)], sets[str(k)] = f"-p{k}**2 - (1 - p{k})**2 - {around}", kind([f"p{k}"])
        else:
            utilities[str(k)], sets[str(k)] = f"-p{k}**2 - q{k}**2 - {around}", kind([f"p{k}", f"q{k}"])
    return sg.Game(utilities, sets)


def test_equations_in_a_sparse_game_end_with_a_remedy_that_helps() -> None:
    tied = sg.certify(mixing_players(4, sg.ProbabilitySimplex), memory_limit=1_000)
    assert tied.verdict is sg.Verdict.UNDECIDED
    assert tied.stopped_by_limit
    assert "one variable eliminated" in tied.summary()
    with pytest.raises(sg.InputError, match="one variable eliminated"):
        sg.certify(mixing_players(4, sg.ProbabilitySimplex), structure="cliques")
    free = sg.certify(mixing_players(4, sg.Simplex), structure="cliques")
    assert free.verdict is sg.Verdict.CERTIFIED
