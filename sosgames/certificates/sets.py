"""The sets that strategies come from. Each is a list of polynomial conditions in a fixed order.

Proofs refer to conditions by their place in that order, so it is part of the format:

================== ==============================================================
set                conditions, in order
================== ==============================================================
Box                for each variable as listed: v - lower >= 0, then upper - v >= 0
Simplex            v >= 0 for each variable, then 1 - sum v >= 0
ProbabilitySimplex v >= 0 for each variable, then sum v - 1 == 0
Ball               radius_squared - sum (v - center)**2 >= 0
Space              none
Constraints        as listed
================== ==============================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from typing import Any

from sosgames.certificates.constraints import Constraint, variable_name, variable_names
from sosgames.certificates.errors import InputError, listed, shown
from sosgames.certificates.expressions import parse_constraint
from sosgames.certificates.polynomials import ONE, Monomial, Polynomial
from sosgames.certificates.rationals import exact


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Box:
    """Intervals, one a variable: ``lower <= v <= upper``.

    Equal bounds are allowed and fix the variable; the set then has no interior, and a proof at modulus 0
    may be harder to find than after substituting the value.

    Parameters
    ----------
    intervals
        Maps each variable (its name, or a symbol) to its two exact bounds.

    Raises
    ------
    InputError
        When a bound is no finite rational number or the lower one is above the upper one.

    Examples
    --------
    >>> box = Box({"x": (0, "1/3")})
    >>> print(*box.constraints, sep="; ")
    x >= 0; -x + 1/3 >= 0
    """

    variables: tuple[str, ...]
    bounds: tuple[tuple[Fraction, Fraction], ...]

    def __init__(self, intervals: Mapping[Any, Iterable[Any]]) -> None:
        if not isinstance(intervals, Mapping) or not intervals:
            raise InputError("Box: pass a non-empty mapping such as {'x': (0, 1)}.")
        object.__setattr__(self, "variables", variable_names(intervals, "Box"))
        object.__setattr__(self, "bounds", tuple(_interval(v, pair) for v, pair in intervals.items()))

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        faces: list[Constraint] = []
        for name, (lower, upper) in zip(self.variables, self.bounds, strict=True):
            v = Polynomial.variable(name)
            faces += [Constraint(v - lower), Constraint(upper - v)]
        return tuple(faces)

    @property
    def intervals(self) -> dict[str, tuple[Fraction, Fraction]]:
        """The bounds by variable."""
        return dict(zip(self.variables, self.bounds, strict=True))

    def __repr__(self) -> str:
        inside = ", ".join(f"{v!r}: ({_brief(a)}, {_brief(b)})" for v, (a, b) in self.intervals.items())
        return f"Box({{{inside}}})"


def _interval(variable: Any, pair: Iterable[Any]) -> tuple[Fraction, Fraction]:
    where = f"Box: {variable}"
    bounds = [] if isinstance(pair, str) or not isinstance(pair, Iterable) else list(pair)
    if len(bounds) != 2:
        raise InputError(f"{where}: got {shown(pair)}; give the two bounds, as in (0, 1).")
    lower, upper = exact(bounds[0], f"{where}, lower bound"), exact(bounds[1], f"{where}, upper bound")
    if lower > upper:
        raise InputError(f"{where}: the lower bound {lower} is above the upper bound {upper}; swap them.")
    return lower, upper


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Simplex:
    """The full-dimensional simplex ``{v >= 0, sum v <= 1}``: probabilities with one of them eliminated.

    Examples
    --------
    >>> print(*Simplex(["a", "b"]).constraints, sep="; ")
    a >= 0; b >= 0; -a - b + 1 >= 0
    """

    variables: tuple[str, ...]

    def __init__(self, variables: Iterable[Any]) -> None:
        object.__setattr__(self, "variables", _some_names(variables, "Simplex"))

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        return (*_non_negative(self.variables), Constraint(1 - _sum(self.variables)))

    def __repr__(self) -> str:
        return f"Simplex({list(self.variables)!r})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ProbabilitySimplex:
    """All probabilities of a choice, ``{v >= 0, sum v = 1}``; definiteness is asked along its tangent space.

    Examples
    --------
    >>> print(*ProbabilitySimplex(["a", "b"]).constraints, sep="; ")
    a >= 0; b >= 0; a + b - 1 == 0
    """

    variables: tuple[str, ...]

    def __init__(self, variables: Iterable[Any]) -> None:
        object.__setattr__(self, "variables", _some_names(variables, "ProbabilitySimplex"))

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        return (*_non_negative(self.variables), Constraint(_sum(self.variables) - 1, "=="))

    def __repr__(self) -> str:
        return f"ProbabilitySimplex({list(self.variables)!r})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Ball:
    """The ball ``sum (v - center)**2 <= radius_squared``; the square keeps the radius rational data.

    Parameters
    ----------
    variables
        The coordinates.
    center
        One exact number a variable; the origin when left out.
    radius_squared
        At least 0; 0 is the single point ``center``.

    Examples
    --------
    >>> print(*Ball(["x", "y"], center=(1, 0), radius_squared=2).constraints)
    -x**2 - y**2 + 2*x + 1 >= 0
    """

    variables: tuple[str, ...]
    center: tuple[Fraction, ...]
    radius_squared: Fraction

    def __init__(
        self, variables: Iterable[Any], center: Iterable[Any] | None = None, radius_squared: Any = 1
    ) -> None:
        names = _some_names(variables, "Ball")
        coordinates = (0,) * len(names) if center is None else tuple(center)
        if len(coordinates) != len(names):
            raise InputError(
                f"Ball: {len(coordinates)} center coordinates for {len(names)} variables; give one each."
            )
        square = exact(radius_squared, "Ball: radius_squared")
        if square < 0:
            raise InputError(f"Ball: radius_squared is {square}; a square is at least 0.")
        object.__setattr__(self, "variables", names)
        object.__setattr__(self, "center", tuple(exact(c, "Ball: center") for c in coordinates))
        object.__setattr__(self, "radius_squared", square)

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        terms: dict[Monomial, Fraction] = {}
        for name, c in zip(self.variables, self.center, strict=True):
            terms[(name, 2),] = Fraction(-1)
            terms[(name, 1),] = 2 * c
        terms[ONE] = self.radius_squared - sum(c * c for c in self.center)
        return (Constraint(Polynomial(terms)),)

    def __repr__(self) -> str:
        center, square = ", ".join(map(_brief, self.center)), _brief(self.radius_squared)
        return f"Ball({list(self.variables)!r}, center=[{center}], radius_squared={square})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Space:
    """All real values of its variables: says on purpose that nothing restricts them."""

    variables: tuple[str, ...]

    def __init__(self, variables: Iterable[Any]) -> None:
        object.__setattr__(self, "variables", _some_names(variables, "Space"))

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        return ()

    def __repr__(self) -> str:
        return f"Space({list(self.variables)!r})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Constraints:
    """Polynomial inequalities and equations that must all hold.

    Parameters
    ----------
    constraints
        Each a `Constraint`, a text such as ``"0 <= x <= 1"``, or, where SymPy is in use, a relation.

    Examples
    --------
    >>> Constraints(["x*y <= 1", "0 <= x <= 1"])
    Constraints(['-x*y + 1 >= 0', 'x >= 0', '-x + 1 >= 0'])
    """

    constraints: tuple[Constraint, ...]

    def __init__(self, constraints: Iterable[Any]) -> None:
        if isinstance(constraints, str):
            raise InputError(f"Constraints: got the text {shown(constraints)}; pass a list of constraints.")
        items = tuple(c for item in constraints for c in as_constraints(item))
        if not items:
            raise InputError("Constraints: the list is empty; use Space to say that variables are free.")
        object.__setattr__(self, "constraints", items)

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that occur, sorted by name."""
        return tuple(sorted({name for c in self.constraints for name in c.polynomial.variables}))

    def __repr__(self) -> str:
        return f"Constraints({[str(c) for c in self.constraints]!r})"


