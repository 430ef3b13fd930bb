"""Parts are exact identities with semidefinite Gram matrices, near the truth; what is false has none."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from sosgames.certificates.constraints import Constraint
from sosgames.certificates.definite import congruence_failure, semidefinite_failure
from sosgames.certificates.games import ExactGame, ExactPlayer, MatrixProblem
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.parts import Part
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.proofs import ModulusProof
from sosgames.certificates.sets import Ball, Box, Constraints, ProbabilitySimplex, Simplex, Space
from sosgames.certificates.tangents import tangent_basis
from sosgames.certificates.verifier import verify
from sosgames.rounding import ProofStatus, prove
from sosgames.sos import build_program

x, y, z = (Polynomial.variable(name) for name in "xyz")
ONE = Polynomial.constant(1)
UNIT = Box({"x": (-1, 1), "y": (-1, 1)})
INTERVAL = Box({"x": (-1, 1)})


def problem_of(rows, *sets) -> MatrixProblem:
    return MatrixProblem(rows, tuple(dict.fromkeys(v for s in sets for v in s.variables)), sets)


def grams_are_semidefinite(part: Part) -> bool:
    failures = [
        semidefinite_failure(b.gram) if b.congruence is None else congruence_failure(b.gram, b.congruence)
        for b in part.blocks
    ]
    return all(failure is None for failure in failures)


CASES = {
    # name: rows, sets, largest modulus, level
    "quadratic on an interval": (((2 - x**2,),), [INTERVAL], 1, None),
    "shifted interval": (((x * (10 - x),),), [Box({"x": (1, 8)})], 9, None),
    "interval far away": (((x - 1000,),), [Box({"x": (1001, "1003.5")})], 1, None),
    "long interval": (((x**2 / 100,),), [Box({"x": (10, 100)})], 1, None),
    "matrix": (((2 + x, y), (y, 2 - x)), [UNIT], 2 - 2**0.5, None),
    "simplex": (((2 - x**2 - y**2,),), [Simplex(["x", "y"])], 1, None),
    "simplex of odd degree": (((1 - x * y + x**3,),), [Simplex(["x", "y"])], 22 / 27, 4),
    "ball": (((3 - x - y,),), [Ball(["x", "y"], ["1/2", 0], "1/2")], 1.5, None),
    "probabilities": (((1 - x * y - y * z - x * z,),), [ProbabilitySimplex(["x", "y", "z"])], 2 / 3, None),
    "odd power of a face": (
        ((x**2 / 2 + 1 - x**4 / 4,),),
        [Constraints([Constraint((1 - x**2) ** 3)])],
        1,
        None,
    ),
    "two inequalities": (
        ((4 - x * y,),),
        [Constraints([Constraint(2 - x**2), Constraint(1 - y**2)])],
        4 - 2**0.5,
        2,
    ),
    "equation": (((5 - x - x**2,),), [Constraints([Constraint(x**3 - x, "==")])], 3, 4),
    "plane and disc": (
        ((3 - x - y,),),
        [Constraints([Constraint(x - y, "=="), Constraint(2 - x**2 - y**2)])],
        1,
        None,
    ),
    "half-line": (((x + 3,),), [Constraints([Constraint(x - 1)])], 4, None),
    "quadrant": (((x * y + 1,),), [Constraints([Constraint(x), Constraint(y)])], 1, None),
    "cubic condition": (((x + 2,),), [Constraints([Constraint(x**3 + 1), Constraint(1 - x)])], 1, None),
    "single point": (((2 - x * y,),), [Box({"x": (1, 1), "y": ("1/2", "1/2")})], 1.5, None),
    "point by equations": (((2 - x,),), [Constraints([Constraint(3 * x - 1, "==")])], 5 / 3, None),
    "global": (((x**4 - 4 * x + 7,),), [Space(["x"])], 4, None),
    "global matrix": (((x**2 + 2, x), (x, ONE * 2)), [Space(["x"])], 1, None),
}


@pytest.mark.parametrize("solver", ["clarabel", "scs", "interior"])
@pytest.mark.parametrize("name", CASES)
def test_a_proof_is_exact_and_close_to_the_optimum(name: str, solver: str, identity_holds) -> None:
    rows, sets, modulus, level = CASES[name]
    problem = problem_of(rows, *sets)
    matrix = modulus_matrix(problem, "matrix")
    bound = prove(build_program(matrix, problem, level), solver=solver)
    assert bound.status is ProofStatus.PROVED, bound.reason
    assert bound.part is not None
    assert bound.mu == bound.part.mu
    assert bound.mu <= Fraction(modulus + 2e-6)
    assert float(bound.mu) == pytest.approx(modulus, abs=2e-4 * (1 + abs(modulus)))
    assert identity_holds(bound.part, matrix, problem)
    assert grams_are_semidefinite(bound.part)
    assert verify(ModulusProof("matrix", problem.variables, (bound.part,)), problem).mu == bound.mu


def test_an_interior_target_is_proved_exactly(identity_holds) -> None:
    problem = problem_of(((2 - x**2,),), INTERVAL)
    matrix = modulus_matrix(problem, "matrix")
    bound = prove(build_program(matrix, problem), target=Fraction(2, 3))
    assert bound.part is not None
    assert bound.part.mu == Fraction(2, 3)
    assert identity_holds(bound.part, matrix, problem)
    assert grams_are_semidefinite(bound.part)


def test_directions_along_equations_are_measured_in_the_tangent_space(identity_holds) -> None:
    names = ("x", "y", "z")
    utility = -(x**2) - y**2 - z**2 - x * y * z + 5 * (x + y + z) ** 2
    game = ExactGame((ExactPlayer("P", names, utility, (ProbabilitySimplex(names),)),))
    matrix = modulus_matrix(game, "monotone")
    tangent = tangent_basis(game, names)
    bound = prove(build_program(matrix, game, tangent=tangent))
    assert bound.part is not None
    assert bound.part.chart is not None
    assert identity_holds(bound.part, matrix, game)
    assert grams_are_semidefinite(bound.part)
    assert verify(ModulusProof("monotone", game.variables, (bound.part,)), game).mu == bound.mu
    directions = np.array(tangent, dtype=float)
    points = np.random.default_rng(0).dirichlet([1, 1, 1], 4000)
    smallest = np.inf
    metric = directions.T @ directions
    for a, b, c in points:
        hessian = np.array([[-2, -c, -b], [-c, -2, -a], [-b, -a, -2]]) + 10
        compressed = -directions.T @ hessian @ directions
        smallest = min(smallest, np.linalg.eigvals(np.linalg.solve(metric, compressed)).real.min())
    assert float(bound.mu) <= smallest
    assert float(bound.mu) == pytest.approx(smallest, abs=0.02)


@pytest.mark.parametrize("bits", range(3, 40, 4))
def test_a_square_minus_epsilon_is_never_proved_non_negative(bits: int) -> None:
    for sets in ([Space(["x"])], [Box({"x": (-2, 2)})]):
        problem = problem_of((((x**2 - 1) ** 2 - Fraction(1, 2**bits),),), *sets)
        program = build_program(modulus_matrix(problem, "matrix"), problem)
        assert prove(program, target=Fraction(0)).part is None
        found = prove(program)
        assert found.mu is None or found.mu <= -Fraction(1, 2**bits)


def test_motzkin_has_no_proof_without_a_multiplier_whatever_the_solver_says() -> None:
    motzkin = x**4 * y**2 + x**2 * y**4 - 3 * x**2 * y**2 + 1
    problem = problem_of(((motzkin,),), Space(["x", "y"]))
    program = build_program(modulus_matrix(problem, "matrix"), problem)
    for solver in ("clarabel", "scs"):
        assert prove(program, solver=solver).part is None


def test_an_empty_set_proves_anything_and_says_so_in_an_identity(identity_holds) -> None:
    problem = problem_of(((x,),), Constraints([Constraint(-1 - x**2)]))
    matrix = modulus_matrix(problem, "matrix")
    bound = prove(build_program(matrix, problem), target=Fraction(100))
    assert bound.part is not None
    assert identity_holds(bound.part, matrix, problem)


@pytest.mark.parametrize("factor", [Fraction(1, 10**9), Fraction(1, 10**4), 10**4, 10**9], ids=float)
def test_the_bound_scales_with_the_matrix(factor: Fraction, identity_holds) -> None:
    rows = ((2 + x, y), (y, 2 - x))
    scaled = tuple(tuple(p * factor for p in row) for row in rows)
    bounds = []
    for entries in (rows, scaled):
        problem = problem_of(entries, UNIT)
        matrix = modulus_matrix(problem, "matrix")
        bound = prove(build_program(matrix, problem))
        assert bound.part is not None
        assert identity_holds(bound.part, matrix, problem)
        bounds.append(bound.mu)
    assert float(bounds[1]) == pytest.approx(float(bounds[0] * factor), rel=1e-5)


@pytest.mark.parametrize("unit", [10**3, 10**6, 10**9])
def test_rows_in_very_different_units_are_each_measured_in_their_own(unit: int, identity_holds) -> None:
    rows = ((unit * (2 + x), x), (x, (3 + y) / unit))
    problem = problem_of(rows, Box({"x": (0, 1), "y": (0, 1)}))
    matrix = modulus_matrix(problem, "matrix")
    bound = prove(build_program(matrix, problem))
    assert bound.part is not None
    assert identity_holds(bound.part, matrix, problem)
    low, off, high = unit * 3, 1, 3 / unit  # the smallest eigenvalue is at x = 1, y = 0
    exact = high - off**2 / low  # up to a relative error of 1 / unit**2
    assert float(bound.mu) == pytest.approx(exact, rel=1e-4)


@pytest.mark.parametrize("radius", [Fraction(1, 10**9), Fraction(1, 1000), 1000, 10**9], ids=float)
def test_the_bound_does_not_depend_on_the_units_of_the_variables(radius: Fraction) -> None:
    problem = problem_of(((2 + x / radius - (x / radius) ** 2,),), Box({"x": (-radius, radius)}))
    bound = prove(build_program(modulus_matrix(problem, "matrix"), problem))
    assert float(bound.mu) == pytest.approx(0.0, abs=1e-5)
    assert bound.mu <= 0


def test_the_order_of_variables_and_rows_does_not_matter() -> None:
    entries = {"x": 3 + x, "y": 4 - y**2, "z": 3 + x * y}
    cross = {("x", "y"): y * z, ("x", "z"): x / 2, ("y", "z"): x - z}
    bounds = []
    for order in permutations("xyz"):
        rows = tuple(
            tuple(entries[a] if a == b else cross[min(a, b), max(a, b)] for b in order) for a in order
        )
        problem = problem_of(rows, Box(dict.fromkeys(order, (-1, 1))))
        bounds.append(float(prove(build_program(modulus_matrix(problem, "matrix"), problem)).mu))
    assert bounds == pytest.approx([bounds[0]] * 6, abs=1e-4)


def test_coefficients_over_36_orders_of_magnitude_are_scaled_away(identity_holds) -> None:
    wide = x / 10**18
    problem = problem_of(((10**18 * (2 - wide**2),),), Box({"x": (-(10**18), 10**18)}))
    matrix = modulus_matrix(problem, "matrix")
    bound = prove(build_program(matrix, problem))
    assert bound.part is not None
    assert identity_holds(bound.part, matrix, problem)
    assert float(bound.mu) == pytest.approx(1e18, rel=1e-6)


def test_no_time_ends_at_once_and_is_no_proof_or_a_right_one() -> None:
    names = [f"v{i}" for i in range(4)]
    variables = [Polynomial.variable(name) for name in names]
    total = sum((v**4 - v for v in variables), Polynomial())
    problem = problem_of(((total,),), Box(dict.fromkeys(names, (-1, 1))))
    program = build_program(modulus_matrix(problem, "matrix"), problem, 8)
    bound = prove(program, time_limit=1e-6)
    assert bound.seconds < 20
    assert bound.mu is None or float(bound.mu) <= -4 * 0.472470393


def test_a_proof_from_an_inaccurate_solve_is_still_exact(identity_holds) -> None:
    problem = problem_of(((2 + x, y), (y, 2 - x)), UNIT)
    matrix = modulus_matrix(problem, "matrix")
    for solver in ("clarabel", "scs", "interior"):
        bound = prove(build_program(matrix, problem), solver=solver, tolerance=1e-2)
        assert bound.part is not None
        assert float(bound.mu) <= 2 - 2**0.5
        assert identity_holds(bound.part, matrix, problem)
        assert grams_are_semidefinite(bound.part)
