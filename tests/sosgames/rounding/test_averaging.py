"""Proofs by averages: sums of even powers need no solver, and others are left alone."""

from __future__ import annotations

from fractions import Fraction

import pytest

import sosgames as sg
from sosgames.certificates.games import MatrixProblem
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.proofs import ModulusProof
from sosgames.certificates.sets import Ball, Box, Simplex, StrategySet
from sosgames.rounding import prove_by_averaging
from sosgames.search.cliques import suitable_decomposition
from sosgames.search.limits import Limits
from sosgames.sos import SosProgram, build_program
from tests.sosgames.families import fourth_powers

x, y = (Polynomial.variable(name) for name in "xy")
SQUARE = Box({"x": (-1, 1), "y": (-3, 3)})


def program_of(polynomial: Polynomial, strategies: StrategySet, level: int | None = None) -> SosProgram:
    problem = MatrixProblem(((polynomial,),), ("x", "y"), (strategies,))
    return build_program(modulus_matrix(problem, "matrix"), problem, level)


@pytest.mark.parametrize("dense", [False, True], ids=["sparse", "dense"])
@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(1, 10**4)])
def test_fourth_powers_are_proved_just_below_their_modulus_without_a_solver(
    delta: Fraction, dense: bool
) -> None:
    game = fourth_powers(5, dense=dense, bounded=True)
    program = build_program(modulus_matrix(game, "monotone"), game)
    part = prove_by_averaging(program, Fraction(2), delta)
    assert part.mu == 2 - delta
    assert sg.verify(ModulusProof("monotone", game.variables, (part,)), game)


def test_a_modulus_that_is_too_large_is_never_proved() -> None:
    game = fourth_powers(4, bounded=True)
    program = build_program(modulus_matrix(game, "monotone"), game)
    assert prove_by_averaging(program, Fraction(2) + Fraction(1, 100), Fraction(1, 1000)) is None


def test_other_sets_and_averages_that_are_indefinite_are_left_to_the_solvers() -> None:
    convex = x**4 + y**4 + 1
    assert prove_by_averaging(program_of(convex, SQUARE), Fraction(1), Fraction(1, 10)) is not None
    disc = program_of(convex, Ball(["x", "y"], [0, 0], 1))
    assert prove_by_averaging(disc, Fraction(1), Fraction(1, 10)) is not None
    triangle = program_of(convex, Simplex(["x", "y"]))
    assert prove_by_averaging(triangle, Fraction(1), Fraction(1, 10)) is None
    bilinear = program_of(1 + x * y, Box({"x": (-1, 1), "y": (-1, 1)}))
    assert prove_by_averaging(bilinear, Fraction(0), Fraction(1, 10)) is None


def test_cliques_that_are_larger_together_than_the_whole_matrix_are_not_used() -> None:
    game = fourth_powers(12, bounded=True)
    assert suitable_decomposition(modulus_matrix(game, "monotone"), game, None, Limits()) is None


@pytest.mark.slow
def test_fourth_powers_in_twelve_variables_are_certified_on_the_box() -> None:
    result = sg.certify(fourth_powers(12, bounded=True), "concave")
    assert result.strict
    assert result.lower < 2 <= result.upper
    assert result.upper - result.lower <= Fraction(1, 400)
    assert result.brackets[0].rung == "averages"
