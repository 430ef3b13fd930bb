"""Exact sparse polynomials: the one representation from a game file to its proof.

A monomial is a tuple of ``(variable name, exponent)`` pairs, sorted by name, with exponents of at least 1;
the empty tuple is 1. A polynomial maps monomials to non-zero rational coefficients. Only what occurs is
stored, so that games with thousands of variables stay small.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

Monomial = tuple[tuple[str, int], ...]
ONE: Monomial = ()


def multiply_monomials(a: Monomial, b: Monomial) -> Monomial:
    """The product of two monomials, by one merge of their sorted pairs."""
    if not a:
        return b
    if not b:
        return a
    exponents = dict(a)
    for name, exponent in b:
        exponents[name] = exponents.get(name, 0) + exponent
    return tuple(sorted(exponents.items()))


def monomial_degree(monomial: Iterable[tuple[str, int]]) -> int:
    """Total degree."""
    degree = 0
    for _, exponent in monomial:
        degree += exponent
    return degree


class Polynomial:
    """A polynomial with rational coefficients, immutable by convention.

    ``terms`` maps monomials to non-zero `Fraction`. Equality is equality of polynomials.
    Cost: sums are linear, products quadratic in the number of terms.
    """

    __slots__ = ("terms",)

    terms: Mapping[Monomial, Fraction]

    def __init__(self, terms: Mapping[Monomial, Fraction | int] | None = None) -> None:
        self.terms = {m: c if type(c) is Fraction else Fraction(c) for m, c in (terms or {}).items() if c}

    @classmethod
    def constant(cls, value: Fraction | int) -> Polynomial:
        return cls({ONE: value})

    @classmethod
    def variable(cls, name: str) -> Polynomial:
        return cls({((name, 1),): 1})

    # -- arithmetic ---------------------------------------------------------------------------------

    def __add__(self, other: Polynomial | Fraction | int) -> Polynomial:
        terms = dict(self.terms)
        for monomial, coefficient in _terms_of(other):
            terms[monomial] = terms.get(monomial, Fraction(0)) + coefficient
        return Polynomial(terms)

    def __neg__(self) -> Polynomial:
        return Polynomial({m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Polynomial | Fraction | int) -> Polynomial:
        return self + (-other)

    def __mul__(self, other: Polynomial | Fraction | int) -> Polynomial:
        if not isinstance(other, Polynomial):
            return Polynomial({m: c * other for m, c in self.terms.items()})
        a, scale_a = cleared(self.terms)
        b, scale_b = cleared(other.terms)
        terms: dict[Monomial, int] = {}
        for m1, c1 in a:
            for m2, c2 in b:
                monomial = multiply_monomials(m1, m2)
                terms[monomial] = terms.get(monomial, 0) + c1 * c2
        scale = scale_a * scale_b
        return Polynomial({m: Fraction(c, scale) for m, c in terms.items()})

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: Fraction | int) -> Polynomial:
        return (-self) + other

    def __truediv__(self, number: Fraction | int) -> Polynomial:
        return self * (1 / Fraction(number))

    def __pow__(self, exponent: int) -> Polynomial:
        if exponent < 0:
            raise ValueError(f"the exponent is {exponent}; powers of polynomials start at 0")
        power, square = Polynomial.constant(1), self
        while exponent:
            if exponent & 1:
                power = power * square
            exponent >>= 1
            square = square * square if exponent else square
        return power

    # -- calculus and evaluation --------------------------------------------------------------------

    def derivative(self, name: str) -> Polynomial:
        """The partial derivative in one variable."""
        terms: dict[Monomial, Fraction] = {}
        for monomial, coefficient in self.terms.items():
            exponent = dict(monomial).get(name, 0)
            if exponent:
                lowered = tuple((n, e - (n == name)) for n, e in monomial if not (n == name and e == 1))
                terms[lowered] = coefficient * exponent
        return Polynomial(terms)

    def __call__(self, point: Mapping[str, Fraction | int]) -> Fraction:
        """The value at a point that names every variable of the polynomial."""
        powers: dict[tuple[str, int], tuple[int, int]] = {}
        sums: dict[int, int] = {}  # numerators by denominator: fractions are reduced once for each of these
        for monomial, coefficient in self.terms.items():
            numerator, denominator = coefficient.numerator, coefficient.denominator
            for factor in monomial:
                if factor not in powers:
                    power = Fraction(point[factor[0]]) ** factor[1]
                    powers[factor] = power.numerator, power.denominator
                above, below = powers[factor]
                numerator, denominator = numerator * above, denominator * below
            sums[denominator] = sums.get(denominator, 0) + numerator
        return sum((Fraction(above, below) for below, above in sums.items()), Fraction(0))

    def substitute(self, values: Mapping[str, Polynomial]) -> Polynomial:
        """Replace variables by polynomials; variables without a value stay."""
        total = Polynomial()
        for monomial, coefficient in self.terms.items():
            product = Polynomial.constant(coefficient)
            for name, exponent in monomial:
                product = product * values.get(name, Polynomial.variable(name)) ** exponent
            total = total + product
        return total

    # -- shape --------------------------------------------------------------------------------------

    @property
    def degree(self) -> int:
        """Total degree; 0 for constants and for the zero polynomial."""
        return max(map(monomial_degree, self.terms), default=0)

    def degree_in(self, names: Iterable[str]) -> int:
        """Degree in the variables given, all others taken as coefficients."""
        wanted = frozenset(names)
        return max((sum(e for n, e in m if n in wanted) for m in self.terms), default=0)

    @property
    def variables(self) -> frozenset[str]:
        return frozenset([name for monomial in self.terms for name, _ in monomial])

    @property
    def constant_term(self) -> Fraction:
        return self.terms.get(ONE, Fraction(0))

    def coefficient(self, monomial: Monomial) -> Fraction:
        return self.terms.get(monomial, Fraction(0))

    def is_constant(self) -> bool:
        return all(m == ONE for m in self.terms)

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (int, Fraction)):
            other = Polynomial.constant(other)
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __str__(self) -> str:
        """Python syntax in graded order; the expression reader reads it back to the same polynomial."""
        ordered = sorted(self.terms.items(), key=lambda term: _graded_place(term[0]))
        return _join_terms(ordered) if ordered else "0"

    def __repr__(self) -> str:
        return f"Polynomial({str(self)!r})"


def _terms_of(value: Polynomial | Fraction | int) -> Iterator[tuple[Monomial, Fraction]]:
    if isinstance(value, Polynomial):
        yield from value.terms.items()
    elif value:
        yield ONE, Fraction(value)


def _graded_place(monomial: Monomial) -> tuple[int, tuple[tuple[str, int], ...]]:
    """Sorts high degrees first and, within a degree, high powers of early names first."""
    return -monomial_degree(monomial), tuple((name, -exponent) for name, exponent in monomial)


def cleared(terms: Mapping[Monomial, Fraction]) -> tuple[list[tuple[Monomial, int]], int]:
    """Integer coefficients and their common denominator: products of integers need no gcd each."""
    ratios = [c.as_integer_ratio() for c in terms.values()]
    scale = math.lcm(*{below for _, below in ratios})
    return [(m, above * (scale // below)) for m, (above, below) in zip(terms, ratios, strict=True)], scale


def _join_terms(ordered: list[tuple[Monomial, Fraction]]) -> str:
    text = ""
    for monomial, coefficient in ordered:
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} " if text else ("-" if sign == "-" else "")
        text += _term(monomial, abs(coefficient))
    return text


def _term(monomial: Monomial, size: Fraction) -> str:
    factors = [name if e == 1 else f"{name}**{e}" for name, e in monomial]
    if size.numerator != 1 or not factors:
        factors.insert(0, str(size.numerator))
    product = "*".join(factors)
    return product if size.denominator == 1 else f"{product}/{size.denominator}"
