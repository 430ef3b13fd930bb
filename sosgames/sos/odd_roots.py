"""Exact polynomial roots: g = h^k with k odd, so that g >= 0 describes the same set as h >= 0.

Without this step Stengle's description (1 - x^2)^3 >= 0 of an interval admits no certificate at any level.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from sosgames.certificates.polynomials import Monomial, Polynomial, monomial_degree


def odd_root(polynomial: Polynomial) -> tuple[Polynomial, int] | None:
    """The pair (h, k) with h**k == polynomial and the largest odd k >= 3, or None.

    >>> x = Polynomial.variable("x")
    >>> h, k = odd_root((1 - x**2) ** 3)
    >>> str(h), k
    ('-x**2 + 1', 3)
    """
    degree = polynomial.degree
    for k in range(degree - (degree % 2 == 0), 2, -2):
        if degree % k == 0 and (root := exact_root(polynomial, k)) is not None:
            return root, k
    return None


def exact_root(polynomial: Polynomial, k: int) -> Polynomial | None:
    """The polynomial h with rational coefficients and h**k == polynomial for odd k, or None.

    The leading term of h (lexicographic order) is the root of the leading term; each further term is the
    next remainder's leading term divided by k lead(h)^(k-1), as in long division.
    """
    if not polynomial:
        return polynomial
    lead, coefficient = _leading(polynomial)
    first = _rational_root(coefficient, k)
    if first is None or any(exponent % k for _, exponent in lead):
        return None
    root_lead: Monomial = tuple((name, exponent // k) for name, exponent in lead)
    root = Polynomial({root_lead: first})
    divisor = tuple((name, exponent * (k - 1)) for name, exponent in root_lead)
    bound = polynomial.degree // k
    previous = root_lead
    while remainder := polynomial - root**k:
        monomial, c = _leading(remainder)
        quotient = _divide(monomial, divisor)
        if quotient is None or monomial_degree(quotient) > bound or not _before(quotient, previous):
            return None
        root = root + Polynomial({quotient: c / (k * first ** (k - 1))})
        previous = quotient
    return root


def _key(monomial: Monomial, names: tuple[str, ...]) -> tuple[int, ...]:
    exponents = dict(monomial)
    return tuple(exponents.get(name, 0) for name in names)


def _leading(polynomial: Polynomial) -> tuple[Monomial, Fraction]:
    names = tuple(sorted(polynomial.variables))
    return max(polynomial.terms.items(), key=lambda term: _key(term[0], names))


def _before(a: Monomial, b: Monomial) -> bool:
    """Whether a < b in the lexicographic order, so that long division goes down and ends."""
    names = tuple(sorted({name for name, _ in a + b}))
    return _key(a, names) < _key(b, names)


def _divide(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    exponents = dict(monomial)
    for name, exponent in divisor:
        exponents[name] = exponents.get(name, 0) - exponent
        if exponents[name] < 0:
            return None
    return tuple(sorted((name, e) for name, e in exponents.items() if e))


def _rational_root(value: Fraction, k: int) -> Fraction | None:
    p, q = _integer_root(abs(value.numerator), k), _integer_root(value.denominator, k)
    if p is None or q is None:
        return None
    return Fraction(p, q) if value > 0 else -Fraction(p, q)


def _integer_root(value: int, k: int) -> int | None:
    """The k-th root of a non-negative integer, by Newton's method in integers, or None."""
    if value < 2:
        return value
    if k == 2:
        return isqrt(value) if isqrt(value) ** 2 == value else None
    root = 1 << -(-value.bit_length() // k)
    while (better := ((k - 1) * root + value // root ** (k - 1)) // k) < root:
        root = better
    return root if root**k == value else None
