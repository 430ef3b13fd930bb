"""Nearest games, each spoilt in one place, and the sentence that must refuse it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.proofs import NearestProof
from sosgames.certificates.sets import Box
from tests.sosgames.certificates.game_constructions import constant_part, one_player, plain, two_players

F = Fraction
x, y = Polynomial.variable("x"), Polynomial.variable("y")
TINY = F(1, 10**30)
Spoil = tuple[str, Callable[[Any], Any], str]


def nearest_of(proof: NearestProof, **changes: Any) -> NearestProof:
    return replace(proof, functionals=(replace(proof.functionals[0], **changes),))


NEAREST: dict[str, Spoil] = {
    "a distance too small": ("nearest-linf", lambda p: replace(p, distance=F(1) - TINY), "claim.distance:"),
    "a distance in another norm": ("nearest-linf", lambda p: replace(p, norm="l1"), "claim.distance:"),
    "an unknown norm": ("nearest-linf", lambda p: replace(p, norm="l3"), "claim.norm"),
    "another property": (
        "nearest-linf",
        lambda p: replace(p, property="concave"),
        "the property that is claimed",
    ),
    "a coefficient that may not change": (
        "nearest-linf",
        lambda p: replace(p, changeable={"P": p.changeable["P"]}),
        "may not change",
    ),
    "a change of another player": (
        "nearest-l1",
        lambda p: replace(p, changeable={"Q": p.changeable["Q"]}),
        "may not change",
    ),
    "a changeable monomial of a stranger": (
        "nearest-linf",
        lambda p: replace(p, changeable={**p.changeable, "R": ()}),
        "has no player 'R'",
    ),
    "a game with other sets": (
        "nearest-linf",
        lambda p: replace(p, game=plain(two_players(5 * x * y - x**2, -x * y - y**2, 0))),
        "not the user's",
    ),
    "a game with fewer players": (
        "nearest-linf",
        lambda p: replace(p, game=plain(one_player(x, Box({"x": (-1, 1)})))),
        "not the user's",
    ),
    "a game that is none": ("nearest-linf", lambda p: replace(p, game={"players": 3}), "claim.game"),
    "a game that is not like that": (
        "nearest-linf",
        lambda p: replace(p, game=plain(two_players(5 * x * y - x**2, -(y**2)))),
        "identity fails",
    ),
    "a lower bound above the distance": (
        "nearest-linf",
        lambda p: replace(p, distance_lower=F(1) + TINY),
        "do not prove",
    ),
    "a lower bound above the distance, l1": (
        "nearest-l1",
        lambda p: replace(p, distance_lower=F(2) + TINY),
        "do not prove",
    ),
    "a lower bound above the distance, l2": (
        "nearest-l2",
        lambda p: replace(p, distance_lower=F(2) + TINY),
        "do not prove",
    ),
    "a negative lower bound": ("nearest-linf", lambda p: replace(p, distance_lower=F(-1)), "do not prove"),
    "a lower bound without functionals": (
        "nearest-linf",
        lambda p: replace(p, functionals=(), distance_lower=TINY),
        "do not prove",
    ),
    "a functional with a negative factor": (
        "nearest-linf",
        lambda p: nearest_of(p, c=F(-1)),
        "must be positive",
    ),
    "a functional outside the set": (
        "nearest-linf",
        lambda p: nearest_of(p, x={"x": F(2), "y": F(0)}),
        "violates condition",
    ),
    "a functional that the game does not violate": (
        "nearest-linf",
        lambda p: nearest_of(p, y={"x": F(1), "y": F(-1)}),
        "do not prove",
    ),
    "a functional without violation and without slopes": (
        "nearest-linf",
        lambda p: replace(nearest_of(p, y={"x": F(1)}), distance_lower=F(100)),
        "do not prove",
    ),
    "a bound for zero-sum games of a claim about others": (
        "nearest-zero-sum-l1",
        lambda p: replace(p, zero_sum=False),
        "do not prove",
    ),
    "a bound for zero-sum games that is too high": (
        "nearest-zero-sum-l2",
        lambda p: replace(p, distance_lower=F(2) + TINY),
        "do not prove",
    ),
    "a game that is no longer zero-sum": (
        "nearest-zero-sum-linf",
        lambda p: replace(p, game=plain(two_players(0 * x, -(x**2)))),
        "sum of all utilities",
    ),
    "a certificate below zero": (
        "nearest-linf",
        lambda p: replace(
            p, certificate=replace(p.certificate, parts=(constant_part([[3], [-2, 3]], mu=-1),))
        ),
        "does not show the property",
    ),
    "a weighted certificate": (
        "nearest-linf",
        lambda p: replace(p, certificate=replace(p.certificate, weights={"P": F(1), "Q": F(1)})),
        "without weights",
    ),
}
