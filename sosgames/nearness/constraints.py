"""The user's own constraints on the coefficients of a nearest game, written in cvxpy.

They are handed to the solver as they are, and checked at the exact coefficients of the game that was found:
affine ones in exact arithmetic, with each of their numbers read as the simplest fraction that rounds to it,
all others by cvxpy in floating point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, nextafter
from typing import Any

import cvxpy
import numpy as np
import scipy.sparse

from sosgames.certificates.errors import shown
from sosgames.certificates.polynomials import Monomial, Polynomial
from sosgames.certificates.rationals import exact
from sosgames.conic.problem import FloatArray
from sosgames.errors import InputError
from sosgames.games.symbolic import polynomial_from
from sosgames.nearness.family import GameFamily, Tie
from sosgames.nearness.kept import KeptConstraint

TOLERANCE = 1e-5
"""In units of the largest coefficient (at least 1): what a constraint may be violated by."""
ACTIVE = 1e-5
"""In the same units: an affine constraint that has no more room is made an equation before rounding."""
NEGLIGIBLE = 1e-12
"""In the same units: what the digits of affine constraints that repeat each other may differ by."""
SIMPLEST = 10**6
"""The largest denominator that a number of a constraint is read with, where it rounds to that number."""


class Coefficients:
    """The coefficients of the game that is sought, as cvxpy expressions; what ``constraints`` is called with.

    ``u["row", "x*y"]`` is the new coefficient of x*y in the utility of the player row: a scalar variable
    where it may change, otherwise the constant that it stays. It raises `InputError` where there is none.

    Attributes
    ----------
    names
        Player and monomial of each coefficient that may change.
    new
        Those coefficients, a vector variable in that order.
    old
        Their values in the user's game, a read-only array in that order.

    Examples
    --------
    >>> import sosgames as sg
    >>> wichardt = sg.catalog("wichardt2008")
    >>> near = sg.nearest(wichardt, constraints=lambda u: [u["row", "x1*x2"] == -u["column", "x1*x2"]])
    >>> print(near.constraints[0])
    row[x1*x2] == -column[x1*x2]: holds exactly
    """

    def __init__(self, family: GameFamily) -> None:
        self._game = family.game
        self._coefficients = family.coefficients
        self._index = {coefficient: k for k, coefficient in enumerate(family.coefficients)}
        self.names = tuple((player, str(Polynomial({m: 1}))) for player, m in family.coefficients)
        self.old: FloatArray = np.array([float(value) for value in self.exact_old()])
        self.old.setflags(write=False)
        self.new = cvxpy.Variable(len(self.names), name="new")
        self._scalars: dict[int, cvxpy.Variable] = {}

    def __getitem__(self, key: tuple[str, Any]) -> cvxpy.Expression:
        if not isinstance(key, tuple) or len(key) != 2:
            raise InputError(
                f"constraints: got u[{shown(key)}]; write u[player, monomial], as u['row', 'x*y']."
            )
        player, monomial = self._game.player(key[0]), self._monomial(*key)
        k = self._index.get((player.name, monomial))
        if k is not None:
            return self._scalars.setdefault(k, cvxpy.Variable(name="{}[{}]".format(*self.names[k])))
        if monomial not in player.utility.terms:
            raise InputError(
                f"constraints: {player.name} has no monomial {key[1]}, and none that may be added; pass"
                " monomials='all' or name one of the utility's own."
            )
        return cvxpy.Constant(float(player.utility.terms[monomial]))

    def _monomial(self, player: str, value: Any) -> Monomial:
        terms = polynomial_from(value, f"constraints, {player}").terms
        if len(terms) != 1:
            raise InputError(f"constraints, {player}: got {value}; name one monomial, such as 'x*y'.")
        return next(iter(terms))

    def exact_old(self) -> list[Fraction]:
        """The coefficients in the user's game, exactly."""
        return [self._game.player(name).utility.coefficient(m) for name, m in self._coefficients]

    def links(self) -> list[cvxpy.Constraint]:
        """The equations between the scalars that were asked for and the vector."""
        return [self.new[k] == scalar for k, scalar in self._scalars.items()]

    def places(self) -> dict[int, list[int]]:
        """For each variable, by its id, the coefficients that it stands for."""
        scalars = {scalar.id: [k] for k, scalar in self._scalars.items()}
        return scalars | {self.new.id: list(range(len(self.names)))}

    def assign(self, values: FloatArray) -> None:
        """Give every variable its value."""
        self.new.value = values
        for k, scalar in self._scalars.items():
            scalar.value = values[k]


