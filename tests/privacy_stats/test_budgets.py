"""Budgets are read exactly, rounded down, shared without overspending, and never charged twice."""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_stats.arithmetic import SCALE, exp_bounds
from privacy_stats.budgets import (
    BILLION,
    LARGEST,
    Budgets,
    Kind,
    Ledger,
    approximate_epsilon,
    parse_amount,
    parse_amounts,
    pure_within_zcdp,
    zcdp_of_pure,
)
from privacy_stats.errors import ArgumentError, BudgetExhaustedError, DocumentError

KINDS: list[Kind] = ["pure", "zcdp"]
billionths = st.integers(1, LARGEST["pure"])


def exact_exp(x: Fraction, terms: int = 400) -> tuple[Fraction, Fraction]:
    """An independent oracle: partial sum of the series, and the sum plus a bound of the tail."""
    term = total = Fraction(1)
    for k in range(1, terms):
        term = Fraction(math.floor(term * x / k * 2**600), 2**600)
        total += term
    return total, total + Fraction(1, 2**100)


@pytest.mark.parametrize("x", ["0", "1/1000000000", "0.1", "1", "2.5", "10", "50"])
def test_the_exponential_lies_between_its_bounds_which_are_close(x: str) -> None:
    lo, hi = exp_bounds(Fraction(x))
    below, above = exact_exp(Fraction(x))
    assert Fraction(lo, SCALE) <= above
    assert below <= Fraction(hi, SCALE)
    assert (hi - lo) << 115 <= lo


@given(billionths)
def test_the_exponential_bounds_agree_with_floats(b: int) -> None:
    lo, hi = exp_bounds(Fraction(b, BILLION))
    assert lo / SCALE == pytest.approx(math.exp(b / BILLION), rel=1e-13)
    assert lo < hi


def test_the_exponential_refuses_what_it_cannot_bound() -> None:
    for x in (Fraction(-1), Fraction(129)):
        with pytest.raises(ArgumentError, match="outside"):
            exp_bounds(x)


@given(st.lists(st.floats(1e-9, 60), min_size=1, max_size=20))
def test_many_budgets_are_read_as_each_one_is_read(numbers: list[float]) -> None:
    assert parse_amounts(numbers, "pure").tolist() == [parse_amount(x, "pure") for x in numbers]


@given(billionths)
def test_a_decimal_with_nine_places_is_read_exactly(b: int) -> None:
    assert parse_amount(b / BILLION, "pure") == b
    assert parse_amounts([b / BILLION], "pure").tolist() == [b]
    assert parse_amount(f"{b}e-9", "pure") == b


@given(st.floats(1e-9, 1e6))
def test_no_budget_is_read_as_more_than_was_written(x: float) -> None:
    assert Fraction(parse_amount(x, "zcdp"), BILLION) <= Fraction(repr(x))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bad", [0.0, -0.0, -1.0, math.nan, math.inf, -math.inf, 1e-10, 5e-324])
def test_a_budget_that_grants_nothing_is_refused_with_its_row(kind: Kind, bad: float) -> None:
    with pytest.raises(ArgumentError):
        parse_amount(bad, kind)
    with pytest.raises(ArgumentError, match="in row 2"):
        parse_amounts([1.0, 1.0, bad], kind)


@pytest.mark.parametrize(
    "bad", ["", "one", "1/0", "1/2/3", "1e400", "-1e-400", "9" * 65, None, True, "nan", "0x1"]
)
def test_text_that_is_no_budget_is_refused(bad: object) -> None:
    with pytest.raises(ArgumentError):
        parse_amount(bad, "pure")  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS)
def test_a_huge_budget_is_lowered_to_the_largest_in_use(kind: Kind) -> None:
    assert parse_amount(1e29, kind) == LARGEST[kind]
    assert parse_amounts([1e300], kind).tolist() == [LARGEST[kind]]


def test_budgets_refuse_wrong_shapes_and_kinds() -> None:
    for bad in ([[1.0]], 1.0, []):
        with pytest.raises(ArgumentError):
            Budgets.pure(bad)
    with pytest.raises(ArgumentError, match="'pure' or 'zcdp'"):
        Budgets("both", np.array([1]))  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="row 1"):
        Budgets("pure", np.array([1, LARGEST["pure"] + 1]))


def test_budgets_are_read_only_and_round_trip() -> None:
    budgets = Budgets.zcdp(np.array([0.5, 1e-4]))
    assert not budgets.billionths.flags.writeable
    assert Budgets.from_dict(json.loads(json.dumps(budgets.to_dict()))) == budgets
    for bad in (
        [],
        {"kind": "pure"},
        {"kind": "pure", "billionths": [True]},
        {"kind": "pure", "billionths": "1"},
    ):
        with pytest.raises(DocumentError):
            Budgets.from_dict(bad)


@given(st.lists(billionths, min_size=1, max_size=8), st.lists(st.integers(1, 50), min_size=1, max_size=6))
def test_shares_that_sum_to_one_never_overspend(amounts: list[int], weights: list[int]) -> None:
    budgets = Budgets("pure", np.minimum(np.array(amounts) + 10**6, LARGEST["pure"]))
    ledger = Ledger(budgets)
    for number, weight in enumerate(weights):
        ledger.charge(f"round {number}", budgets.share(Fraction(weight, sum(weights))))
    assert all(ledger.remaining(u) >= 0 for u in range(len(budgets)))


def test_a_budget_below_every_level_is_refused() -> None:
    with pytest.raises(ArgumentError, match="row 1"):
        Budgets.pure([1, 0.1]).rounded_down([0.5, 1])


