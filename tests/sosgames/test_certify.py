"""The verdict follows from the bracket, the bracket holds the true modulus, nothing false is certified."""

from __future__ import annotations

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy.abc import x, y

import sosgames as sg
from tests.sosgames.families import Known, potential_game, simplex_player, square_matrix

MODULI = [Fraction(1), Fraction(1, 10), Fraction(3), Fraction(1, 100), Fraction(7, 2)]


def _known(seed: int, modulus: Fraction) -> Known:
    rng = random.Random(seed)
    kind = seed % 4
    if kind == 0:
        return potential_game(rng, 2, modulus)
    if kind == 1:
        return potential_game(rng, 3, modulus)
    if kind == 2:
        return simplex_player(rng, 2, modulus)
    return square_matrix(rng, 2, 2, modulus)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_a_generated_game_with_positive_modulus_is_certified_strict(seed: int) -> None:
    known = _known(seed, MODULI[seed % len(MODULI)])
    result = sg.certify(known.problem, known.property)
    assert result.verdict is sg.Verdict.CERTIFIED
    assert result.strict is True
    assert result.lower <= known.modulus <= result.upper
    assert known.modulus - result.lower <= Fraction(1, 1000) * max(1, known.modulus)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_the_same_game_minus_a_violation_is_refuted(seed: int) -> None:
    known = _known(seed, -MODULI[seed % len(MODULI)])
    result = sg.certify(known.problem, known.property)
    assert result.verdict is sg.Verdict.REFUTED
    assert known.modulus <= result.upper < 0
    assert result.witness is not None


@pytest.mark.slow
def test_two_hundred_games_that_are_false_by_little_are_never_certified(
    record_property: pytest.RecordProperty,
) -> None:
    verdicts: Counter[str] = Counter()
    for seed in range(200):
        epsilon = Fraction(1, 10 ** (3 + seed % 8))
        result = sg.certify(*_problem(_known(seed, -epsilon)), max_level=4)
        assert result.verdict is not sg.Verdict.CERTIFIED
        assert result.lower is None or result.lower <= -epsilon
        verdicts[result.verdict.value] += 1
    record_property("verdicts", dict(verdicts))
    print(f"false by 1e-3 ... 1e-10: {dict(verdicts)}")


def _problem(known: Known) -> tuple[object, str]:
    return known.problem, known.property


@settings(max_examples=25, deadline=None)
@given(
    a=st.fractions(-3, 3, max_denominator=7),
    b=st.fractions(-3, 3, max_denominator=7),
    c=st.fractions(-3, 3, max_denominator=7),
)
def test_a_quadratic_game_gets_the_eigenvalue_that_linear_algebra_gives(
    a: Fraction, b: Fraction, c: Fraction
) -> None:
    game = sg.Game(
        {"P": -sympy.Rational(a) * x**2 / 2 + sympy.Rational(b) * x * y, "Q": -sympy.Rational(c) * y**2 / 2},
        {"P": sg.Box({x: (-1, 1)}), "Q": sg.Box({y: (-1, 1)})},
    )
    result = sg.certify(game, "monotone")
    half = float(b) / 2
    smallest = (float(a + c) - ((float(a - c)) ** 2 + 4 * half**2) ** 0.5) / 2
    assert float(result.lower) == pytest.approx(smallest, abs=1e-6)
    assert float(result.upper) == pytest.approx(smallest, abs=1e-6)


def test_the_order_of_players_and_variables_changes_no_verdict() -> None:
    known = potential_game(random.Random(7), 3, Fraction(1, 5))
    reordered = type(known.problem)(tuple(reversed(known.problem.players)))
    first, second = sg.certify(known.problem), sg.certify(reordered)
    assert first.verdict is second.verdict is sg.Verdict.CERTIFIED


@pytest.mark.parametrize("power", [-9, -3, 3, 9])
def test_the_scale_of_the_utilities_changes_no_verdict(power: int) -> None:
    scale = Fraction(10) ** power
    for modulus, verdict in ((Fraction(1, 2), "CERTIFIED"), (Fraction(-1, 2), "REFUTED")):
        known = potential_game(random.Random(3), 2, modulus)
        players = tuple(
            type(p)(p.name, p.variables, scale * p.utility, p.strategies) for p in known.problem.players
        )
        assert sg.certify(type(known.problem)(players)).verdict.name == verdict


def test_a_game_on_all_of_space_is_certified_globally() -> None:
    game = sg.Game({"P": -(x**4) - x**2}, {"P": sg.Space([x])})
    result = sg.certify(game, "concave")
    assert result.strict is True
    assert "Rosen" not in result.summary() or "bounded" in result.summary()


def test_probabilities_are_tested_along_their_tangent_space_only() -> None:
    game = sg.Game({"P": x**2 + 4 * x * y}, {"P": sg.ProbabilitySimplex([x, y])})
    result = sg.certify(game, "concave")
    assert result.lower == result.upper == 3


