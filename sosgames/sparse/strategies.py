"""The set X factor by factor: groups of variables that constraints tie, each with its strong description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, gcd, lcm, log2

from sosgames.certificates.matrices import PolyMatrix, Problem
from sosgames.certificates.parts import FromConstraint, IndexMonomial, IndexPolynomial, OddRoot, Product
from sosgames.certificates.parts import Generator as Step
from sosgames.certificates.polynomials import ONE, Polynomial
from sosgames.conic.systems import power_of_two
from sosgames.sos.bounds import Interval, feasible_intervals
from sosgames.sos.coordinates import AffineCoordinates, affine_coordinates
from sosgames.sos.generators import ConstraintLike, Derivation, Description, Generator, strong_description
from sosgames.sparse.cliques import Interaction

Key = tuple[int, int, IndexMonomial]
"""Rows a <= b and a monomial of the whole matrix."""
LARGEST_DENOMINATOR = 1_000
"""Of the end of an interval that is used as it is."""


@dataclass(frozen=True, slots=True)
class Factor:
    """A factor of X: variables that no constraint ties to others.

    Attributes
    ----------
    variables
        Their names, in the problem's order.
    constraints
        Indices of the factor's constraints in the problem.
    description
        Its strong description; constraint k there is ``constraints[k]``.
    coordinates
        Coordinates in which its intervals are [-1, 1].
    generators
        By index in the description, those that carry multipliers: integer polynomials in the coordinates.
    multiples
        The positive factor that makes each of them integer and primitive.
    """

    variables: tuple[str, ...]
    constraints: tuple[int, ...]
    description: Description
    coordinates: AffineCoordinates
    generators: Mapping[int, Polynomial]
    multiples: Mapping[int, Fraction]

    @property
    def is_interval(self) -> bool:
        """One variable between two bounds."""
        kinds = [g.derivation.kind for g in self.description.generators]
        return len(self.variables) == 1 and kinds == ["constraint", "constraint", "product"]

    @property
    def is_unit(self) -> bool:
        """Whether its coordinates are its variables."""
        return all(p == Polynomial.variable(name) for name, p in self.coordinates.inward.items())

    def derivations(self, generator: int, first: int, index: Mapping[str, int]) -> tuple[Step, ...]:
        """The steps of a proof file that derive a generator; the first of them has number ``first``."""
        steps: list[Step] = []
        self._derive(generator, first, index, steps)
        return tuple(steps)

    def _derive(self, generator: int, first: int, index: Mapping[str, int], steps: list[Step]) -> int:
        derivation = self.description.generators[generator - 1].derivation
        if derivation.kind == "constraint":
            steps.append(FromConstraint(self.constraints[derivation.indices[0]]))
        else:
            earlier = [self._derive(k, first, index, steps) for k in derivation.indices]
            if derivation.kind == "product":
                steps.append(Product(*earlier))
            else:
                root = _indexed(self.description.polynomial(generator), index)
                steps.append(OddRoot(earlier[0], root, (derivation.power - 1) // 2))
        return first + len(steps) - 1


def factors_of(variables: Sequence[str], constraints: Sequence[ConstraintLike]) -> tuple[Factor, ...]:
    """The factors of X, in the order of their first variables."""
    members: dict[str, list[int]] = {name: [] for name in variables}
    group = {name: frozenset((name,)) for name in variables}
    for k, constraint in enumerate(constraints):
        names = constraint.polynomial.variables
        merged = frozenset[str]().union(*(group[name] for name in names))
        indices = sorted({i for name in merged for i in members[name]} | {k})
        for name in merged:
            group[name], members[name] = merged, indices
    order = {name: position for position, name in enumerate(variables)}
    found = []
    for name in variables:
        if group[name] and min(group[name], key=order.__getitem__) == name:
            inside = tuple(sorted(group[name], key=order.__getitem__))
            found.append(_factor(inside, tuple(members[name]), constraints))
    return tuple(found)


def entries_in_coordinates(
    matrix: PolyMatrix, problem: Problem, factors: Sequence[Factor], factor_of: Mapping[str, int]
) -> dict[Key, Fraction]:
    """The coefficients of a matrix in the coordinates of the factors."""
    index = {name: v for v, name in enumerate(problem.variables)}
    entries: dict[Key, Fraction] = {}
    scaled = {f for f, factor in enumerate(factors) if not factor.is_unit}
    for (a, b), polynomial in matrix.entries.items():
        moved = polynomial
        for f in sorted(scaled.intersection(factor_of[name] for name in polynomial.variables)):
            moved = factors[f].coordinates.to_coordinates(moved)
        for monomial, c in moved.terms.items():
            entries[a, b, tuple(sorted((index[name], e) for name, e in monomial))] = c
    return entries


def factors_inside(
    clique: Interaction, variables: Sequence[str], factor_of: Mapping[str, int]
) -> tuple[int, ...]:
    """The factors whose variables a clique has; tied variables are always together."""
    return tuple(sorted({factor_of[variables[v]] for v in clique.variables}))


def _factor(
    variables: tuple[str, ...], indices: tuple[int, ...], constraints: Sequence[ConstraintLike]
) -> Factor:
    if (interval := _interval(variables, indices, constraints)) is not None:
        return interval
    description = strong_description([constraints[k] for k in indices], variables)
    inequalities = [g.polynomial for g in description.generators if len(g.derivation.indices) == 1]
    intervals = {name: _in_round_numbers(ends) for name, ends in feasible_intervals(inequalities, []).items()}
    coordinates = affine_coordinates(variables, [], intervals)
    generators, multiples = {}, {}
    for k in description.active:
        image = coordinates.to_coordinates(description.polynomial(k))
        denominator = lcm(*(c.denominator for c in image.terms.values()))
        divisor = gcd(*(int(c * denominator) for c in image.terms.values()))
        multiples[k] = Fraction(denominator, divisor)
        generators[k] = image * multiples[k]
    return Factor(variables, indices, description, coordinates, generators, multiples)


def _in_round_numbers(interval: Interval) -> Interval:
    """An interval that contains the given one and keeps the generators' integer coefficients short."""
    low, high = interval
    if low is None or high is None or max(low.denominator, high.denominator) <= LARGEST_DENOMINATOR:
        return interval
    step = power_of_two(ceil(log2(max(high - low, Fraction(1, 2**500)))) - 5)
    return (low / step).__floor__() * step, (high / step).__ceil__() * step


