"""Positive definiteness is proved for definite integer matrices, near-singular ones too, and for no other."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from sosgames.certificates.definite import congruence_failure, semidefinite_failure
from sosgames.certificates.matrices import PolyMatrix
from sosgames.certificates.polynomials import Polynomial
from sosgames.errors import InputError
from sosgames.rounding import constant_modulus, prove_constant
from sosgames.rounding.definite import MAX_ELIMINATION_SIDE, lower_triangle, prove_definite


def integers(matrix: np.ndarray, bits: int) -> np.ndarray:
    rounded = [[round(v) for v in row] for row in np.ldexp((matrix + matrix.T) / 2, bits)]
    return np.array(rounded, dtype=object)


def random_matrix(side: int, smallest: float, seed: int = 0) -> np.ndarray:
    """Eigenvalues from ``smallest`` to 1, random eigenvectors."""
    rng = np.random.default_rng(seed)
    vectors = np.linalg.qr(rng.standard_normal((side, side)))[0]
    return (vectors * np.linspace(smallest, 1, side)) @ vectors.T


@pytest.mark.parametrize("side", [1, 2, MAX_ELIMINATION_SIDE, MAX_ELIMINATION_SIDE + 1, 30, 100])
@pytest.mark.parametrize("smallest", [1e-1, 1e-6, 1e-10])
def test_definite_matrices_are_proved_down_to_small_margins(side: int, smallest: float) -> None:
    gram = integers(random_matrix(side, smallest), 50)
    proof = prove_definite(gram)
    assert proof is not None
    if proof.congruence is None:
        assert semidefinite_failure(lower_triangle(gram)) is None
    else:
        assert congruence_failure(lower_triangle(gram), proof.congruence) is None


@pytest.mark.parametrize("side", [2, 5, 8, 30])
@pytest.mark.parametrize("smallest", [-1e-1, -1e-6, -1e-10])
def test_indefinite_matrices_are_never_proved(side: int, smallest: float) -> None:
    assert prove_definite(integers(random_matrix(side, smallest), 60)) is None


def test_small_singular_matrices_are_proved_and_large_ones_are_not() -> None:
    assert prove_definite(np.ones((4, 4), dtype=int).astype(object)) is not None
    assert prove_definite(np.ones((20, 20), dtype=int).astype(object)) is None


@pytest.mark.parametrize("bits", [-10, 0, 900, 2000])
def test_entries_may_be_of_any_size_and_rows_of_any_scale(bits: int) -> None:
    gram = integers(random_matrix(12, 1e-3), 50) * (1 << max(bits, 0))
    scales = np.array([10**k for k in range(12)], dtype=object)
    gram = gram * np.outer(scales, scales)
    proof = prove_definite(gram)
    assert proof is not None
    assert proof.congruence is not None
    assert congruence_failure(lower_triangle(gram), proof.congruence) is None


def constant(rows) -> PolyMatrix:
    side = len(rows)
    entries = {
        (a, b): Polynomial.constant(rows[a][b]) for a in range(side) for b in range(a, side) if rows[a][b]
    }
    return PolyMatrix(tuple(map(str, range(side))), entries, (Fraction(1),) * side)


@pytest.mark.parametrize(
    ("rows", "modulus"),
    [
        ([[6]], 6),
        ([[0, -5], [-5, 0]], -5),
        ([[2, 1], [1, 2]], 1),
        ([[Fraction(1, 50), Fraction(1, 200)], [Fraction(1, 200), Fraction(1, 50)]], Fraction(3, 200)),
        ([[0]], 0),
        ([[0, 0], [0, 0]], 0),
        ([[1, 1], [1, 1]], 0),
        ([[Fraction(10**12 + 1, 10**6)]], Fraction(10**12 + 1, 10**6)),
    ],
)
def test_a_rational_modulus_of_a_constant_matrix_is_found_exactly(rows, modulus) -> None:
    assert constant_modulus(constant(rows)) == modulus


@pytest.mark.parametrize("factor", [Fraction(1, 10**12), 1, 10**12], ids=float)
def test_an_irrational_modulus_is_approached_from_below(factor) -> None:
    matrix = constant([[-2 * factor, -4 * factor], [-4 * factor, 0]])
    mu = constant_modulus(matrix)
    exact = -(1 + 17**0.5)
    assert float(mu / factor) == pytest.approx(exact, abs=5e-9)
    assert (mu / Fraction(factor) + 1) ** 2 >= 17  # mu <= -(1 + sqrt 17), exactly
    assert prove_constant(matrix, mu) is not None
    assert prove_constant(matrix, mu + Fraction(factor) / 10**7) is None


def test_a_constant_matrix_has_one_block_that_is_the_matrix(identity_holds) -> None:
    matrix = constant([[2, 1, 0], [1, 2, 0], [0, 0, 7]])
    part = prove_constant(matrix, Fraction(1, 3), player="P")
    assert part is not None
    assert (part.player, len(part.blocks), part.scale) == ("P", 1, 3)

    class NoConditions:
        variables = ("0", "1", "2")
        constraints = ()

    assert identity_holds(part, matrix, NoConditions())


def test_the_tangent_space_and_the_metric_count() -> None:
    matrix = constant([[1, 0], [0, 3]])
    assert constant_modulus(matrix, tangent=((1,), (-1,))) == 2
    weighted = PolyMatrix(matrix.rows, matrix.entries, (Fraction(1, 2), Fraction(6)))
    assert constant_modulus(weighted) == Fraction(1, 2)


def test_a_matrix_with_variables_is_refused() -> None:
    matrix = PolyMatrix(("1",), {(0, 0): Polynomial.variable("x")}, (Fraction(1),))
    with pytest.raises(InputError, match="not constant; build a program"):
        constant_modulus(matrix)
