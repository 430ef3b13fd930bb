"""Points read off the dual solution of a program: atoms are found, and bad moments do no harm."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sosgames.certificates.games import MatrixProblem
from sosgames.certificates.matrices import PolyMatrix, modulus_matrix
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import Ball, Box, ProbabilitySimplex, StrategySet
from sosgames.certificates.tangents import tangent_basis
from sosgames.conic.problem import FloatArray
from sosgames.conic.systems import modulus_system, program_scaling
from sosgames.rounding import prove
from sosgames.search import certify
from sosgames.solvers.registry import solve_system
from sosgames.sos import SosProgram, build_program
from sosgames.witnesses import find_witness, improved_witness
from sosgames.witnesses.moments import suggested_points

x, y = (Polynomial.variable(name) for name in "xy")
SQUARE = Box({"x": (-1, 1), "y": (-1, 1)})


def problem_of(rows: list[list[Polynomial]], *sets: StrategySet) -> tuple[MatrixProblem, PolyMatrix]:
    names = tuple(v for s in sets for v in s.variables)
    problem = MatrixProblem(tuple(map(tuple, rows)), names, sets)
    return problem, modulus_matrix(problem, "matrix")


def solved(problem: MatrixProblem, matrix: PolyMatrix, solver: str) -> tuple[SosProgram, FloatArray]:
    program = build_program(matrix, problem, tangent=tangent_basis(problem, matrix.rows))
    _, solution = solve_system(modulus_system(program, program_scaling(program)), solver)
    assert solution is not None
    assert solution.moments is not None
    return program, solution.moments


def corner_form(n: int, seed: int) -> tuple[MatrixProblem, int]:
    """A concave quadratic form on a cube, and its smallest value, from all corners."""
    rng = np.random.default_rng(seed)
    factor, linear = rng.integers(-5, 6, (n, n)), rng.integers(-20, 21, n)
    form = factor @ factor.T
    signs = np.array(list(product((-1, 1), repeat=n)))
    smallest = int((signs @ linear - ((signs @ form) * signs).sum(axis=1)).min())
    v = [Polynomial.variable(f"x{i}") for i in range(n)]
    total = sum((a * int(c) for a, c in zip(v, linear, strict=True)), Polynomial())
    for i, j in product(range(n), repeat=2):
        total = total - v[i] * v[j] * int(form[i, j])
    return problem_of([[total]], Box({f"x{i}": (-1, 1) for i in range(n)}))[0], smallest


@pytest.mark.parametrize("solver", ["clarabel", "scs", "interior"])
def test_the_two_minimisers_of_an_even_matrix_are_told_apart(solver: str) -> None:
    problem, matrix = problem_of([[1 - x * y, x + y], [x + y, 2 - x**2]], SQUARE)
    points = suggested_points(*solved(problem, matrix, solver), np.random.default_rng(0))
    mean, both = points[0], points[np.abs(points).min(axis=1) > 0.5][:2]
    assert np.allclose(mean, 0, atol=1e-4)
    assert np.allclose(both[0], -both[1], atol=1e-4)
    signs = {tuple(np.sign(point)) for point in both}
    assert signs == {(1, 1), (-1, -1)}
    found = find_witness(matrix, problem)
    assert tuple(map(float, found.x.values())) in signs


@pytest.mark.parametrize("solver", ["clarabel", "scs", "interior"])
def test_the_minimiser_of_a_quartic_is_the_mean_and_the_atom(solver: str) -> None:
    quartic = (x**2 - Fraction(1, 4)) ** 2 + (y**2 - Fraction(1, 9)) ** 2 + x / 50 - y / 50 + x * y / 7
    problem, matrix = problem_of([[quartic]], SQUARE)
    points = suggested_points(*solved(problem, matrix, solver), np.random.default_rng(0))
    at = {name: float(v) for name, v in find_witness(matrix, problem).x.items()}
    assert np.allclose(points[:2], [[at["x"], at["y"]]], atol=1e-3)


def test_a_corner_that_the_search_misses_is_found_by_the_moments() -> None:
    found_alone, found = 0, 0
    for seed in range(6):
        problem, smallest = corner_form(12, seed)
        matrix = modulus_matrix(problem, "matrix")
        alone = find_witness(matrix, problem)
        program = build_program(matrix, problem)
        guided = improved_witness(alone, matrix, problem, program, prove(program).moments)
        assert smallest <= guided.value <= alone.value
        found_alone += alone.value == smallest
        found += guided.value == smallest
    assert found_alone < found >= 4


def test_certify_refutes_by_a_corner_that_only_the_moments_show() -> None:
    for seed in range(6):
        problem, smallest = corner_form(12, seed)
        rows = ((problem.rows[0][0] - smallest - Fraction(1, 10),),)
        shifted = MatrixProblem(rows, problem.variables, problem.strategies)
        if find_witness(modulus_matrix(shifted, "matrix"), shifted).value > 0:
            result = certify(shifted, "matrix", level=2)
            assert result.upper == Fraction(-1, 10)
            result.verify()
            return
    pytest.fail("the search alone found all corners: nothing was tested")


@pytest.mark.parametrize("seed", range(5))
def test_moments_without_meaning_leave_a_witness_that_is_exact_and_no_worse(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for rows, sets in (
        ([[2 - x * y, x], [x, 3 - y]], (SQUARE,)),
        ([[2 - x * y]], (Ball(["x", "y"], [0, 0], 2),)),
        ([[2 - x * y]], (ProbabilitySimplex(["x", "y"]),)),
    ):
        problem, matrix = problem_of(rows, *sets)
        program = build_program(matrix, problem)
        known = find_witness(matrix, problem)
        for moments in (rng.standard_normal(program.n_equations), np.full(program.n_equations, np.nan)):
            for before in (known, None):
                after = improved_witness(before, matrix, problem, program, moments)
                if after is None:
                    continue
                assert all(constraint.holds(after.x) for constraint in problem.constraints)
                assert matrix.form(after.x, after.y) / matrix.norm(after.y) == after.value
                assert before is None or after.value <= before.value
