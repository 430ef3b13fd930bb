"""Affine coordinates: exact, undone exactly, and right about the equations that they use up."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sosgames.certificates.polynomials import Polynomial
from sosgames.sos.bases import MatrixShape
from sosgames.sos.coordinates import affine_coordinates, compose, divide_by_linear, solve_affine
from sosgames.sos.exponents import MonomialCode, exponents_of, monomial_of, monomials_up_to
from sosgames.sos.symmetry import ParitySpan, parity_span, split_by_character

x, y, z = (Polynomial.variable(name) for name in "xyz")
fractions = st.fractions(-3, 3, max_denominator=7)
monomials = st.dictionaries(st.sampled_from("xyz"), st.integers(1, 3)).map(lambda d: tuple(sorted(d.items())))
polynomials = st.dictionaries(monomials, fractions, max_size=5).map(Polynomial)
affine = st.tuples(*[fractions] * 4).map(lambda c: c[0] * x + c[1] * y + c[2] * z + c[3])


@given(polynomials, affine, affine)
def test_composition_is_substitution(p: Polynomial, first: Polynomial, second: Polynomial) -> None:
    values = {"x": first, "y": second}
    assert compose(p, values) == p.substitute(values)


@given(polynomials, st.lists(affine, max_size=2), fractions, fractions)
def test_coordinates_are_undone_exactly(p: Polynomial, equations, centre: Fraction, radius: Fraction) -> None:
    intervals = {"x": (centre - abs(radius), centre + abs(radius)), "y": (centre, None)}
    coordinates = affine_coordinates("xyz", list(enumerate(equations)), intervals)
    inside = coordinates.to_coordinates(p)
    assert inside.variables <= set(coordinates.names)
    assert coordinates.to_coordinates(coordinates.to_variables(inside)) == inside
    if not coordinates.solved:
        assert coordinates.to_variables(inside) == p


@given(polynomials, st.lists(affine, max_size=3))
def test_quotients_say_what_the_replacement_of_solved_variables_changed(p: Polynomial, equations) -> None:
    coordinates = affine_coordinates("xyz", list(enumerate(equations)), {})
    difference = p - coordinates.to_variables(coordinates.to_coordinates(p))
    total = Polynomial()
    for name, quotient in coordinates.quotients(p).items():
        combination = coordinates.solved[name].combination
        total = total + quotient * sum((c * equations[k] for k, c in combination.items()), Polynomial())
    assert total == difference


@given(st.lists(affine, max_size=4))
def test_solved_variables_are_the_combinations_that_they_claim(equations) -> None:
    for name, solved in solve_affine(enumerate(equations), "xyz").items():
        combined = sum((c * equations[k] for k, c in solved.combination.items()), Polynomial())
        assert Polynomial.variable(name) - solved.value == combined


@given(polynomials, fractions, fractions)
def test_division_by_a_linear_form_leaves_no_trace_of_its_variable(p: Polynomial, a, b) -> None:
    value = a * y + b
    remainder, quotient = divide_by_linear(p, "x", value)
    assert "x" not in remainder.variables
    assert remainder + quotient * (x - value) == p


def test_contradictory_equations_are_left_to_the_caller() -> None:
    assert list(solve_affine(enumerate([x - 1, x - 2, 2 * x - 2]), "x")) == ["x"]


def test_monomials_are_graded_and_complete_and_survive_the_round_trip() -> None:
    rows = monomials_up_to(3, 4)
    assert len(rows) == 35
    assert (rows.sum(axis=1)[:-1] <= rows.sum(axis=1)[1:]).all()
    names = ("x", "y", "z")
    assert (exponents_of([monomial_of(row, names) for row in rows], names) == rows).all()


@given(st.integers(1, 90), st.integers(0, 6))
def test_codes_add_when_monomials_multiply_and_never_collide(n: int, degree: int) -> None:
    rows = monomials_up_to(n, min(degree, 2 if n < 12 else 1))
    code = MonomialCode(n, 2 * degree + 2)
    codes = code.codes(rows)
    assert len(set(codes.tolist())) == len(rows)
    assert code.codes(rows[-1:] + rows[:1]).tolist() == [codes[-1] + codes[0]]


@given(st.lists(st.integers(0, 63), max_size=6), st.lists(st.integers(0, 63), min_size=2, max_size=2))
def test_parity_classes_are_cosets_of_the_span(vectors: list[int], pair: list[int]) -> None:
    members = {0}
    for vector in vectors:
        members |= {vector ^ member for member in members}
    span = ParitySpan(vectors)
    same = span.reduce(pair[0]) == span.reduce(pair[1])
    assert same == (pair[0] ^ pair[1] in members)
    for dtype in (np.int64, object):
        assert span.reduce_all(np.array(pair, dtype=dtype)).tolist() == [span.reduce(v) for v in pair]


def test_an_odd_monomial_off_the_diagonal_ties_rows_by_parity() -> None:
    shape = MatrixShape(2, ("x",), {(0, 1): exponents_of([(("x", 1),)], ("x",))})
    span = parity_span(shape, [])
    rows, exponents = exponents_of([(), (), (), ()], ("x",))[:, 0], monomials_up_to(1, 1)
    rows[2:] = 1
    classes = split_by_character(rows, exponents[[0, 1, 0, 1]], span, 2)
    assert sorted(c.tolist() for c in classes) == [[0, 3], [1, 2]]
