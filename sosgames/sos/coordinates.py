"""Exact affine coordinates in which a program is solved; the proof stays in the user's variables.

Two things are done to the user's variables x before any floating point is used:

* affine equations are solved for some of them, which are substituted away;
* every other one is written as ``x = centre + radius * t``, so that t ranges over [-1, 1] on its interval.

Both are exact and undone exactly: a basis polynomial in t becomes a polynomial in x by ``outward``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import flint

from sosgames.certificates.polynomials import Monomial, Polynomial
from sosgames.sos.bounds import Interval, linear_coefficients


@dataclass(frozen=True, slots=True)
class SolvedVariable:
    """A variable x with ``x - value`` equal to the sum of ``combination[k]`` times equation k."""

    value: Polynomial
    combination: Mapping[int, Fraction]


@dataclass(frozen=True, slots=True)
class AffineCoordinates:
    """``inward`` writes each variable of the user by the coordinates ``names``, ``outward`` the reverse.

    Coordinates bear the names of the variables that they replace; ``solved`` holds the variables that affine
    equations express by the others. Cost of a change: linear in the number of terms where only scales differ,
    otherwise one exact composition.
    """

    names: tuple[str, ...]
    inward: Mapping[str, Polynomial]
    outward: Mapping[str, Polynomial]
    solved: Mapping[str, SolvedVariable]

    def centre_and_radius(self, name: str) -> tuple[Fraction, Fraction]:
        """The centre c and the radius r of a coordinate t: its variable is c + r t."""
        scaled = self.inward[name]
        return scaled.constant_term, scaled.terms[((name, 1),)]

    def to_coordinates(self, polynomial: Polynomial) -> Polynomial:
        """The polynomial in the coordinates, equal to it wherever the affine equations hold."""
        return compose(polynomial, self.inward)

    def to_variables(self, polynomial: Polynomial) -> Polynomial:
        """The polynomial in the user's variables."""
        return compose(polynomial, self.outward)

    def quotients(self, polynomial: Polynomial) -> dict[str, Polynomial]:
        """Polynomials q_e with ``polynomial - (solved variables replaced) = sum of (x_e - value_e) q_e``."""
        quotients = {}
        for name, solved in self.solved.items():
            polynomial, quotients[name] = divide_by_linear(polynomial, name, solved.value)
        return quotients


def affine_coordinates(
    names: Sequence[str],
    equations: Iterable[tuple[int, Polynomial]],
    intervals: Mapping[str, Interval],
    units: Mapping[str, Fraction] | None = None,
) -> AffineCoordinates:
    """Coordinates for the variables ``names`` subject to affine ``equations`` (each is zero on the set).

    ``units`` are the radii of variables without a closed interval, 1 by default.
    """
    solved = solve_affine(equations, names)
    kept = tuple(name for name in names if name not in solved)
    scaled: dict[str, Polynomial] = {}
    outward: dict[str, Polynomial] = {}
    for name in kept:
        interval = intervals.get(name, (None, None))
        centre, radius = centre_and_radius(interval)
        if units is not None and None in interval:
            radius = units.get(name, radius)
        scaled[name] = Polynomial.variable(name) * radius + centre
        outward[name] = (Polynomial.variable(name) - centre) / radius
    inward = {n: compose(solved[n].value, scaled) if n in solved else scaled[n] for n in names}
    return AffineCoordinates(kept, inward, outward, solved)


def centre_and_radius(interval: Interval) -> tuple[Fraction, Fraction]:
    """Centre and positive radius of an interval; half-lines start at their end, free variables stay."""
    low, high = interval
    if low is not None and high is not None:
        return (low + high) / 2, (high - low) / 2 if high > low else Fraction(1)
    end = low if low is not None else high
    return (Fraction(0) if end is None else end), Fraction(1)


def solve_affine(
    equations: Iterable[tuple[int, Polynomial]], names: Sequence[str]
) -> dict[str, SolvedVariable]:
    """Solve numbered affine equations for as many variables as they determine, the last of ``names`` first.

    Values are affine in the unsolved variables. Equations that contradict the others (an empty set) are left
    out, for the caller still has them as constraints.
    """
    order = {name: position for position, name in enumerate(names)}
    marks = {}
    solved: dict[str, Polynomial] = {}
    for k, equation in equations:
        marks[f"#{k}"] = k  # equation k with its own value as a further unknown: h_k - #k = 0
        rest = equation.substitute(solved) - Polynomial.variable(f"#{k}")
        coefficients = {name: c for name, c in (linear_coefficients(rest) or {}).items() if name in order}
        if not coefficients:
            continue
        pivot = max(coefficients, key=lambda name: order[name])
        value = Polynomial.variable(pivot) - rest / coefficients[pivot]
        solved = {name: p.substitute({pivot: value}) for name, p in solved.items()}
        solved[pivot] = value
    return {name: _without_marks(value, marks) for name, value in solved.items()}


