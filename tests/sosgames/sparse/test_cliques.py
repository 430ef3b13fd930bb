"""Proofs of large sparse games: who meets whom, the coupled program, exact rounding, and what is lost."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sosgames as sg
from sosgames.certificates.games import MatrixProblem
from sosgames.certificates.matrices import PolyMatrix, modulus_matrix
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.proofs import ModulusProof
from sosgames.search.limits import Limits, Structure
from sosgames.search.repairs import attempts
from sosgames.sparse import decompose, prove_sparsely
from sosgames.sparse.constants import elimination_groups
from sosgames.sparse.interior import interior_direction, one_as_squares
from tests.sosgames.certificates.constructions import Case
from tests.sosgames.certificates.mutations import survey

x, y, z = (Polynomial.variable(name) for name in "xyz")


def network(graph: nx.Graph, seed: int = 0, curvature: object = 0) -> sg.Game:
    return sg.network_game(graph, rng=np.random.default_rng(seed), curvature=curvature)


def parts_of(game: sg.Game) -> tuple[PolyMatrix, object]:
    return modulus_matrix(game.exact, "monotone"), game.exact


def test_pairwise_payoffs_meet_along_the_edges_of_the_network() -> None:
    graph = nx.grid_2d_graph(3, 4)
    found = decompose(*parts_of(network(graph)))
    number = {node: k for k, node in enumerate(graph)}
    edges = {tuple(sorted((number[a], number[b]))) for a, b in graph.edges}
    assert found is not None
    assert {clique.rows for clique in found.cliques} == edges
    assert all(clique.rows == clique.variables for clique in found.cliques)


def test_a_payoff_of_three_players_is_one_clique_and_tied_variables_stay_together() -> None:
    box = {name: sg.Box({name: (-1, 1)}) for name in "abc"}
    three = sg.Game({"A": "a*b*c - a**2", "B": "-b**2", "C": "-c**2"}, {n.upper(): s for n, s in box.items()})
    found = decompose(*parts_of(three))
    assert found is not None
    assert [clique.rows for clique in found.cliques] == [(0, 1, 2)]
    disc = sg.Game({"P": "a*c - a**2", "Q": "-c**2"}, {"P": sg.Ball(["a", "b"]), "Q": sg.Box({"c": (0, 1)})})
    found = decompose(*parts_of(disc))
    assert found is not None
    assert {clique.variables for clique in found.cliques} == {(0, 1, 2)}


@pytest.mark.parametrize("graph", [nx.path_graph(7), nx.star_graph(5)], ids=["path", "star"])
def test_on_trees_the_cliques_prove_what_the_whole_matrix_proves(graph: nx.Graph) -> None:
    game = network(graph, curvature=200)
    whole = sg.certify(game, structure="whole", level=2)
    cliques = sg.certify(game, structure="cliques", level=4)
    assert whole.lower is not None
    assert cliques.lower is not None
    assert cliques.upper is not None
    assert whole.lower - Fraction(1, 10**3) <= cliques.lower <= cliques.upper
    cliques.verify()


SETS = {
    "unit box": [sg.Box({n: (-1, 1)}) for n in "xyz"],
    "boxes": [sg.Box({"x": (0, 1)}), sg.Box({"y": (-3, "1/7")}), sg.Box({"z": (1, 5)})],
    "simplex": [sg.Simplex(["x", "u"]), sg.Box({"y": (0, 1)}), sg.Simplex(["z"])],
    "ball": [sg.Ball(["x", "u"], radius_squared=2), sg.Ball(["y"]), sg.Box({"z": (0, 1)})],
    "odd power": [sg.Constraints(["(1 - x**2)**3 >= 0"]), sg.Box({"y": (0, 1)}), sg.Box({"z": (0, 1)})],
}


@pytest.mark.parametrize("sets", SETS.values(), ids=SETS)
@pytest.mark.parametrize("level", [2, 4])
def test_proofs_by_cliques_hold_on_every_kind_of_set(sets: list[object], level: int) -> None:
    utilities = {"P": "x*y - x**2 + x**2*y", "Q": "y*z - 2*y**2 - x*y", "R": "-z**2 + y*z**2/9"}
    if "u" in sets[0].variables:  # type: ignore[attr-defined]
        utilities["P"] += " - u**2 + u*x"
    game = sg.Game(utilities, dict(zip(utilities, sets, strict=True)))
    result = sg.certify(game, structure="cliques", level=level)
    assert result.lower is not None
    assert result.upper is not None
    assert result.upper - result.lower < Fraction(1, 2)
    assert len(result.verify()) == 2


def test_rosens_weights_are_the_metric_of_a_proof_by_cliques() -> None:
    game = network(nx.cycle_graph(5), curvature=30)
    weights = {player: Fraction(k + 2, 3) for k, player in enumerate(game.players)}
    result = sg.certify(game, weights=weights, structure="cliques")
    assert result.lower is not None
    assert result.lower > 0
    result.verify()


def test_a_proof_by_cliques_for_each_player_names_the_player() -> None:
    x = [f"x{k}" for k in range(4)]
    utilities = {f"p{k}": f"-{3 + k}*{x[k]}**2/2 - {x[k]}**4/100 - {x[k]}*{x[k - 1]}" for k in range(4)}
    game = sg.Game(utilities, {f"p{k}": sg.Box({x[k]: (-1, 1)}) for k in range(4)})
    result = sg.certify(game, "concave", structure="cliques")
    assert result.verdict is sg.Verdict.CERTIFIED
    claim, *_ = result.verify()
    for k, player in enumerate(game.players):
        assert 3 + k - Fraction(1, 10**3) < claim.moduli[player] <= 3 + k


def frustrated_cycle(n: int, own: str) -> sg.Game:
    """n players on a cycle: couplings 1, so that the smallest eigenvalue is own - 2 cos(pi/n) for odd n."""
    x = [f"x{k}" for k in range(n)]
    utilities = {
        str(k): f"-{own}*{x[k]}**2/2 - {x[k]}**4/100 - {x[k]}*{x[k - 1]} - {x[k]}*{x[(k + 1) % n]}"
        for k in range(n)
    }
    return sg.Game(utilities, {str(k): sg.Box({x[k]: (-1, 1)}) for k in range(n)})


@pytest.mark.parametrize("n", [3, 5, 9])
def test_constant_matrices_repair_frustrated_cycles(n: int) -> None:
    result = sg.certify(frustrated_cycle(n, "1.95"), structure="cliques")
    by_pairs, _ = result.brackets[0].steps
    modulus = 1.95 - 2 * np.cos(np.pi / n)
    assert by_pairs.lower is not None
    assert by_pairs.lower < 0  # 1.95 - 2
    assert result.lower is not None
    assert modulus - 1e-4 < result.lower <= modulus + 1e-9
    assert result.verdict is sg.Verdict.CERTIFIED


def test_what_cliques_cannot_show_is_undecided_and_never_refuted() -> None:
    """A frustrated cycle of 5 times t^2: no constant matrix fits every t."""
    t, size = Polynomial.variable("t"), 5
    factor = {0: Fraction(7, 4), 1: Fraction(1), 4: Fraction(1)}
    rows = [[t * t * factor.get((a - b) % size, Fraction(0)) for b in range(size)] for a in range(size)]
    problem = MatrixProblem(tuple(map(tuple, rows)), ("t",), (sg.Box({"t": (1, 2)}),))
    pieces = sg.certify(problem, "matrix", structure="cliques")
    assert pieces.verdict is sg.Verdict.UNDECIDED
    assert "cycles" in pieces.summary()
    assert sg.certify(problem, "matrix").verdict is sg.Verdict.CERTIFIED


def test_cycles_of_four_as_cliques_close_a_gap_that_pairs_leave() -> None:
    found = decompose(*parts_of(network(nx.grid_2d_graph(3, 3), seed=1, curvature=60)))
    assert found is not None
    repaired = found.with_cycles()
    assert len(repaired.cliques) - len(found.cliques) == 4
    pairs, cycles = (prove_sparsely(pieces.program()).bound for pieces in (found, repaired))
    assert pairs.mu is not None
    assert cycles.mu is not None
    assert cycles.mu >= pairs.mu - Fraction(1, 10**5)
    tried = [{clique.rows for clique in pieces.cliques} for _, pieces in attempts(found, Limits(), tuple)]
    edges, squares = ({clique.rows for clique in pieces.cliques} for pieces in (found, repaired))
    assert tried[0] == edges < tried[1]
    assert squares <= tried[2]


@settings(max_examples=50, deadline=None)
@given(st.integers(3, 12), st.integers(0, 10**6), st.integers(2, 6))
def test_elimination_groups_are_small_and_make_chordal_graphs_whole(n: int, seed: int, largest: int) -> None:
    graph = nx.gnp_random_graph(n, 0.4, seed=seed)
    edges = [tuple(sorted(edge)) for edge in graph.edges] + [(a,) for a in graph]
    groups, core = elimination_groups(edges, largest)
    assert all(3 <= len(group) <= largest for group in groups)
    tree = nx.path_graph(n)
    assert elimination_groups([tuple(sorted(edge)) for edge in tree.edges], largest) == ([], ())
    filled = graph.copy()
    filled.add_edges_from(pair for group in [*groups, core] for pair in combinations(group, 2))
    assert nx.is_chordal(filled)
    assert not (core and largest > n)


def test_large_sparse_games_are_taken_by_cliques_without_asking() -> None:
    certified = sg.certify(network(nx.cycle_graph(60), curvature=45))
    assert certified.brackets[0].rung == "cliques"
    assert certified.verdict is sg.Verdict.CERTIFIED
    assert certified.strict
    refuted = sg.certify(network(nx.cycle_graph(60)))
    assert refuted.verdict is sg.Verdict.REFUTED
    assert refuted.verify()[-1].value == refuted.upper


def test_a_matrix_problem_is_split_by_rows_and_variables() -> None:
    size, one = 30, Polynomial.constant(1)
    names = tuple(f"v{k}" for k in range(size))
    v = [Polynomial.variable(name) for name in names]
    rows = [[Polynomial()] * size for _ in range(size)]
    for a in range(size):
        rows[a][a] = 3 * one + v[a] * v[a]
        if a:
            rows[a][a - 1] = rows[a - 1][a] = v[a]
    problem = MatrixProblem(tuple(map(tuple, rows)), names, (sg.Box(dict.fromkeys(names, (-1, 1))),))
    result = sg.certify(problem, "matrix")
    assert result.brackets[0].rung == "cliques"
    assert result.lower is not None
    assert result.lower > 1


def test_equations_rule_cliques_out_and_the_message_says_so() -> None:
    game = sg.Game({"P": "-a**2"}, {"P": sg.ProbabilitySimplex(["a", "b"])})
    with pytest.raises(sg.InputError, match="equations"):
        sg.certify(game, structure="cliques")
    with pytest.raises(sg.InputError, match="structure is 'pairs'"):
        Limits(structure="pairs")  # type: ignore[arg-type]
    assert set(Structure.__args__) == {"auto", "cliques", "whole"}  # type: ignore[attr-defined]


def test_a_program_above_the_memory_limit_is_refused_before_it_is_built() -> None:
    game = network(nx.cycle_graph(40), curvature=45)
    found = decompose(*parts_of(game))
    assert found is not None
    with pytest.raises(sg.LimitError, match="memory_limit"):
        found.program(2, memory_limit=1_000)
    result = sg.certify(game, memory_limit=1_000)
    assert result.verdict is sg.Verdict.UNDECIDED
    assert result.stopped_by_limit


@pytest.mark.parametrize("sets", SETS.values(), ids=SETS)
def test_the_interior_direction_represents_the_metric_by_definite_matrices(sets: list[object]) -> None:
    utilities = {"P": "x*y - x**2", "Q": "y*z - 2*y**2", "R": "-z**2"}
    game = sg.Game(utilities, dict(zip(utilities, sets, strict=True)))
    found = decompose(*parts_of(game))
    assert found is not None
    program = found.program(4)
    direction = interior_direction(program)
    assert direction is not None
    image = program.coefficients.to_csc() @ direction
    wanted = np.array([int(m) / program.denominator for m in program.metric])
    assert np.abs(image - wanted).max() < 1e-6
    for shape in program.shapes:
        grams = one_as_squares(shape)
        assert grams is not None
        assert min(np.linalg.eigvalsh(gram)[0] for gram in grams) > 1e-6


def test_a_proof_states_the_cliques_and_the_verifier_reads_them() -> None:
    game = network(nx.path_graph(6), curvature=60)
    found = decompose(*parts_of(game))
    assert found is not None
    part = prove_sparsely(found.program()).bound.part
    assert part is not None
    assert part.cliques is not None
    assert [clique.rows for clique in part.cliques] == [(k, k + 1) for k in range(5)]


@pytest.mark.slow
def test_of_2_000_edits_of_proofs_by_cliques_only_confirmed_ones_are_accepted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    boxes = {"P": sg.Box({"x": (0, 1)}), "Q": sg.Simplex(["y", "w"]), "R": sg.Box({"z": (-1, 1)})}
    mixed = sg.Game({"P": "x*y - x**2", "Q": "y*z - 2*y**2 - w**2", "R": "-z**2"}, boxes)
    ring, path = network(nx.cycle_graph(3), curvature=40), network(nx.path_graph(3))
    games = {"ring": ring, "path": path, "mixed": mixed}
    cases = []
    for name, game in games.items():
        proof = sg.certify(game, structure="cliques").lower_proof
        assert proof is not None
        cases.append(Case(name, proof.to_dict(), game.exact))
    counts = survey(cases, 2_000)
    assert counts.total() == 2_000
    assert sum(n for kind, n in counts.items() if kind.startswith("refused")) > 1_500
    with capsys.disabled():
        print("\n" + "; ".join(f"{n:,} {kind}" for kind, n in counts.most_common()))


def test_changed_payoffs_keep_every_index_map() -> None:
    ring = nx.cycle_graph(5)
    first, second = network(ring, seed=1), network(ring, seed=2, curvature=40)
    found, anew = decompose(*parts_of(first)), decompose(*parts_of(second))
    assert found is not None
    assert anew is not None
    program = found.program()
    swept = program.with_matrix(parts_of(second)[0])
    assert swept.coefficients is program.coefficients
    part = prove_sparsely(swept).bound.part
    assert part == prove_sparsely(anew.program()).bound.part
    assert part is not None
    assert sg.verify(ModulusProof("monotone", second.variables, (part,)), second).mu == part.mu
    with pytest.raises(sg.InputError, match="other rows or terms"):
        program.with_matrix(parts_of(network(nx.path_graph(6)))[0])
    with pytest.raises(sg.InputError, match="other rows or terms"):
        program.with_matrix(parts_of(network(nx.complete_graph(5)))[0])


def test_the_time_of_verification_is_reported_and_survives_saving() -> None:
    result = sg.certify(network(nx.path_graph(3), curvature=40))
    assert 0 < result.verification_seconds < result.seconds
    again = sg.Certification.from_dict(result.to_dict(), result.problem)
    assert again.verification_seconds == result.verification_seconds


@pytest.mark.slow
def test_a_large_polymatrix_game_of_constant_matrix_goes_by_cliques() -> None:
    """2 on the diagonal and 3/4 beside it around an odd ring: smallest eigenvalue 2 - 3/2 cos(pi/n)."""
    n = 211
    x = [f"x{k}" for k in range(n)]
    utilities = {
        str(k): f"-{x[k]}**2 - 3*{x[k]}*{x[k - 1]}/4 - 3*{x[k]}*{x[(k + 1) % n]}/4" for k in range(n)
    }
    game = sg.Game(utilities, {str(k): sg.Box({x[k]: (-1, 1)}) for k in range(n)})
    result = sg.certify(game)
    assert result.brackets[0].rung == "cliques"
    assert result.lower is not None
    assert result.upper is not None
    assert 0.5 - 1e-4 < result.lower <= 2 - 1.5 * np.cos(np.pi / n) <= result.upper
