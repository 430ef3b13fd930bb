"""How large a problem may be, so that reading one ends in seconds whatever a file says.

Each limit is far above what the method can certify and far below what would stop a machine. Numbers stay
below the 4,300 digits at which Python refuses to convert between integers and text.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from sosgames.certificates.errors import InputError

if TYPE_CHECKING:
    from sosgames.certificates.polynomials import Polynomial

MAX_FILE_BYTES = 16 * 2**20
"""Size of a game file."""
MAX_NESTING = 64
"""Parentheses inside each other in an expression."""
MAX_BRACKETS = 16
"""Brackets and braces inside each other, and parts of a dotted key, in a TOML or JSON file."""
MAX_VARIABLES = 10_000
"""Variables of a problem."""
MAX_PLAYERS = 10_000
"""Players of a game."""
MAX_NAME = 100
"""Characters in the name of a variable."""
MAX_LITERAL = 2_500
"""Characters in a number as it is written; also the largest decimal exponent."""
MAX_COEFFICIENT_BITS = 8_192
"""Bits in a numerator, and in the common denominator of a polynomial's coefficients."""
MAX_DEGREE = 200
"""Total degree of a polynomial."""
MAX_TERMS = 200_000
"""Terms of a polynomial."""
MAX_NODES = 100_000
"""Nodes of a game tree."""
MAX_TABLES = 200_000
"""Lines of a TOML file that begin with a bracket: headers of tables, and rows of matrices."""
MAX_WORK = 600_000
"""Words, and products of two terms, that all expressions of one file may take together, written-out sums
aside: their work is that of their characters, which ``MAX_FILE_BYTES`` limits."""
STARTING_WORK = 25
"""What starting on an expression costs, in words."""


MAX_DERIVATIVE_STEPS = 20_000_000
"""Factors of all monomials in all second derivatives of a game: some 20 seconds, and 750 MB."""


class Work:
    """The budget that the expressions of one file share; `spend` refuses before the work is done.

    >>> budget = Work(10)
    >>> budget.spend(4, "utility")
    >>> budget.left
    6
    """

    __slots__ = ("left",)

    def __init__(self, units: int = MAX_WORK) -> None:
        self.left = units

    def spend(self, units: int, where: str) -> None:
        """Take units from the budget, or raise `InputError`."""
        self.left -= units
        if self.left < 0:
            raise InputError(
                f"{where}: expanding the expressions takes more than {MAX_WORK:,} steps; write them expanded,"
                " or the problem smaller."
            )


def check_count(number: int, most: int, what: str) -> None:
    """Raise `InputError` when there are more than so many things of a kind."""
    if number > most:
        raise InputError(f"{number:,} {what}; at most {most:,} can be read.")


def check_number(number: Fraction, where: str) -> Fraction:
    """The number itself, when it is within the limits; otherwise `InputError`."""
    bits = max(number.numerator.bit_length(), number.denominator.bit_length())
    if bits > MAX_COEFFICIENT_BITS:
        raise InputError(
            f"{where}: a number of {bits:,} bits; at most {MAX_COEFFICIENT_BITS:,} can be read, so round it."
        )
    return number


def check_size(polynomial: Polynomial, where: str) -> Polynomial:
    """The polynomial itself, when it is within the limits; otherwise `InputError` says which is passed."""
    if len(polynomial.terms) > MAX_TERMS:
        raise InputError(f"{where}: {len(polynomial.terms):,} terms; at most {MAX_TERMS:,} can be read.")
    if polynomial.degree > MAX_DEGREE:
        raise InputError(f"{where}: degree {polynomial.degree}; at most {MAX_DEGREE} can be read.")
    bits = coefficient_bits(polynomial)
    if bits > MAX_COEFFICIENT_BITS:
        raise InputError(
            f"{where}: coefficients need {bits:,} bits or more over their common denominator; at most"
            f" {MAX_COEFFICIENT_BITS:,} can be read, so round the data to fewer digits."
        )
    return polynomial


def coefficient_bits(polynomial: Polynomial) -> int:
    """Bits of the largest numerator and of the common denominator; stops counting past the limit."""
    ratios = [coefficient.as_integer_ratio() for coefficient in polynomial.terms.values()]
    largest, scale = max([abs(above) for above, _ in ratios], default=0), 1
    for below in {below for _, below in ratios}:
        scale = math.lcm(scale, below)
        if scale.bit_length() > MAX_COEFFICIENT_BITS:
            break
    return max(largest.bit_length(), scale.bit_length())
