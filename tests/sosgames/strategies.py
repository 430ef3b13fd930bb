"""Hypothesis strategies: exact polynomials, sets, games and matrices, small enough to be decided at once."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement

from hypothesis import strategies as st

from sosgames.certificates.games import ExactGame, ExactPlayer, MatrixProblem
from sosgames.certificates.polynomials import Monomial, Polynomial
from sosgames.certificates.sets import Ball, Box, Constraints, ProbabilitySimplex, Simplex, Space

SCALES = tuple(Fraction(10) ** k for k in range(-9, 10, 3))


def rationals(largest: int = 3, denominator: int = 4) -> st.SearchStrategy[Fraction]:
    """Rational numbers of at most this size and denominator."""
    return st.builds(Fraction, st.integers(-largest, largest), st.integers(1, denominator))


def polynomials(names: tuple[str, ...], degree: int, n_terms: int = 5) -> st.SearchStrategy[Polynomial]:
    """Polynomials of at most this degree with few terms."""
    monomials: list[Monomial] = [
        tuple((name, chosen.count(name)) for name in sorted(set(chosen)))
        for total in range(degree + 1)
        for chosen in combinations_with_replacement(names, total)
    ]
    return st.dictionaries(st.sampled_from(monomials), rationals(), max_size=n_terms).map(Polynomial)


@st.composite
def sets(draw: st.DrawFn, names: tuple[str, ...]) -> object:
    """A set in these variables, of any kind; some are empty, some a point, some unbounded."""
    kind = draw(st.sampled_from(["box", "ball", "simplex", "probabilities", "space", "conditions"]))
    match kind:
        case "box":
            ends = {name: sorted((draw(rationals()), draw(rationals()))) for name in names}
            return Box({name: (low, high) for name, (low, high) in ends.items()})
        case "ball":
            return Ball(names, [draw(rationals()) for _ in names], abs(draw(rationals())))
        case "simplex":
            return Simplex(names)
        case "probabilities":
            return ProbabilitySimplex(names)
        case "space":
            return Space(names)
    bound = abs(draw(rationals())) + 1
    redundant = draw(st.booleans())
    texts = [f"{name}**2 <= {bound}" for name in names]
    return Constraints([*texts, *(f"{name} >= -{bound + 1}" for name in names if redundant)])


@st.composite
def games(draw: st.DrawFn, n_players: int = 2, degree: int = 4) -> ExactGame:
    """A game of one or two variables a player; utilities are curved downwards at random."""
    counts = [draw(st.integers(1, 2)) for _ in range(draw(st.integers(1, n_players)))]
    owned = [tuple(f"{'xyz'[i]}{k}" for k in range(count)) for i, count in enumerate(counts)]
    everyone = tuple(name for names in owned for name in names)
    scale = draw(st.sampled_from(SCALES))
    players = []
    for i, names in enumerate(owned):
        curvature = draw(st.sampled_from([Fraction(0), Fraction(1), Fraction(20)]))
        squares = sum((Polynomial.variable(name) ** 2 for name in names), Polynomial())
        utility = scale * (draw(polynomials(everyone, degree)) - curvature * squares)
        players.append(ExactPlayer(f"P{i}", names, utility, (draw(sets(names)),)))
    return ExactGame(tuple(players))


@st.composite
def matrices(draw: st.DrawFn, degree: int = 2) -> MatrixProblem:
    """A symmetric matrix of side 1 or 2 on a set in one or two variables."""
    names = ("x", "y")[: draw(st.integers(1, 2))]
    side = draw(st.integers(1, 2))
    rows = [[Polynomial()] * side for _ in range(side)]
    for a in range(side):
        for b in range(a + 1):
            rows[a][b] = rows[b][a] = draw(polynomials(names, degree))
    return MatrixProblem(rows, names, (draw(sets(names)),))
