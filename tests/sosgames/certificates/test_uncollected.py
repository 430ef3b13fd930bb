"""What large checks leave out: the cyclic collector, and players outside of a direction."""

from __future__ import annotations

import gc
from fractions import Fraction

import pytest

from sosgames.certificates.errors import InputError
from sosgames.certificates.gamefiles import read_problem
from sosgames.certificates.games import ExactGame, ExactPlayer
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import Box
from sosgames.certificates.uncollected import uncollected


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_afterwards_as_it_was_also_after_a_failure(enabled: bool) -> None:
    was = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with uncollected():
            assert not gc.isenabled()
        assert gc.isenabled() is enabled
        with pytest.raises(InputError):
            read_problem("there is no such file.toml")
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if was else gc.disable)()


def test_players_outside_of_a_direction_do_not_change_the_form_along_it() -> None:
    x = [Polynomial.variable(f"x{k}") for k in range(4)]
    utilities = [x[0] * x[1] ** 2 - x[0] ** 2, x[1] * x[0] * x[2], -(x[2] ** 4) * x[3], x[3] ** 3 * x[0]]
    players = tuple(
        ExactPlayer(f"P{k}", (f"x{k}",), utility, (Box({f"x{k}": (-1, 1)}),))
        for k, utility in enumerate(utilities)
    )
    game = ExactGame(players)
    weights = {f"P{k}": Fraction(k + 1, 3) for k in range(4)}
    whole = modulus_matrix(game, "monotone", weights=weights)
    at = {f"x{k}": Fraction(k + 1, 5) for k in range(4)}
    for y in ([1, 0, 0, 0], [1, -2, 0, 0], [0, 3, 0, 5], [1, 1, 1, 1]):
        direction = [Fraction(v) for v in y]
        along = {f"x{k}" for k, v in enumerate(y) if v}
        part = modulus_matrix(game, "monotone", weights=weights, along=along)
        assert part.form(at, direction) == whole.form(at, direction)
        assert part.norm(direction) == whole.norm(direction)
