"""Strong descriptions: the polynomials g >= 0 that carry multipliers, derived from the user's constraints.

The sets are the user's; only their description changes, and every change is a derivation that the verifier
redoes. At an equal level these descriptions prove more than the constraints as written:

* two faces of an interval: their product, (v - lo)(hi - v) >= 0, implies both of them with squares of v;
* faces of a polytope (simplices), and all faces that leave the set unbounded: products of pairs. Linear
  faces alone only reach odd degrees, so at an even level the highest degree has no multiplier and no
  interior proof exists;
* odd powers: the root;
* balls and all other inequalities: as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Protocol

from sosgames.certificates.polynomials import Polynomial
from sosgames.errors import LimitError
from sosgames.sos.bounds import feasible_intervals, linear_coefficients
from sosgames.sos.odd_roots import odd_root

MAX_PAIR_PRODUCTS = 400
MAX_PRODUCTS = 2_000


class ConstraintLike(Protocol):
    """A polynomial and how it compares with zero: ">=" or "=="."""

    @property
    def polynomial(self) -> Polynomial: ...
    @property
    def kind(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a generator follows from earlier ones: ``kind`` and the ``indices`` that it names.

    ``("constraint", (k,))`` is the user's constraint k; ``("product", (a, b))`` the product of generators;
    ``("odd_root", (a,))`` with ``power`` the odd root; ``("multiple", (a,))`` with ``factor`` > 0.
    """

    kind: str
    indices: tuple[int, ...]
    power: int = 1
    factor: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class Generator:
    """A polynomial that is non-negative on the set, and why."""

    polynomial: Polynomial
    derivation: Derivation


@dataclass(frozen=True, slots=True)
class Description:
    """Generators by index from 1 (0 is the constant 1), those that carry multipliers, and the equations.

    ``equations`` pairs each equation's index among the constraints with its polynomial.
    """

    generators: tuple[Generator, ...]
    active: tuple[int, ...]
    equations: tuple[tuple[int, Polynomial], ...]

    def polynomial(self, index: int) -> Polynomial:
        """The generator's polynomial; index 0 is 1."""
        return Polynomial.constant(1) if index == 0 else self.generators[index - 1].polynomial


def relevant_variables(names: Iterable[str], constraints: Iterable[ConstraintLike]) -> frozenset[str]:
    """The variables given and all that constraints tie to them, directly or through others."""
    relevant = set(names)
    groups = [c.polynomial.variables for c in constraints if len(c.polynomial.variables) > 1]
    while True:
        grown = relevant.union(*(group for group in groups if group & relevant))
        if grown == relevant:
            return frozenset(relevant)
        relevant = grown


def strong_description(
    constraints: Sequence[ConstraintLike],
    relevant: Iterable[str],
    *,
    cross_products: bool = False,
    product_degree: int | None = None,
) -> Description:
    """The strong description of the set in the relevant variables.

    With ``cross_products`` the pair products are taken over all linear faces, across players as well:
    stronger at the same level, and larger. With ``product_degree`` the description is Schmüdgen's: the
    products of different conditions, all that have at most this degree.

    Raises
    ------
    LimitError
        When Schmüdgen's description has too many products.
    """
    wanted = frozenset(relevant)
    builder = _Builder()
    equations = []
    for k, constraint in enumerate(constraints):
        variables = constraint.polynomial.variables
        if not variables or not variables <= wanted:
            continue
        if constraint.kind == "==":
            equations.append((k, constraint.polynomial))
        else:
            builder.add_constraint(k, constraint.polynomial)
    if product_degree is None:
        builder.activate(tuple(p for _, p in equations), cross_products)
    else:
        builder.activate_products(product_degree)
    return Description(tuple(builder.generators), tuple(sorted(builder.active)), tuple(equations))