@dataclass(frozen=True, slots=True)
class AffineRow:
    """One scalar constraint ``sum of slopes[k] new_k + constant``, which is <= 0, or == 0, exactly."""

    constraint: int
    slopes: Mapping[int, Fraction]
    constant: Fraction
    is_equation: bool

    def value(self, new: Sequence[Fraction]) -> Fraction:
        """The left-hand side."""
        return sum((c * new[k] for k, c in self.slopes.items()), self.constant)

    def violation(self, new: Sequence[Fraction]) -> Fraction:
        """How much the constraint lacks."""
        value = self.value(new)
        return abs(value) if self.is_equation else max(value, Fraction(0))

    def tie(self, old: Sequence[Fraction]) -> Tie:
        """The constraint as an equation between the changes."""
        return self.slopes, -self.value(old)


class OwnConstraints:
    """The constraints that a callable returned about the coefficients of a family's members."""

    def __init__(self, family: GameFamily, written: Callable[[Coefficients], Any]) -> None:
        self.coefficients = Coefficients(family)
        self.constraints = tuple(_checked(written(self.coefficients)))
        self.old = self.coefficients.exact_old()
        self.size = max(1.0, *(abs(float(value)) for value in (*self.old, 1)))
        self._rows = [row for i, c in enumerate(self.constraints) for row in self._affine_rows(i, c)]

    def equations(self) -> list[Tie]:
        """The affine equations, between the changes."""
        return [row.tie(self.old) for row in self._rows if row.is_equation and row.slopes]

    def nearly_active(self, changes: FloatArray) -> list[Tie]:
        """The affine constraints without room at these changes, as equations."""
        new = [Fraction(float(v)) + old for v, old in zip(changes, self.old, strict=True)]
        active = (row for row in self._rows if row.slopes and row.value(new) >= -ACTIVE * self.size)
        return [row.tie(self.old) for row in active]

    def model(self, changes: cvxpy.Expression) -> list[cvxpy.Constraint]:
        """The constraints, and the equations that make them speak of these changes."""
        links = [self.coefficients.new == self.coefficients.old + changes, *self.coefficients.links()]
        return [*links, *self.constraints]

    def check(self, changes: Sequence[Fraction]) -> tuple[KeptConstraint, ...]:
        """What each constraint is violated by at exact changes; auxiliary variables stay as they are."""
        new = [old + change for old, change in zip(self.old, changes, strict=True)]
        self.coefficients.assign(np.array([float(value) for value in new]))
        return tuple(self._kept(i, constraint, new) for i, constraint in enumerate(self.constraints))

    def are_kept(self, checked: Iterable[KeptConstraint]) -> bool:
        """Whether no constraint is violated by more than the tolerance."""
        return all(kept.violation <= TOLERANCE * self.size for kept in checked)

    def hold_exactly(self, checked: Iterable[KeptConstraint]) -> bool:
        """Whether the affine constraints hold, but for their last digits."""
        return all(kept.violation <= NEGLIGIBLE * self.size for kept in checked if kept.is_exact)

    def _kept(self, index: int, constraint: cvxpy.Constraint, new: Sequence[Fraction]) -> KeptConstraint:
        numeric = _violation(constraint)
        rows = [row for row in self._rows if row.constraint == index]
        if not rows or not numeric <= TOLERANCE * self.size:
            return KeptConstraint(str(constraint), numeric, False)
        largest = max(row.violation(new) for row in rows)
        return KeptConstraint(str(constraint), nextafter(float(largest), inf) if largest else 0.0, True)

    def _affine_rows(self, index: int, constraint: cvxpy.Constraint) -> Iterator[AffineRow]:
        """The rows of a constraint that is affine in the coefficients alone; none of any other."""
        expression, is_equation = _affine_expression(constraint)
        places = self.coefficients.places()
        if expression is None or any(v.id not in places for v in expression.variables()):
            return
        self.coefficients.assign(np.zeros(len(self.old)))
        constants = np.atleast_1d(np.asarray(expression.value, dtype=float).flatten(order="F"))
        gradients = [
            (places[variable.id], np.asarray(gradient if np.isscalar(gradient) else gradient.todense()))
            for variable, gradient in expression.grad.items()
        ]
        for j, constant in enumerate(constants):
            slopes: dict[int, Fraction] = {}
            for indices, gradient in gradients:
                column = gradient.reshape(len(indices), len(constants))[:, j]
                for k, slope in zip(indices, column, strict=True):
                    slopes[k] = slopes.get(k, Fraction(0)) + simplest(float(slope))
            yield AffineRow(
                index, {k: c for k, c in slopes.items() if c}, simplest(float(constant)), is_equation
            )


