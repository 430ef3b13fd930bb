"""Aggregate reports that live in any data frame, by one group-by that the frame's own engine runs."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

from privacy_stats.aggregation.aggregator import unshift
from privacy_stats.aggregation.state import State, count_bits
from privacy_stats.errors import ReportRejectedError
from privacy_stats.mechanisms import RandomisedResponse
from privacy_stats.rounds import Round

_SHIFT = 1 << 31
_LIMB = 1 << 16


def aggregate_frame(round_: Round, frame: Any, *, allow_simulated: bool = False) -> State:
    """Count the reports in a data frame (pandas, polars, pyarrow, DuckDB, dask, Spark and others).

    The columns are those of `Reports.columns`: ``user``, ``stratum``, ``report`` (or ``report_0``, ...),
    ``round`` and ``simulated``. The engine adds integers only, and none of its sums reaches 2**63: a product
    of two digits is below 2**32 and there are fewer than 2**31 users. The column of users is read into
    memory, 8 bytes each.

    Parameters
    ----------
    round_ : Round
        The announcement.
    frame : data frame
        Anything that `narwhals.from_native` takes, eager or lazy.
    allow_simulated : bool
        Whether reports of a seeded generator are accepted; for studies only.

    Returns
    -------
    State
        The same state that `aggregate` gives for the same reports.

    Raises
    ------
    ReportRejectedError
        If a column is missing or not of integers, or a report would be refused by `Aggregator`.
    """
    native = nw.from_native(frame).lazy()
    names = _check_columns(round_, native)
    _check_header(round_, native, allow_simulated)
    received = _received(round_, native)
    if isinstance(round_.mechanism, RandomisedResponse):
        counts, sums = _category_counts(round_, native)
        squares = sums
    else:
        counts, sums, squares = _moments(round_, native, names)
    if sum(counts) != count_bits(received):
        raise ReportRejectedError("frame: the engine counted other rows than users; is the frame changing?")
    return State(round_, received, counts, sums, squares, _any_simulated(native))


def _check_columns(round_: Round, frame: nw.LazyFrame[Any]) -> list[str]:
    width = round_.mechanism.width
    names = ["report"] if width == 1 else [f"report_{k}" for k in range(width)]
    schema = frame.collect_schema()
    for name in ["user", "stratum", *names]:
        if name not in schema:
            raise ReportRejectedError(f"frame: no column {name!r}")
        if not schema[name].is_integer():
            raise ReportRejectedError(f"frame: column {name!r} is {schema[name]}, wanted integers")
    for name, wanted in (("round", nw.String), ("simulated", nw.Boolean)):
        if name not in schema or schema[name] not in (wanted, nw.Object, nw.Categorical):
            raise ReportRejectedError(f"frame: wanted a column {name!r} of {wanted.__name__}")
    return names


def _check_header(round_: Round, frame: nw.LazyFrame[Any], allow_simulated: bool) -> None:
    prints = _rows(frame.select("round").unique().head(2))
    if [row["round"] for row in prints] != [round_.fingerprint]:
        got = ", ".join(str(row["round"])[:20] for row in prints) or "no reports"
        raise ReportRejectedError(f"frame: round is {got}, wanted {round_.fingerprint} ({round_!r})")
    if _any_simulated(frame) and not allow_simulated:
        raise ReportRejectedError(
            "frame: drawn from a seeded generator, so they protect nobody; "
            "aggregate a study with allow_simulated=True"
        )


def _any_simulated(frame: nw.LazyFrame[Any]) -> bool:
    marks = _rows(frame.select("simulated").unique())
    return any(row["simulated"] is not False and row["simulated"] != 0 for row in marks)


def _received(round_: Round, frame: nw.LazyFrame[Any]) -> Any:
    users = frame.select(nw.col("user").cast(nw.Int64)).collect("pyarrow")["user"]
    if users.null_count():
        raise ReportRejectedError(f"frame: {users.null_count()} reports name no user")
    who = users.to_numpy()
    if who.min() < 0 or who.max() >= round_.n_users:
        raise ReportRejectedError(f"frame: users must be enrolment numbers 0..{round_.n_users - 1}")
    seen = np.zeros(round_.n_users, dtype=np.bool_)
    seen[who] = True
    if int(seen.sum()) != who.size:
        ordered = np.sort(who)
        twice = ordered[1:][ordered[1:] == ordered[:-1]][0]
        raise ReportRejectedError(f"frame: user {twice} has reported twice; each user counts once")
    return np.packbits(seen)


def _moments(round_: Round, frame: nw.LazyFrame[Any], names: list[str]) -> tuple[Any, Any, Any]:
    """Group once: number of rows, extremes, and sums over the digits of the shifted reports."""
    shifted = frame.select(
        nw.col("stratum").cast(nw.Int64), *(nw.col(n).cast(nw.Int64) + _SHIFT for n in names)
    )
    split = shifted.with_columns(
        *((nw.col(n) // _LIMB).cast(nw.Int64).alias(f"{n}_h") for n in names),
        *((nw.col(n) % _LIMB).cast(nw.Int64).alias(f"{n}_l") for n in names),
    )
    squared = names[: round_.mechanism.n_squares]
    products = split.with_columns(
        nw.col("stratum"),  # no squares may be wanted
        *((nw.col(f"{n}_h") * nw.col(f"{n}_h")).alias(f"{n}_hh") for n in squared),
        *((nw.col(f"{n}_h") * nw.col(f"{n}_l")).alias(f"{n}_hl") for n in squared),
        *((nw.col(f"{n}_l") * nw.col(f"{n}_l")).alias(f"{n}_ll") for n in squared),
    )
    digits = [f"{n}_{d}" for n in names for d in ("h", "l")]
    digits += [f"{n}_{d}" for n in squared for d in ("hh", "hl", "ll")]
    grouped = products.group_by("stratum").agg(
        nw.len().alias("n"),
        *(nw.col(n).count().alias(f"{n}_count") for n in names),
        *(nw.col(n).min().alias(f"{n}_min") for n in names),
        *(nw.col(n).max().alias(f"{n}_max") for n in names),
        *(nw.col(d).sum().alias(f"{d}_sum") for d in digits),
    )
    counts = [0] * round_.n_strata
    sums = [(0,) * len(names)] * round_.n_strata
    squares: list[tuple[int, ...]] = [(0,) * round_.mechanism.n_squares] * round_.n_strata
    ranges = round_.report_ranges()
    for row in _rows(grouped):
        stratum = _stratum(round_, row)
        counts[stratum] = int(row["n"])
        _check_range(ranges[stratum], stratum, row, names)
        pairs = [
            unshift(counts[stratum], *(int(row.get(f"{n}_{d}_sum", 0)) for d in ("h", "l", "hh", "hl", "ll")))
            for n in names
        ]
        sums[stratum] = tuple(first for first, _ in pairs)
        squares[stratum] = tuple(second for _, second in pairs[: len(squared)])
    return tuple(counts), tuple(sums), tuple(squares)


def _category_counts(round_: Round, frame: nw.LazyFrame[Any]) -> tuple[Any, Any]:
    table = [[0] * round_.mechanism.n_sums for _ in range(round_.n_strata)]
    grouped = frame.select("stratum", "report", "user").group_by("stratum", "report")
    for row in _rows(grouped.agg(nw.len().alias("n"))):
        stratum = _stratum(round_, row)
        if row["report"] is None or not 0 <= row["report"] < round_.mechanism.n_sums:
            raise ReportRejectedError(f"frame: report {row['report']} in stratum {stratum} is no category")
        table[stratum][int(row["report"])] = int(row["n"])
    return tuple(sum(row) for row in table), tuple(tuple(row) for row in table)


def _stratum(round_: Round, row: dict[str, Any]) -> int:
    stratum = row["stratum"]
    if stratum is None or not 0 <= stratum < round_.n_strata:
        raise ReportRejectedError(f"frame: stratum {stratum} was not announced")
    return int(stratum)


def _check_range(limits: tuple[int, int], stratum: int, row: dict[str, Any], names: list[str]) -> None:
    low, high = limits
    for name in names:
        if int(row[f"{name}_count"]) != int(row["n"]):
            raise ReportRejectedError(f"frame: column {name!r} holds nulls in stratum {stratum}")
        if int(row[f"{name}_min"]) - _SHIFT < low or int(row[f"{name}_max"]) - _SHIFT > high:
            raise ReportRejectedError(
                f"frame: a report in stratum {stratum} is outside what the mechanism can draw, {low}..{high}"
            )


def _rows(frame: nw.LazyFrame[Any]) -> list[dict[str, Any]]:
    return list(frame.collect("pyarrow").rows(named=True))