def test_a_ball_and_an_equation_restrict_the_points() -> None:
    ball = sg.Game({"P": x**4 / 12 - x**2}, {"P": sg.Ball([x], radius_squared=1)})
    assert sg.certify(ball, "concave").lower > Fraction(99, 100)
    finite = sg.Game({"P": -(x**4) / 12 + x**2 / 2}, {"P": sg.Constraints([sympy.Eq(x**3, x), x >= 1])})
    result = sg.certify(finite, "concave")
    assert result.verdict is not sg.Verdict.REFUTED
    assert result.upper == 0


def test_weights_certify_what_equal_weights_do_not() -> None:
    game = sg.Game(
        {"P": -(x**2) / 2 + 4 * x * y, "Q": x * y / 10 - y**2 / 2},
        {"P": sg.Box({x: (-1, 1)}), "Q": sg.Box({y: (-1, 1)})},
    )
    assert sg.certify(game).verdict is sg.Verdict.REFUTED
    weighted = sg.certify(game, weights={"P": 1, "Q": 40})
    assert weighted.strict is True
    assert float(weighted.lower) == pytest.approx(0.3675, abs=1e-3)


def test_choosing_among_points_of_one_is_vacuous() -> None:
    game = sg.Game({"P": x**2}, {"P": sg.ProbabilitySimplex([x])})
    assert sg.certify(game, "concave").verdict is sg.Verdict.CERTIFIED


@pytest.mark.parametrize("epsilon_power", range(3, 13))
def test_a_double_well_lowered_by_epsilon_is_never_certified(epsilon_power: int) -> None:
    lowered = (x**2 - 1) ** 2 - sympy.Rational(1, 10**epsilon_power)
    result = sg.certify_matrix(sympy.Matrix([[lowered]]), sg.Box({x: (-2, 2)}))
    assert result.verdict is not sg.Verdict.CERTIFIED


def test_an_interrupted_search_keeps_what_is_proved() -> None:
    from sosgames.search import Search

    def interrupt(text: str) -> None:
        if "level" in text:
            raise KeyboardInterrupt

    known = potential_game(random.Random(1), 2, Fraction(1))
    search = Search(known.problem, "monotone", report=interrupt)
    with pytest.raises(KeyboardInterrupt):
        search.run()
    result = search.result()
    assert result.verdict is sg.Verdict.UNDECIDED
    assert result.upper is not None
    assert "interrupted" in result.summary()


def test_many_games_on_an_executor_give_what_one_by_one_gives() -> None:
    games = [potential_game(random.Random(s), 2, Fraction(1)).problem for s in range(3)]
    with ThreadPoolExecutor(2) as executor:
        together = sg.certify_many(games, executor=executor)
    assert [r.verdict for r in together] == [r.verdict for r in sg.certify_many(games)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"property": "convex"}, "ask for 'concave' or 'monotone'"),
        ({"level": 3}, "even"),
        ({"level": True}, "even"),
        ({"gap": -1.0}, "gap"),
        ({"time_limit": 0}, "time_limit"),
        ({"time_limit": "a minute"}, "time_limit is 'a minute'; give a positive number of seconds, or None"),
        ({"memory_limit": "1 GB"}, "memory_limit is '1 GB'; give a positive number of bytes, or None"),
        ({"weights": {"P": 1}}, "weight"),
        ({"solver": "nobody"}, "nobody"),
    ],
)
def test_a_wrong_argument_is_named(arguments: dict[str, object], words: str) -> None:
    game = sg.Game({"P": -(x**4) + x * y, "Q": -(y**2)}, {"P": sg.Box({x: (0, 1)}), "Q": sg.Box({y: (0, 1)})})
    with pytest.raises(sg.SosgamesError, match=words):
        sg.certify(game, **arguments)  # type: ignore[arg-type]


def test_arguments_of_another_kind_are_named_and_fractions_are_written_as_such() -> None:
    game = sg.Game({"P": "-x**2"}, {"P": sg.Box({"x": (0, 1)})})
    for arguments, message in (
        ({"weights": [Fraction(3, 2)]}, r"weights: got \[3/2\]; give a number to each player"),
        ({"level": Fraction(3, 2)}, "level is 3/2; it is a degree"),
        ({"solver": Fraction(3, 2)}, "solver is 3/2; give 'auto'"),
    ):
        with pytest.raises(sg.InputError, match=message):
            sg.certify(game, "monotone", **arguments)  # type: ignore[arg-type]
    with pytest.raises(sg.InputError, match=r"fixed: got 3/2; give a player's monomials by name"):
        sg.nearest(game, fixed=Fraction(3, 2))  # type: ignore[arg-type]
