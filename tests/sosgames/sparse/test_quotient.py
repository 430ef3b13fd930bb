"""Cliques that are alike share one Gram matrix: that loses nothing, and no likeness is taken on trust."""

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
from sosgames.sparse import SparseProgram, colours, decompose, prove, prove_sparsely
from sosgames.sparse.quotient import quotient
from sosgames.sparse.rounding import Rounder
from sosgames.sparse.solving import modulus_system, options_for, solve

GRAPHS = {
    "ring": nx.cycle_graph(30),
    "torus": nx.grid_2d_graph(5, 6, periodic=True),
    "complete": nx.complete_graph(8),
    "bipartite": nx.complete_bipartite_graph(4, 6),
    "star": nx.star_graph(9),
    "3-regular": nx.random_regular_graph(3, 40, seed=2),
}
CLOSE = 2e-5


def game_on(
    graph: nx.Graph, directed: bool = False, change: Fraction = Fraction(0), seed: int = 0
) -> sg.Game:
    """Equal players who push their neighbours, in random order; the last one's curvature is changed."""
    order = np.random.default_rng(seed).permutation(len(graph)).tolist()
    number = dict(zip(graph, order, strict=True))
    x = [Polynomial.variable(f"x{k + 1}") for k in range(len(graph))]
    players = []
    for place, node in enumerate(graph):
        k = number[node]
        curvature = Fraction(29, 10) + (change if place == len(graph) - 1 else 0)
        utility = -(x[k] ** 2) * curvature / 2 - x[k] ** 4 / 100
        neighbours = graph.successors(node) if directed else graph[node]
        for other in neighbours:
            j = number[other]
            utility -= x[k] * x[j] + x[k] * x[j] ** 3 / 10 + x[k] ** 2 * x[j] / 20
        players.append(ExactPlayer(str(k + 1), (f"x{k + 1}",), utility, (sg.Box({f"x{k + 1}": (-1, 1)}),)))
    return sg.Game.from_exact(ExactGame(tuple(players)))


def program_of(game: sg.Game) -> SparseProgram:
    found = decompose(modulus_matrix(game.exact, "monotone"), game.exact)
    assert found is not None
    return found.program()


def solved_whole(program: SparseProgram) -> float:
    system, size = modulus_system(program)
    return float(solve(system, "clarabel", options_for("clarabel", None, None)).tau * size)


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
def test_one_matrix_for_alike_cliques_reaches_the_bound_of_the_whole_program(graph: nx.Graph) -> None:
    game = game_on(graph)
    program = program_of(game)
    classes = quotient(program)
    assert classes is not None
    assert len(classes.sides) == 3
    assert classes.equations.coefficients.shape[0] <= 22
    bound = prove_sparsely(program).bound
    assert bound.part is not None
    claim = sg.verify(ModulusProof("monotone", game.variables, (bound.part,)), game)
    assert float(claim.mu) == pytest.approx(solved_whole(program), abs=CLOSE)


def test_copies_meet_every_equation_of_the_whole_program_exactly() -> None:
    program = program_of(game_on(GRAPHS["star"]))
    classes = quotient(program)
    assert classes is not None
    rng = np.random.default_rng(3)
    n_entries = classes.equations.coefficients.shape[1]
    identity = Rounder(classes.equations).at(rng.normal(size=n_entries), 0.3, 1e-4)
    given = program.coefficients.apply(classes.entries(identity.entries))
    shift = identity.mu * identity.scale / program.denominator
    wanted = program.target * (identity.scale // program.denominator) - np.array(
        [shift * int(weight) for weight in program.metric]
    )
    assert (given == wanted).all()


def test_directed_edges_between_equal_players_are_not_turned_round() -> None:
    ring = nx.DiGraph([(k, (k + 1) % 24) for k in range(24)])
    program = program_of(game_on(ring, directed=True))
    classes = quotient(program)
    assert classes is not None
    assert set(classes.lift.data.tolist()) == {1}  # nothing is exchanged
    bound = prove_sparsely(program).bound
    assert bound.mu is not None
    assert float(bound.mu) == pytest.approx(solved_whole(program), abs=CLOSE)


def test_players_with_two_actions_on_a_disc_may_be_alike() -> None:
    players = []
    for k in range(12):
        x, y = (Polynomial.variable(f"{name}{k}") for name in "xy")
        after, before = (Polynomial.variable(f"x{(k + s) % 12}") for s in (1, -1))
        utility = -(x**2) * 3 - y**2 * 2 - x * y - x * after - x * before * Fraction(1, 2)
        players.append(ExactPlayer(str(k), (f"x{k}", f"y{k}"), utility, (sg.Ball((f"x{k}", f"y{k}")),)))
    program = program_of(sg.Game.from_exact(ExactGame(tuple(players))))
    classes = quotient(program)
    assert classes is not None
    assert len(classes.sides) < len(program.sides) / 5
    bound = prove_sparsely(program).bound
    assert bound.mu is not None
    assert float(bound.mu) == pytest.approx(solved_whole(program), abs=CLOSE)


@pytest.mark.parametrize("change", [Fraction(1, 1000), Fraction(-1)])
def test_one_player_who_differs_is_seen(change: Fraction) -> None:
    game = game_on(GRAPHS["complete"], change=change)
    program = program_of(game)
    classes = quotient(program)
    assert classes is not None
    assert len(classes.sides) == 6  # pairs with and without that player
    bound = prove_sparsely(program).bound
    assert bound.part is not None
    claim = sg.verify(ModulusProof("monotone", game.variables, (bound.part,)), game)
    assert float(claim.mu) == pytest.approx(solved_whole(program), abs=CLOSE)
    assert quotient(program_of(game_on(GRAPHS["3-regular"], change=change))) is None


@pytest.mark.parametrize("graph", ["ring", "3-regular"])
def test_colours_that_collide_cost_time_and_never_the_bound(
    graph: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = sg.network_game(GRAPHS[graph], rng=np.random.default_rng(1), curvature=40)
    program = program_of(game)
    assert quotient(program) is None
    honest = prove_sparsely(program).bound
    same = np.zeros(2 * len(game.variables), dtype=np.uint64)
    monkeypatch.setattr(colours._Incidence, "stable", lambda _: same)
    monkeypatch.setattr(colours._Incidence, "flags", lambda *_: np.zeros(10**4, dtype=np.uint64))
    fooled = prove_sparsely(program).bound
    assert fooled.part is not None
    assert fooled.mu == honest.mu
    sg.verify(ModulusProof("monotone", game.variables, (fooled.part,)), game)


def test_symmetric_games_are_refuted_as_before() -> None:
    result = sg.certify(game_on(nx.cycle_graph(40), change=Fraction(-4)), structure="cliques")
    assert result.verdict is sg.Verdict.REFUTED
    result = sg.certify(game_on(GRAPHS["bipartite"]), structure="cliques")
    assert result.verdict is sg.Verdict.REFUTED


def test_a_proof_that_fails_for_the_classes_is_sought_for_all_cliques(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = program_of(game_on(GRAPHS["ring"]))
    monkeypatch.setattr(prove, "_prove_copied", lambda *_: None)
    assert prove_sparsely(program).bound.part is not None