def simplest(value: float) -> Fraction:
    """The fraction with a small denominator that rounds to a number, or else its exact value.

    >>> simplest(0.1), simplest(1 / 3)
    (Fraction(1, 10), Fraction(1, 3))
    """
    near = Fraction(value).limit_denominator(SIMPLEST)
    return near if float(near) == value else exact(value)


def _affine_expression(constraint: cvxpy.Constraint) -> tuple[cvxpy.Expression | None, bool]:
    """What must be at most 0 (or equal 0, where the second value says so), if it is affine."""
    equations = (cvxpy.constraints.Equality, cvxpy.constraints.Zero)
    inequalities = (cvxpy.constraints.Inequality, cvxpy.constraints.NonPos)
    if not isinstance(constraint, (*equations, *inequalities)):
        return None, False
    expression = constraint.expr if hasattr(constraint, "expr") else constraint.args[0]
    is_real_affine = expression.is_affine() and not expression.is_complex()
    return (expression if is_real_affine else None), isinstance(constraint, equations)


def _violation(constraint: cvxpy.Constraint) -> float:
    """The largest violation in floating point; infinite where it cannot be computed."""
    try:
        value = float(np.max(np.abs(constraint.violation()), initial=0.0))
    except (ValueError, TypeError):
        return inf
    return value if value >= 0 else inf  # nan: not defined there


def _checked(returned: Any) -> Iterator[cvxpy.Constraint]:
    """The constraints, each of a kind that can be handed to a solver."""
    listed = [returned] if isinstance(returned, cvxpy.constraints.constraint.Constraint) else returned
    if not isinstance(listed, Iterable):
        raise InputError(
            f"constraints: the function returned {type(returned).__name__}; return a list of cvxpy"
            " constraints."
        )
    for i, constraint in enumerate(listed, 1):
        reason = _reason_against(constraint)
        if reason is not None:
            raise InputError(f"constraints: number {i}, {constraint}, {reason}.")
        yield constraint


def _reason_against(constraint: Any) -> str | None:
    """Why a constraint cannot be handed to a solver, with the remedy."""
    if not isinstance(constraint, cvxpy.constraints.constraint.Constraint):
        return f"is a {type(constraint).__name__}; compare cvxpy expressions by ==, <= or >="
    if not constraint.is_dcp():
        return "breaks cvxpy's rules for convex problems (DCP); put a convex function on the smaller side"
    if any(parameter.value is None for parameter in constraint.parameters()):
        return "has a parameter without a value; set it"
    leaves = [*constraint.constants(), *constraint.parameters()]
    if not all(np.isfinite(_numbers(leaf.value)).all() for leaf in leaves):
        return "has a number that is infinite or not a number (nan); leave out a bound that does not bind"
    if any(v.attributes["boolean"] or v.attributes["integer"] for v in constraint.variables()):
        return "has variables that must be whole numbers; use real ones"
    return None


def _numbers(value: Any) -> Any:
    """The numbers of a constant, which cvxpy keeps as an array or as a sparse matrix."""
    is_sparse = scipy.sparse.issparse(value)
    return scipy.sparse.find(value)[2] if is_sparse else value
