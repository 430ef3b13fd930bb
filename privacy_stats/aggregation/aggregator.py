"""Check reports, then add them up in chunks; a batch with one bad report counts for nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privacy_stats.aggregation.state import State, Table, add_tables
from privacy_stats.errors import ArgumentError, ReportRejectedError
from privacy_stats.mechanisms import RandomisedResponse
from privacy_stats.reports import Reports
from privacy_stats.rounds import Round

_CHUNK = 1 << 20
_HALF = 1 << 31
_LIMB = 1 << 16


class Aggregator:
    """Running state of one round: `add` reports, read `state`.

    Memory: one byte per enrolled user, the tables, and a chunk of 2**20 reports. Not for several threads at
    once: give each its own and `merge` their states.

    Parameters
    ----------
    round_ : Round
        The announcement whose answers are counted.
    allow_simulated : bool
        Whether reports of a seeded generator are accepted; for studies only.
    start : State, optional
        Continue from here.

    Raises
    ------
    ArgumentError
        If `start` belongs to another round.
    """

    def __init__(self, round_: Round, *, allow_simulated: bool = False, start: State | None = None) -> None:
        first = State.empty(round_) if start is None else start
        if first.round_ != round_:
            raise ArgumentError(f"start: {first!r} answers another announcement than {round_!r}")
        self.round_ = round_
        self.allow_simulated = allow_simulated
        self._seen = np.unpackbits(first.received, count=round_.n_users).astype(np.bool_)
        self._counts = np.array(first.counts, dtype=np.int64)
        self._sums, self._squares, self._simulated = first.sums, first.squares, first.simulated
        self._low, self._high = np.array(round_.report_ranges(), dtype=np.int64).T

    def state(self) -> State:
        """Return what has been counted so far, as a value."""
        return State(
            self.round_,
            np.packbits(self._seen),
            tuple(self._counts.tolist()),
            self._sums,
            self._squares,
            self._simulated,
        )

    def add(self, reports: Reports) -> None:
        """Count reports, all of them or none.

        Parameters
        ----------
        reports : Reports
            Answers to this round.

        Raises
        ------
        ReportRejectedError
            If they answer another round, were simulated, name unknown users or strata, lie outside the
            mechanism's range, or repeat a user.
        """
        self._check_header(reports)
        self._check_rows(reports)
        users = reports.user
        if self._seen[users].any():
            row = int(np.argmax(self._seen[users]))
            raise ReportRejectedError(
                f"row {row}: user {users[row]} has reported already; each user counts once"
            )
        for at in range(0, len(reports), _CHUNK):
            piece = reports[at : at + _CHUNK]
            sums, squares = tabulate(self.round_, piece.stratum, piece.report)
            self._sums = add_tables(self._sums, sums)
            self._squares = add_tables(self._squares, squares)
        self._counts += np.bincount(reports.stratum, minlength=self.round_.n_strata)
        self._seen[users] = True
        self._simulated = self._simulated or reports.header.simulated

    def _check_header(self, reports: Reports) -> None:
        difference = reports.header.difference(self.round_)
        if difference is not None:
            raise ReportRejectedError(f"reports: {difference}")
        if reports.header.simulated and not self.allow_simulated:
            raise ReportRejectedError(
                "reports: drawn from a seeded generator, so they protect nobody; "
                "aggregate a study with allow_simulated=True"
            )

    def _check_rows(self, reports: Reports) -> None:
        width, users, stratum = self.round_.mechanism.width, reports.user, reports.stratum
        if reports.report.shape != ((len(reports),) if width == 1 else (len(reports), width)):
            raise ReportRejectedError(
                f"reports: got shape {reports.report.shape}, wanted {width} numbers each"
            )
        _refuse(users, (users < 0) | (users >= self.round_.n_users), "user", "is not enrolled")
        _refuse(stratum, (stratum < 0) | (stratum >= self.round_.n_strata), "stratum", "was not announced")
        rows = reports.report.reshape(len(reports), width)
        outside = ((rows < self._low[stratum, None]) | (rows > self._high[stratum, None])).any(axis=1)
        _refuse(rows, outside, "report", "is outside what the mechanism can draw")
        if np.any(users[1:] <= users[:-1]):
            ordered = np.sort(users)
            twice = ordered[1:][ordered[1:] == ordered[:-1]]
            if twice.size:
                raise ReportRejectedError(f"reports: user {twice[0]} occurs twice in one batch")


def aggregate(round_: Round, reports: Reports, *, allow_simulated: bool = False) -> State:
    """Count the reports of one batch.

    Parameters
    ----------
    round_ : Round
        The announcement.
    reports : Reports
        Answers to it.
    allow_simulated : bool
        Whether reports of a seeded generator are accepted; for studies only.

    Raises
    ------
    ReportRejectedError
        As `Aggregator.add` says; nothing is counted then.
    """
    aggregator = Aggregator(round_, allow_simulated=allow_simulated)
    aggregator.add(reports)
    return aggregator.state()


def tabulate(round_: Round, stratum: NDArray[np.int32], report: NDArray[np.int32]) -> tuple[Table, Table]:
    """Return sums and sums of squares per stratum of at most 2**20 reports, exactly.

    A report r is shifted to ``r + 2**31 = 2**16 h + l`` with h and l below 2**16. Sums of 2**20 products of
    such digits stay below 2**52, where floating point counts exactly, and so do their weighted bincounts.
    """
    if isinstance(round_.mechanism, RandomisedResponse):
        k = round_.mechanism.categories
        flat = np.bincount(stratum.astype(np.int64) * k + report, minlength=round_.n_strata * k)
        table = tuple(tuple(row) for row in flat.reshape(round_.n_strata, k).tolist())
        return table, table
    rows = report.reshape(len(report), -1)
    if round_.mechanism.n_squares == 0:
        sums = np.zeros((round_.n_strata, rows.shape[1]), dtype=np.int64)
        for k in np.unique(stratum):
            mine = rows if round_.n_strata == 1 else rows[stratum == k]
            sums[k] = mine.sum(axis=0, dtype=np.int64)
        return tuple(tuple(row) for row in sums.tolist()), ((),) * round_.n_strata
    counts = np.bincount(stratum, minlength=round_.n_strata).tolist()
    columns = [_moments(stratum, rows[:, k], counts) for k in range(rows.shape[1])]
    firsts = tuple(zip(*(first for first, _ in columns), strict=True))
    return firsts, tuple(zip(*(second for _, second in columns), strict=True))


def _moments(
    stratum: NDArray[np.int32], report: NDArray[np.int32], counts: list[int]
) -> tuple[list[int], list[int]]:
    shifted = report.astype(np.int64) + _HALF
    high, low = shifted >> 16, shifted & (_LIMB - 1)
    digits = (high, low, high * high, high * low, low * low)
    totals = [np.bincount(stratum, weights=d, minlength=len(counts)).tolist() for d in digits]
    pairs = [unshift(n, *(int(t) for t in row)) for n, *row in zip(counts, *totals, strict=True)]
    return [first for first, _ in pairs], [second for _, second in pairs]


def unshift(n: int, h: int, low: int, hh: int, hl: int, ll: int) -> tuple[int, int]:
    """Return the sum and the sum of squares of reports from sums over the digits of the shifted ones."""
    first = _LIMB * h + low
    second = _LIMB * _LIMB * hh + 2 * _LIMB * hl + ll
    return first - n * _HALF, second - 2 * _HALF * first + n * _HALF * _HALF


def _refuse(column: NDArray[np.signedinteger], wrong: NDArray[np.bool_], name: str, why: str) -> None:
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ReportRejectedError(f"row {row}: {name} {str(column[row])[:60]} {why}")
