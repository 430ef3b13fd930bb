"""Between SymPy's expressions and exact polynomials, without rounding in either direction."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import sympy
from sympy.core.relational import Relational
from sympy.polys.polyerrors import BasePolynomialError
from sympy.polys.rings import ring

from sosgames.certificates.constraints import Constraint, variable_name
from sosgames.certificates.errors import InputError, shown
from sosgames.certificates.expressions import parse_expression
from sosgames.certificates.limits import MAX_DEGREE, check_size
from sosgames.certificates.polynomials import Monomial, Polynomial
from sosgames.certificates.rationals import exact
from sosgames.certificates.sets import as_constraints


def polynomial_from(value: Any, where: str = "expression") -> Polynomial:
    """The exact polynomial that a value stands for.

    Parameters
    ----------
    value
        A SymPy expression, a text by our own grammar, a number or a `Polynomial`. Floating-point numbers
        count at their exact binary value.
    where
        What the value is, for messages.

    Raises
    ------
    InputError
        When the value is no polynomial with rational coefficients, or passes a size limit.

    Notes
    -----
    Expanded by SymPy's sparse rings over the rationals; cost is that of expanding the expression.

    Examples
    --------
    >>> x, y = sympy.symbols("x y")
    >>> print(polynomial_from((x - y) ** 2 / 3))
    x**2/3 - 2*x*y/3 + y**2/3
    """
    if isinstance(value, Polynomial):
        return check_size(value, where)
    if isinstance(value, str):
        return parse_expression(value, None, where)
    if isinstance(value, sympy.Poly):
        value = value.as_expr()
    if not isinstance(value, sympy.Expr):
        return Polynomial.constant(exact(value, where))
    return check_size(_expanded(value, where), where)


def floats_in(value: Any) -> frozenset[Any]:
    """The floating-point numbers that occur in a SymPy expression or relation, or that are the value."""
    if isinstance(value, sympy.Basic):
        return frozenset(value.atoms(sympy.Float))
    return frozenset([value] if isinstance(value, float) else [])


def _expanded(expression: sympy.Basic, where: str) -> Polynomial:
    plain = _plain(expression)
    _refuse_huge_powers(plain, where)
    symbols = sorted(plain.free_symbols, key=str)
    try:
        polynomials, *_ = ring(symbols, sympy.QQ)
        terms = polynomials.from_expr(plain).terms()
    except (BasePolynomialError, ValueError, TypeError):
        raise InputError(
            f"{where}: {shown(str(expression))} is not a polynomial with rational coefficients; replace"
            " irrational numbers by fractions, and functions by polynomials."
        ) from None
    names = [variable_name(symbol, where) for symbol in symbols]
    return Polynomial({_monomial(names, exponents): _fraction(c) for exponents, c in terms})


def _plain(expression: sympy.Basic) -> sympy.Basic:
    """The same with exact numbers in place of floats, and symbols told apart by their names alone."""
    exact_numbers = {number: sympy.Rational(number) for number in expression.atoms(sympy.Float)}
    by_name = {symbol: sympy.Symbol(symbol.name) for symbol in expression.atoms(sympy.Symbol)}
    return expression.xreplace({**exact_numbers, **by_name})


def _refuse_huge_powers(expression: sympy.Basic, where: str) -> None:
    for power in expression.atoms(sympy.Pow):
        if power.exp.is_Integer and power.exp > MAX_DEGREE:
            raise InputError(
                f"{where}: the exponent {power.exp} is above {MAX_DEGREE}, the largest that is read."
            )


def _monomial(names: list[str], exponents: Iterable[int]) -> Monomial:
    return tuple((name, exponent) for name, exponent in zip(names, exponents, strict=True) if exponent)


def _fraction(number: Any) -> Fraction:
    return Fraction(int(sympy.QQ.numer(number)), int(sympy.QQ.denom(number)))


def expression_from(polynomial: Polynomial) -> sympy.Expr:
    """The SymPy expression of a polynomial, in plain symbols of the variables' names.

    >>> expression_from(polynomial_from("x*y/3 - 1"))
    x*y/3 - 1
    """
    return sympy.Add(
        *(
            sympy.Rational(c.numerator, c.denominator) * sympy.Mul(*(sympy.Symbol(n) ** e for n, e in m))
            for m, c in polynomial.terms.items()
        )
    )


@as_constraints.register
def _(item: Relational) -> list[Constraint]:
    where = f"Constraints, {shown(str(item))}"
    if isinstance(item, (sympy.StrictLessThan, sympy.StrictGreaterThan, sympy.Unequality)):
        raise InputError(f"{where}: strategy sets are closed, so write <=, >= or Eq.")
    left, right = polynomial_from(item.lhs, where), polynomial_from(item.rhs, where)
    if isinstance(item, sympy.Equality):
        return [Constraint(left - right, "==")]
    return [Constraint(left - right if isinstance(item, sympy.GreaterThan) else right - left)]
