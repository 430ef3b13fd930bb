"""Polynomials and constraints from text, by a grammar of our own; nothing in the text is ever executed.

::

    constraint = sum (("<=" | ">=" | "==") sum)+
    sum        = product (("+" | "-") product)*
    product    = signed (("*" | "/") signed)*          divisors are constants other than 0
    signed     = ("-" | "+") signed | power
    power      = atom ["**" signed]                    exponents are integer constants, at least 0
    atom       = number | name | "(" sum ")"

Operators bind as in Python: ``-x**2`` is ``-(x**2)`` and ``x**2**3`` is ``x**8``. The reader keeps its own
stack instead of calling itself, adds terms in place, and counts the work that expanding a product takes
before it starts, so that no text can exhaust the stack, the memory or the reader's patience.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Set
from dataclasses import dataclass, field
from fractions import Fraction

from sosgames.certificates.constraints import Constraint, Kind, variable_name
from sosgames.certificates.errors import InputError, listed, shown
from sosgames.certificates.flatsums import flat_sum
from sosgames.certificates.limits import (
    MAX_COEFFICIENT_BITS,
    MAX_DEGREE,
    MAX_NESTING,
    STARTING_WORK,
    Work,
    check_size,
    coefficient_bits,
)
from sosgames.certificates.polynomials import ONE, Monomial, Polynomial
from sosgames.certificates.rationals import read_number
from sosgames.certificates.tokens import Token, tokens


def parse_expression(
    text: str, variables: Collection[str] | None = None, where: str = "expression", work: Work | None = None
) -> Polynomial:
    """The polynomial that a text writes down.

    Parameters
    ----------
    text
        By the grammar of this module.
    variables
        The names that may occur; any legal name when left out.
    where
        What the text is, for messages.
    work
        The budget that several texts share (a file's); a fresh one when left out.

    Raises
    ------
    InputError
        With the place and the remedy, when the text is malformed, has an unknown variable, is not a
        polynomial, or would grow past the limits of `sosgames.certificates.limits`.

    Examples
    --------
    >>> print(parse_expression("(x - 1/2)*(x + 0.5)", ["x"]))
    x**2 - 1/4
    """
    known, budget = _known(variables), work or Work()
    written_out = None if known is None else flat_sum(text, known, where, budget)
    return written_out if written_out is not None else _Reader(known, where, budget).read(tokens(text, where))


def parse_constraint(
    text: str, variables: Collection[str] | None = None, where: str = "constraint", work: Work | None = None
) -> list[Constraint]:
    """The constraints that a text writes down; a chain such as ``0 <= x <= 1`` gives one for each relation.

    ``a >= b`` becomes ``a - b >= 0``, ``a <= b`` becomes ``b - a >= 0``, ``a == b`` becomes ``a - b == 0``.
    Strict inequalities are refused: the sets are closed. Parameters and errors as in `parse_expression`.

    Examples
    --------
    >>> [str(c) for c in parse_constraint("0 <= x <= 1", ["x"])]
    ['x >= 0', '-x + 1 >= 0']
    """
    budget = work or Work()
    sides: list[list[Token]] = [[]]
    relations: list[Token] = []
    for token in tokens(text, where):
        budget.spend(1, where)  # for keeping it
        if token.kind == "relation":
            relations.append(_relation(token, where))
            sides.append([])
        else:
            sides[-1].append(token)
    if not relations:
        raise InputError(
            f"{where}: {shown(text)} has no relation; write <=, >= or == between two expressions."
        )
    known = _known(variables)
    values = [_Reader(known, where, budget).read(side) for side in sides]
    return [_constraint(a, r.text, b, where) for a, r, b in zip(values, relations, values[1:], strict=False)]


def _known(variables: Collection[str] | None) -> Collection[str] | None:
    return variables if variables is None or isinstance(variables, Set) else frozenset(variables)


def _relation(token: Token, where: str) -> Token:
    remedies = {
        "<": "strategy sets are closed, so write <=",
        ">": "strategy sets are closed, so write >=",
        "=": "write ==",
        "!=": "write one of <=, >= and ==",
    }
    if token.text in remedies:
        raise InputError(
            f"{where}, character {token.place}: '{token.text}' is refused; {remedies[token.text]}."
        )
    return token


def _constraint(left: Polynomial, relation: str, right: Polynomial, where: str) -> Constraint:
    difference = right - left if relation == "<=" else left - right
    kind: Kind = "==" if relation == "==" else ">="
    try:
        return Constraint(difference, kind)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


_FRACTIONS = ("Fraction", "Rational")


@dataclass(slots=True)
class _Level:
    """What is open between two parentheses: a sum, the product to be added next, and its next factor.

    The product is ``sign * numerator / denominator * (exponents as a monomial) * other``; only factors of
    several terms enter ``other``, so that long flat sums cost no polynomial arithmetic. The factor is a
    tower of operands with the operators (``**`` and ``negate``) that wait between them.
    """

    opened: int
    total: dict[Monomial, Fraction] = field(default_factory=dict)
    sign: int = 1
    numerator: int = 1
    denominator: int = 1
    exponents: dict[str, int] = field(default_factory=dict)
    other: Polynomial | None = None
    divides: Token | None = None
    operands: list[Polynomial] = field(default_factory=list)
    operators: list[Token] = field(default_factory=list)

    def start_product(self, sign: int) -> None:
        self.sign, self.numerator, self.denominator = sign, 1, 1
        self.exponents, self.other, self.divides = {}, None, None


class _Reader:
    """Turns words into a polynomial; ``levels`` is the stack of open parentheses."""

    __slots__ = ("known", "last_name", "levels", "variables", "where", "words", "work")

    def __init__(self, variables: Collection[str] | None, where: str, work: Work) -> None:
        self.known = variables
        self.where = where
        self.work = work
        self.levels = [_Level(opened=0)]
        self.words: Iterator[Token] = iter(())
        self.last_name: Token | None = None
        self.variables: dict[str, Polynomial] = {}

    def read(self, words: Iterable[Token]) -> Polynomial:
        self.work.spend(STARTING_WORK, self.where)
        value_next = True
        last = None
        self.words = iter(words)
        for last in self.words:
            self.work.spend(1, self.where)
            value_next = self.value(last) if value_next else self.operator(last)
        if value_next:
            after = f" after '{last.text}'" if last else ""
            raise InputError(f"{self.where}: a number, a variable or '(' is missing{after} at the end.")
        if len(self.levels) > 1:
            raise self.error("this '(' is never closed", self.levels[-1].opened)
        return self.closed(self.levels[-1])

    # -- words ------------------------------------------------------------------------------------------

    def value(self, token: Token) -> bool:
        """Read a word where a value may start; whether a value is still to come."""
        level = self.levels[-1]
        self.last_name = token if token.kind == "name" else None
        if token.kind == "name":
            level.operands.append(self.variables.get(token.text) or self.variable(token))
            return False
        if token.kind == "number":
            level.operands.append(Polynomial.constant(read_number(token.text, self.where)))
            return False
        if token.text == "(":
            if len(self.levels) > MAX_NESTING:
                raise self.error(f"parentheses nest deeper than {MAX_NESTING}; write it flatter", token.place)
            self.levels.append(_Level(opened=token.place))
        elif token.text == "-" and level.operators and level.operators[-1].text == "negate":
            level.operators.pop()
        elif token.text == "-":
            level.operators.append(token._replace(text="negate"))
        elif token.text != "+":
            raise self.error(f"got '{token.text}' in place of a number, a variable or '('", token.place)
        return True

    def operator(self, token: Token) -> bool:
        """Read a word after a complete value; whether another value has to follow."""
        level = self.levels[-1]
        name, self.last_name = self.last_name, None
        if token.text == "**":
            level.operators.append(token)
        elif token.text in ("*", "/"):
            self.multiply(level)
            level.divides = token if token.text == "/" else None
        elif token.text in ("+", "-"):
            self.add_product(level)
            level.start_product(-1 if token.text == "-" else 1)
        elif token.text == ")":
            if len(self.levels) == 1:
                raise self.error("this ')' closes nothing", token.place)
            self.levels.pop()
            self.levels[-1].operands.append(self.closed(level))
            return False
        else:
            if token.text == "(" and self.known is None and name is not None:
                raise self.function(name)
            raise self.error(
                f"an operator is missing before '{token.text}'; write * for products", token.place
            )
        return True

    def variable(self, token: Token) -> Polynomial:
        """The variable of a name that is met for the first time."""
        name = variable_name(token.text, f"{self.where}, character {token.place}")
        if self.known is not None and name not in self.known:
            if self.opens_next():
                raise self.function(token)
            near = difflib.get_close_matches(name, self.known, n=1) if len(self.known) < 1000 else []
            hint = f"did you mean {near[0]}?" if near else f"known are {listed(sorted(self.known))}."
            raise InputError(
                f"{self.where}, character {token.place}: the variable '{name}' is unknown; {hint}"
            )
        self.variables[name] = Polynomial.variable(name)
        return self.variables[name]

    def opens_next(self) -> bool:
        """Whether the next word is a parenthesis; the words are not gone on with."""
        try:
            following = next(self.words, None)
        except InputError:
            return False
        return following is not None and following.text == "("

    def function(self, token: Token) -> InputError:
        """The error of a name, of no variable as far as one knows, with a parenthesis after it."""
        remedy = "write a polynomial in its place, and * for products"
        if token.text in _FRACTIONS:
            remedy = "write a fraction as 3/2"
        return self.error(
            f"'{token.text}(' begins a function, and only polynomials are read; {remedy}", token.place
        )

    # -- sums, products, powers -------------------------------------------------------------------------

    def closed(self, level: _Level) -> Polynomial:
        self.add_product(level)
        return check_size(Polynomial(level.total), self.where)

    def add_product(self, level: _Level) -> None:
        """Finish the product and add it to the sum, in place."""
        self.multiply(level)
        coefficient = Fraction(level.sign * level.numerator, level.denominator)
        monomial = tuple(sorted(level.exponents.items()))
        self.check_degree(sum(level.exponents.values()))
        terms = {monomial: coefficient}
        if level.other is not None:
            terms = dict(self.product(level.other, Polynomial(terms)).terms)
        for monomial, coefficient in terms.items():
            if monomial in level.total:
                coefficient += level.total[monomial]
                self.check_bits(coefficient.numerator, coefficient.denominator)
            level.total[monomial] = coefficient

    def multiply(self, level: _Level) -> None:
        """Finish the factor and multiply the product by it, or divide."""
        factor = self.factor(level)
        if level.divides:
            divisor = self.divisor(factor, level.divides)
            level.numerator *= divisor.denominator
            level.denominator *= divisor.numerator
        elif len(factor.terms) == 1:
            ((monomial, coefficient),) = factor.terms.items()
            level.numerator *= coefficient.numerator
            level.denominator *= coefficient.denominator
            for name, exponent in monomial:
                level.exponents[name] = level.exponents.get(name, 0) + exponent
        else:
            level.other = factor if level.other is None else self.product(level.other, factor)
        self.check_bits(level.numerator, level.denominator)

    def factor(self, level: _Level) -> Polynomial:
        """Apply the operators that wait in the factor, the last one first."""
        value = level.operands.pop()
        while level.operators:
            token = level.operators.pop()
            self.work.spend(1, self.where)
            value = -value if token.text == "negate" else self.power(level.operands.pop(), value, token)
        return value

    def divisor(self, factor: Polynomial, token: Token) -> Fraction:
        if not factor.is_constant():
            raise self.error(f"division by {shown(str(factor))}; only constants can divide", token.place)
        if not factor:
            raise self.error("division by zero", token.place)
        return factor.constant_term

    def product(self, left: Polynomial, right: Polynomial) -> Polynomial:
        self.check_degree(left.degree + right.degree)
        bits = coefficient_bits(left) + coefficient_bits(right)
        self.work.spend(len(left.terms) * len(right.terms) * (1 + bits // 512), self.where)
        return check_size(left * right, self.where)

    def power(self, base: Polynomial, exponent: Polynomial, token: Token) -> Polynomial:
        value = exponent.constant_term
        if not exponent.is_constant() or value.denominator != 1 or value < 0:
            raise self.error("an exponent must be a constant whole number, at least 0", token.place)
        digits = coefficient_bits(base) - 1 if len(base.terms) < 2 else 0
        if base.degree * value > MAX_DEGREE or digits * value > MAX_COEFFICIENT_BITS:
            raise self.error("the power is too large; its degree or its digits pass the limit", token.place)
        if len(base.terms) < 2:
            return Polynomial(_power_of_term(base, int(value)))
        power, square, left = Polynomial.constant(1), base, int(value)
        while left:
            power = self.product(power, square) if left & 1 else power
            left >>= 1
            square = self.product(square, square) if left else square
        return power

    # -- limits and messages ----------------------------------------------------------------------------

    def check_degree(self, degree: int) -> None:
        if degree > MAX_DEGREE:
            raise InputError(f"{self.where}: degree {degree}; at most {MAX_DEGREE} can be read.")

    def check_bits(self, numerator: int, denominator: int) -> None:
        if max(numerator.bit_length(), denominator.bit_length()) > MAX_COEFFICIENT_BITS:
            raise InputError(
                f"{self.where}: a coefficient grows past {MAX_COEFFICIENT_BITS:,} bits; round the data."
            )

    def error(self, message: str, place: int) -> InputError:
        return InputError(f"{self.where}, character {place}: {message}.")


def _power_of_term(base: Polynomial, exponent: int) -> dict[Monomial, Fraction]:
    """The power of a polynomial of at most one term; 0**0 is 1, as in Python."""
    if not base:
        return {ONE: Fraction(exponent == 0)}
    ((monomial, coefficient),) = base.terms.items()
    raised = tuple((name, e * exponent) for name, e in monomial) if exponent else ONE
    return {raised: coefficient**exponent}
