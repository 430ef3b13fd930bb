"""What every peer script reads and writes; standard library only: each runs in an environment of its own.

The problem is a symmetric n x n matrix M of polynomials in n variables: the largest mu is sought with
M(x) - mu I a matrix sum of squares plus, on the box [-1, 1]^n, multipliers of 1 - x_k^2, monomials up to
degree ``half`` in each row. Where ``box`` is False the inequality is meant for all x and mu is 0. Where
the optimum is known to be ``degenerate``, a tool may use another of its routes.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any


@dataclass(frozen=True)
class Problem:
    """``entries[a, b]`` for a <= b lists coefficients (numerator, denominator) and exponents."""

    n: int
    half: int
    box: bool
    degenerate: bool
    entries: dict[tuple[int, int], list[tuple[int, int, tuple[int, ...]]]]

    def monomials(self, degree: int) -> list[tuple[int, ...]]:
        """Exponents of all monomials up to a degree."""
        return [
            tuple(chosen.count(k) for k in range(self.n))
            for total in range(degree + 1)
            for chosen in combinations_with_replacement(range(self.n), total)
        ]

    def form(self, x: list[Any], y: list[Any], rational: Any = None) -> Any:
        """y'M(x)y in the peer's own symbols; ``rational`` makes a number of numerator and denominator."""
        total: Any = 0
        for (a, b), terms in self.entries.items():
            for p, q, exponents in terms:
                term = rational(p, q) if rational else p / q
                for variable, e in zip(x, exponents, strict=True):
                    term = term * variable**e
                total = total + (1 if a == b else 2) * term * y[a] * y[b]
        return total


def read_problem() -> Problem:
    """The problem in the file that the first argument names."""
    with open(sys.argv[1], encoding="utf-8") as file:
        data = json.load(file)
    entries = {(a, b): [(p, q, tuple(e)) for p, q, e in terms] for a, b, terms in data["entries"]}
    return Problem(data["n"], data["half"], data["box"], data.get("degenerate", False), entries)


def multipliers(problem: Problem) -> Iterator[int | None]:
    """None for the constant 1, then k for 1 - x_k^2."""
    yield None
    if problem.box:
        yield from range(problem.n)


class Clock:
    """CPU seconds of the stages, by name."""

    def __init__(self) -> None:
        self.stages: dict[str, float] = {}
        self._last = time.process_time()

    def stage(self, name: str) -> None:
        """End a stage."""
        now = time.process_time()
        self.stages[name] = now - self._last
        self._last = now


def answer(bound: float | None, status: str, clock: Clock, *, proved: bool = False) -> None:
    """Print what the peer found, as one line of JSON."""
    print(json.dumps({"bound": bound, "status": status, "stages": clock.stages, "proved": proved}))
