"""A quick reader of sums that are written out, as `str` of a polynomial writes them.

Everything else, every fault included, is left to the reader of the whole grammar, and what is read here is
read to the same polynomial there.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from fractions import Fraction

from sosgames.certificates.limits import MAX_DEGREE, STARTING_WORK, Work, check_size
from sosgames.certificates.polynomials import Monomial, Polynomial

_POWER = r"[A-Za-z_][A-Za-z0-9_]*+(?:\*\*[0-9]{1,3}+)?+"
_TERM = rf"(?:[0-9]{{1,300}}+|{_POWER})(?:\*{_POWER})*+(?:/[0-9]{{1,300}}+)?+"
_SUM = re.compile(rf"-?{_TERM}(?: [+-] {_TERM})*+")  # possessive: no text makes it go back
_PART = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\*\*([0-9]+))?|([0-9]+)")


def flat_sum(text: str, variables: Collection[str], where: str, work: Work) -> Polynomial | None:
    """The polynomial of a sum of different monomials, or None where the text is anything else.

    >>> print(flat_sum("-3*x**2/4 + 2*x*y - 1", {"x", "y"}, "example", Work()))
    -3*x**2/4 + 2*x*y - 1
    >>> flat_sum("(x + y)**2", {"x", "y"}, "example", Work()) is None
    True
    """
    if _SUM.fullmatch(text) is None:
        return None
    words = text.split(" ")
    work.spend(STARTING_WORK + text.count("*") + 2 * len(words), where)
    terms: dict[Monomial, Fraction] = {}
    for k in range(0, len(words), 2):
        negative = words[k - 1] == "-" if k else words[0].startswith("-")
        term = _term(words[k].removeprefix("-"), variables)
        if term is None or term[0] in terms:
            return None
        monomial, c = term
        terms[monomial] = -c if negative else c
    return check_size(Polynomial(terms), where)


def _term(text: str, variables: Collection[str]) -> tuple[Monomial, Fraction] | None:
    product, _, divisor = text.partition("/")
    number, exponents = 1, dict[str, int]()
    for name, exponent, digits in _PART.findall(product):
        if digits:
            number = int(digits)
        elif name not in variables or name in exponents:
            return None
        else:
            exponents[name] = int(exponent or 1)
    below = int(divisor or 1)
    if not below or not all(exponents.values()) or sum(exponents.values()) > MAX_DEGREE:
        return None
    return tuple(sorted(exponents.items())), Fraction(number, below)
