"""One round of a study: real reports, or their sum drawn at once where only the sum is kept.

The server of a block mechanism keeps nothing but integer sums. A sum of independent discrete Gaussians of
scales sigma_u is a normal number of variance ``V = sum sigma_u**2`` rounded to an integer, up to a total
variation below 1 / V, and V exceeds 2**30 at the grids in use. So a seeded study draws one normal number per
sum instead of one noise per user. Reports of real users are never made this way: only seeded generators get
here.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from privacy_stats.aggregation import Aggregator, State
from privacy_stats.budgets import Budgets, Ledger
from privacy_stats.clients import randomise
from privacy_stats.clients.arrays import charge, checked_values
from privacy_stats.mechanisms import BlockChannel, BlockMechanism
from privacy_stats.randomness import Randomness, SystemRandomness
from privacy_stats.rounds import Round

_NUMBERS = 1 << 23
"""Numbers in one chunk of reports."""


def collect(
    round_: Round,
    values: NDArray[np.float64],
    budgets: Budgets,
    *,
    rng: Randomness | None = None,
    ledger: Ledger | None = None,
) -> State:
    """Play all users of one round and count what they report.

    Parameters
    ----------
    round_ : Round
        The announcement.
    values : ndarray, shape (n,) or (n, d)
        One row per user.
    budgets : Budgets
        One per user.
    rng : Randomness, optional
        By default the operating system's generator, and then every report is drawn, in chunks of 2**23
        numbers.
    ledger : Ledger, optional
        Charged before anything is drawn.
    """
    source = SystemRandomness() if rng is None else rng
    if source.simulated and isinstance(round_.mechanism, BlockMechanism):
        return Totals.of(round_, values, budgets).draw(source, ledger=ledger)
    rows = max(1, _NUMBERS // round_.mechanism.n_sums)
    aggregator = Aggregator(round_, allow_simulated=source.simulated)
    for at in range(0, len(values), rows):
        piece = Budgets(budgets.kind, budgets.billionths[at : at + rows])
        who = np.arange(at, at + len(piece))
        aggregator.add(randomise(round_, values[at : at + rows], piece, users=who, ledger=ledger, rng=source))
    return aggregator.state()


class Totals:
    """The sums of the messages of a round before noise, and the noise that comes on top: for studies.

    It knows the raw values' sums, so it never leaves a simulation. Drawing from it again repeats the round
    with fresh noise at the cost of one normal number per sum.
    """

    def __init__(
        self, round_: Round, budgets: Budgets, sums: NDArray[np.int64], variance: NDArray[np.float64]
    ) -> None:
        self.round_, self.budgets, self.sums, self.variance = round_, budgets, sums, variance

    @classmethod
    def of(cls, round_: Round, values: NDArray[np.float64], budgets: Budgets) -> Totals:
        """Encode all values, in chunks, and add up."""
        mechanism = cast(BlockMechanism, round_.mechanism)
        table = checked_values(round_, values)
        level = round_.levels_of(budgets)
        channels = [cast(BlockChannel, round_.channels(k)[0]) for k in range(len(round_.levels))]
        stratum = np.array(round_.first_strata())[level]
        sums = np.zeros((round_.n_strata, mechanism.n_sums), dtype=np.int64)
        rows = max(1024, _NUMBERS // mechanism.n_sums)
        for k in np.unique(stratum):
            mine = np.flatnonzero(stratum == k)
            for at in range(0, len(mine), rows):
                piece = mine[at : at + rows]
                sums[k] += mechanism.add_up(table[piece], level[piece], channels)
        sigma_squared = np.array([float(c.sigma) ** 2 for c in channels])[level]
        variance = np.bincount(stratum, sigma_squared, minlength=round_.n_strata).astype(np.float64)
        return cls(round_, budgets, sums, variance)

    def draw(self, rng: Randomness, *, ledger: Ledger | None = None) -> State:
        """Return a state with fresh noise, marked as simulated."""
        round_, level = self.round_, self.round_.levels_of(self.budgets)
        users = np.arange(len(level))
        if ledger is not None:
            charge(round_, level, users, ledger)
        generator = np.random.default_rng(np.frombuffer(rng.bytes(32), dtype=np.uint32))
        noise = np.rint(generator.standard_normal(self.sums.shape) * np.sqrt(self.variance)[:, None])
        noisy = self.sums + noise.astype(np.int64)
        seen = np.zeros(round_.n_users, dtype=np.bool_)
        seen[users] = True
        counts = np.bincount(np.array(round_.first_strata())[level], minlength=round_.n_strata)
        return State(
            round_,
            np.packbits(seen),
            tuple(counts.tolist()),
            tuple(tuple(row) for row in noisy.tolist()),
            ((),) * round_.n_strata,
            simulated=True,
        )
