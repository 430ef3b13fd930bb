r"""The polynomial matrix whose definiteness is the question, computed from the user's own problem.

======== =========================================================== ==================================
property matrix M(x)                                                 metric R
======== =========================================================== ==================================
concave  minus the Hessian of one player's utility in own variables  I
monotone minus the symmetric part of the Jacobian of                 diag(weight of the owner)
         :math:`v = (r_i \nabla_{x_i} u_i)_i`, weights r (1 if none)
matrix   the matrix that was given                                   I
======== =========================================================== ==================================

The modulus is the largest mu with M(x) - mu R positive semidefinite for every x in X.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction

from sosgames.certificates.errors import InputError, shown
from sosgames.certificates.games import ExactGame, ExactPlayer, MatrixProblem
from sosgames.certificates.limits import MAX_DERIVATIVE_STEPS
from sosgames.certificates.polynomials import Monomial, Polynomial, cleared

Problem = ExactGame | MatrixProblem
Entries = Mapping[tuple[int, int], Polynomial]
"""The non-zero entries of a symmetric matrix on and above the diagonal, by (row, column) from 0."""
Sums = dict[tuple[int, int], dict[Monomial, int]]
"""An integer polynomial matrix on and above its diagonal, entry by entry and monomial by monomial."""
Basis = Sequence[Sequence[Fraction | int]]
"""A matrix B, row by row, whose columns span the directions that are asked about."""


@dataclass(frozen=True, slots=True)
class PolyMatrix:
    """A symmetric matrix of polynomials and the diagonal metric against which its modulus is measured.

    Attributes
    ----------
    rows
        Labels: names of variables, or "1", "2", ... for a matrix problem.
    entries
        Non-zero entries (a, b) with a <= b.
    metric
        Diagonal of R, row by row.
    """

    rows: tuple[str, ...]
    entries: Entries
    metric: tuple[Fraction, ...]

    @property
    def side(self) -> int:
        """Number of rows."""
        return len(self.rows)

    def minus(self, mu: Fraction) -> dict[tuple[int, int], Polynomial]:
        """The entries of M - mu R."""
        entries = dict(self.entries)
        for a, weight in enumerate(self.metric):
            entries[a, a] = entries.get((a, a), Polynomial()) - mu * weight
        return {key: entry for key, entry in entries.items() if entry}

    def form(self, x: Mapping[str, Fraction], y: Sequence[Fraction]) -> Fraction:
        """The number y'M(x)y."""
        terms = (
            (1 if a == b else 2) * y[a] * y[b] * p(x) for (a, b), p in self.entries.items() if y[a] and y[b]
        )
        return sum(terms, Fraction(0))

    def norm(self, y: Sequence[Fraction]) -> Fraction:
        """The number y'Ry."""
        pairs = zip(self.metric, y, strict=True)
        return sum((weight * entry**2 for weight, entry in pairs if entry), Fraction(0))


def modulus_matrix(
    problem: Problem,
    property: str,
    *,
    player: str | None = None,
    weights: Mapping[str, Fraction] | None = None,
    along: Set[str] | None = None,
) -> PolyMatrix:
    r"""The matrix M and the metric R of a property; see the table at the top of this module.

    Parameters
    ----------
    problem
        The game or the matrix.
    property
        "concave" or "monotone" for games, "matrix" for matrix problems.
    player
        For "concave" only: whose Hessian.
    weights
        For "monotone" only: a positive weight for every player of the game.
    along
        For "monotone": rows outside of which a direction is zero. Players who own none of them are left out;
        y'My and y'Ry stay what they are.

    Raises
    ------
    InputError
        When the arguments do not go with each other or with the problem.

    Notes
    -----
    Linear in the number of terms of the utilities, quadratic in the variables of one term.

    Examples
    --------
    >>> from sosgames.certificates.sets import Box
    >>> x = Polynomial.variable("x")
    >>> game = ExactGame((ExactPlayer("driver", ("x",), 4 * x - 3 * x**2, (Box({"x": (0, 1)}),)),))
    >>> modulus_matrix(game, "concave", player="driver").entries
    {(0, 0): Polynomial('6')}
    """
    if isinstance(problem, MatrixProblem):
        if property != "matrix" or player is not None or weights is not None:
            raise InputError(f"a matrix problem has the property 'matrix' alone, not {shown(property)}.")
        return _given_matrix(problem)
    if property == "concave" and player is not None and weights is None:
        return weighted_matrix([(problem.player(player), Fraction(1))], problem.player(player).variables)
    if property == "monotone" and player is None:
        weighted = _weighted_players(problem, weights)
        if along is not None:
            weighted = [(p, weight) for p, weight in weighted if not along.isdisjoint(p.variables)]
        return weighted_matrix(weighted, problem.variables)
    raise InputError(
        f"property {shown(property)}: it is 'concave' with a player, or 'monotone' with or without weights."
    )


