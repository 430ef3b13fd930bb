"""What is added to the cliques of a large matrix, step by step, while they leave it undecided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from sosgames.search.limits import Limits
from sosgames.sparse import Decomposition
from sosgames.sparse.decomposition import INTERIOR_SIDE

MANY = 400_000
"""Coefficients up to which all short cycles are tried as cliques: some minutes."""
PLACES = 4
"""Repairs where the modulus is decided, each at the places that the one before has left."""
FEW = 4
"""At most one row in so many may decide, for that to be a place."""


def attempts(
    found: Decomposition, limits: Limits, heavy: Callable[[], Sequence[int]]
) -> Iterator[tuple[int, Decomposition]]:
    """Levels with what to add to the cliques: nothing, then something at few places, then everywhere.

    At the places: cliques one level up, and cycles. Everywhere: constants, cycles, the core, then levels.

    Parameters
    ----------
    heavy
        The rows that decided the attempt before.
    """
    lowest = found.lowest_level if limits.level is None else limits.level
    yield lowest, found
    if limits.level is None and (limits.max_level is None or limits.max_level > lowest):
        for _ in range(PLACES):
            repaired = repaired_at(found, heavy())
            if repaired is None:
                break
            found = repaired
            yield lowest, found
    constants = found.with_constants()
    if len(constants.cliques) > len(found.cliques):
        yield lowest, constants
        cycles = found.with_cycles()
        if len(cycles.cliques) > len(found.cliques) and cycles.size(lowest).n_coefficients <= MANY:
            yield lowest, cycles.with_constants()
        whole = found.with_core()
        if len(whole.cliques) > len(found.cliques):
            yield lowest, whole
    if limits.level is None:
        highest = lowest + 2 if limits.max_level is None else max(limits.max_level, lowest)
        for level in range(lowest + 2, highest + 1, 2):
            yield level, constants


def repaired_at(found: Decomposition, rows: Sequence[int]) -> Decomposition | None:
    """The cliques at these rows one level up, and the short cycles through the rows as cliques besides.

    None where the rows are not few, or where nothing is left to repair at them.
    """
    if FEW * len(rows) > found.matrix.side:
        return None
    here = {k for k, clique in enumerate(found.own_cliques) if not set(rows).isdisjoint(clique.rows)}
    raised = found.raised | here
    repaired = replace(found, raised=raised).with_cycles(rows)
    if len(raised) == len(found.raised) and len(repaired.cliques) == len(found.cliques):
        return None
    return repaired if max(repaired.size(found.lowest_level).sides) <= INTERIOR_SIDE else None
