"""Sums of fourth powers: strictly convex, with no interior to round in, and Gram matrices of side n^2."""

from __future__ import annotations

import pytest

import sosgames as sg
from tests.sosgames.families import fourth_powers


@pytest.mark.parametrize("bounded", [True, False], ids=["box", "everywhere"])
@pytest.mark.parametrize("n", [4, 6, 8, pytest.param(10, marks=pytest.mark.slow)])
def test_the_modulus_of_sparse_fourth_powers_is_proved_to_be_two(n: int, bounded: bool) -> None:
    result = sg.certify(fourth_powers(n, bounded=bounded), "concave")
    assert result.lower == result.upper == 2
    result.verify()


@pytest.mark.parametrize("n", [4, pytest.param(8, marks=pytest.mark.slow)])
def test_the_modulus_of_dense_fourth_powers_is_proved_to_be_two(n: int) -> None:
    assert sg.certify(fourth_powers(n, dense=True), "concave").lower == 2
