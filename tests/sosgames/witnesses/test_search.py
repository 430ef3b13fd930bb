"""Witnesses are exact, lie in X exactly, and come close to the smallest value there is."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sosgames.certificates import proofs
from sosgames.certificates.constraints import Constraint
from sosgames.certificates.games import ExactGame, ExactPlayer, MatrixProblem
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import Ball, Box, Constraints, ProbabilitySimplex, Simplex, Space
from sosgames.certificates.tangents import affine_equations, is_tangent, tangent_basis
from sosgames.certificates.verifier import verify
from sosgames.witnesses import Witness, find_witness
from sosgames.witnesses.compiled import CompiledMatrix, CompiledPolynomials
from sosgames.witnesses.feasible import feasible_set
from sosgames.witnesses.snapping import snapped_points, snapped_vectors
from sosgames.witnesses.starts import starting_points

x, y, z = (Polynomial.variable(name) for name in "xyz")
ONE = Polynomial.constant(1)


def search(rows, *sets, **options) -> tuple[Witness | None, MatrixProblem]:
    problem = MatrixProblem(rows, tuple(dict.fromkeys(v for s in sets for v in s.variables)), sets)
    matrix = modulus_matrix(problem, "matrix")
    witness = find_witness(matrix, problem, **options)
    if witness is not None:
        assert all(constraint.holds(witness.x) for constraint in problem.constraints)
        assert set(witness.x) == set(problem.variables)
        assert matrix.form(witness.x, witness.y) / matrix.norm(witness.y) == witness.value
        found = proofs.Witness(witness.x, dict(zip(matrix.rows, witness.y, strict=True)))
        verify(proofs.RefutationProof("matrix", problem.variables, witness.value, (found,)), problem)
    return witness, problem


CASES = {
    # rows, sets, smallest value, its exact form where it is a small rational
    "vertex of a box": ([[5 - x * y]], [Box({"x": (0, 2), "y": (-1, "3/2")})], 2, Fraction(2)),
    "inside an interval": ([[x**2 - x]], [Box({"x": (0, 3)})], -0.25, Fraction(-1, 4)),
    "irrational minimiser": ([[x**4 - 4 * x**2]], [Box({"x": (0, 2)})], -4, None),
    "irrational eigenvalue": (
        [[2 + x, y], [y, 2 - x]],
        [Box({"x": (-1, 1), "y": (-1, 1)})],
        2 - 2**0.5,
        None,
    ),
    "vertex of a simplex": ([[2 - x**2 - y]], [Simplex(["x", "y"])], 1, Fraction(1)),
    "edge of a simplex": ([[1 - x * y]], [Simplex(["x", "y"])], 0.75, Fraction(3, 4)),
    "face of probabilities": (
        [[1 - x * y - y * z - x * z]],
        [ProbabilitySimplex(["x", "y", "z"])],
        2 / 3,
        Fraction(2, 3),
    ),
    "ball": ([[3 - x - y]], [Ball(["x", "y"], [0, 0], 2)], 1, Fraction(1)),
    "ball, irrational": ([[-x]], [Ball(["x", "y"], [0, 0], 2)], -(2**0.5), None),
    "half-line": ([[(x - 3) ** 2 + 1]], [Constraints([Constraint(x)])], 1, Fraction(1)),
    "everywhere": ([[(x - 5) ** 2 - y]], [Space(["x"]), Box({"y": (0, 1)})], -1, Fraction(-1)),
    "polytope": (
        [[-x - y]],
        [Constraints([Constraint(x), Constraint(y), Constraint(3 - 2 * x - y), Constraint(3 - x - 2 * y)])],
        -2,
        Fraction(-2),
    ),
    "odd power": ([[1 - 2 * x]], [Constraints([Constraint((1 - x**2) ** 3)])], -1, Fraction(-1)),
    "discrete set": ([[x**2 - x - 1]], [Constraints([Constraint(x**3 - x, "==")])], -1, Fraction(-1)),
    "graph of a function": (
        [[y - x]],
        [Constraints([Constraint(y - x**2, "=="), Constraint(4 - x**2)])],
        -0.25,
        Fraction(-1, 4),
    ),
    "hyperbola": (
        [[x + y]],
        [
            Constraints(
                [
                    Constraint(x * y - 1, "=="),
                    Constraint(x),
                    Constraint(y),
                    Constraint(9 - x),
                    Constraint(9 - y),
                ]
            )
        ],
        2,
        Fraction(2),
    ),
    "circle": ([[3 - x * y]], [Constraints([Constraint(x**2 + y**2 - 1, "==")])], 2.5, None),
    "point by equations": ([[x]], [Constraints([Constraint(3 * x - 1, "==")])], 1 / 3, Fraction(1, 3)),
    "line": ([[x**2 + y**2]], [Constraints([Constraint(x + y - 1, "==")])], 0.5, Fraction(1, 2)),
    "small units": ([[1 - x * 10**9]], [Box({"x": (0, Fraction(3, 10**9))})], -2, Fraction(-2)),
    "far away": ([[(x - 1000) ** 2]], [Box({"x": (999, 1003)})], 0, Fraction(0)),
    "single point": ([[x * y]], [Box({"x": ("1/3", "1/3"), "y": (0, 1)})], 0, Fraction(0)),
}


@pytest.mark.parametrize("name", CASES)
def test_the_smallest_value_is_found_exactly_where_it_is_simple(name: str) -> None:
    rows, sets, smallest, exact = CASES[name]
    witness, _ = search(rows, *sets)
    assert witness is not None
    assert float(witness.value) == pytest.approx(smallest, abs=2e-6)
    if exact is not None:
        assert witness.value == exact
    assert witness.value >= Fraction(smallest) - Fraction(1, 10**9)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**k) for k in range(3, 13, 3)])
def test_a_violation_by_epsilon_is_found_however_small(epsilon: Fraction) -> None:
    witness, _ = search([[(x**2 - 2) ** 2 - epsilon]], Box({"x": (-2, 2)}))
    assert witness is not None
    if epsilon >= Fraction(1, 10**9):
        assert witness.value < 0
    exact, _ = search([[(x**2 - 1) ** 2 - epsilon]], Box({"x": (-2, 2)}))
    assert exact is not None
    assert exact.value == -epsilon


def test_a_violation_in_a_small_region_is_found_by_descent() -> None:
    hidden = (x - Fraction(71, 100)) ** 2 + (y + Fraction(33, 100)) ** 2 - Fraction(1, 10**6)
    witness, _ = search([[hidden]], Box({"x": (-1, 1), "y": (-1, 1)}))
    assert witness is not None
    assert witness.value == Fraction(-1, 10**6)


def test_directions_stay_in_the_tangent_space_and_values_use_its_metric() -> None:
    names = ("a", "b", "c")
    a, b, c = (Polynomial.variable(n) for n in names)
    game = ExactGame((ExactPlayer("P", names, a * b * 3 - c**2, (ProbabilitySimplex(names),)),))
    matrix = modulus_matrix(game, "monotone")
    tangent = tangent_basis(game, names)
    witness = find_witness(matrix, game, tangent=tangent)
    assert witness is not None
    assert is_tangent(witness.y, affine_equations(game, names))
    assert matrix.form(witness.x, witness.y) / matrix.norm(witness.y) == witness.value
    B = np.array(tangent, dtype=float)
    M = np.array([[0, -3, 0], [-3, 0, 0], [0, 0, 2.0]])
    exact = np.linalg.eigvals(np.linalg.solve(B.T @ B, B.T @ M @ B)).real.min()
    assert float(witness.value) == pytest.approx(exact, abs=1e-9)


def test_a_set_without_points_or_directions_has_no_witness() -> None:
    assert search([[x]], Constraints([Constraint(-1 - x**2)]))[0] is None
    assert search([[x]], Constraints([Constraint(x - 2), Constraint(1 - x)]))[0] is None
    game = ExactGame((ExactPlayer("P", ("a",), Polynomial(), (ProbabilitySimplex(["a"]),)),))
    assert find_witness(modulus_matrix(game, "monotone"), game, tangent=((),)) is None


def test_variables_that_the_matrix_does_not_use_get_feasible_values_too() -> None:
    witness, _ = search([[1 - x]], Box({"x": (0, 1)}), Ball(["y", "z"], [5, 5], 1))
    assert witness is not None
    assert witness.value == 0


def test_the_same_call_gives_the_same_answer_and_a_generator_may_be_passed() -> None:
    names = [f"v{i}" for i in range(9)]
    variables = [Polynomial.variable(n) for n in names]
    form = sum((a * b for a, b in pairwise(variables)), ONE)
    first, second = (search([[form]], Box(dict.fromkeys(names, (-1, 1))))[0] for _ in range(2))
    assert first == second
    other, _ = search([[form]], Box(dict.fromkeys(names, (-1, 1))), rng=np.random.default_rng(5))
    assert other is not None
    assert other.value == -7


def test_many_variables_and_no_time_still_give_an_exact_point() -> None:
    names = [f"v{i}" for i in range(80)]
    total = sum((Polynomial.variable(n) ** 2 for n in names), Polynomial())
    for sets in ([Box(dict.fromkeys(names, (-1, 1)))], [Simplex(names)], [Ball(names, [0] * 80, 1)]):
        witness, _ = search([[5 + total]], *sets, time_limit=0.0)
        assert witness is not None
        assert witness.value <= 85


coefficients = st.integers(-3, 3)


def test_a_minimum_inside_is_found_though_the_best_corners_and_midpoints_are_all_tied() -> None:
    rows = [[Polynomial.constant(2), Polynomial()], [Polynomial(), x**3 - x]]
    problem = MatrixProblem(rows, ("x", "y"), (Box({"x": (-1, 1), "y": (0, 2)}),))
    witness = find_witness(modulus_matrix(problem, "matrix"), problem)
    assert witness is not None
    assert float(witness.value) == pytest.approx(-2 / 3 / 3**0.5, abs=1e-9)  # at x = 1 / sqrt(3)


@settings(max_examples=25, deadline=None)
@given(st.lists(coefficients, min_size=6, max_size=6))
def test_no_sampled_point_is_below_the_witness_of_a_cubic_matrix(c: list[int]) -> None:
    rows = [[c[0] * x**2 * y + c[1] * y + 2, c[2] * x * y], [c[2] * x * y, c[3] * x**3 + c[4] * x + c[5]]]
    problem = MatrixProblem(rows, ("x", "y"), (Box({"x": (-1, 1), "y": (0, 2)}),))
    matrix = modulus_matrix(problem, "matrix")
    witness = find_witness(matrix, problem)
    assert witness is not None
    compiled = CompiledMatrix(matrix.entries, np.eye(2), ["x", "y"])
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, 41), np.linspace(0, 2, 41)), axis=-1).reshape(-1, 2)
    assert float(witness.value) <= compiled.smallest_eigenvalues(grid).min() + 1e-6


points = st.lists(st.floats(-1, 1), min_size=2, max_size=2).map(np.array)


@given(points)
def test_compiled_values_and_gradients_are_those_of_the_polynomials(point) -> None:
    polynomials = [x**3 * y - 2 * x + 1, y**2, Polynomial()]
    compiled = CompiledPolynomials(polynomials, ["x", "y"])
    at = {"x": Fraction(point[0]), "y": Fraction(point[1])}
    assert compiled.values(point[None, :])[0] == pytest.approx([float(p(at)) for p in polynomials])
    gradients = [[float(p.derivative(v)(at)) for p in polynomials] for v in "xy"]
    assert np.allclose(compiled.gradients(point), gradients)


@given(points)
def test_snapped_points_lie_in_the_set_and_come_close(point) -> None:
    feasible = feasible_set(("x", "y"), Ball(["x", "y"], [0, 0], 2).constraints)
    point = point * 0.7
    snapped = list(snapped_points(feasible, point, {"x": Fraction(0), "y": Fraction(0)}))
    assert all(feasible.contains(p) for p in snapped)
    assert min(np.abs(feasible.scaled(p) - point).max() for p in snapped) < 0.2


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=4).filter(lambda v: max(map(abs, v)) > 1e-3))
def test_snapped_vectors_are_not_zero_and_come_close(vector: list[float]) -> None:
    array = np.array(vector)
    found = list(snapped_vectors(array))
    assert all(any(v) for v in found)
    wanted = array / array[np.argmax(np.abs(array))]
    distances = [np.abs(np.array([float(v) for v in vector]) - wanted).max() for vector in found]
    assert min(distances) < 1e-8
    assert all(max(vector) == 1 for vector in found)


def test_starting_points_of_a_product_are_products_of_its_factors() -> None:
    sets = [Box({"x": (0, 1)}), Simplex(["y", "z"])]
    feasible = feasible_set("xyz", [c for s in sets for c in s.constraints])
    found = starting_points(feasible, np.random.default_rng(0), 1000)
    assert len(found) == 3 * 7
    assert all(feasible.contains(found.point(i)) for i in range(len(found)))
    assert np.allclose([feasible.scaled(found.point(i)) for i in range(len(found))], found.scaled)
