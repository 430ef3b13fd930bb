"""Polynomial arithmetic against SymPy's."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from sosgames.certificates.polynomials import Polynomial

NAMES = ("x", "y", "z_1")
monomials = st.dictionaries(st.sampled_from(NAMES), st.integers(1, 2)).map(lambda d: tuple(sorted(d.items())))
polynomials = st.dictionaries(monomials, st.fractions(-9, 9, max_denominator=50), max_size=4).map(Polynomial)


def to_sympy(p: Polynomial) -> sympy.Expr:
    return sympy.Add(
        *(
            sympy.Rational(c.numerator, c.denominator) * sympy.Mul(*(sympy.Symbol(n) ** e for n, e in m))
            for m, c in p.terms.items()
        )
    )


def same(p: Polynomial, expression: sympy.Expr) -> bool:
    return bool(sympy.expand(to_sympy(p) - expression) == 0)


@given(polynomials, polynomials, st.fractions(max_denominator=9))
def test_sums_and_products_are_those_of_sympy(p: Polynomial, q: Polynomial, c: Fraction) -> None:
    number = sympy.Rational(c.numerator, c.denominator)
    assert same(p + q, to_sympy(p) + to_sympy(q))
    assert same(p - q, to_sympy(p) - to_sympy(q))
    assert same(p * q, to_sympy(p) * to_sympy(q))
    assert same(c - p * c, number - to_sympy(p) * number)


@given(polynomials, st.integers(0, 5))
def test_a_power_is_the_repeated_product(p: Polynomial, exponent: int) -> None:
    expected = Polynomial.constant(1)
    for _ in range(exponent):
        expected = expected * p
    assert p**exponent == expected


def test_a_negative_power_is_refused() -> None:
    with pytest.raises(ValueError, match="-1"):
        Polynomial.variable("x") ** -1


@given(polynomials, st.sampled_from(NAMES))
def test_derivatives_are_those_of_sympy(p: Polynomial, name: str) -> None:
    assert same(p.derivative(name), sympy.diff(to_sympy(p), sympy.Symbol(name)))


@settings(max_examples=40)
@given(polynomials, polynomials, polynomials)
def test_substitution_and_evaluation_agree(p: Polynomial, q: Polynomial, r: Polynomial) -> None:
    point = {"x": Fraction(2), "y": Fraction(-1, 3), "z_1": Fraction(5, 2)}
    replaced = p.substitute({"x": q, "y": r})
    assert replaced(point) == p({**point, "x": q(point), "y": r(point)})
    assert same(p.substitute({"x": q}), to_sympy(p).subs(sympy.Symbol("x"), to_sympy(q)))


@given(polynomials)
def test_zero_coefficients_are_never_stored(p: Polynomial) -> None:
    assert not (p - p).terms
    assert all((p * p).terms.values())
    assert (p == 0) is (not p)