def weighted_matrix(players: Iterable[tuple[ExactPlayer, Fraction]], rows: tuple[str, ...]) -> PolyMatrix:
    r"""The matrix :math:`\sum_i r_i M_i` over the rows given, and its metric; rows of other players get 0."""
    players = list(players)
    index = {name: a for a, name in enumerate(rows)}
    _refuse_endless_derivatives(players, index)
    sums: dict[int, Sums] = {}
    metric = [Fraction(0)] * len(rows)
    for player, weight in players:
        own = {name: index[name] for name in player.variables}
        for a in own.values():
            metric[a] = weight
        _add_second_derivatives(sums, player.utility, weight, own, index)
    return PolyMatrix(rows, _entries(sums), tuple(metric))


def _refuse_endless_derivatives(
    players: Iterable[tuple[ExactPlayer, Fraction]], index: Mapping[str, int]
) -> None:
    """Count the factors of all monomials in all second derivatives; long monomials have very many."""
    steps = sum(len(monomial) ** 3 for player, _ in players for monomial in player.utility.terms)
    if steps <= MAX_DERIVATIVE_STEPS:  # of which these are some
        return
    steps = 0
    for player, _ in players:
        own = set(player.variables)
        for monomial in player.utility.terms:
            n_own = sum(name in own for name, _ in monomial)
            steps += n_own * len(monomial) * sum(name in index for name, _ in monomial)
    if steps > MAX_DERIVATIVE_STEPS:
        raise InputError(
            f"game: its second derivatives have about {steps:,} factors in all; at most"
            f" {MAX_DERIVATIVE_STEPS:,} can be handled, so write it with fewer terms, or with fewer variables"
            " in a term."
        )


def congruent(entries: Entries, basis: Basis) -> dict[tuple[int, int], Polynomial]:
    """The entries of B'MB."""
    sparse = [[(j, c) for j, c in enumerate(row) if c] for row in basis]
    total: dict[tuple[int, int], Polynomial] = {}
    for (a, b), polynomial in entries.items():
        for j, left in sparse[a]:
            for k, right in sparse[b]:
                if a == b and j > k:  # the entry (k, j) of the same product
                    continue
                factor = left * right * (2 if a != b and j == k else 1)
                key = (min(j, k), max(j, k))
                total[key] = total.get(key, Polynomial()) + factor * polynomial
    return {key: polynomial for key, polynomial in total.items() if polynomial}


def _given_matrix(problem: MatrixProblem) -> PolyMatrix:
    side = problem.side
    entries = {(a, b): problem.rows[a][b] for a in range(side) for b in range(a, side) if problem.rows[a][b]}
    return PolyMatrix(tuple(str(a + 1) for a in range(side)), entries, (Fraction(1),) * side)


def _weighted_players(
    game: ExactGame, weights: Mapping[str, Fraction] | None
) -> list[tuple[ExactPlayer, Fraction]]:
    if weights is None:
        return [(player, Fraction(1)) for player in game.players]
    names = [player.name for player in game.players]
    if set(weights) != set(names):
        raise InputError(f"weights: they are for {shown(list(weights))}; give one to each of {shown(names)}.")
    for name, weight in weights.items():
        if weight <= 0:
            raise InputError(f"weights: player {shown(name)} has weight {weight}; it must be positive.")
    return [(player, Fraction(weights[player.name])) for player in game.players]


def _add_second_derivatives(
    sums: dict[int, Sums],
    utility: Polynomial,
    weight: Fraction,
    own: Mapping[str, int],
    index: Mapping[str, int],
) -> None:
    """Add minus the symmetric part of the player's rows of the Jacobian, in integers over a denominator."""
    terms, scale = cleared(utility.terms)
    total = sums.setdefault(2 * scale * weight.denominator, {})
    for monomial, whole in terms:
        for i, (name, e) in enumerate(monomial):
            if (a := own.get(name)) is None:
                continue
            once, factor = _lowered(monomial, i), -weight.numerator * whole * e
            for j, (other, f) in enumerate(once):
                if (b := index.get(other)) is not None:
                    entry = total.setdefault((a, b) if a <= b else (b, a), {})
                    twice = _lowered(once, j)
                    entry[twice] = entry.get(twice, 0) + factor * (2 * f if a == b else f)


def _entries(sums: Mapping[int, Sums]) -> dict[tuple[int, int], Polynomial]:
    """The sum of integer matrices, each over its denominator; players mostly share one."""
    total: dict[tuple[int, int], Polynomial] = {}
    for denominator, entries in sums.items():
        for key, values in entries.items():
            polynomial = Polynomial({m: Fraction(value, denominator) for m, value in values.items()})
            total[key] = total[key] + polynomial if key in total else polynomial
    return {key: polynomial for key, polynomial in total.items() if polynomial}


def _lowered(monomial: Monomial, place: int) -> Monomial:
    """The monomial with one exponent less by 1."""
    name, e = monomial[place]
    lowered = ((name, e - 1),) if e > 1 else ()
    return monomial[:place] + lowered + monomial[place + 1 :]
