"""Numbers are read exactly, and only as they are written."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from sosgames.certificates.errors import InputError
from sosgames.certificates.rationals import exact, read_number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", Fraction(0)),
        ("-1/3", Fraction(-1, 3)),
        ("0.1", Fraction(1, 10)),
        (".5", Fraction(1, 2)),
        ("7.", Fraction(7)),
        ("1e-3", Fraction(1, 1000)),
        ("-2.50E+2", Fraction(-250)),
        ("+4/6", Fraction(2, 3)),
        ("007", Fraction(7)),
    ],
)
def test_a_written_number_means_what_it_says(text: str, value: Fraction) -> None:
    assert read_number(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "", ".", "-", "e5", "1e", "1_000", " 1", "1 ", "1/", "/2", "1/0", "1/-2", "1.5/2", "0x10", "nan",
        "inf", "-Infinity", "True", "١٢", "１", "²", "½", "1,5", "1/2/3", "--1", "1e2501", "9" * 2501, "1\n",
    ],
)  # fmt: skip
def test_what_is_no_number_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(InputError, match=r"^payoff: .*\.$"):
        read_number(text, "payoff")


@given(st.fractions())
def test_reading_back_a_written_fraction_is_the_identity(value: Fraction) -> None:
    assert read_number(str(value)) == value


@given(st.decimals(allow_nan=False, allow_infinity=False, places=12))
def test_decimals_are_read_as_the_decimal_module_reads_them(value: Decimal) -> None:
    assert read_number(str(value)) == Fraction(value) == exact(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_the_dyadic_number_that_it_stores(value: float) -> None:
    assert exact(value) == Fraction(value)
    assert float(exact(value)) == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, Fraction(3)),
        (Fraction(2, 7), Fraction(2, 7)),
        (np.int64(-4), Fraction(-4)),
        (np.float32(0.1), Fraction(float(np.float32(0.1)))),
        (np.float64(0.1), Fraction(0.1)),
        (sympy.Rational(1, 3), Fraction(1, 3)),
        (sympy.Integer(5), Fraction(5)),
        (flint.fmpz(6), Fraction(6)),
        (flint.fmpq(1, 6), Fraction(1, 6)),
    ],
)
def test_rationals_of_other_libraries_keep_their_value(value: Any, expected: Fraction) -> None:
    assert exact(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        True, False, None, float("nan"), float("inf"), -float("inf"), 1j, Decimal("NaN"), Decimal("1e5000"),
        [1], b"1", np.bool_(True), np.nan, np.array([1, 2]), sympy.pi, sympy.sqrt(2), sympy.Symbol("x"),
        sympy.oo, sympy.nan,
    ],
)  # fmt: skip
def test_what_is_not_a_finite_rational_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match=r"^weight: "):
        exact(value, "weight")
