"""One as a positive combination of all squares: an identity of polynomials, wherever it is known."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from sosgames.certificates.constraints import Constraint
from sosgames.certificates.games import MatrixProblem
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import (
    Ball,
    Box,
    Constraints,
    ProbabilitySimplex,
    Simplex,
    Space,
    StrategySet,
)
from sosgames.certificates.tangents import tangent_basis
from sosgames.sos import SosProgram, build_program
from sosgames.sos.exponents import exponents_of
from sosgames.sos.interior import interior_weights

x, y, z = (Polynomial.variable(name) for name in "xyz")

BOUNDED: dict[str, tuple[StrategySet, ...]] = {
    "intervals of any place and length": (Box({"x": (-1, 1), "y": (2, 9), "z": ("-1/3", 0)}),),
    "ball": (Ball(["x", "y", "z"], [0, "1/2", 1], "9/4"),),
    "interval and disc": (Box({"z": (-1, 1)}), Ball(["x", "y"], [0, 0], 4)),
    "conditions by hand": (Constraints([Constraint(4 - x**2 - 2 * y**2), Constraint(1 - z**2)]),),
    "a disc in a box": (Box({"x": (-1, 1), "y": (-1, 1), "z": (0, 1)}), Constraints([Constraint(1 - x**2)])),
}
OTHERS: dict[str, tuple[StrategySet, ...]] = {
    "simplex": (Simplex(["x", "y", "z"]),),
    "everywhere": (Space(["x", "y", "z"]),),
    "one variable without a bound": (Box({"x": (-1, 1), "y": (-1, 1)}), Space(["z"])),
    "probabilities": (ProbabilitySimplex(["x", "y", "z"]),),
    "a bound of degree 4": (Constraints([Constraint(1 - x**4 - y**4 - z**4)]),),
}


def program_on(sets: tuple[StrategySet, ...], level: int | None) -> SosProgram:
    """The matrix [[x^2 + 3, yz], [yz, y^2 + z^2 + 3]] on these sets."""
    problem = MatrixProblem(((x**2 + 3, y * z), (y * z, y**2 + z**2 + 3)), ("x", "y", "z"), sets)
    matrix = modulus_matrix(problem, "matrix")
    return build_program(matrix, problem, level, tangent=tangent_basis(problem, matrix.rows))


def values_of(program: SosProgram, generator: int, points: np.ndarray) -> np.ndarray:
    """A generator at points given in the program's coordinates."""
    if generator == 0:
        return np.ones(len(points))
    image = program.coordinates.to_coordinates(program.description.polynomial(generator))
    powers = exponents_of(image.terms, program.coordinates.names)
    monomials = np.prod(points[:, None, :] ** powers[None, :, :], axis=2)
    coefficients = [float(c * program.multiples[generator]) for c in image.terms.values()]
    return monomials @ np.array(coefficients)


@pytest.mark.parametrize("level", [2, 4, 6])
@pytest.mark.parametrize("sets", BOUNDED.values(), ids=BOUNDED)
def test_the_weights_are_positive_and_write_the_metric(sets: tuple[StrategySet, ...], level: int) -> None:
    program = program_on(sets, level)
    weights = interior_weights(program)
    points = np.random.default_rng(level).uniform(-2, 2, (20, 3))
    totals = np.zeros((20, 2))
    for block, diagonal in zip(program.blocks, weights, strict=True):
        assert len(diagonal) == block.side
        assert diagonal.min() > 0
        generator = values_of(program, block.generator, points)
        for row, exponents, weight in zip(block.rows, block.exponents, diagonal, strict=True):
            totals[:, row] += weight * generator * np.prod(points**exponents, axis=1) ** 2
    assert np.allclose(totals, 1.0)


@pytest.mark.parametrize("sets", OTHERS.values(), ids=OTHERS)
def test_elsewhere_no_weights_are_known(sets: tuple[StrategySet, ...]) -> None:
    assert interior_weights(program_on(sets, None)) is None


def test_rosens_weights_are_the_metric() -> None:
    problem = MatrixProblem(((x**2,),), ("x",), (Box({"x": (-1, 1)}),))
    matrix = modulus_matrix(problem, "matrix")
    program = build_program(replace(matrix, metric=(Fraction(7, 3),)), problem)
    at_zero = [
        weight
        for block, weights in zip(program.blocks, interior_weights(program), strict=True)
        for exponents, weight in zip(block.exponents, weights, strict=True)
        if not exponents.any()
    ]
    assert sum(at_zero) == pytest.approx(7 / 3)
