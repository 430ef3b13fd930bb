"""Single random edits of valid proofs and of the games that they are about.

`survey` takes any list of cases, so that proofs from other sources can be put through the same mill.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

from sosgames.certificates.errors import CertificateError, InputError, shown
from sosgames.certificates.gamefiles import dumps, loads
from sosgames.certificates.games import ExactGame, MatrixProblem
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.verifier import verify
from tests.sosgames.certificates.constructions import Case, Problem
from tests.sosgames.certificates.second_claims import SecondChecker

Place = tuple[Any, Any]
"""A container inside the JSON values, and the key of one of its items."""


NOT_NULL: list[Any] = [
    *({}, [], 0, [1, 1], [0, 1], "free", "P", {"P": [1, 1]}, {"P": [1, 1], "Q": [1, 1]}, {"y_power": 1}),
    {"basis": [[1]], "metric": "euclidean"},
    {"eliminated": ["x"], "metric": "coordinates"},
    {"x0": {"x": [0, 1]}, "k": 1},
    [{"rows": [0, 1], "variables": [0, 1], "blocks": [0]}],
]
"""What may stand where the format has null, and more."""


def survey(cases: Sequence[Case], edits: int, seed: int = 0) -> Counter[str]:
    """Make ``edits`` edits, spread over the cases, a quarter of them in the game; count what happens.

    Raises
    ------
    AssertionError
        When an edit is accepted and the second checker does not confirm the claim as it then stands.
    """
    counts: Counter[str] = Counter()
    for number, case in enumerate(cases):
        rng = Random(f"{seed} {case.name}")
        share = edits * (number + 1) // len(cases) - edits * number // len(cases)
        _edit_proof(case, share - share // 4, rng, counts)
        _edit_game(case, share // 4, rng, counts)
    return counts


def _edit_proof(case: Case, edits: int, rng: Random, counts: Counter[str]) -> None:
    values = deepcopy(case.proof)
    checker = SecondChecker(case.problem)
    everywhere = list(places(values))
    done = 0
    while done < edits:
        with edited(everywhere, rng) as what:
            if values == case.proof and json.dumps(values) == json.dumps(case.proof):
                continue
            done += 1
            if not accepts(values, case.problem):
                counts["refused"] += 1
                continue
            assert checker.proves(values), f"{case.name}: accepted after {what}, but not confirmed"
            same = values["claim"] == case.proof["claim"]
            counts["accepted, the same claim" if same else "accepted, another true claim"] += 1
    assert values == case.proof


def _edit_game(case: Case, edits: int, rng: Random, counts: Counter[str]) -> None:
    text = dumps(case.problem, "json")
    for _ in range(edits):
        problem = edited_game(text, case.problem, rng)
        if not accepts(case.proof, problem):
            counts["refused, the game edited"] += 1
            continue
        assert SecondChecker(problem).proves(case.proof), (
            f"{case.name}: accepted for {problem}, not confirmed"
        )
        counts["accepted, the game edited"] += 1


def accepts(values: Any, problem: Problem) -> bool:
    """Whether the verifier accepts; it may refuse with its own error and with no other."""
    try:
        verify(values, problem)
    except CertificateError:
        return False
    return True


# -- edits of JSON values ---------------------------------------------------------------------------


def places(value: Any) -> Iterator[Place]:
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from places(value[key])


@contextmanager
def edited(everywhere: Sequence[Place], rng: Random) -> Iterator[str]:
    """One edit, undone at the end."""
    container, key = rng.choice(everywhere)
    old = container[key]
    if rng.random() < 0.15:
        saved = container.copy()
        change_shape(container, key, rng)
    else:
        saved = None
        container[key] = other_value(old, everywhere, rng)
    try:
        yield f"{key!r} was {shown(old)}, now {shown(container, 300)}"
    finally:
        if saved is None:
            container[key] = old
        elif isinstance(container, list):
            container[:] = saved
        else:
            container.clear()
            container.update(saved)


def change_shape(container: Any, key: Any, rng: Random) -> None:
    """Remove, repeat, rename, exchange or add an item."""
    kind = rng.choice(["remove", "repeat", "exchange"])
    other = rng.choice(list(container)) if isinstance(container, dict) else rng.randrange(len(container))
    if kind == "exchange":
        container[key], container[other] = container[other], container[key]
    elif isinstance(container, list):
        if kind == "remove":
            del container[key]
        else:
            container.insert(other, container[key])
    elif kind == "remove":
        del container[key]
    else:
        container[rng.choice(["note", "P", "Q", "x", "y", key + "_"])] = container[key]


def other_value(old: Any, everywhere: Sequence[Place], rng: Random) -> Any:
    if rng.random() < 0.1:  # a value from elsewhere in the proof
        container, key = rng.choice(everywhere)
        return deepcopy(container[key])
    if type(old) is bool:
        return rng.choice([not old, None, int(old)])
    if type(old) is int:
        return rng.choice([changed_digit, nearby, other_type])(old, rng)
    if type(old) is str:
        pool = [
            "P",
            "Q",
            "x",
            "y",
            "1",
            "concave",
            "monotone",
            "matrix",
            "scalar",
            "ldl",
            "free",
            "linf",
            "l2",
            "",
        ]
        return rng.choice([*pool, old + " ", old.upper(), old[1:], None, 1])
    if old is None:
        return deepcopy(rng.choice(NOT_NULL))
    return rng.choice([None, [], {}, 0, [old], deepcopy(old) * 2 if isinstance(old, list) else "x"])


def changed_digit(old: int, rng: Random) -> int:
    digits = list(str(abs(old)))
    digits[rng.randrange(len(digits))] = rng.choice("0123456789")
    return int("".join(digits)) * (-1 if old < 0 else 1)


def nearby(old: int, rng: Random) -> int:
    return rng.choice([old + 1, old - 1, -old, 0, 1, 2 * old, old // 2, old + 10**30, old * 10])


def other_type(old: int, rng: Random) -> Any:
    return rng.choice([True, False, float(old), str(old), None, [old], 10**5_000])


# -- edits of the game ------------------------------------------------------------------------------


def edited_game(text: str, original: Problem, rng: Random) -> Problem:
    """Another problem, by one coefficient or exponent of the original or by one character of its text."""
    while True:
        try:
            problem = edited_values(original, rng) if rng.random() < 0.8 else edited_text(text, rng)
        except InputError:
            continue
        if problem != original:
            return problem


def edited_values(problem: Problem, rng: Random) -> Problem:
    if isinstance(problem, MatrixProblem):
        a, b = rng.randrange(problem.side), rng.randrange(problem.side)
        entry = edited_polynomial(problem.rows[a][b], problem.variables, rng)
        rows = [list(row) for row in problem.rows]
        rows[a][b] = rows[b][a] = entry
        return replace(problem, rows=tuple(map(tuple, rows)))
    players = list(problem.players)
    i, j = rng.randrange(len(players)), rng.randrange(len(players))
    if rng.random() < 0.1:  # two players exchange utilities
        u, v = players[i].utility, players[j].utility
        players[i], players[j] = replace(players[i], utility=v), replace(players[j], utility=u)
    else:
        utility = edited_polynomial(players[i].utility, problem.variables, rng)
        players[i] = replace(players[i], utility=utility)
    return ExactGame(tuple(players))


def edited_polynomial(polynomial: Polynomial, names: Sequence[str], rng: Random) -> Polynomial:
    terms = dict(polynomial.terms)
    monomial = (
        rng.choice(list(terms)) if terms and rng.random() < 0.9 else ((rng.choice(names), rng.randint(1, 3)),)
    )
    c = terms.pop(monomial, Fraction(0))
    kind = rng.choice(["digit", "little", "sign", "gone", "exponent", "variable"])
    if kind == "digit":
        terms[monomial] = Fraction(changed_digit(c.numerator, rng), c.denominator)
    elif kind == "little":
        terms[monomial] = c + Fraction(rng.choice([-1, 1]), 10 ** rng.choice([3, 9, 30]))
    elif kind == "sign":
        terms[monomial] = -c
    elif kind != "gone":
        exponents = dict(monomial)
        name = rng.choice(names)
        exponents[name] = exponents.get(name, 0) + 1
        if kind == "variable":
            exponents.pop(rng.choice(list(exponents)))
        moved = tuple(sorted(exponents.items()))
        terms[moved] = terms.get(moved, Fraction(0)) + c
    return Polynomial(terms)


def edited_text(text: str, rng: Random) -> Problem:
    at = rng.randrange(len(text))
    if text[at] in "0123456789":
        new = rng.choice(["0", "1", "2", "3", "5", "9", text[at] + "0", text[at] + "/7", text[at] + ".001"])
    elif text[at] in "+-":
        new = rng.choice(["+", "-", "-2*", "+ 1/1000000007 +"])
    else:
        new = rng.choice(["", text[at] * 2, text[at].upper(), "x", "y", "1", " - 1/1000000007 + "])
    return loads(text[:at] + new + text[at + 1 :], "json")
