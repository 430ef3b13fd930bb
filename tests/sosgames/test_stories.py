"""What people ran into with other tools, each with its right answer."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy
from sympy.abc import x, y, z

import sosgames as sg
from sosgames.results import Certification

CERTIFIED, REFUTED = sg.Verdict.CERTIFIED, sg.Verdict.REFUTED


def _scalar(polynomial: sympy.Expr, *sets: object, **limits: object) -> Certification:
    return sg.certify_matrix(sympy.Matrix([[polynomial]]), sets, **limits)


@pytest.mark.parametrize("power", [3, 5, 7, 8, 10])
def test_a_double_well_lowered_by_epsilon_is_refuted_or_open_and_never_certified(power: int) -> None:
    epsilon = sympy.Rational(1, 10**power)
    result = _scalar((x**2 - 1) ** 2 - epsilon, sg.Space([x]))
    assert result.verdict is not CERTIFIED
    assert result.lower is None or result.lower <= Fraction(-1, 10**power)


def test_the_double_well_itself_is_certified_at_zero() -> None:
    result = _scalar((x**2 - 1) ** 2, sg.Space([x]))
    assert result.lower == result.upper == 0


def test_an_odd_top_degree_crashes_nothing_and_is_refuted() -> None:
    assert _scalar(x + x * y + x * y**2, sg.Space([x, y])).verdict is REFUTED


def test_a_bound_of_even_degree_on_an_interval_needs_no_advice_on_the_degree() -> None:
    result = _scalar(sympy.Rational(11, 10) - x**2, sg.Box({x: (-1, 1)}))
    assert result.strict is True
    assert result.lower == Fraction(1, 10)


def test_a_matrix_that_uses_three_of_four_monomials_is_certified() -> None:
    matrix = sympy.Matrix([[x**2 - 2 * x + 2, x], [x, x**2]])
    result = sg.certify_matrix(matrix, sg.Space([x]))
    assert result.verdict is CERTIFIED


def test_a_polynomial_on_a_finite_set_is_not_lost_by_reducing_it_first() -> None:
    result = _scalar(x**4 - 2 * x**2 + 1, sg.Constraints([sympy.Eq(x**3, x)]))
    assert result.verdict is CERTIFIED


def test_the_set_of_a_matrix_is_not_ignored() -> None:
    matrix = sympy.Matrix([[x, 0], [0, 1]])
    assert sg.certify_matrix(matrix, sg.Box({x: (0, 1)})).verdict is CERTIFIED
    assert sg.certify_matrix(matrix, sg.Box({x: (-1, 1)})).verdict is REFUTED


def test_plainly_negative_matrices_are_refuted_with_a_point_and_no_crash() -> None:
    for polynomial in (-1 - x**2, -(x**4), sympy.Integer(-1) + 0 * x):
        result = _scalar(polynomial, sg.Space([x]))
        assert result.verdict is not CERTIFIED
    assert _scalar(-1 - x**2, sg.Space([x])).verdict is REFUTED


@pytest.mark.parametrize("order", [(x, y, z), (z, x, y), (y, z, x)])
def test_the_order_of_the_variables_changes_nothing(order: tuple[sympy.Symbol, ...]) -> None:
    a, b, c = order
    matrix = sympy.Matrix([[1, a, b], [a, 1, c], [b, c, 1]])
    half = sympy.Rational(1, 2)
    result = sg.certify_matrix(matrix, sg.Box(dict.fromkeys((x, y, z), (-half, half))))
    assert result.lower == result.upper == 0


def test_coefficients_over_36_orders_of_magnitude_are_no_obstacle() -> None:
    tiny, huge = sympy.Rational(1, 10**18), sympy.Integer(10) ** 18
    result = _scalar(huge * x**4 + tiny, sg.Box({x: (-tiny, tiny)}))
    assert result.verdict is CERTIFIED


def test_motzkins_polynomial_without_multipliers_is_not_certified_by_a_solvers_word() -> None:
    motzkin = x**4 * y**2 + x**2 * y**4 - 3 * x**2 * y**2 + 1
    result = _scalar(motzkin, sg.Space([x, y]), level=6)
    assert result.verdict is not REFUTED
    assert result.lower is None or result.lower <= 0
    assert result.upper == 0


def test_an_odd_power_as_a_constraint_is_reduced() -> None:
    for odd in (3, 5):
        assert _scalar(1 - x**2, sg.Constraints([(1 - x**2) ** odd >= 0])).verdict is CERTIFIED


def quartic_cost(n: int, box: bool) -> sg.Game:
    """One player who minimises sum (l_k x)^4 + sum x_i^4 + sum x_i^2, whose Hessian is at least 2 I."""
    names = sympy.symbols(f"x0:{n}")
    rows = np.random.default_rng(0).integers(-2, 3, size=(n, n))
    lines = [sum(int(c) * v for c, v in zip(row, names, strict=True)) for row in rows]
    cost = sum(line**4 for line in lines) + sum(v**4 + v**2 for v in names)
    where = sg.Box(dict.fromkeys(names, (-1, 1))) if box else sg.Space(names)
    return sg.Game({"P": -cost}, {"P": where})


@pytest.mark.slow
@pytest.mark.parametrize("box", [True, False], ids=["box", "global"])
@pytest.mark.parametrize("n", [4, 6])
def test_a_quartic_cost_without_interior_is_proved_at_its_exact_modulus(n: int, box: bool) -> None:
    result = sg.certify(quartic_cost(n, box), "concave")
    assert result.lower == result.upper == 2
