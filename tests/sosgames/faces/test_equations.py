"""Exact solutions near floating-point ones solve and stay near; inconsistent systems have none."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from sosgames.faces.equations import solve_near


def _near(E: np.ndarray, right: np.ndarray, start: np.ndarray, scale: int = 1 << 40):
    sparse_map = sparse.csc_array(E.astype(np.int64))
    integers = np.array([round(float(v) * scale) for v in start], dtype=object)
    return solve_near(sparse_map, right.astype(object), integers, scale)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 7), st.integers(1, 12), st.floats(0.1, 1.0))
def test_a_consistent_system_is_solved_exactly_and_nearby(seed: int, m: int, n: int, density: float) -> None:
    rng = np.random.default_rng(seed)
    E = rng.integers(-3, 4, (m, n)) * (rng.random((m, n)) < density)
    exact = rng.integers(-5, 6, n)
    found = _near(E, E @ exact, exact + 1e-9 * rng.standard_normal(n))
    assert found is not None
    assert (E.astype(object) @ found.values == (E @ exact).astype(object) * found.scale).all()
    distances = [abs(int(v) / found.scale - int(e)) for v, e in zip(found.values, exact, strict=True)]
    assert max(distances) < 1e-5


def test_a_system_that_misses_by_one_part_in_a_million_millions_has_no_solution() -> None:
    E = np.array([[1, 1], [2, 2]])
    right = np.array([10**12, 2 * 10**12 + 1])
    assert _near(E, right, np.array([5e11, 5e11]), 1) is None


def test_an_equation_without_unknowns_must_hold_by_itself() -> None:
    E = np.array([[0, 0], [1, 1]])
    assert _near(E, np.array([0, 1]), np.zeros(2)) is not None
    assert _near(E, np.array([1, 1]), np.zeros(2)) is None


def test_a_system_whose_rank_looks_different_by_rows_and_by_columns_is_solved() -> None:
    E = np.array([[-2_000_000_000, -3_000_000_000], [3, -1]])
    found = _near(E, np.array([2_000_000_000, -3]), np.array([-1.0, 1e-9]))
    assert found is not None
    assert list(found.values) == [-found.scale, 0]
