"""Polynomials that are non-negative on X, each derived from the problem's own conditions.

Four steps keep the sign: a condition g >= 0; a product of two; h, where h to an odd power is one (h and its
odd powers have the same sign); a positive multiple. A derivation may use earlier results only.
"""

from __future__ import annotations

from collections.abc import Sequence

from sosgames.certificates.errors import CertificateError
from sosgames.certificates.matrices import Problem
from sosgames.certificates.parts import (
    FromConstraint,
    Generator,
    IndexMonomial,
    IndexPolynomial,
    Multiple,
    OddRoot,
    Product,
)
from sosgames.certificates.polynomials import Monomial, Polynomial

MAX_PRODUCTS = 1_000_000
"""Products of two terms that one multiplication may take."""
MAX_BITS = 65_536
"""Bits of a coefficient of a product."""
MAX_DEGREE = 400
"""Degree of a product; of a polynomial that is read, it is at most 200."""


def derive(generators: Sequence[Generator], problem: Problem) -> list[Polynomial]:
    """The generators' polynomials, after the constant 1 as number 0.

    Raises
    ------
    CertificateError
        When a step is not one that keeps the sign; the message names the generator.
    """
    derived = [Polynomial.constant(1)]
    for number, generator in enumerate(generators, start=1):
        try:
            polynomial = _step(generator, derived, problem)
        except CertificateError as error:
            raise CertificateError(f"generator {number}: {error}") from None
        derived.append(polynomial)
    return derived


def _step(generator: Generator, derived: Sequence[Polynomial], problem: Problem) -> Polynomial:
    match generator:
        case FromConstraint(index):
            return condition(problem, index, ">=")
        case Product(first, second):
            return multiply(_earlier(derived, first), _earlier(derived, second))
        case Multiple(of, by):
            if by <= 0:
                raise CertificateError("a multiple keeps the sign only if it is positive.")
            return _earlier(derived, of) * by
        case OddRoot(of, root, k):
            polynomial = named_polynomial(root, problem.variables)
            power = _earlier(derived, of)
            # The degrees bound k before anything is multiplied; a constant needs no root.
            if polynomial.is_constant() or polynomial.degree * (2 * k + 1) != power.degree:
                raise CertificateError(f"the root to the power 2*{k} + 1 has another degree.")
            if raise_to(polynomial, 2 * k + 1) != power:
                raise CertificateError(f"the root to the power {2 * k + 1} is another polynomial.")
            return polynomial


def condition(problem: Problem, index: int, kind: str) -> Polynomial:
    """The polynomial of the condition at an index, which must be of the kind given."""
    if not 0 <= index < len(problem.constraints):
        raise CertificateError(f"there is no condition {index}; the problem has {len(problem.constraints)}.")
    constraint = problem.constraints[index]
    if constraint.kind != kind:
        raise CertificateError(f"condition {index} is of the kind {constraint.kind}; {kind} is needed here.")
    return constraint.polynomial


def multiply(a: Polynomial, b: Polynomial) -> Polynomial:
    """A product, refused when it is out of proportion."""
    if len(a.terms) * len(b.terms) > MAX_PRODUCTS:
        raise CertificateError(f"a product takes more than {MAX_PRODUCTS:,} multiplications.")
    if a.degree + b.degree > MAX_DEGREE or _bits(a) + _bits(b) > MAX_BITS:
        raise CertificateError(
            f"a product is of degree above {MAX_DEGREE:,}, or its numbers above {MAX_BITS:,} bits."
        )
    return a * b


def raise_to(polynomial: Polynomial, exponent: int) -> Polynomial:
    """A power, refused when it is out of proportion."""
    if polynomial.degree * exponent > MAX_DEGREE:
        raise CertificateError(f"a power has a degree above {MAX_DEGREE:,}.")
    power = polynomial
    for _ in range(exponent - 1):
        power = multiply(power, polynomial)
    return power


def named_polynomial(terms: IndexPolynomial, names: Sequence[str]) -> Polynomial:
    """A polynomial of a proof, with the names of the variables in place of their indices."""
    return Polynomial({named_monomial(monomial, names): c for c, monomial in terms})


def named_monomial(monomial: IndexMonomial, names: Sequence[str]) -> Monomial:
    """A monomial of a proof, with the names of the variables in place of their indices."""
    if monomial and not (monomial[0][0] >= 0 and monomial[-1][0] < len(names)):  # indices increase
        raise CertificateError(f"a monomial has variable {monomial[-1][0]}; there are {len(names)}.")
    return tuple(sorted([(names[index], exponent) for index, exponent in monomial]))


def _earlier(derived: Sequence[Polynomial], index: int) -> Polynomial:
    if not 0 <= index < len(derived):
        raise CertificateError(f"it uses generator {index}, which does not come before it.")
    return derived[index]


def _bits(polynomial: Polynomial) -> int:
    ratios = [c.as_integer_ratio() for c in polynomial.terms.values()]
    return max([above.bit_length() + below.bit_length() for above, below in ratios], default=0)
