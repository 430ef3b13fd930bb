"""Random game trees: values from the leaves up, against sums over all paths and against Gambit itself."""

from __future__ import annotations

import io
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from sosgames.certificates.errors import InputError
from sosgames.certificates.gambit import read_efg


@st.composite
def trees(draw: st.DrawFn) -> tuple[str, list[sympy.Expr]]:
    """The text of a random tree for two players, and the expected payoffs as sums over its paths."""
    widths = {s: draw(st.integers(1, 3)) for s in [(1, 1), (1, 2), (2, 1)]}
    lines: list[str] = []
    totals: list[sympy.Expr] = [sympy.Integer(0), sympy.Integer(0)]
    payoffs = st.fractions(-9, 9, max_denominator=6)

    def outcome(reach: sympy.Expr) -> str:
        if draw(st.booleans()):
            return "0"
        pair = [draw(payoffs), draw(payoffs)]
        for k, value in enumerate(pair):
            totals[k] += reach * sympy.Rational(value.numerator, value.denominator)
        return f'{len(lines) + 1} "" {{ {pair[0]}, {pair[1]} }}'

    def node(depth: int, reach: sympy.Expr) -> None:
        kind = draw(st.sampled_from(["t", "c", (1, 1), (1, 2), (2, 1)])) if depth else "t"
        if kind == "t":
            lines.append(f't "" {outcome(reach)}')
        elif kind == "c":
            lines.append(f'c "" {len(lines) + 1} "" {{ "a" 1/3 "b" 2/3 }} {outcome(reach)}')
            node(depth - 1, reach / 3)
            node(depth - 1, 2 * reach / 3)
        else:
            player, number = kind
            actions = " ".join(f'"a{k}"' for k in range(widths[kind]))
            lines.append(f'p "" {player} {number} "s{number}" {{ {actions} }} {outcome(reach)}')
            own = [sympy.Symbol(f"{player}.{number}.{k}") for k in range(widths[kind] - 1)]
            for probability in [*own, 1 - sum(own)]:
                node(depth - 1, reach * probability)

    node(draw(st.integers(0, 4)), sympy.Integer(1))
    return 'EFG 2 R "random" { "A" "B" }\n' + "\n".join(lines), totals


@settings(max_examples=60)
@given(trees())
def test_random_trees_give_the_sum_over_all_paths(case: tuple[str, list[sympy.Expr]]) -> None:
    text, totals = case
    tree = read_efg(text)
    symbols: dict[sympy.Symbol, Any] = {}
    for s, choice in zip(tree.information_sets, tree.choices, strict=True):
        if choice is not None and s.player is not None:
            for k, name in enumerate(choice.variables):
                symbols[sympy.Symbol(f"{s.player + 1}.{s.number}.{k}")] = sympy.Symbol(name)
    if not symbols:
        with pytest.raises(InputError, match="no player has a variable"):
            tree.to_game()
        return
    for player, total in zip(tree.to_game().players, totals, strict=True):
        ours = sum(
            (
                sympy.Rational(c.numerator, c.denominator) * sympy.Mul(*(sympy.Symbol(n) ** e for n, e in m))
                for m, c in player.utility.terms.items()
            ),
            sympy.Integer(0),
        )
        assert sympy.expand(ours - total.xreplace(symbols)) == 0


def gambit_agrees(text: str, weights: Iterator[int]) -> bool:
    """Whether Gambit expects the payoffs of our polynomials where actions have random probabilities."""
    gambit = pytest.importorskip("pygambit", reason="needs pygambit 17: pip install --pre pygambit")
    tree = read_efg(text)
    point: dict[str, Fraction] = {}
    profile: list[list[list[str]]] = [[] for _ in tree.players]
    for s, choice in zip(tree.information_sets, tree.choices, strict=True):
        if choice is not None and s.player is not None:
            drawn = [next(weights) for _ in choice.actions]
            probabilities = [Fraction(w, sum(drawn)) for w in drawn]
            point.update(zip(choice.variables, probabilities, strict=False))
            profile[s.player].append([str(p) for p in probabilities])
    if not point:
        return True
    game = gambit.read_efg(io.BytesIO(text.encode()))
    payoffs = game.mixed_behavior_profile(data=profile, rational=True).payoffs
    ours = [player.utility(point) for player in tree.to_game().players]
    return ours == [Fraction(str(payoffs[player])) for player in game.players]


@settings(max_examples=60)
@given(trees(), st.randoms(use_true_random=False))
def test_gambit_expects_the_same_payoffs_in_random_trees(
    case: tuple[str, list[sympy.Expr]], random: Random
) -> None:
    assert gambit_agrees(case[0], iter(lambda: random.randint(1, 9), None))


def test_gambit_expects_the_same_payoffs_in_its_own_games() -> None:
    gambit = pytest.importorskip("pygambit", reason="needs pygambit 17: pip install --pre pygambit")
    random = Random(0)
    files = sorted(Path(gambit.__file__).parent.rglob("*.efg"))
    assert len(files) > 20
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert gambit_agrees(text, iter(lambda: random.randint(1, 9), None)), file.name