@singledispatch
def as_constraints(item: object) -> list[Constraint]:
    """The constraints that one item of `Constraints` stands for; other libraries register their relations."""
    raise InputError(
        f"Constraints: got {shown(item)}; pass a relation between polynomials, with <=, >= or ==."
    )


@as_constraints.register
def _(item: Constraint) -> list[Constraint]:
    return [item]


@as_constraints.register
def _(item: str) -> list[Constraint]:
    return parse_constraint(item, None, f"Constraints, {shown(item)}")


StrategySet = Box | Simplex | ProbabilitySimplex | Ball | Space | Constraints
_KINDS = (Box, Simplex, ProbabilitySimplex, Ball, Space, Constraints)


def normal_form(
    parts: StrategySet | Iterable[StrategySet], variables: tuple[str, ...], where: str
) -> tuple[StrategySet, ...]:
    """The same product of sets in the one order that files and proofs use.

    Boxes, spaces and lists of constraints are each merged into one, with variables in the player's order;
    kinds follow each other as in the table above. A file with its keys in another order is the same game.

    Raises
    ------
    InputError
        When a set has a variable that is not among ``variables``, a variable has two intervals, or no set
        mentions one of the variables.
    """
    sets = (parts,) if isinstance(parts, _KINDS) else tuple(parts)
    known = frozenset(variables)
    for part in sets:
        if not isinstance(part, _KINDS):
            raise InputError(
                f"{where}: got {shown(part)} as a set; use {', '.join(k.__name__ for k in _KINDS)}."
            )
        _refuse_strangers(part, known, where)
    covered = {name for part in sets for name in part.variables}
    if missing := [name for name in variables if name not in covered]:
        raise InputError(
            f'{where}: nothing restricts {listed(missing)}; give a set, or say `space = ["{missing[0]}"]`'
            " (in Python, Space) if every real value is meant."
        )
    return tuple(_merged(sets, variables, where))


