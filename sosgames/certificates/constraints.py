"""One polynomial inequality or equation, and the names that variables may have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from sosgames.certificates.errors import InputError, shown
from sosgames.certificates.limits import MAX_NAME, check_size
from sosgames.certificates.polynomials import Polynomial

Kind = Literal[">=", "=="]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Constraint:
    """The condition ``polynomial >= 0`` or ``polynomial == 0``.

    Examples
    --------
    >>> from sosgames.certificates.polynomials import Polynomial
    >>> disc = Constraint(1 - Polynomial.variable("x") ** 2)
    >>> print(disc)
    -x**2 + 1 >= 0
    >>> disc.holds({"x": 1}), disc.holds({"x": 2})
    (True, False)
    """

    polynomial: Polynomial
    kind: Kind = ">="

    def __post_init__(self) -> None:
        if self.kind not in (">=", "=="):
            raise InputError(f"constraint: the kind is {shown(self.kind)}; it is '>=' or '=='.")
        if self.polynomial.is_constant():
            raise InputError(
                f"constraint: '{self.polynomial} {self.kind} 0' has no variable in it and restricts nothing;"
                " remove it."
            )
        check_size(self.polynomial, "constraint")

    def holds(self, point: Mapping[str, Fraction | int]) -> bool:
        """Whether a point satisfies the condition, decided exactly."""
        value = self.polynomial(point)
        return value == 0 if self.kind == "==" else value >= 0

    def __str__(self) -> str:
        return f"{self.polynomial} {self.kind} 0"


def variable_names(values: Iterable[Any], where: str) -> tuple[str, ...]:
    """The names of variables given as strings or as symbols whose ``str`` is the name; each only once."""
    if isinstance(values, str):
        raise InputError(f"{where}: got the text {shown(values)}; pass a list of variables.")
    names = tuple(variable_name(value, where) for value in values)
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"{where}: the variable {name} is listed twice.")
        seen.add(name)
    return names


def variable_name(value: Any, where: str) -> str:
    """The name of one variable: an ASCII letter or underscore, then letters, digits and underscores."""
    name = value if isinstance(value, str) else str(value)
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME:
        raise InputError(
            f"{where}: {shown(name)} cannot name a variable; use a letter or underscore, then letters, digits"
            f" and underscores of ASCII, at most {MAX_NAME} in all."
        )
    return name