class _Builder:
    """Collects generators; ``faces`` are the indices of the linear ones."""

    def __init__(self) -> None:
        self.generators: list[Generator] = []
        self.active: list[int] = []
        self.faces: list[int] = []
        self.others: list[int] = []
        self.seen: set[Polynomial] = set()

    def add(self, polynomial: Polynomial, derivation: Derivation) -> int:
        self.generators.append(Generator(polynomial, derivation))
        return len(self.generators)

    def add_constraint(self, k: int, polynomial: Polynomial) -> None:
        index = self.add(polynomial, Derivation("constraint", (k,)))
        if (found := odd_root(polynomial)) is not None:
            polynomial, power = found
            index = self.add(polynomial, Derivation("odd_root", (index,), power=power))
        if polynomial in self.seen:
            return
        self.seen.add(polynomial)
        (self.faces if polynomial.degree == 1 else self.others).append(index)

    def polynomial(self, index: int) -> Polynomial:
        return self.generators[index - 1].polynomial

    def activate(self, equations: Sequence[Polynomial], cross_products: bool) -> None:
        self.active += self.others
        faces = self._tightest_faces()
        affine = [p for p in equations if p.degree == 1]
        bounds = feasible_intervals((self.polynomial(i) for i in faces), affine)
        closed = {name for name, (low, high) in bounds.items() if None not in (low, high) and low != high}
        groups = [faces] if cross_products else self._components(faces, affine)
        bounded = [group for group in groups if self._names(group) <= closed]
        unbounded = sorted(i for group in groups if group not in bounded for i in group)
        for group in [*bounded, unbounded]:
            pairs = list(combinations(group, 2))
            if len(pairs) > MAX_PAIR_PRODUCTS:
                pairs = [
                    p for p in pairs if self.polynomial(p[0]).variables == self.polynomial(p[1]).variables
                ]
                self.active += group
            elif not pairs or group is unbounded:
                self.active += group
            for a, b in pairs:
                product = self.polynomial(a) * self.polynomial(b)
                self.active.append(self.add(product, Derivation("product", (a, b))))

    def activate_products(self, degree: int) -> None:
        """Every product of different conditions that has at most this degree (Schmüdgen 1991)."""
        base = sorted(self._tightest_faces() + self.others)
        pending = [(0, -1)]  # a product so far, and the place in the base of its last factor
        while pending:
            product, last = pending.pop()
            for place in range(last + 1, len(base)):
                index = self._times(product, base[place], degree)
                if index is not None:
                    self.active.append(index)
                    pending.append((index, place))
            if len(self.active) > MAX_PRODUCTS:
                raise LimitError(
                    f"form='schmuedgen': there are more than {MAX_PRODUCTS:,} products of at most degree"
                    f" {degree}; lower the level, or use form='matrix'."
                )

    def _times(self, product: int, factor: int, degree: int) -> int | None:
        """The product of two generators (0 stands for 1), or None when its degree is too high."""
        if product == 0:
            return factor if self.polynomial(factor).degree <= degree else None
        if self.polynomial(product).degree + self.polynomial(factor).degree > degree:
            return None
        value = self.polynomial(product) * self.polynomial(factor)
        return self.add(value, Derivation("product", (product, factor)))

    def _names(self, group: Iterable[int]) -> frozenset[str]:
        return frozenset[str]().union(*(self.polynomial(i).variables for i in group))

    def _tightest_faces(self) -> list[int]:
        """Linear faces without those that a tighter bound on the same single variable makes idle."""
        best: dict[tuple[str, bool], tuple[Fraction, int]] = {}
        kept = []
        for index in self.faces:
            polynomial = self.polynomial(index)
            coefficients = linear_coefficients(polynomial) or {}
            if len(coefficients) != 1:
                kept.append(index)
                continue
            ((name, a),) = coefficients.items()
            slack = polynomial.constant_term / abs(a)
            if (name, a > 0) not in best or slack < best[name, a > 0][0]:
                best[name, a > 0] = (slack, index)
        return sorted(kept + [index for _, index in best.values()])

    def _components(self, faces: Sequence[int], affine: Sequence[Polynomial]) -> list[list[int]]:
        """Groups of faces that share variables, directly or through affine equations."""
        groups: list[tuple[set[str], list[int]]] = []
        linked: list[tuple[set[str], list[int]]] = [(set(p.variables), []) for p in affine]
        linked += [(set(self.polynomial(i).variables), [i]) for i in faces]
        for names, members in linked:
            joined: tuple[set[str], list[int]] = (names, list(members))
            for group in [g for g in groups if g[0] & joined[0]]:
                groups.remove(group)
                joined = (joined[0] | group[0], group[1] + joined[1])
            groups.append(joined)
        return [sorted(members) for _, members in groups if members]