def _interval(
    variables: tuple[str, ...], indices: tuple[int, ...], constraints: Sequence[ConstraintLike]
) -> Factor | None:
    """What `_factor` makes of ``lower <= v <= upper``, without its searches: most sets are of this kind."""
    if len(variables) > 1 or len(indices) != 2:
        return None
    (name,) = variables
    first, second = (constraints[k].polynomial for k in indices)
    monomial = ((name, 1),)
    a, b = first.coefficient(monomial), second.coefficient(monomial)
    if first.degree > 1 or second.degree > 1 or not a > 0 > b:
        return None
    low, high = -first.constant_term / a, -second.constant_term / b
    if not low < high:
        return None
    centre, radius = (low + high) / 2, (high - low) / 2
    inward = Polynomial({monomial: radius, ONE: centre})
    outward = Polynomial({monomial: 1 / radius, ONE: -centre / radius})
    coordinates = AffineCoordinates((name,), {name: inward}, {name: outward}, {})
    derived = (Derivation("constraint", (0,)), Derivation("constraint", (1,)), Derivation("product", (1, 2)))
    generators = zip((first, second, first * second), derived, strict=True)
    description = Description(tuple(Generator(p, d) for p, d in generators), (3,), ())
    product = Polynomial({ONE: 1, ((name, 2),): -1})
    return Factor(variables, indices, description, coordinates, {3: product}, {3: -1 / (a * b * radius**2)})


def _indexed(polynomial: Polynomial, index: Mapping[str, int]) -> IndexPolynomial:
    return tuple((c, tuple(sorted((index[n], e) for n, e in m))) for m, c in polynomial.terms.items())
