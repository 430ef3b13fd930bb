"""What the server keeps of a round: exact integers per stratum, and who has reported."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_stats.errors import ArgumentError, DocumentError, ReportRejectedError
from privacy_stats.files import whole
from privacy_stats.mechanisms.base import LARGEST_REPORT
from privacy_stats.rounds import Round

_FORMAT, _VERSION = "privacy_stats.state", 1
Table = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class State:
    """Sufficient statistics of the reports of one round.

    All numbers are Python integers, which do not overflow. States of disjoint users merge in any order to the
    same state.

    Parameters
    ----------
    round_ : Round
        The announcement.
    received : ndarray of uint8
        One bit per enrolled user, packed: has a report been counted?
    counts : tuple of int
        Reports per stratum.
    sums : tuple of tuple of int
        Per stratum the sum of each of the report's numbers; for categories, how often each was reported.
    squares : tuple of tuple of int
        Per stratum the sum of squares of each of the report's numbers; empty rows where the mechanism
        needs none.
    simulated : bool
        Whether any report was simulated.
    """

    round_: Round
    received: NDArray[np.uint8]
    counts: tuple[int, ...]
    sums: Table
    squares: Table
    simulated: bool = False

    def __post_init__(self) -> None:
        received = np.array(self.received, dtype=np.uint8)
        received.setflags(write=False)
        object.__setattr__(self, "received", received)
        strata, mechanism = self.round_.n_strata, self.round_.mechanism
        tables = ((self.sums, mechanism.n_sums), (self.squares, mechanism.n_squares))
        if len(self.counts) != strata or any(
            len(table) != strata or any(len(row) != width for row in table) for table, width in tables
        ):
            raise ArgumentError(
                f"state: wanted {strata} strata of {mechanism.n_sums} sums and {mechanism.n_squares} squares"
            )
        if received.size != (self.round_.n_users + 7) // 8 or count_bits(received) != sum(self.counts):
            raise ArgumentError("state: counts and received users do not agree")

    @classmethod
    def empty(cls, round_: Round) -> State:
        """Return the state before any report."""
        strata, mechanism = round_.n_strata, round_.mechanism
        sums, squares = (((0,) * width,) * strata for width in (mechanism.n_sums, mechanism.n_squares))
        received = np.zeros((round_.n_users + 7) // 8, dtype=np.uint8)
        return cls(round_, received, (0,) * strata, sums, squares)

    def __repr__(self) -> str:
        mark = ", simulated" if self.simulated else ""
        return f"State({self.round_.survey}, round {self.round_.number}, n_reports={self.n_reports}{mark})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    @property
    def n_reports(self) -> int:
        """Number of counted reports."""
        return sum(self.counts)

    def has_reported(self, user: int) -> bool:
        """Whether the report of an enrolled user has been counted."""
        return bool(self.received[user >> 3] >> (7 - (user & 7)) & 1)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "format": _FORMAT,
            "version": _VERSION,
            "round": self.round_.to_dict(),
            "received": base64.b64encode(self.received.tobytes()).decode(),
            "counts": list(self.counts),
            "sums": [list(row) for row in self.sums],
            "squares": [list(row) for row in self.squares],
            "simulated": self.simulated,
        }

    @classmethod
    def from_dict(cls, document: Any) -> State:
        """Read what `to_dict` wrote.

        Raises
        ------
        DocumentError
            If the document is not a state, or its counts and users do not agree.
        """
        if not isinstance(document, dict) or document.get("format") != _FORMAT:
            raise DocumentError(f"state: wanted an object of format {_FORMAT!r}")
        if document.get("version") != _VERSION:
            raise DocumentError(f"state: version {document.get('version')!r} is not {_VERSION}")
        counts: Any = document.get("counts")
        if not _is_row(counts) or min(counts, default=0) < 0:
            raise DocumentError("state: 'counts' must list non-negative integers")
        tables = []
        for name in ("sums", "squares"):
            table = document.get(name)
            if not isinstance(table, list) or not all(_is_row(row) for row in table):
                raise DocumentError(f"state: {name!r} must be a list of lists of integers")
            tables.append(tuple(tuple(row) for row in table))
        if type(document.get("simulated")) is not bool:
            raise DocumentError("state: 'simulated' must be true or false")
        try:
            text: Any = document.get("received")
            received = np.frombuffer(base64.b64decode(text, validate=True), dtype=np.uint8)
        except (TypeError, ValueError) as error:  # not ASCII, or not base64
            raise DocumentError(f"state: 'received' is not base64 text ({error})") from None
        round_ = Round.from_dict(document.get("round"))
        try:
            state = cls(round_, received, tuple(counts), tables[0], tables[1], document["simulated"])
        except ArgumentError as error:
            raise DocumentError(f"state: {error}") from None
        _check_moments(state)
        return state

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state as JSON; the file is replaced at once: a crash leaves the old or the new."""
        write_json(path, self.to_dict())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> State:
        """Read what `save` wrote.

        Raises
        ------
        DocumentError
            If the file is not a saved state.
        """
        return cls.from_dict(read_json(path))


