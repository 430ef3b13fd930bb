"""The forms of the identity and the cones of Gram matrices: what each proves, and that it is a proof."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import sympy
from sympy.abc import x, y, z

import sosgames as sg
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.parts import Product
from sosgames.certificates.polynomials import Polynomial
from sosgames.results import Certification, Stop
from sosgames.sos.generators import strong_description
from sosgames.sos.scalar import scalar_problem
from sosgames.sos.scales import natural_units
from tests.sosgames.families import Known, ball_player, potential_game, simplex_player, square_matrix

SQUARE = sg.Box({x: (0, 1), y: (0, 1)})
PRODUCT = sympy.Matrix([[x * y]])
MEANS = [{"form": "matrix"}, {"form": "schmuedgen"}, {"form": "scalar"}, {"cone": "sdsos"}, {"cone": "dsos"}]
NAMES = ["matrix", "schmuedgen", "scalar", "sdsos", "dsos"]


@pytest.mark.parametrize("means", MEANS, ids=NAMES)
@pytest.mark.parametrize(
    "known",
    [
        potential_game(random.Random(1), 2, Fraction(1)),
        simplex_player(random.Random(2), 2, Fraction(1, 3)),
        square_matrix(random.Random(3), 2, 2, Fraction(-1, 7)),
        ball_player(random.Random(4), 2, Fraction(0)),
    ],
    ids=["potential game", "simplex", "matrix", "ball"],
)
def test_every_form_and_cone_bounds_a_known_modulus_from_below(known: Known, means: dict[str, str]) -> None:
    result = sg.certify(known.problem, known.property, gap=1e-2, **means)
    result.verify()
    assert result.lower is not None
    assert result.lower <= known.modulus
    if "form" in means:
        assert known.modulus - result.lower < Fraction(1, 10)
        assert {bracket.form for bracket in result.brackets} == {means["form"]}


def test_products_of_conditions_prove_at_level_2_what_the_matrix_form_never_does() -> None:
    """On the unit square; sums of squares times x(1-x) and y(1-y) vanish too fast at the origin."""
    putinar = sg.certify_matrix(PRODUCT, SQUARE, form="matrix")
    assert putinar.verdict is sg.Verdict.UNDECIDED
    result = sg.certify_matrix(PRODUCT, SQUARE, form="schmuedgen")
    assert (result.lower, result.upper, result.level) == (0, 0, 2)
    part = result.lower_proof.parts[0] if result.lower_proof else None
    assert part is not None
    assert any(isinstance(generator, Product) for generator in part.generators)


def test_other_forms_help_where_the_matrix_form_leaves_the_verdict_open() -> None:
    result = sg.certify_matrix(PRODUCT, SQUARE)
    assert (result.lower, result.upper) == (0, 0)
    assert result.brackets[0].form == "schmuedgen"
    assert "schmuedgen form" in result.summary()
    again = Certification.from_dict(result.to_dict(), result.problem)
    assert again.brackets[0].form == "schmuedgen"


def test_one_level_that_is_asked_for_gets_no_help() -> None:
    assert sg.certify_matrix(PRODUCT, SQUARE, level=2).verdict is sg.Verdict.UNDECIDED


def test_the_scalar_form_is_near_choi_where_the_matrix_form_is_not() -> None:
    """Choi's matrix is positive semidefinite and no sum of squares (Choi 1975)."""
    choi = sympy.Matrix(
        [
            [x**2 + 2 * y**2, -x * y, -x * z],
            [-x * y, y**2 + 2 * z**2, -y * z],
            [-x * z, -y * z, z**2 + 2 * x**2],
        ]
    )
    box = sg.Box(dict.fromkeys((x, y, z), (-1, 1)))
    lower = {form: sg.certify_matrix(choi, box, form=form, level=6).lower for form in ("matrix", "scalar")}
    assert lower["matrix"] is not None
    assert lower["scalar"] is not None
    assert lower["matrix"] < Fraction(-1, 1000) < Fraction(-1, 10**5) < lower["scalar"] <= 0


def test_the_level_of_the_scalar_form_is_the_degree_of_the_utility() -> None:
    game = sg.Game(
        {"P": -(x**4) + x * y, "Q": -(y**4)}, {"P": sg.Box({x: (-1, 1)}), "Q": sg.Box({y: (-1, 1)})}
    )
    assert sg.certify(game, "concave", form="scalar").level == 4
    with pytest.raises(sg.InputError, match="at least 4"):
        sg.certify(game, "concave", form="scalar", level=2)


def test_the_scalar_form_keeps_to_tangent_directions() -> None:
    game = sg.Game({"P": x**3 - 2 * x * y - y**2 - x**2}, {"P": sg.ProbabilitySimplex([x, y])})
    scalar, matrix = (sg.certify(game, "concave", form=form) for form in ("scalar", "matrix"))
    scalar.verify()
    assert scalar.lower is not None
    assert matrix.lower is not None
    assert abs(scalar.lower - matrix.lower) < Fraction(1, 100)


def test_the_scalar_form_refuses_weights() -> None:
    game = sg.catalog("rosen1965-weights")
    with pytest.raises(sg.InputError, match="form='matrix'"):
        scalar_problem(modulus_matrix(game.exact, "monotone", weights={"P1": 1, "P2": 40}), game.exact)