def _without_marks(value: Polynomial, marks: Mapping[str, int]) -> SolvedVariable:
    coefficients = linear_coefficients(value) or {}
    combination = {marks[name]: c for name, c in coefficients.items() if name in marks}
    plain = {m: c for m, c in value.terms.items() if not (m and m[0][0] in marks)}
    return SolvedVariable(Polynomial(plain), combination)


def divide_by_linear(polynomial: Polynomial, name: str, value: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Remainder and quotient of the division by ``name - value``, with ``value`` free of ``name``.

    >>> x = Polynomial.variable("x")
    >>> remainder, quotient = divide_by_linear(x**2, "x", Polynomial.constant(3))
    >>> str(remainder), str(quotient)
    ('9', 'x + 3')
    """
    powers: dict[int, dict[Monomial, Fraction]] = {}
    for monomial, coefficient in polynomial.terms.items():
        exponent = dict(monomial).get(name, 0)
        rest = tuple(pair for pair in monomial if pair[0] != name)
        powers.setdefault(exponent, {})[rest] = coefficient
    remainder, quotient = Polynomial(), Polynomial()
    for exponent in range(max(powers, default=0), -1, -1):  # Horner's scheme
        if exponent < max(powers, default=0):
            quotient = quotient * Polynomial.variable(name) + remainder
        remainder = remainder * value + Polynomial(powers.get(exponent))
    return remainder, quotient


def compose(polynomial: Polynomial, values: Mapping[str, Polynomial]) -> Polynomial:
    """Substitute affine polynomials for variables, exactly; variables without a value stay.

    >>> x = Polynomial.variable("x")
    >>> str(compose(x**2 - x, {"x": 2 * x + 1}))
    '4*x**2 + 2*x'
    """
    present = sorted(polynomial.variables)
    moved = {name: values[name] for name in present if name in values and not _is_name(values[name], name)}
    if not moved:
        return polynomial
    scales = {name: _scale(value, name) for name, value in moved.items()}
    if all(scale is not None for scale in scales.values()):
        return _rescale(polynomial, {name: s for name, s in scales.items() if s is not None})
    return _compose_in_flint(polynomial, present, moved)


def _is_name(value: Polynomial, name: str) -> bool:
    return value == Polynomial.variable(name)


def _scale(value: Polynomial, name: str) -> Fraction | None:
    """The factor s when ``value`` is s * name, else None."""
    monomial = ((name, 1),)
    return value.coefficient(monomial) if len(value.terms) == 1 and value.coefficient(monomial) else None


def _rescale(polynomial: Polynomial, scales: Mapping[str, Fraction]) -> Polynomial:
    terms = {}
    for monomial, coefficient in polynomial.terms.items():
        for name, exponent in monomial:
            if name in scales:
                coefficient = coefficient * scales[name] ** exponent
        terms[monomial] = coefficient
    return Polynomial(terms)


def _compose_in_flint(
    polynomial: Polynomial, present: Sequence[str], moved: Mapping[str, Polynomial]
) -> Polynomial:
    new_names = sorted(set(present).union(*(value.variables for value in moved.values())))
    source = flint.fmpq_mpoly_ctx.get(tuple(present), flint.Ordering.lex)
    target = flint.fmpq_mpoly_ctx.get(tuple(new_names), flint.Ordering.lex)
    images = [_to_flint(moved.get(name, Polynomial.variable(name)), new_names, target) for name in present]
    composed = _to_flint(polynomial, present, source).compose(*images, ctx=target)
    return Polynomial(
        {
            tuple((n, int(e)) for n, e in zip(new_names, exponents, strict=True) if e): Fraction(
                int(c.numerator), int(c.denominator)
            )
            for exponents, c in composed.to_dict().items()
        }
    )


def _to_flint(
    polynomial: Polynomial, names: Sequence[str], context: flint.fmpq_mpoly_ctx
) -> flint.fmpq_mpoly:
    position = {name: i for i, name in enumerate(names)}
    terms = {}
    for monomial, coefficient in polynomial.terms.items():
        exponents = [0] * len(names)
        for name, exponent in monomial:
            exponents[position[name]] = exponent
        terms[tuple(exponents)] = flint.fmpq(coefficient.numerator, coefficient.denominator)
    return context.from_dict(terms)
