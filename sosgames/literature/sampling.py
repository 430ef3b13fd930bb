"""Random polynomial games, as studies of running times draw them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np

from sosgames.certificates.games import ExactGame, ExactPlayer
from sosgames.certificates.polynomials import Monomial, Polynomial
from sosgames.certificates.sets import StrategySet
from sosgames.errors import InputError
from sosgames.games import Game

COEFFICIENT_BITS = 13


def random_game(
    strategies: Mapping[str, StrategySet],
    degree: int | Sequence[int],
    *,
    rng: np.random.Generator,
    zero_sum: bool = False,
) -> Game:
    r"""A game whose coefficients are uniform on [-1, 1]: odd multiples of 2^-13, so none is 0.

    Parameters
    ----------
    strategies
        A set for each player, which names the player's variables.
    degree
        A number d takes all monomials of total degree at most d; one number a player takes all monomials
        whose degree in each player's variables is at most that player's number.
    rng
        Where the coefficients come from, drawn player by player.
    zero_sum
        Draw the first player's utility only; the second one's is its negative.

    Raises
    ------
    InputError
        When the degrees do not match the players, or a zero-sum game is asked for with other than two.

    Notes
    -----
    The sizes of Leon et al. (2025): two 2-dimensional simplices with ``degree=4``; intervals with
    ``degree=(4, 1), zero_sum=True``; two 2-dimensional simplices with ``degree=(6, 2)``, which has 168
    monomials a player.

    Examples
    --------
    >>> import numpy as np, sosgames as sg
    >>> triangles = {"row": sg.Simplex(["x1", "x2"]), "column": sg.Simplex(["y1", "y2"])}
    >>> game = sg.random_game(triangles, (6, 2), rng=np.random.default_rng(1))
    >>> len(game.exact.player("row").utility.terms)
    168
    """
    if zero_sum and len(strategies) != 2:
        raise InputError(f"zero_sum: there are {len(strategies)} players; a zero-sum game has two.")
    groups = [part.variables for part in strategies.values()]
    monomials = list(_monomials(groups, degree))
    utilities = [random_polynomial(monomials, rng) for _ in range(1 if zero_sum else len(groups))]
    if zero_sum:
        utilities.append(-utilities[0])
    players = (
        ExactPlayer(name, part.variables, utility, (part,))
        for (name, part), utility in zip(strategies.items(), utilities, strict=True)
    )
    return Game.from_exact(ExactGame(tuple(players)))


def _monomials(groups: Sequence[tuple[str, ...]], degree: int | Sequence[int]) -> Iterator[Monomial]:
    if isinstance(degree, int):
        yield from up_to_degree([name for group in groups for name in group], degree)
        return
    if len(degree) != len(groups):
        raise InputError(f"degree: got {len(degree)} numbers for {len(groups)} players; give one each.")
    for factors in product(*(up_to_degree(group, d) for group, d in zip(groups, degree, strict=True))):
        yield tuple(sorted(pair for factor in factors for pair in factor))


def up_to_degree(names: Sequence[str], degree: int) -> Iterator[Monomial]:
    """All monomials up to a total degree, in graded order."""
    for d in range(degree + 1):
        for chosen in combinations_with_replacement(sorted(names), d):
            yield tuple((name, chosen.count(name)) for name in dict.fromkeys(chosen))


def random_polynomial(monomials: Sequence[Monomial], rng: np.random.Generator) -> Polynomial:
    """Coefficients that are odd multiples of 2^-13, uniform on [-1, 1]."""
    scale = 2**COEFFICIENT_BITS
    drawn = rng.integers(-scale // 2, scale // 2, len(monomials)).tolist()
    return Polynomial({m: Fraction(2 * k + 1, scale) for m, k in zip(monomials, drawn, strict=True)})