def test_larger_cones_give_larger_bounds() -> None:
    known = potential_game(random.Random(5), 3, Fraction(1))
    bounds = [
        sg.certify(known.problem, level=2, cone=cone, gap=0.0).lower for cone in ("dsos", "sdsos", "sos")
    ]
    finite = [bound for bound in bounds if bound is not None]
    assert len(finite) == 3
    assert sorted(finite) == finite
    assert finite[0] < finite[2]


def test_no_form_proves_what_is_false_by_little() -> None:
    lowered = (x**2 - 1) ** 2 - sympy.Rational(1, 10**6)
    for means in MEANS:
        result = sg.certify_matrix(sympy.Matrix([[lowered]]), sg.Space([x]), **means)
        assert result.verdict is sg.Verdict.REFUTED


def test_names_that_are_not_known_are_refused_with_those_that_are() -> None:
    with pytest.raises(sg.InputError, match="auto, matrix, schmuedgen, scalar"):
        sg.certify_matrix(PRODUCT, SQUARE, form="putinar")
    with pytest.raises(sg.InputError, match="sos, sdsos, dsos"):
        sg.certify_matrix(PRODUCT, SQUARE, cone="psd")
    with pytest.raises(sg.InputError, match="form 'matrix'"):
        sg.certify(sg.catalog("rosen1965-weights"), weights="free", form="scalar")


def test_too_many_products_are_a_limit_with_advice() -> None:
    box = sg.Box({f"v{i}": (0, 1) for i in range(12)})
    with pytest.raises(sg.LimitError, match="lower the level"):
        strong_description(box.constraints, box.variables, product_degree=6)


def test_products_up_to_a_degree_are_all_there_and_no_others() -> None:
    a, b = Polynomial.variable("x"), Polynomial.variable("y")
    description = strong_description(SQUARE.constraints, ("x", "y"), product_degree=2)
    found = {description.polynomial(index) for index in description.active}
    faces = [a, 1 - a, b, 1 - b]
    assert found == {*faces, *(p * q for i, p in enumerate(faces) for q in faces[:i])}


def test_an_open_verdict_says_what_is_suspected() -> None:
    """Scheiderer's form is a sum of squares over the real numbers and not over the rational ones."""
    form = (
        x**4 + x * y**3 + y**4 - 3 * x**2 * y * z - 4 * x * y**2 * z + 2 * x**2 * z**2
        + x * z**3 + y * z**3 + z**4
    )  # fmt: skip
    result = sg.certify_matrix(sympy.Matrix([[form]]), sg.Space([x, y, z]))
    assert result.brackets[0].stop is Stop.REAL_SQUARES_ONLY
    assert "real numbers only" in result.summary()


def test_an_open_verdict_on_a_set_without_a_known_point_says_so() -> None:
    irrational = sg.Constraints(["x**2 == 2"])
    result = sg.certify_matrix(sympy.Matrix([[x**3 - 10]]), irrational)
    assert result.verdict is sg.Verdict.UNDECIDED
    assert result.brackets[0].stop is Stop.NO_POINT


def test_a_matrix_that_is_constant_along_the_set_needs_no_hierarchy() -> None:
    """The Hessian varies across the simplex's plane only."""
    game = sg.Game({"P": (x + y) ** 4 - (x - y) ** 2}, {"P": sg.ProbabilitySimplex([x, y])})
    result = sg.certify(game, "concave")
    assert result.brackets[0].rung == "constant"
    assert result.lower == result.upper == 4
    result.verify()


def test_points_with_rational_coordinates_on_an_equation_of_degree_two_are_found() -> None:
    two_points = sg.Constraints(["x**2 == 1/4", "x**2 <= 1/2"])
    result = sg.certify_matrix(sympy.Matrix([[x**2]]), two_points)
    assert result.lower == result.upper == Fraction(1, 4)


@pytest.mark.parametrize("shift", [-1, 0, 1], ids=["false by little", "zero", "true by little"])
@pytest.mark.parametrize("power", [3, 6, 9])
def test_coefficients_36_orders_of_magnitude_apart_are_decided(power: int, shift: int) -> None:
    """(m x^2 - 1/m)^2 is (x^2 - 1)^2 in another unit of x."""
    m = sympy.Integer(10) ** power
    modulus = Fraction(shift, 1000 * int(m) ** 2)
    well = (m * x**2 - 1 / m) ** 2 + sympy.Rational(modulus.numerator, modulus.denominator)
    result = sg.certify_matrix(sympy.Matrix([[well]]), sg.Space([x]))
    assert result.lower == result.upper == modulus
    result.verify()


def test_units_are_left_alone_where_coefficients_are_near_each_other() -> None:
    a, b = Polynomial.variable("x"), Polynomial.variable("y")
    assert natural_units([1000 * a**2 + b], ["x", "y"]) == {"x": 1, "y": 1}
    assert natural_units([10**8 * a**2 + b, Polynomial()], ["y"]) == {"y": 10**8}
    assert natural_units([10**8 * a**2 + b], []) == {}
