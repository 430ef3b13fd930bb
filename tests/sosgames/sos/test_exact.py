"""Values in integers are the values in fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sosgames.certificates.matrices import PolyMatrix
from sosgames.certificates.polynomials import Polynomial
from sosgames.sos.exact import ExactEntries
from sosgames.sos.exponents import exponents_of, monomials_at
from sosgames.witnesses.exact import ExactMatrix

NAMES = ("x", "y", "z")
FRACTIONS = st.fractions(min_value=-5, max_value=5, max_denominator=10**6)
POINTS = st.fixed_dictionaries(dict.fromkeys(NAMES, FRACTIONS))
MONOMIALS = st.dictionaries(st.sampled_from(NAMES), st.integers(1, 4)).map(lambda m: tuple(sorted(m.items())))
POLYNOMIALS = st.dictionaries(MONOMIALS, FRACTIONS, max_size=5).map(Polynomial)


@given(st.lists(MONOMIALS, max_size=6), POINTS)
def test_monomials_have_their_values(monomials: list, point: dict[str, Fraction]) -> None:
    above, below = monomials_at([point[name] for name in NAMES], exponents_of(monomials, NAMES))
    assert [Fraction(value, below) for value in above] == [Polynomial({m: 1})(point) for m in monomials]


@given(POLYNOMIALS, POLYNOMIALS, POINTS)
def test_entries_have_their_values(p: Polynomial, q: Polynomial, point: dict[str, Fraction]) -> None:
    values, denominator = ExactEntries({(0, 0): p, (0, 1): q}).at(point)
    assert {key: Fraction(v, denominator) for key, v in values.items()} == {
        (0, 0): p(point),
        (0, 1): q(point),
    }


@given(
    st.lists(POLYNOMIALS, min_size=3, max_size=3),
    st.lists(st.fractions(min_value="1/9", max_value=9, max_denominator=9), min_size=2, max_size=2),
    POINTS,
    st.lists(st.integers(-(10**9), 10**9), min_size=2, max_size=2).filter(any),
)
def test_the_ratio_is_that_of_the_two_forms(entries, metric, point, y) -> None:
    matrix = PolyMatrix(("1", "2"), dict(zip([(0, 0), (0, 1), (1, 1)], entries, strict=True)), tuple(metric))
    assert ExactMatrix(matrix).at(point)(y) == matrix.form(point, y) / matrix.norm(y)


def test_a_matrix_without_entries_is_zero() -> None:
    assert ExactEntries({}).at({}) == ({}, 1)
    assert monomials_at([], np.zeros((2, 0), dtype=np.int64))[0].tolist() == [1, 1]