@given(st.lists(billionths, min_size=1, max_size=20), st.lists(billionths, min_size=1, max_size=5))
def test_rounding_down_never_raises_a_budget(amounts: list[int], ladder: list[int]) -> None:
    budgets = Budgets("pure", np.array(amounts))
    levels = [Fraction(b, BILLION) for b in [*ladder, 1]]
    lowered = budgets.rounded_down(levels)
    assert (lowered.billionths <= budgets.billionths).all()
    assert set(lowered.levels) <= set(levels)


@given(st.integers(2, LARGEST["pure"]))
def test_the_pure_budget_within_a_zcdp_budget_is_the_largest_that_fits(b: int) -> None:
    rho = Fraction(b, BILLION)
    epsilon = pure_within_zcdp(rho)
    assert zcdp_of_pure(epsilon) <= rho
    if epsilon < 50:
        assert zcdp_of_pure(epsilon + Fraction(1, BILLION)) > rho


@given(st.floats(0.001, 20), st.floats(1.0001, 300))
def test_randomised_response_meets_the_zcdp_level_of_its_epsilon_at_every_order(eps: float, a: float) -> None:
    p = 1 / (1 + math.exp(-eps))
    q = 1 / (1 + math.exp(eps))
    divergence = np.logaddexp(
        a * math.log(p) + (1 - a) * math.log(q), a * math.log(q) + (1 - a) * math.log(p)
    ) / (a - 1)
    assert divergence <= a * eps * math.tanh(eps / 2) * (1 + 1e-9) + 1e-9


def test_conversions_refuse_what_makes_no_sense() -> None:
    with pytest.raises(ArgumentError, match="no pure budget"):
        pure_within_zcdp(Fraction(1, 10**30))
    for rho, delta in ((0.0, 0.5), (math.inf, 0.5), (1.0, 0.0), (1.0, 1.0)):
        with pytest.raises(ArgumentError):
            approximate_epsilon(rho, delta)
    assert approximate_epsilon(100, 1e-6) == pytest.approx(174.3, abs=0.1)


def test_ten_times_a_tenth_is_one_and_then_nothing_is_left() -> None:
    ledger = Ledger(Budgets.pure([1.0]))
    for number in range(10):
        ledger.charge(str(number), Budgets.pure([0.1]))
    assert ledger.spent(0) == 1
    with pytest.raises(BudgetExhaustedError, match="user 0"):
        ledger.charge("more", Budgets.pure([1e-9]))


def test_a_charge_is_all_or_nothing() -> None:
    ledger = Ledger(Budgets.zcdp([1, 1, 1]))
    with pytest.raises(BudgetExhaustedError, match="user 2"):
        ledger.charge("a", Budgets.zcdp([0.5, 0.5, 1.5]))
    assert [ledger.spent(u) for u in range(3)] == [0, 0, 0]
    ledger.charge("a", Budgets.zcdp([0.5]), users=[1])
    with pytest.raises(BudgetExhaustedError, match="user 1: round 'a' is already answered"):
        ledger.charge("a", Budgets.zcdp([0.1, 0.1]), users=[0, 1])
    assert ledger.spent(0) == 0
    assert ledger.has_answered("a").tolist() == [False, True, False]


@pytest.mark.parametrize("users", [[0], [0, 3], [0, 0], [-1, 0], [0.0, 1.0]])
def test_a_charge_names_existing_users_once_each(users: list[int]) -> None:
    with pytest.raises(ArgumentError, match="users"):
        Ledger(Budgets.pure([1, 1, 1])).charge("a", Budgets.pure([0.1, 0.1]), users=users)


def test_threads_that_charge_at_once_do_not_overspend() -> None:
    ledger = Ledger(Budgets.pure(np.ones(2000)))

    def charge(number: int) -> int:
        try:
            ledger.charge(f"round {number}", Budgets.pure(np.full(2000, 0.3)))
        except BudgetExhaustedError:
            return 0
        return 1

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(charge, range(40))) == 3
    assert ledger.spent(1999) == Fraction(9, 10)


def test_a_ledger_keeps_to_one_notion_of_privacy() -> None:
    with pytest.raises(ArgumentError, match="cannot be charged"):
        Ledger(Budgets.pure([1])).charge("a", Budgets.zcdp([0.1]))


def test_a_ledger_survives_saving(tmp_path: Path) -> None:
    ledger = Ledger(Budgets.pure(np.linspace(0.5, 1, 11)))
    ledger.charge("a", Budgets.pure([0.2, 0.3]), users=[3, 7])
    ledger.save(tmp_path / "ledger.json")
    again = Ledger.load(tmp_path / "ledger.json")
    assert again.to_dict() == ledger.to_dict()
    with pytest.raises(BudgetExhaustedError):
        again.charge("a", Budgets.pure([0.1]), users=[7])


@pytest.mark.parametrize(
    "change",
    [
        {"format": "x"},
        {"version": 2},
        {"spent": [2 * 10**9]},
        {"spent": [-1]},
        {"answered": {"a": "!"}},
        {"answered": {"a": ""}},
    ],
)
def test_a_ledger_that_was_tampered_with_is_refused(change: dict[str, object]) -> None:
    document = Ledger(Budgets.pure([1.0])).to_dict() | change
    with pytest.raises(DocumentError):
        Ledger.from_dict(document)


def test_a_file_that_is_no_ledger_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for text in ("", "[" * 100_000, "[]"):
        path.write_text(text)
        with pytest.raises(DocumentError):
            Ledger.load(path)
