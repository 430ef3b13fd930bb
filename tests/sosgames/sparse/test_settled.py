"""Cliques that hold on their own are kept out of the solve, and that changes no bound."""

from __future__ import annotations

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

import sosgames as sg
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.proofs import ModulusProof
from sosgames.solvers.status import SolverOptions
from sosgames.sos.program import symmetric_of
from sosgames.sparse import SparseProgram, decompose, find_sparse_witness, prove_sparsely
from sosgames.sparse.interior import interior_direction
from sosgames.sparse.settled import _places, _settled, solve_around
from sosgames.sparse.solving import modulus_system, options_for, solve

GRAPHS = {
    "tree": nx.random_labeled_tree(120, seed=1),
    "ring": nx.cycle_graph(120),
    "grid": nx.grid_2d_graph(5, 24),
    "3-regular": nx.random_regular_graph(3, 80, seed=1),
}
TIGHT = 1e-4
"""Of a modulus of about 10: what the solver's tolerance leaves."""


def game_on(graph: nx.Graph, curvature: int = 60) -> sg.Game:
    return sg.network_game(graph, rng=np.random.default_rng(1), curvature=curvature)


def program_of(game: sg.Game) -> SparseProgram:
    found = decompose(modulus_matrix(game.exact, "monotone"), game.exact)
    assert found is not None
    return found.program()


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
def test_the_bound_is_that_of_the_whole_program_and_its_proof_holds(graph: nx.Graph) -> None:
    game = game_on(graph)
    program = program_of(game)
    witness = find_sparse_witness(program.decomposition)
    assert witness is not None
    system, size = modulus_system(program)
    direction = interior_direction(program)
    assert direction is not None
    options = options_for("clarabel", None, None)
    around = solve_around(program, system, direction, float(witness.value) / size, options)
    assert around is not None
    assert around.tau * size == pytest.approx(solve(system, "clarabel", options).tau * size, abs=TIGHT)
    bound = prove_sparsely(program, above=float(witness.value)).bound
    assert bound.part is not None
    claim = sg.verify(ModulusProof("monotone", game.variables, (bound.part,)), game)
    assert around.tau * size - 10 * TIGHT < claim.mu <= witness.value


def test_settled_cliques_represent_their_share_at_the_target_by_definite_matrices() -> None:
    program = program_of(game_on(GRAPHS["3-regular"]))
    system, _ = modulus_system(program)
    direction = interior_direction(program)
    assert direction is not None
    target = 0.2
    settled = _settled(program, system, direction, target)
    assert 10 < settled.holds.sum() < len(settled.holds)
    n_sharing = np.bincount(np.concatenate(_places(program)), minlength=program.n_equations)
    wanted = (system.b - target * system.c) / n_sharing
    first = 0
    for shape, places, holds in zip(program.shapes, _places(program), settled.holds, strict=True):
        entries = settled.entries[first : first + shape.n_columns]
        first += shape.n_columns
        image = np.zeros(len(shape.keys))
        np.add.at(image, shape.places, shape.values * entries[shape.columns])
        assert image == pytest.approx(wanted[places], abs=1e-9)
        start, least = 0, np.inf
        for block in shape.blocks:
            gram = symmetric_of(entries[start : start + block.n_entries], block.side)
            start += block.n_entries
            least = min(least, float(np.linalg.eigvalsh(gram)[0]))
        assert (least > 1e-3) == holds


def test_the_places_of_a_clique_are_the_equations_of_its_keys() -> None:
    program = program_of(game_on(nx.cycle_graph(7)))
    for clique, shape, places in zip(
        program.decomposition.cliques, program.shapes, _places(program), strict=True
    ):
        for (a, b, exponents), place in zip(shape.keys, places, strict=True):
            monomial = tuple((v, e) for v, e in zip(clique.variables, exponents, strict=True) if e)
            assert program.keys[place] == (clique.rows[a], clique.rows[b], monomial)


@pytest.mark.parametrize("above", [-1e3, 0.0, 1e3])
def test_a_wrong_upper_bound_costs_quality_at_most_and_never_soundness(above: float) -> None:
    game = game_on(nx.cycle_graph(110))
    exact = sg.certify(game, structure="cliques")
    assert exact.upper is not None
    bound = prove_sparsely(program_of(game), above=above).bound
    assert bound.part is not None
    assert sg.verify(ModulusProof("monotone", game.variables, (bound.part,)), game).mu <= exact.upper
    if above > exact.upper:
        assert exact.lower is not None
        assert bound.part.mu > exact.lower - Fraction(1, 10**3)


def test_small_programs_and_targets_out_of_reach_are_solved_whole() -> None:
    for game, above in ((game_on(nx.cycle_graph(20)), 0.3), (game_on(nx.cycle_graph(120)), 1e3)):
        program = program_of(game)
        system, _ = modulus_system(program)
        direction = interior_direction(program)
        assert direction is not None
        assert solve_around(program, system, direction, above, SolverOptions()) is None


def test_constant_matrices_are_sought_only_near_cliques_that_do_not_hold_alone() -> None:
    """Groups of rows close the gap that pairs leave on a grid, also where most of them stay zero."""
    game = game_on(GRAPHS["grid"])
    found = decompose(modulus_matrix(game.exact, "monotone"), game.exact)
    assert found is not None
    witness = find_sparse_witness(found)
    assert witness is not None
    program = found.with_constants().program()
    system, size = modulus_system(program)
    direction = interior_direction(program)
    assert direction is not None
    options = options_for("clarabel", None, None)
    around = solve_around(program, system, direction, float(witness.value) / size, options)
    assert around is not None
    assert around.entries is not None
    assert np.count_nonzero(around.entries[program.constant_columns]) < program.constant_columns.sum()
    assert around.tau * size == pytest.approx(solve(system, "clarabel", options).tau * size, abs=TIGHT)
    bound = prove_sparsely(program, above=float(witness.value)).bound
    assert bound.part is not None
    sg.verify(ModulusProof("monotone", game.variables, (bound.part,)), game)
