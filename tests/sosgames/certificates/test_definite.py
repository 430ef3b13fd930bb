"""The two exact proofs that a Gram matrix is positive semidefinite."""

from __future__ import annotations

from fractions import Fraction
from operator import mul

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sosgames.certificates.definite import congruence_failure, integer_triangle, semidefinite_failure

entries = st.integers(-4, 4) | st.integers(-(10**12), 10**12)


def dense(lower: list[list[int]]) -> list[list[int]]:
    side = len(lower)
    return [[lower[max(i, j)][min(i, j)] for j in range(side)] for i in range(side)]


def is_semidefinite(matrix: list[list[int]]) -> bool:
    """By the signs of the characteristic polynomial (Faddeev-LeVerrier): an independent way."""
    side = len(matrix)
    power = [[Fraction(0)] * side for _ in range(side)]
    coefficient = Fraction(1)
    for k in range(1, side + 1):
        for i in range(side):
            power[i][i] += coefficient
        power = [
            [sum((matrix[i][m] * power[m][j] for m in range(side)), Fraction(0)) for j in range(side)]
            for i in range(side)
        ]
        coefficient = -sum((power[i][i] for i in range(side)), Fraction(0)) / k
        if coefficient * (-1) ** k < 0:  # elementary symmetric function k of the eigenvalues
            return False
    return True


@st.composite
def triangles(draw: st.DrawFn) -> list[list[int]]:
    side = draw(st.integers(1, 6))
    return [[draw(entries) for _ in range(i + 1)] for i in range(side)]


@st.composite
def gram_matrices(draw: st.DrawFn) -> list[list[int]]:
    """Semidefinite, mostly singular: FF' for an integer F with few columns; sometimes spoilt by one unit."""
    side, rank = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    factor = [[draw(st.integers(-3, 3)) for _ in range(rank)] for _ in range(side)]
    lower = [[sum(map(mul, factor[i], factor[j])) for j in range(i + 1)] for i in range(side)]
    if draw(st.booleans()):
        i = draw(st.integers(0, side - 1))
        lower[i][draw(st.integers(0, i))] += draw(st.sampled_from([-1, 1]))
    return lower


@given(triangles() | gram_matrices())
def test_elimination_agrees_with_the_signs_of_the_characteristic_polynomial(lower: list[list[int]]) -> None:
    assert (semidefinite_failure(lower) is None) == is_semidefinite(dense(lower))


@given(gram_matrices(), st.data())
def test_a_congruence_is_only_ever_accepted_for_a_positive_definite_matrix(
    lower: list[list[int]], data: st.DataObject
) -> None:
    factor = [[data.draw(st.integers(-2, 2)) for _ in row] for row in lower]
    if congruence_failure(lower, factor) is None:
        shrunk = [[Fraction(v) for v in row] for row in dense(lower)]
        for i in range(len(shrunk)):
            shrunk[i][i] -= Fraction(1, 10**9)
        assert is_semidefinite(dense(integer_triangle(shrunk)))


def test_a_congruence_proves_a_matrix_that_is_not_dominant_itself() -> None:
    gram = [[2], [3, 5]]  # determinant 1
    assert congruence_failure(gram, [[1], [0, 1]]) is not None
    assert congruence_failure(gram, [[2], [-3, 2]]) is None


@pytest.mark.parametrize("factor", [[[0], [0, 1]], [[1], [1, 0]], [[0], [0, 0]]])
def test_a_congruence_with_a_zero_on_its_diagonal_is_refused(factor: list[list[int]]) -> None:
    assert "diagonal of P is zero" in str(congruence_failure([[5], [0, 5]], factor))


def test_dominance_must_be_strict() -> None:
    assert congruence_failure([[1], [-1, 1]], [[1], [0, 1]]) is not None


def test_a_zero_pivot_needs_a_zero_row() -> None:
    assert semidefinite_failure([[1], [1, 1], [2, 2, 4]]) is None
    assert semidefinite_failure([[1], [1, 1], [2, 3, 4]]) == "pivot 2 is zero but its row is not"


def test_the_empty_matrix_is_semidefinite() -> None:
    assert semidefinite_failure([]) is None
    assert congruence_failure([], []) is None


def test_scaling_to_integers_keeps_the_matrix_up_to_a_positive_factor() -> None:
    half = [[Fraction(1, 2), Fraction(1, 3)], [Fraction(1, 3), Fraction(2)]]
    assert integer_triangle(half) == [[3], [2, 12]]
