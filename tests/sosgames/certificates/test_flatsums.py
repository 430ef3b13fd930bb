"""The quick reader of written-out sums agrees with the grammar, and leaves everything else to it."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sosgames.certificates.errors import InputError
from sosgames.certificates.expressions import _Reader, parse_expression
from sosgames.certificates.flatsums import flat_sum
from sosgames.certificates.limits import Work
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.tokens import tokens

NAMES = frozenset({"x", "y1", "z_"})
monomials = st.dictionaries(st.sampled_from(sorted(NAMES)), st.integers(1, 60), max_size=3)
polynomials = st.lists(st.tuples(monomials, st.fractions()), max_size=8).map(
    lambda terms: Polynomial({tuple(sorted(m.items())): c for m, c in terms})
)


def by_the_grammar(text: str) -> Polynomial:
    return _Reader(NAMES, "text", Work()).read(tokens(text, "text"))


@given(polynomials)
def test_what_str_writes_is_read_quickly_and_to_the_same_polynomial(polynomial: Polynomial) -> None:
    text = str(polynomial)
    assert flat_sum(text, NAMES, "text", Work()) == polynomial == by_the_grammar(text)


@given(st.text(alphabet="xy1z_ +-*/()0123456789.e", max_size=24))
def test_what_the_quick_reader_takes_the_grammar_reads_alike(text: str) -> None:
    found = flat_sum(text, NAMES, "text", Work())
    if found is not None:
        assert found == by_the_grammar(text)


@pytest.mark.parametrize(
    "text",
    [
        *("x+y1", "(x)", "x*x", "2x", "x**0", "x/0", "w", "1 - - x", "x -  y1", "x**1000", "9" * 301, "--x"),
        *("+x", "2*3*x", "x*2", "1e3", "0.5*x", "x ", "x\n", "", "x/y1", "x**2**2", "x**-1", "٣*x", "x - x"),
    ],
)
def test_everything_else_is_left_to_the_grammar(text: str) -> None:
    assert flat_sum(text, NAMES, "text", Work()) is None


def test_work_and_sizes_are_limited_as_in_the_grammar() -> None:
    with pytest.raises(InputError, match="steps"):
        flat_sum("x*y1 + 1", NAMES, "text", Work(3))
    wide = " + ".join(f"x**{k % 199 + 1}*y1**{k // 199 + 1}/{2**k + 1}" for k in range(170))
    with pytest.raises(InputError, match="bits"):
        parse_expression(wide, NAMES, "text")
    assert flat_sum("x/3 - 7", NAMES, "text", Work()) == Polynomial({(("x", 1),): Fraction(1, 3), (): -7})