def _refuse_strangers(part: StrategySet, known: frozenset[str], where: str) -> None:
    strangers = [name for name in part.variables if name not in known]
    if strangers:
        raise InputError(
            f"{where}: a set restricts {strangers[0]}, which is none of its variables"
            f" ({listed(sorted(known))}); strategies form a product of the players' own sets, so constraints"
            " cannot be shared."
        )


def _merged(parts: tuple[StrategySet, ...], variables: tuple[str, ...], where: str) -> Iterable[StrategySet]:
    intervals: dict[str, tuple[Fraction, Fraction]] = {}
    for part in parts:
        if isinstance(part, Box):
            for name, bounds in part.intervals.items():
                if name in intervals:
                    raise InputError(f"{where}: two intervals for {name}; write one.")
                intervals[name] = bounds
    if intervals:
        yield Box({name: intervals[name] for name in variables if name in intervals})
    for kind in (Simplex, ProbabilitySimplex, Ball):
        yield from (part for part in parts if isinstance(part, kind))
    free = {name for part in parts if isinstance(part, Space) for name in part.variables}
    if free:
        yield Space([name for name in variables if name in free])
    written = [c for part in parts if isinstance(part, Constraints) for c in part.constraints]
    if written:
        yield Constraints(written)


def _some_names(variables: Iterable[Any], where: str) -> tuple[str, ...]:
    names = variable_names(variables, where)
    if not names:
        raise InputError(f"{where}: the list of variables is empty; name at least one.")
    return names


def _non_negative(names: Iterable[str]) -> tuple[Constraint, ...]:
    return tuple(Constraint(Polynomial.variable(name)) for name in names)


def _sum(names: Iterable[str]) -> Polynomial:
    return Polynomial({((name, 1),): 1 for name in names})


def _brief(number: Fraction) -> str:
    return str(number) if number.denominator == 1 else f"'{number}'"


__all__ = [
    "Ball",
    "Box",
    "Constraint",
    "Constraints",
    "ProbabilitySimplex",
    "Simplex",
    "Space",
    "StrategySet",
    "as_constraints",
    "normal_form",
    "variable_name",
    "variable_names",
]
