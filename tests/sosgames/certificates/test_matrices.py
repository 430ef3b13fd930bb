"""The matrix that a proof is about, computed from the problem; and the directions that count."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from sosgames.certificates.errors import CertificateError, InputError
from sosgames.certificates.games import ExactGame, ExactPlayer, MatrixProblem
from sosgames.certificates.matrices import congruent, modulus_matrix
from sosgames.certificates.parts import CoordinateChart, TangentChart
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import Box, Constraint, Constraints, ProbabilitySimplex, Space
from sosgames.certificates.tangents import affine_equations, check_chart, is_tangent, tangent_basis

NAMES = ("x1", "x2", "y1", "z1")
x1, x2, y1, z1 = (Polynomial.variable(name) for name in NAMES)


def box(*names: str) -> tuple[Box, ...]:
    return (Box(dict.fromkeys(names, (0, 1))),)


def three_players(u: Polynomial, v: Polynomial, w: Polynomial) -> ExactGame:
    return ExactGame(
        (
            ExactPlayer("P", ("x1", "x2"), u, box("x1", "x2")),
            ExactPlayer("Q", ("y1",), v, box("y1")),
            ExactPlayer("R", ("z1",), w, box("z1")),
        )
    )


monomials = st.lists(
    st.tuples(st.sampled_from(NAMES), st.integers(1, 3)), max_size=3, unique_by=lambda p: p[0]
)
polynomials = st.dictionaries(
    monomials.map(lambda m: tuple(sorted(m))), st.fractions(-5, 5, max_denominator=9), max_size=5
).map(Polynomial)
weightings = st.tuples(*[st.fractions(Fraction(1, 9), 5, max_denominator=9)] * 3)


def symbolic(polynomial: Polynomial) -> sympy.Expr:
    return sympy.sympify(
        sum(
            sympy.Rational(c.numerator, c.denominator) * sympy.prod(sympy.Symbol(n) ** e for n, e in m)
            for m, c in polynomial.terms.items()
        )
    )


@given(polynomials, polynomials, polynomials, weightings)
def test_the_monotone_matrix_is_minus_the_symmetric_weighted_jacobian(
    u: Polynomial, v: Polynomial, w: Polynomial, r: tuple[Fraction, ...]
) -> None:
    game = three_players(u, v, w)
    matrix = modulus_matrix(game, "monotone", weights=dict(zip("PQR", r, strict=True)))
    symbols = sympy.symbols(NAMES)
    rational = [sympy.Rational(weight.numerator, weight.denominator) for weight in r]
    field = sympy.Matrix(
        [
            rational[0] * symbolic(u).diff(symbols[0]),
            rational[0] * symbolic(u).diff(symbols[1]),
            rational[1] * symbolic(v).diff(symbols[2]),
            rational[2] * symbolic(w).diff(symbols[3]),
        ]
    )
    jacobian = field.jacobian(symbols)
    expected = -(jacobian + jacobian.T) / 2
    for a in range(4):
        for b in range(a, 4):
            entry = matrix.entries.get((a, b), Polynomial())
            assert sympy.expand(symbolic(entry) - expected[a, b]) == 0
    assert matrix.metric == (r[0], r[0], r[1], r[2])
    assert all(matrix.entries.values())


@given(polynomials)
def test_the_concave_matrix_is_minus_the_hessian_in_own_variables(u: Polynomial) -> None:
    game = three_players(u, Polynomial(), Polynomial())
    matrix = modulus_matrix(game, "concave", player="P")
    assert matrix.rows == ("x1", "x2")
    for a, b in [(0, 0), (0, 1), (1, 1)]:
        second = u.derivative(matrix.rows[a]).derivative(matrix.rows[b])
        assert matrix.entries.get((a, b), Polynomial()) == -second


@given(polynomials, polynomials, st.lists(st.fractions(-3, 3, max_denominator=5), min_size=8, max_size=8))
def test_the_form_of_a_congruent_matrix_is_the_form_along_the_basis(
    u: Polynomial, v: Polynomial, numbers: list[Fraction]
) -> None:
    matrix = modulus_matrix(three_players(u, v, u * v), "monotone")
    basis = [numbers[2 * a : 2 * a + 2] for a in range(4)]
    point = {name: Fraction(a - 1, 2) for a, name in enumerate(NAMES)}
    w = (Fraction(2), Fraction(-1, 3))
    y = [row[0] * w[0] + row[1] * w[1] for row in basis]
    small = congruent(matrix.entries, basis)
    assert all(a <= b for a, b in small)
    value = sum((1 if a == b else 2) * w[a] * w[b] * entry(point) for (a, b), entry in small.items())
    assert value == matrix.form(point, y)


def test_a_given_matrix_is_taken_as_it_is() -> None:
    problem = MatrixProblem(((x1, x2), (x2, Polynomial())), ("x1", "x2"), (Space(["x1", "x2"]),))
    matrix = modulus_matrix(problem, "matrix")
    assert (matrix.rows, matrix.entries) == (("1", "2"), {(0, 0): x1, (0, 1): x2})
    assert matrix.minus(Fraction(3)) == {(0, 0): x1 - 3, (0, 1): x2, (1, 1): Polynomial.constant(-3)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"property": "concave"}, "with a player"),
        ({"property": "concave", "player": "P", "weights": {"P": 1}}, "with a player"),
        ({"property": "concave", "player": "nobody"}, "no player 'nobody'"),
        ({"property": "monotone", "player": "P"}, "with a player"),
        ({"property": "monotone", "weights": {"P": 1, "Q": 1}}, "one to each"),
        ({"property": "monotone", "weights": {"P": 1, "Q": 1, "R": 0}}, "must be positive"),
        ({"property": "matrix"}, "with a player"),
    ],
)
def test_arguments_that_do_not_go_together_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        modulus_matrix(three_players(x1, y1, z1), **arguments)  # type: ignore[arg-type]


# -- directions -------------------------------------------------------------------------------------


def planar_game() -> ExactGame:
    """P's probabilities sum to 1; Q's strategies lie on 2 y1 + 3 y2 = 5, and y1 y2 = 1 bends nothing."""
    a, b = Polynomial.variable("y1"), Polynomial.variable("y2")
    plane = Constraints([Constraint(2 * a + 3 * b - 5, "=="), Constraint(a * b - 1, "==")])
    names = ("x1", "x2", "x3")
    return ExactGame(
        (
            ExactPlayer("P", names, x1 * y1, (ProbabilitySimplex(names),)),
            ExactPlayer("Q", ("y1", "y2"), x1 * y1, (plane,)),
        )
    )


def test_only_affine_equations_restrict_directions_and_each_its_own_player() -> None:
    game = planar_game()
    assert affine_equations(game, game.variables) == [{0: 1, 1: 1, 2: 1}, {3: 2, 4: 3}]
    assert affine_equations(game, ("y1", "y2")) == [{0: 2, 1: 3}]


def test_the_tangent_basis_spans_all_tangent_directions() -> None:
    game = planar_game()
    basis = tangent_basis(game, game.variables)
    assert basis == ((-1, -1, 0), (1, 0, 0), (0, 1, 0), (0, 0, -3), (0, 0, 2))
    equations = affine_equations(game, game.variables)
    check_chart(TangentChart(basis), equations, game.variables)
    assert is_tangent([Fraction(v) for v in (1, -1, 0, 3, -2)], equations)
    assert not is_tangent([Fraction(v) for v in (1, 0, 0, 0, 0)], equations)


def test_a_matrix_problem_and_a_box_have_no_tangent_basis() -> None:
    problem = MatrixProblem(((x1,),), ("x1",), (Constraints([Constraint(x1 - 1, "==")]),))
    assert tangent_basis(problem, ("1",)) is None
    assert tangent_basis(three_players(x1, y1, z1), NAMES) is None


@pytest.mark.parametrize(
    ("basis", "message"),
    [
        (((1,), (-1,), (0,)), "3 rows and 2 columns"),
        (((1, 1, 0), (-1, 0, 1), (0, -1, -1)), "3 rows and 2 columns"),
        (((1, 2), (-1, -2), (0, 0)), "linearly dependent"),
        (((1, 1), (-1, 0), (0, 0)), "leaves the tangent space"),
        (((1, 0), (-1, 0)), "3 rows and 2 columns"),
    ],
)
def test_a_basis_that_does_not_span_the_tangent_space_is_refused(
    basis: tuple[tuple[int, ...], ...], message: str
) -> None:
    rows = ("x1", "x2", "x3")
    with pytest.raises(CertificateError, match=message):
        check_chart(TangentChart(basis), affine_equations(planar_game(), rows), rows)


def test_eliminated_coordinates_follow_from_those_that_are_left() -> None:
    game = planar_game()
    equations = affine_equations(game, game.variables)
    basis, gone = check_chart(CoordinateChart(("x2", "y1")), equations, game.variables)
    assert gone == {1, 3}
    assert basis == [[1, 0, 0], [-1, -1, 0], [0, 1, 0], [0, 0, Fraction(-3, 2)], [0, 0, 1]]


@pytest.mark.parametrize("names", [("x1",), ("x1", "x2"), ("x1", "y1", "y2"), ("x1", "x1"), ("x1", "q"), ()])
def test_coordinates_that_the_equations_do_not_solve_for_are_refused(names: tuple[str, ...]) -> None:
    game = planar_game()
    equations = affine_equations(game, game.variables)
    with pytest.raises(CertificateError, match="chart"):
        check_chart(CoordinateChart(names), equations, game.variables)


def test_a_wrong_weight_is_shown_as_a_person_writes_it() -> None:
    game = ExactGame(
        (ExactPlayer("R", ("x",), Polynomial.variable("x"), (Box({"x": (0, 1)}),)),),
    )
    with pytest.raises(InputError, match="has weight -1/3; it must be positive"):
        modulus_matrix(game, "monotone", weights={"R": Fraction(-1, 3)})


def test_players_with_different_denominators_and_weights_add_up_to_the_matrix_of_their_sum() -> None:
    u, v = x1**2 * y1 / 6 + x1 * z1**3 / 35, x1 * y1**2 * 2 / 7 - y1**4 / 10
    game = three_players(u, v, Polynomial())
    weights = {"P": Fraction(3, 11), "Q": Fraction(5), "R": Fraction(1, 2)}
    matrix = modulus_matrix(game, "monotone", weights=weights)
    assert matrix.entries[0, 0] == -weights["P"] * u.derivative("x1").derivative("x1")
    mixed = weights["P"] * u.derivative("x1").derivative("y1") + 5 * v.derivative("y1").derivative("x1")
    assert matrix.entries[0, 2] == -mixed / 2


def test_second_derivatives_that_cancel_leave_no_entry() -> None:
    game = three_players(x1 * y1 * z1, -x1 * y1 * z1, Polynomial())
    assert (0, 2) not in modulus_matrix(game, "monotone").entries
