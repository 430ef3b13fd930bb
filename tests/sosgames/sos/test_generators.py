"""Strong descriptions: what is derived, that each derivation is right, and that the set stays the same."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sosgames.certificates.constraints import Constraint
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import Ball, Box, ProbabilitySimplex, Simplex
from sosgames.sos.bounds import feasible_intervals, square_root_above
from sosgames.sos.generators import Description, relevant_variables, strong_description
from sosgames.sos.odd_roots import exact_root, odd_root

x, y, z = (Polynomial.variable(name) for name in "xyz")


def active(description: Description) -> set[Polynomial]:
    return {description.polynomial(index) for index in description.active}


def test_an_interval_is_described_by_the_product_of_its_faces() -> None:
    description = strong_description(Box({"x": (0, 3), "y": (-1, 1)}).constraints, "xy")
    assert active(description) == {x * (3 - x), (y + 1) * (1 - y)}


def test_an_interval_written_as_two_inequalities_is_recognised_and_idle_faces_are_left_out() -> None:
    written = [Constraint(x), Constraint(2 - 2 * x), Constraint(5 - x), Constraint(x + 7)]
    assert active(strong_description(written, "x")) == {x * (2 - 2 * x)}


def test_a_simplex_is_described_by_all_pair_products_of_its_faces() -> None:
    description = strong_description(Simplex(["x", "y"]).constraints, "xy")
    rest = 1 - x - y
    assert active(description) == {x * y, x * rest, y * rest}


def test_probabilities_are_described_by_pair_products_and_their_equation() -> None:
    description = strong_description(ProbabilitySimplex(["x", "y", "z"]).constraints, "xyz")
    assert active(description) == {x * y, x * z, y * z}
    assert [(k, str(p)) for k, p in description.equations] == [(3, "x + y + z - 1")]


def test_a_half_line_and_a_ball_stay_as_they_are() -> None:
    constraints = [Constraint(x), *Ball(["y", "z"], [0, 0], 4).constraints]
    assert active(strong_description(constraints, "xyz")) == {x, 4 - y**2 - z**2}


def test_an_unbounded_polyhedron_keeps_its_faces_beside_their_products() -> None:
    assert active(strong_description([Constraint(x), Constraint(y - x)], "xy")) == {x, y - x, x * (y - x)}


def test_half_lines_of_different_variables_are_paired_since_nothing_else_bounds_the_set() -> None:
    assert active(strong_description([Constraint(x), Constraint(y)], "xy")) == {x, y, x * y}


def test_cross_products_pair_the_faces_of_different_players() -> None:
    constraints = Box({"x": (0, 1), "y": (0, 1)}).constraints
    pairs = active(strong_description(constraints, "xy", cross_products=True))
    assert pairs == {x * (1 - x), y * (1 - y), x * y, x * (1 - y), (1 - x) * y, (1 - x) * (1 - y)}


def test_a_polytope_with_very_many_faces_keeps_them_and_pairs_only_parallel_ones() -> None:
    names = [f"v{i}" for i in range(31)]
    description = strong_description(Simplex(names).constraints, names)
    assert len(description.active) == 32


def test_odd_powers_are_reduced_and_then_recognised() -> None:
    description = strong_description([Constraint((1 - x**2) ** 3)], "x")
    assert active(description) == {1 - x**2}
    as_faces = strong_description([Constraint((1 - x) ** 3), Constraint((1 + x) ** 5)], "x")
    assert active(as_faces) == {(1 - x) * (1 + x)}


def test_each_derivation_gives_its_polynomial() -> None:
    constraints = [Constraint((1 - x) ** 3), Constraint(1 + x), *Simplex(["y", "z"]).constraints]
    description = strong_description(constraints, "xyz", cross_products=True)
    for number, generator in enumerate(description.generators, start=1):
        kind, indices = generator.derivation.kind, generator.derivation.indices
        assert all(kind == "constraint" or index < number for index in indices)
        if kind == "constraint":
            assert generator.polynomial == constraints[indices[0]].polynomial
        elif kind == "product":
            a, b = (description.polynomial(index) for index in indices)
            assert generator.polynomial == a * b
        else:
            assert generator.polynomial**generator.derivation.power == description.polynomial(indices[0])


def test_only_constraints_on_relevant_variables_enter() -> None:
    constraints = [Constraint(1 - x**2), Constraint(1 - y**2 - z**2)]
    assert relevant_variables({"y"}, constraints) == {"y", "z"}
    assert active(strong_description(constraints, {"y", "z"})) == {1 - y**2 - z**2}


coefficients = st.fractions(-5, 5, max_denominator=6)
small = st.dictionaries(
    st.sampled_from([(), (("x", 1),), (("y", 1),), (("x", 1), ("y", 1)), (("x", 2),)]),
    coefficients,
    max_size=4,
).map(Polynomial)


@given(small, st.sampled_from([3, 5, 7]))
def test_the_odd_root_of_an_odd_power_is_the_polynomial(h: Polynomial, k: int) -> None:
    assert exact_root(h**k, k) == h


@given(small, st.sampled_from([3, 5]))
def test_what_is_no_odd_power_has_no_root(h: Polynomial, k: int) -> None:
    found = odd_root(h**k + x * y**4 + 1)
    assert found is None or found[0] ** found[1] == h**k + x * y**4 + 1


@pytest.mark.parametrize("polynomial", [1 - x**2, (1 - x**2) ** 2, x**3 + 1, 2 * x**3, x**9 + x, 1 - x])
def test_polynomials_without_an_odd_root_are_left_alone(polynomial: Polynomial) -> None:
    assert odd_root(polynomial) is None


def test_intervals_come_from_faces_simplices_and_balls() -> None:
    faces = [c.polynomial for c in Simplex(["x", "y"]).constraints]
    faces += [c.polynomial for c in Ball(["z"], ["1/2"], "9/4").constraints]
    half = Fraction(1, 2)
    assert feasible_intervals(faces, []) == {"x": (0, 1), "y": (0, 1), "z": (half - Fraction(3, 2), 2)}
    assert feasible_intervals([x, y], [x + y - 1]) == {"x": (0, 1), "y": (0, 1)}
    assert feasible_intervals([x - 3], []) == {"x": (3, None)}


@given(st.fractions(0, 10**6, max_denominator=10**6))
def test_a_square_root_is_rounded_up_and_close(value: Fraction) -> None:
    root = square_root_above(value)
    assert root**2 >= value
    assert float(root) <= float(value) ** 0.5 + 2e-6
