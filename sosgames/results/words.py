"""Results in words: what holds, what does not, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from decimal import Context, Decimal
from fractions import Fraction

from sosgames.certificates.games import ExactGame, MatrixProblem
from sosgames.certificates.sets import Ball, Box, Constraints, ProbabilitySimplex, Simplex, StrategySet
from sosgames.results.bracket import Bracket
from sosgames.results.verdict import Verdict, is_strict


def number(value: Fraction | None, missing: str = "?") -> str:
    """An exact number when it is short, otherwise its decimal value marked as rounded."""
    if value is None:
        return missing
    bits = value.numerator.bit_length() + value.denominator.bit_length()
    text = str(value) if bits <= 48 else ""
    return text if 0 < len(text) <= 12 else f"{decimal(value)}..."


def decimal(value: Fraction, digits: int = 10) -> str:
    """The decimal value of a number of any size, rounded.

    >>> decimal(Fraction(1, 3), 4), decimal(-Fraction(10) ** 400 / 3, 4)
    ('0.3333', '-3.333e+399')
    """
    with suppress(OverflowError):
        near = float(value)
        if near or not value:
            return f"{near:.{digits}g}"
    context = Context(digits)
    number = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{number:.{digits - 1}e}"


def headline(claim: str, verdict: Verdict, strict: bool | None) -> str:
    """One line: the claim and what is known of it."""
    strictly = " strict" if verdict is Verdict.CERTIFIED and strict else ""
    return f"{claim}: {verdict.name}{strictly}"


def bracket_line(bracket: Bracket, symbol: str = "mu*") -> str:
    """The bracket as an inequality, with the level that proved its lower end."""
    lower, upper = number(bracket.lower, "-inf"), number(bracket.upper, "+inf")
    inside = f"{symbol} = {lower}" if bracket.width == 0 else f"{lower} <= {symbol} <= {upper}"
    rung = f", {bracket.rung}" if bracket.rung not in (None, "strict", "constant") else ""
    form = f", {bracket.form} form" if bracket.form not in (None, "matrix") else ""
    level = "" if bracket.level is None else f"  (level {bracket.level}{form}{rung})"
    return inside + level


def consequences(problem: ExactGame, prop: str, lower: Fraction | None, weighted: bool) -> list[str]:
    """What Rosen's theorems add, for strategy sets that are known to be convex."""
    if lower is None or lower < 0:
        return []
    if not all(_is_convex(part) for player in problem.players for part in player.strategies):
        return ["X is not known to be convex, so nothing is said about equilibria."]
    bounded = all(_is_bounded(player.strategies, player.variables) for player in problem.players)
    given = "" if bounded else " if X is bounded"
    lines = [f"An equilibrium exists{given} (Rosen 1965, theorem 1)."]
    if prop == "monotone" and is_strict(lower, None):
        scaled = "; the weights are in the claim" if weighted else ""
        lines.append(f"It is unique{scaled} (Rosen 1965, theorem 2), and gradient play converges to it.")
    return lines


def variables_of(problem: ExactGame | MatrixProblem) -> str:
    """How large the problem is, for one line of a summary."""
    variables = count(len(problem.variables), "variable")
    if isinstance(problem, MatrixProblem):
        return f"side {problem.side}, {variables}"
    return f"{count(len(problem.players), 'player')}, {variables}"


def count(amount: int, noun: str) -> str:
    """The amount with its noun.

    >>> count(1, "player"), count(2, "player")
    ('1 player', '2 players')
    """
    return f"{amount} {noun}{'' if amount == 1 else 's'}"


def _is_convex(part: StrategySet) -> bool:
    """Known to be convex: every kind but general constraints, and those when all are affine."""
    return not isinstance(part, Constraints) or all(c.polynomial.degree <= 1 for c in part.constraints)


def _is_bounded(parts: Iterable[StrategySet], variables: tuple[str, ...]) -> bool:
    """Every variable lies in a set that is bounded by its kind."""
    kinds = (Box, Simplex, ProbabilitySimplex, Ball)
    bounded = {name for part in parts if isinstance(part, kinds) for name in part.variables}
    return bounded.issuperset(variables)
