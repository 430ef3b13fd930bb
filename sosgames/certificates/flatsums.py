"""A quick reader of sums that are written out, as `str` of a polynomial writes them.

Everything else, every fault included, is left to the reader of the whole grammar, and what is read here is
read to the same polynomial there.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from fractions import Fraction

from sosgames.certificates.limits import MAX_DEGREE, STARTING_WORK, Work, check_size
from sosgames.certificates.polynomials import Monomial, Polynomial, monomial_degree

_POWER = r"[A-Za-z_][A-Za-z0-9_]*+(?:\*\*[0-9]{1,3}+)?+"
_TERM = rf"(?:[0-9]{{1,300}}+|{_POWER})(?:\*{_POWER})*+(?:/[0-9]{{1,300}}+)?+"
_SUM = re.compile(rf"-?{_TERM}(?: [+-] {_TERM})*+")  # possessive: no text makes it go back


def flat_sum(text: str, variables: Collection[str], where: str, work: Work) -> Polynomial | None:
    """The polynomial of a sum of different monomials, or None where the text is anything else.

    >>> print(flat_sum("-3*x**2/4 + 2*x*y - 1", {"x", "y"}, "example", Work()))
    -3*x**2/4 + 2*x*y - 1
    >>> flat_sum("(x + y)**2", {"x", "y"}, "example", Work()) is None
    True
    """
    if _SUM.fullmatch(text) is None:
        return None
    work.spend(STARTING_WORK, where)
    words = text.replace("**", "^").split(" ")
    powers = _Powers(variables)
    terms: dict[Monomial, Fraction] = {}
    for k in range(0, len(words), 2):
        negative = words[k - 1] == "-" if k else words[0].startswith("-")
        term = _term(words[k].removeprefix("-"), powers)
        if term is None or term[0] in terms:
            return None
        monomial, above, below = term
        terms[monomial] = Fraction(-above if negative else above, below)
    return check_size(Polynomial(terms), where)


class _Powers(dict[str, tuple[str, int] | None]):
    """Name and exponent of each power of a variable that occurs; None for what is no such power."""

    def __init__(self, variables: Collection[str]) -> None:
        self.variables = variables

    def __missing__(self, text: str) -> tuple[str, int] | None:
        name, _, exponent = text.partition("^")
        power = (name, int(exponent or 1))
        self[text] = found = power if name in self.variables and power[1] else None
        return found


def _term(text: str, powers: _Powers) -> tuple[Monomial, int, int] | None:
    """Monomial, numerator and denominator."""
    product, _, divisor = text.partition("/")
    factors = product.split("*")
    number = int(factors.pop(0)) if product[0].isdigit() else 1
    below = int(divisor or 1)
    monomial = [power for factor in factors if (power := powers[factor]) is not None]
    several = len(factors) > 1
    repeats = several and len({name for name, _ in monomial}) < len(monomial)
    if not below or len(monomial) < len(factors) or repeats or monomial_degree(monomial) > MAX_DEGREE:
        return None
    return tuple(sorted(monomial) if several else monomial), number, below
