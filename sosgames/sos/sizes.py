"""How large a program will be, said before it is built, and a refusal with advice where it cannot fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sosgames.errors import LimitError

MEMORY_LIMIT = 4 * 2**30
"""Bytes that a step may take unless the caller allows more."""
BYTES_PER_COEFFICIENT = 80
"""Of the integer triplets, the sort that makes equations of them, and the floating-point copy (measured)."""


@dataclass(frozen=True, slots=True)
class SizeEstimate:
    """The sides of the Gram blocks, the coefficients of the map, and the bytes that building it takes."""

    sides: tuple[int, ...]
    n_coefficients: int
    n_bytes: int

    def __str__(self) -> str:
        return (
            f"{len(self.sides)} blocks of side up to {max(self.sides, default=0):,},"
            f" {self.n_coefficients:,} coefficients, about {in_bytes(self.n_bytes)}"
        )


def estimate_size(sides: Sequence[int], n_terms: Sequence[int]) -> SizeEstimate:
    """The estimate for blocks of these sides whose generators have these numbers of terms."""
    pairs = zip(sides, n_terms, strict=True)
    n_coefficients = sum(side * (side + 1) // 2 * terms for side, terms in pairs)
    return SizeEstimate(tuple(sides), n_coefficients, n_coefficients * BYTES_PER_COEFFICIENT)


def refuse_above(n_bytes: int, limit: int | None, what: str, advice: str) -> None:
    """Raise `LimitError` with the estimate, the limit and the advice where the bytes exceed the limit."""
    if limit is not None and n_bytes > limit:
        raise LimitError(
            f"{what} would take about {in_bytes(n_bytes)}, the limit is {in_bytes(limit)}; {advice}"
        )


def in_bytes(n_bytes: int) -> str:
    """A number of bytes in words.

    >>> in_bytes(3 * 2**20), in_bytes(2**33)
    ('3 MiB', '8 GiB')
    """
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if n_bytes >= size:
            return f"{n_bytes / size:.3g} {unit}"
    return f"{n_bytes} bytes"
