"""The ladder of faces proves optima that have no interior, and nothing that is false by however little."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest

import sosgames as sg
from sosgames.certificates.games import MatrixProblem
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.proofs import ModulusProof
from sosgames.certificates.sets import Box, Constraints, Space
from sosgames.faces import FaceProof, FaceStatus, Rung, prove_exactly, prove_with_denominator
from sosgames.sos import build_program
from sosgames.witnesses import find_witness, points_near_value

x, y, z = (Polynomial.variable(name) for name in "xyz")
ZERO = Fraction(0)
Rows = Sequence[Sequence[Polynomial]]


def _problem(rows: Rows, *sets: object) -> MatrixProblem:
    names = tuple(dict.fromkeys(v for part in sets for v in part.variables))  # type: ignore[attr-defined]
    return MatrixProblem(tuple(map(tuple, rows)), names, sets)  # type: ignore[arg-type]


def _prove(
    problem: MatrixProblem, mu: Fraction = ZERO, level: int | None = None, *, zeros: bool = True
) -> FaceProof:
    matrix = modulus_matrix(problem, "matrix")
    program = build_program(matrix, problem, level, modulus=mu)
    witness = find_witness(matrix, problem)
    points = [*points_near_value(matrix, problem, mu), *([witness.x] if witness else [])] if zeros else []
    found = prove_exactly(program, mu, points)
    _check(problem, found)
    return found


def _check(problem: MatrixProblem, found: FaceProof) -> None:
    if found.part is not None:
        claim = sg.verify(ModulusProof("matrix", problem.variables, (found.part,)), problem)
        assert claim.mu == found.part.mu


def test_a_double_well_is_proved_at_zero_by_its_exact_zeros() -> None:
    found = _prove(_problem([[(x**2 - 1) ** 2]], Box({"x": (-2, 2)})))
    assert found.part is not None
    assert found.rung is not Rung.RANGE


@pytest.mark.parametrize("power", range(3, 13))
def test_a_double_well_lowered_by_epsilon_is_not_proved(power: int) -> None:
    problem = _problem([[(x**2 - 1) ** 2 - Fraction(1, 10**power)]], Space(["x"]))
    assert _prove(problem).part is None
    assert _prove(problem, zeros=False).part is None


def test_irrational_zeros_are_no_obstacle_when_the_range_is_rational() -> None:
    found = _prove(_problem([[(x**2 - 2) ** 2]], Space(["x"])), zeros=False)
    assert found.part is not None
    assert found.rung is Rung.RANGE


def test_a_sum_of_squares_over_the_real_numbers_only_is_not_proved() -> None:
    """The norm of x + ty + t^2 z, t a root of t^4 - t + 1: squares over R, not over Q (Scheiderer 2016)."""
    form = (
        x**4 + x * y**3 + y**4 - 3 * x**2 * y * z - 4 * x * y**2 * z + 2 * x**2 * z**2
        + x * z**3 + y * z**3 + z**4
    )  # fmt: skip
    found = _prove(_problem([[form]], Space(["x", "y", "z"])))
    assert found.part is None
    assert found.status is FaceStatus.INCONSISTENT


def test_a_matrix_with_vanishing_row_is_proved() -> None:
    rows = [[2 - x, Polynomial()], [Polynomial(), Polynomial()]]
    assert _prove(_problem(rows, Box({"x": (0, 1)}))).part is not None


def test_zeros_in_the_corners_of_a_box_cut_the_face() -> None:
    one = Polynomial.constant(1)
    rows = [[one, x, y], [x, one, z], [y, z, one]]
    half = (Fraction(-1, 2), Fraction(1, 2))
    found = _prove(_problem(rows, Box(dict.fromkeys("xyz", half))))
    assert found.part is not None
    assert found.rung is Rung.ZEROS


def test_a_linear_factor_gives_the_face_of_its_zero() -> None:
    rows = [[Polynomial.constant(2), Polynomial()], [Polynomial(), 4 * x]]
    assert _prove(_problem(rows, Box({"x": (0, 1)}))).part is not None


def test_an_optimum_other_than_zero_is_proved_too() -> None:
    found = _prove(_problem([[x**4 - x**2]], Box({"x": (-1, 1)})), Fraction(-1, 4))
    assert found.part is None or found.part.mu == Fraction(-1, 4)
    shifted = _prove(_problem([[x**4 - 2 * x**2]], Box({"x": (-1, 1)})), Fraction(-1))
    assert shifted.part is not None


def test_an_equation_that_restricts_the_points_takes_part() -> None:
    problem = _problem([[x**4 - 2 * x**2 + 1]], Space(["x"]), Constraints(["x**3 == x"]))
    assert _prove(problem).part is not None


CHOI = [
    [x**2 + 2 * y**2, -x * y, -x * z],
    [-x * y, y**2 + 2 * z**2, -y * z],
    [-x * z, -y * z, z**2 + 2 * x**2],
]


def test_chois_matrix_needs_a_denominator_and_is_proved_with_one() -> None:
    problem = _problem(CHOI, Box(dict.fromkeys("xyz", (-1, 1))))
    matrix = modulus_matrix(problem, "matrix")
    points = points_near_value(matrix, problem, ZERO)
    for level in (2, 4):
        assert _prove(problem, level=level).part is None
    assert points[0] == dict.fromkeys("xyz", ZERO)
    found = prove_with_denominator(matrix, problem, ZERO, points[0], points)
    _check(problem, found)
    assert found.part is not None
    assert found.rung is Rung.DENOMINATOR


def test_a_denominator_proves_nothing_about_its_own_zero() -> None:
    """x^2 (-1 - x^2) = (1 + x^2) (-x^2) on the single point {-x^2 >= 0}, where -1 - x^2 is negative."""
    problem = _problem([[-1 - x**2]], Constraints(["-x**2 >= 0"]))
    matrix = modulus_matrix(problem, "matrix")
    found = prove_with_denominator(matrix, problem, ZERO, {"x": ZERO}, [])
    assert found.part is not None
    with pytest.raises(sg.CertificateError, match="not semidefinite at its zero"):
        sg.verify(ModulusProof("matrix", ("x",), (found.part,)), problem)
