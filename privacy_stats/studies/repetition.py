"""The same study again and again, as cheaply as its noise allows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privacy_stats.budgets import Budgets
from privacy_stats.errors import ArgumentError
from privacy_stats.estimate import estimate_sum
from privacy_stats.mechanisms import BlockMechanism
from privacy_stats.protocols import Oracle, Protocol
from privacy_stats.protocols.simulation import Totals, collect
from privacy_stats.randomness import simulation_rng


def repeat_estimates(
    values: ArrayLike,
    budgets: Budgets,
    *,
    protocol: Protocol | Oracle,
    runs: int = 50,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Estimate the sum `runs` times with fresh simulated noise; the values stay the same.

    What the first round asks does not depend on noise, so it is encoded once; an oracle looks at the values
    once.

    Parameters
    ----------
    values : array_like, shape (n_users,) or (n_users, d)
        One row per user.
    budgets : Budgets
        One per user.
    protocol : Protocol or Oracle
        What to run.
    runs : int
        How often.
    seed : int
        Of the simulated randomness; run k uses ``seed + k``.

    Returns
    -------
    ndarray of float, shape (runs,) or (runs, d)
        Estimates of the finite-population sum.

    Raises
    ------
    ArgumentError
        If arguments do not fit, as for `estimate_sum`.

    Examples
    --------
    >>> import privacy_stats as ps
    >>> budgets = ps.Budgets.zcdp(np.tile([0.1, 1.0], 1000))
    >>> naive = ps.NaiveGaussian(1.0, non_negative=True)
    >>> found = repeat_estimates(np.full(2000, 0.5), budgets, protocol=naive, runs=20)
    >>> found.shape, bool(abs(found.mean() - 1000) < 5 * 74 / 20**0.5)
    ((20,), True)
    """
    if type(runs) is not int or runs < 1:
        raise ArgumentError(f"runs: got {runs!r}, wanted a positive integer")
    table = np.asarray(values, dtype=np.float64)
    if isinstance(protocol, Oracle):
        first = estimate_sum(table, budgets, protocol=protocol, rng=simulation_rng(seed))
        clipped: Any = first.details.get("clipped_sum")
        if clipped is not None:
            noise = np.random.default_rng(seed).standard_normal((runs, *first.value.shape))
            return np.asarray(np.reshape(clipped, first.value.shape) + first.standard_error * noise)
    if isinstance(protocol, Oracle) or not _first_is_blocks(protocol, budgets):
        found = [
            estimate_sum(table, budgets, protocol=protocol, rng=simulation_rng(seed + k)).value
            for k in range(runs)
        ]
        return np.array(found)
    return np.array(_from_totals(table, budgets, protocol, runs, seed))


def _first_is_blocks(protocol: Protocol, budgets: Budgets) -> bool:
    opening = _open(protocol, budgets)
    return isinstance(opening.round_.mechanism, BlockMechanism)


def _open(protocol: Protocol, budgets: Budgets) -> Any:
    return protocol.first_round(len(budgets), budgets.levels, kind=budgets.kind, counts=budgets.counts)


def _from_totals(
    table: NDArray[np.float64], budgets: Budgets, protocol: Protocol, runs: int, seed: int
) -> list[NDArray[np.float64]]:
    opening = _open(protocol, budgets)
    first = Totals.of(opening.round_, table, budgets)
    found = []
    for k in range(runs):
        rng = simulation_rng(seed + k)
        states, announced = [first.draw(rng)], opening
        while not announced.is_last:
            announced = announced.protocol.next_round(states)
            states.append(collect(announced.round_, table, budgets, rng=rng))
        found.append(announced.protocol.estimate(states).value)
    return found
