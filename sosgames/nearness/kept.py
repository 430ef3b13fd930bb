"""The user's own constraints at the game that was found: as computed, and as read back from a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import isnan
from typing import Any

from sosgames.certificates.errors import shown
from sosgames.certificates.expressions import parse_constraint, parse_expression
from sosgames.certificates.games import ExactGame
from sosgames.errors import InputError

MOST_CHARACTERS = 100_000
"""Of a constraint's text in a file."""
AGREE = Fraction(1, 10**9)
"""What a violation may differ by from the file's, over the size of the coefficients: cvxpy's digits."""


@dataclass(frozen=True, slots=True)
class KeptConstraint:
    """One of the user's own constraints, at the coefficients of the game that was found.

    Attributes
    ----------
    text
        The constraint as cvxpy prints it.
    violation
        What it lacks, at most: 0 when it holds.
    is_exact
        Whether the violation was computed in exact arithmetic (affine constraints), or by cvxpy.
    is_checked
        Whether it was computed here, and not only read from a file.
    """

    text: str
    violation: float
    is_exact: bool
    is_checked: bool = field(default=True, compare=False)

    def __str__(self) -> str:
        how = "exactly" if self.is_exact else "as far as floating point tells"
        kept = "holds" if self.violation == 0 else f"is violated by at most {self.violation:.1e},"
        return f"{self.text}: {kept} {how}{'' if self.is_checked else ', says the file'}"

    def to_dict(self) -> dict[str, Any]:
        """The constraint as JSON values."""
        return {"text": self.text, "violation": self.violation, "is_exact": self.is_exact}


def read_kept(values: Any, number: int, game: ExactGame) -> KeptConstraint:
    """A constraint that `KeptConstraint.to_dict` wrote, at the coefficients of the game that was found.

    Constraints between single coefficients are read by the grammar of expressions, ``player[monomial]`` for a
    coefficient, and computed again; others (vectors, norms) are taken as the file has them, and say so.

    Raises
    ------
    InputError
        When it is malformed, or says less than the game violates it by.
    """
    where = f"constraint {number}"
    if not isinstance(values, Mapping) or values.keys() != {"text", "violation", "is_exact"}:
        raise InputError(f"{where}: got {shown(values)}; wanted its text, violation and is_exact.")
    text, violation, is_exact = values["text"], values["violation"], values["is_exact"]
    if not (isinstance(text, str) and 0 < len(text) <= MOST_CHARACTERS and text.isprintable()):
        raise InputError(f"{where}: the text is {shown(text)}; wanted one line that can be printed.")
    if type(violation) not in (int, float) or isnan(violation) or violation < 0:
        raise InputError(f"{where}: the violation is {shown(violation)}; wanted a number of at least 0.")
    if type(is_exact) is not bool:
        raise InputError(f"{where}: is_exact is {shown(is_exact)}; wanted true or false.")
    found = violation_of(text, game) if is_exact else None
    if found is not None and abs(found - Fraction(violation)) > AGREE * _size(game):
        raise InputError(
            f"{where}, {shown(text)}: the game violates it by {float(found):.3g}, not by {violation:.3g} as"
            " the file says."
        )
    return KeptConstraint(text, float(violation), is_exact, found is not None)


def violation_of(text: str, game: ExactGame) -> Fraction | None:
    """What a constraint between coefficients lacks, exactly; None where the text is of another kind.

    Examples
    --------
    >>> import sosgames as sg
    >>> game = sg.Game({"row": "3*x**2"}, {"row": sg.Box({"x": (0, 1)})}).exact
    >>> violation_of("row[x**2] / 2.0 <= 1", game), violation_of("norm1(new) <= 1.0", game)
    (Fraction(1, 2), None)
    """
    values: dict[str, Fraction] = {}
    names: dict[tuple[str, str], str] = {}

    def named(match: re.Match[str]) -> str:
        name = names.setdefault((match[1], match[2]), f"c{len(names)}")
        values[name] = _coefficient(match[1], match[2], game)
        return f" {name} "

    players = "|".join(re.escape(p.name) for p in sorted(game.players, key=lambda p: -len(p.name)))
    try:
        plain = re.sub(rf"(?<![\w\]])({players})\[([^\[\]]*)\]", named, text)
        constraints = parse_constraint(plain, values)
    except InputError:
        return None
    lacks = ((c.kind == "==", c.polynomial(values)) for c in constraints)
    return max(abs(v) if is_equation else max(-v, Fraction(0)) for is_equation, v in lacks)


def _coefficient(player: str, monomial: str, game: ExactGame) -> Fraction:
    """The coefficient that ``player[monomial]`` stands for."""
    terms = parse_expression(monomial, game.variables).terms
    if list(terms.values()) != [1]:
        raise InputError(f"{monomial} is not one monomial.")
    return game.player(player).utility.coefficient(next(iter(terms)))


def _size(game: ExactGame) -> Fraction:
    """The largest coefficient, at least 1."""
    return max((abs(c) for p in game.players for c in p.utility.terms.values()), default=Fraction(1)) + 1
