"""The user's own constraints hold for the exact game, or what they lack is stated, or there is no answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy.abc import x, y

import sosgames as sg
from sosgames.nearness.constraints import simplest


def couple(c: int) -> sg.Game:
    """M = [[2, -c], [-c, 2]]: monotone if and only if |c| <= 2."""
    return sg.Game(
        {"row": -(x**2) + c * x * y, "column": -(y**2) + c * x * y},
        {"row": sg.Box({x: (-1, 1)}), "column": sg.Box({y: (-1, 1)})},
    )


def coefficients(near: sg.NearestGame) -> dict[tuple[str, str], Fraction]:
    """The new coefficients of the nearest game of a couple."""
    players = near.game.exact.players
    monomials = {"x**2": (("x", 2),), "y**2": (("y", 2),), "x*y": (("x", 1), ("y", 1))}
    return {(p.name, name): p.utility.coefficient(m) for p in players for name, m in monomials.items()}


def test_affine_constraints_hold_exactly_and_the_distance_is_that_of_algebra() -> None:
    near = sg.nearest(
        couple(4), constraints=lambda u: [u["row", "x**2"] >= -1, u["row", "x*y"] == u["column", x * y]]
    )
    new = coefficients(near)
    assert new["row", "x**2"] == -1
    assert new["row", "x*y"] == new["column", "x*y"]
    assert all(c.is_exact and c.violation == 0 for c in near.constraints)
    # 4 (1 + d) >= (4 - d)^2 for the change d of the other square and of both products: d = 6 - sqrt(24)
    assert 6 - 24**0.5 <= float(near.distance) <= (6 - 24**0.5) * 1.001
    assert near.distance_lower <= Fraction(2, 3)
    assert near.verify().property == "monotone"


def test_a_constraint_with_irrational_solutions_is_kept_up_to_the_violation_that_is_stated() -> None:
    near = sg.nearest(couple(4), constraints=lambda u: [u["row", "x**2"] ** 2 <= 2])
    value = float(coefficients(near)["row", "x**2"])
    (kept,) = near.constraints
    assert not kept.is_exact
    assert value**2 - 2 == pytest.approx(kept.violation, abs=1e-12) or (value**2 <= 2 and not kept.violation)
    assert kept.violation <= 4e-5


@pytest.mark.parametrize(
    "write",
    [
        lambda u: [cp.norm2(u.new - u.old) <= 2],
        lambda u: cp.exp(u["row", "x*y"]) <= 10,
        lambda u: [cp.bmat([[u["row", "x**2"] + 2, u["row", "x*y"]], [u["row", "x*y"], 2]]) >> 0],
        lambda u: [cp.sum(u.new) == 0, u.new <= np.array([1, 3, 3, 1])],
        lambda u: [(t := cp.Variable()) >= cp.abs(u["row", "x*y"]), t <= 1],
    ],
)
def test_convex_constraints_of_many_kinds_are_kept(write: Callable[[sg.Coefficients], Any]) -> None:
    near = sg.nearest(couple(4), constraints=write, norm="l2")
    assert all(kept.violation <= 4e-5 for kept in near.constraints)
    assert near.verify().property == "monotone"
    unbound = sg.nearest(couple(4), norm="l2")
    assert near.distance >= unbound.distance_lower
    assert near.distance_lower == unbound.distance_lower


def test_a_game_with_the_property_that_keeps_the_constraints_stays_and_one_that_does_not_changes() -> None:
    stays = sg.nearest(couple(1), constraints=lambda u: [u["row", "x*y"] <= 1])
    assert (stays.distance, stays.changes, stays.constraints[0].violation) == (0, (), 0)
    moves = sg.nearest(couple(1), constraints=lambda u: [u["row", "x*y"] <= 0.1])
    assert moves.distance == Fraction(9, 10)
    assert moves.distance_lower == 0
    assert coefficients(moves)["row", "x*y"] == Fraction(1, 10)


def test_constraints_join_fixed_coefficients_and_a_zero_sum() -> None:
    near = sg.nearest(
        couple(4),
        fixed={"row": ["x**2"]},
        constraints=lambda u: [u["row", "x**2"] <= -1, u["row", "x*y"] >= 3],
    )
    assert [c.is_exact for c in near.constraints] == [True, True]
    assert coefficients(near)["row", "x*y"] >= 3
    wichardt = sg.catalog("wichardt2008")
    kept = sg.nearest(wichardt, zero_sum=True, constraints=lambda u: [u["row", "x1*x2"] <= 1])
    assert kept.distance == kept.distance_lower == 10


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda u: [u["row", "x*y"] * u["row", "x**2"] <= 2], r"number 1, .*\(DCP\)"),
        (lambda u: [u["row", "x**5"] <= 2], r"row has no monomial x\*\*5"),
        (lambda u: [u["rows", "x*y"] <= 2], "no player 'rows'"),
        (lambda u: [u["row"] <= 2], r"write u\[player, monomial\]"),
        (lambda u: [u["row", "x + y"] <= 2], "name one monomial"),
        (lambda u: [u.new >= -9, True], "number 2, True, is a bool"),
        (lambda _: 3, "returned int"),
        (lambda u: [u["row", "x*y"] <= cp.Parameter(name="p")], "has a parameter without a value"),
        (lambda u: [u["row", "x*y"] <= cp.Variable(integer=True)], "must be whole numbers"),
        (lambda u: [u["row", "x*y"] <= np.nan], r"(?s)number 1, .* infinite or not"),
        (lambda u: [u.new >= -9, u.new <= np.array([1, np.inf, 3, 1])], r"(?s)number 2, .* infinite or not"),
        (lambda u: [u["row", "x*y"] <= cp.Parameter(value=-np.inf)], r"(?s)number 1, .* infinite or not"),
        (lambda u: [scipy.sparse.eye(4) * np.inf @ u.new <= 1], r"(?s)number 1, .* infinite or not"),
        ([], "got list; pass a function"),
    ],
)
def test_a_wrong_constraint_is_named(write: Any, message: str) -> None:
    with pytest.raises(sg.InputError, match=message):
        sg.nearest(couple(4), constraints=write)


def test_the_gauge_and_constraints_without_a_free_coefficient_are_refused() -> None:
    with pytest.raises(sg.InputError, match="'gauge' leaves one number"):
        sg.nearest(couple(4), norm="gauge", constraints=lambda _: [])
    kept = {"row": ["x**2", "x*y"], "column": ["y**2", "x*y"]}
    with pytest.raises(sg.InputError, match="no coefficient may change"):
        sg.nearest(couple(1), fixed=kept, constraints=lambda _: [])


def test_constraints_that_contradict_each_other_or_the_property_end_in_a_sentence() -> None:
    with pytest.raises(sg.SolverError, match=r"leave no coefficients at all, .* it is not proved"):
        sg.nearest(couple(4), constraints=lambda u: [u["row", "x*y"] >= 3, u["row", "x*y"] <= 2])
    with pytest.raises(sg.SolverError, match="try looser constraints"):
        sg.nearest(couple(4), constraints=lambda u: [cp.norm2(u.new - u.old) <= 0.2])


def test_the_imaginary_part_of_an_equation_counts() -> None:
    with pytest.raises(sg.SolverError, match="leave no coefficients at all"):
        sg.nearest(couple(1), constraints=lambda u: [u["row", "x*y"] == 1j])


def test_equations_whose_digits_contradict_each_other_are_kept_to_rounding_errors() -> None:
    near = sg.nearest(couple(4), constraints=lambda u: [u["row", "x*y"] == 0.3, u["row", "x*y"] == 0.1 * 3])
    assert max(kept.violation for kept in near.constraints) <= 1e-15


def test_a_solver_that_takes_no_models_is_named() -> None:
    with pytest.raises(sg.SolverError, match="takes no cvxpy models"):
        sg.nearest(couple(4), solver="interior", constraints=lambda u: [u.new >= -9])


def test_a_result_with_constraints_round_trips_and_its_summary_names_them() -> None:
    near = sg.nearest(couple(4), constraints=lambda u: [u["row", "x*y"] >= 3.5], solver="scs")
    again = sg.NearestGame.from_dict(json.loads(json.dumps(near.to_dict())), couple(4).exact)
    assert again == near
    assert "3.5 <= row[x*y]: holds exactly" in near.summary()
    assert "leaves these constraints out" in near.summary()


def test_constraints_of_a_file_are_computed_again_or_say_where_they_come_from() -> None:
    near = sg.nearest(couple(4), constraints=lambda u: [u["row", "x*y"] >= 3.5, u.new <= 100], solver="scs")
    again = sg.NearestGame.from_dict(near.to_dict(), couple(4).exact)
    assert again == near
    assert [kept.is_checked for kept in again.constraints] == [True, False]
    assert str(again.constraints[0]) == "3.5 <= row[x*y]: holds exactly"
    assert str(again.constraints[1]) == "new <= 100.0: holds exactly, says the file"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"text": "9.5 <= row[x*y]"}, "the game violates it by 6, not by 0 as the file says"),
        ({"text": "row[x*y] == -column[x*y] + 90"}, "the game violates it by"),
        ({"violation": 0.5}, "the game violates it by 0, not by 0.5 as the file says"),
        ({"text": "row[x*y] <= 9\nverified: everything"}, "wanted one line that can be printed"),
        ({"text": 7}, "the text is 7"),
        ({"violation": -1}, "the violation is -1; wanted a number of at least 0"),
        ({"violation": float("nan")}, "the violation is nan"),
        ({"violation": float("inf")}, "not a nearest game"),
        ({"is_exact": "yes"}, "is_exact is 'yes'; wanted true or false"),
        ({"more": 1}, "wanted its text, violation and is_exact"),
    ],
)
def test_a_tampered_constraint_is_refused(change: dict[str, object], message: str) -> None:
    near = sg.nearest(couple(4), constraints=lambda u: [u["row", "x*y"] >= 3.5], solver="scs")
    data = near.to_dict()
    data["constraints"][0] |= change
    with pytest.raises(sg.InputError, match=re.escape(message)):
        sg.NearestGame.from_dict(data, couple(4).exact)


@settings(max_examples=12, deadline=None)
@given(
    bound=st.integers(-30, 30).map(lambda k: k / 10),
    slopes=st.tuples(*[st.integers(-3, 3)] * 4).filter(any),
    norm=st.sampled_from(["linf", "l1", "l2"]),
)
def test_a_random_affine_constraint_holds_exactly_or_the_answer_is_refused(
    bound: float, slopes: tuple[int, ...], norm: str
) -> None:
    names = [("row", "x**2"), ("row", "x*y"), ("column", "x*y"), ("column", "y**2")]
    slope = dict(zip(_ordered(names), slopes, strict=True))

    def asked() -> sg.NearestGame:
        return sg.nearest(couple(3), norm=norm, constraints=lambda u: [np.array(slopes) @ u.new <= bound])

    if bound < 0 and not _falls(*(slope[n] for n in names)):
        with pytest.raises((sg.InputError, sg.SolverError)):
            asked()
        return
    near = asked()
    new = coefficients(near)
    total = sum((s * new[n] for n, s in slope.items()), Fraction(0))
    assert total <= Fraction(str(bound))
    assert near.constraints[0].violation == 0
    assert near.distance_lower <= near.distance
    assert near.verify().property == "monotone"


def _falls(a: int, b: int, c: int, d: int) -> bool:
    """Whether a x^2, b xy and c xy, d y^2 in a monotone game can have a sum below 0 with these slopes.

    Monotone is: coefficients p, q of the squares at most 0, and (sum of both of xy)^2 at most 16 p q.
    """
    return b != c or a > 0 or d > 0 or 4 * b * b > a * d


def _ordered(names: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The names in the order of ``u.new``."""
    seen: list[tuple[str, str]] = []
    sg.nearest(couple(1), constraints=lambda u: seen.extend(u.names) or [])
    assert sorted(seen) == sorted(names)
    return seen


@given(st.floats(-1e6, 1e6))
def test_the_simplest_fraction_rounds_to_the_number(value: float) -> None:
    assert float(simplest(value)) == value