def merge(states: Iterable[State]) -> State:
    """Add up states of the same round from disjoint users; any order gives the same result.

    Parameters
    ----------
    states : iterable of State
        At least one.

    Raises
    ------
    ArgumentError
        If there is none, or they belong to different rounds.
    ReportRejectedError
        If a user is counted in two of them.
    """
    total: State | None = None
    for state in states:
        total = state if total is None else _add(total, state)
    if total is None:
        raise ArgumentError("states: wanted at least one")
    return total


def _add(a: State, b: State) -> State:
    if a.round_ != b.round_:
        raise ArgumentError(f"states: {a!r} and {b!r} answer different announcements")
    common = a.received & b.received
    if common.any():
        user = int(np.flatnonzero(np.unpackbits(common))[0])
        raise ReportRejectedError(
            f"states: {count_bits(common)} users are counted in both, the first is user {user}"
        )
    return State(
        a.round_,
        a.received | b.received,
        tuple(x + y for x, y in zip(a.counts, b.counts, strict=True)),
        add_tables(a.sums, b.sums),
        add_tables(a.squares, b.squares),
        a.simulated or b.simulated,
    )


def count_bits(packed: NDArray[np.uint8]) -> int:
    """Return the number of ones in packed bits."""
    return int.from_bytes(packed.tobytes(), "big").bit_count()


def add_tables(a: Table, b: Table) -> Table:
    """Add two tables of integers entry by entry."""
    return tuple(tuple(x + y for x, y in zip(p, q, strict=True)) for p, q in zip(a, b, strict=True))


def write_json(path: str | os.PathLike[str], document: Any) -> None:
    """Replace a file by a JSON document at once."""
    with whole(path) as part, part.open("w", encoding="utf-8") as file:
        json.dump(document, file)


def read_json(path: str | os.PathLike[str]) -> Any:
    """Read a JSON file.

    Raises
    ------
    DocumentError
        If it is not JSON.
    """
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"{path}: not JSON ({type(error).__name__})") from None


def _check_moments(state: State) -> None:
    """Refuse sums and squares that no reports of 32 bits have."""
    for stratum, (n, sums) in enumerate(zip(state.counts, state.sums, strict=True)):
        if any(abs(total) > n * LARGEST_REPORT for total in sums):
            raise DocumentError(f"state: {n} reports of 32 bits have no such sum in stratum {stratum}")
        for total, squares in zip(sums, state.squares[stratum], strict=False):
            if not total**2 <= n * squares <= (n * LARGEST_REPORT) ** 2:
                raise DocumentError(f"state: sum and sum of squares in stratum {stratum} do not go together")


def _is_row(value: Any) -> bool:
    return isinstance(value, list) and all(type(x) is int for x in value)
