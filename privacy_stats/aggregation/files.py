"""Aggregate files of reports chunk by chunk, with a checkpoint that a crash cannot tear."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from privacy_stats.aggregation.aggregator import Aggregator
from privacy_stats.aggregation.state import State, read_json, write_json
from privacy_stats.errors import ArgumentError, DocumentError, ReportRejectedError
from privacy_stats.lazy import optional
from privacy_stats.reports import Reports, from_arrow, read_lines
from privacy_stats.rounds import Round

_CHUNK = 1 << 18


def aggregate_files(
    round_: Round,
    paths: Iterable[str | os.PathLike[str]],
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    every: float = 5.0,
    allow_simulated: bool = False,
    progress: Callable[[int], None] | None = None,
) -> State:
    """Count the reports of many files (``.jsonl`` or ``.parquet``).

    With a `checkpoint` the state and how far each file has been read are written together, in one file that
    is replaced at once, about every `every` seconds. A run that was killed continues there when it is
    started again with the same arguments: no report is lost, and none is counted twice.

    Parameters
    ----------
    round_ : Round
        The announcement.
    paths : iterable of path
        Files of reports; they must not change between runs.
    checkpoint : path, optional
        File to continue from and to write; by default nothing is kept.
    every : float
        Seconds between checkpoints, at least 0.
    allow_simulated : bool
        Whether reports of a seeded generator are accepted; for studies only.
    progress : callable, optional
        Called with the number of reports counted so far.

    Returns
    -------
    State

    Raises
    ------
    ReportRejectedError, DocumentError
        Naming file and row; what was counted before stays in the checkpoint.
    ArgumentError
        If a file has another suffix, or the checkpoint belongs to another round.
    """
    done: dict[str, int] = {}
    aggregator = Aggregator(round_, allow_simulated=allow_simulated)
    if checkpoint is not None and Path(checkpoint).exists():
        aggregator, done = _resume(round_, checkpoint, allow_simulated)
    last = time.monotonic()
    for path in map(Path, paths):
        key = str(path.resolve())
        for reports in _chunks(path, done.get(key, 0)):
            _add(aggregator, reports, path, done.get(key, 0))
            done[key] = done.get(key, 0) + len(reports)
            if checkpoint is not None and time.monotonic() - last >= every:
                _save(checkpoint, aggregator, done)
                last = time.monotonic()
            if progress is not None:
                progress(sum(done.values()))
    if checkpoint is not None:
        _save(checkpoint, aggregator, done)
    return aggregator.state()


def _add(aggregator: Aggregator, reports: Reports, path: Path, before: int) -> None:
    try:
        aggregator.add(reports)
    except ReportRejectedError as error:
        raise ReportRejectedError(f"{path}, after {before} reports: {error}") from None


def _save(checkpoint: str | os.PathLike[str], aggregator: Aggregator, done: dict[str, int]) -> None:
    state = aggregator.state().to_dict()
    write_json(checkpoint, {"format": "privacy_stats.checkpoint", "version": 1, "state": state, "done": done})


def _resume(
    round_: Round, checkpoint: str | os.PathLike[str], allow_simulated: bool
) -> tuple[Aggregator, dict[str, int]]:
    document = read_json(checkpoint)
    if not isinstance(document, dict) or document.get("format") != "privacy_stats.checkpoint":
        raise DocumentError(f"{checkpoint}: not a checkpoint; name another file")
    done = document.get("done")
    if not isinstance(done, dict) or not all(type(n) is int and n >= 0 for n in done.values()):
        raise DocumentError(f"{checkpoint}: 'done' must map files to numbers of reports")
    start = State.from_dict(document.get("state"))
    if sum(done.values()) != start.n_reports:
        raise DocumentError(f"{checkpoint}: state and progress do not agree")
    return Aggregator(round_, allow_simulated=allow_simulated, start=start), done


def _chunks(path: Path, skip: int) -> Iterator[Reports]:
    """Read a file in chunks, without its first `skip` reports."""
    if path.suffix == ".jsonl":
        with path.open("rb") as file:
            yield from read_lines(itertools.islice(file, skip, None), chunk=_CHUNK, first=skip + 1)
    elif path.suffix == ".parquet":
        yield from _parquet(path, skip)
    else:
        raise ArgumentError(f"{path}: wanted a file that ends in .jsonl or .parquet")


def _parquet(path: Path, skip: int) -> Iterator[Reports]:
    pyarrow = optional("pyarrow", "Parquet files need pyarrow: pip install pyarrow")
    parquet = optional("pyarrow.parquet", "Parquet files need pyarrow: pip install pyarrow")
    try:
        for batch in parquet.ParquetFile(path).iter_batches(batch_size=_CHUNK):
            if skip >= batch.num_rows:
                skip -= batch.num_rows
                continue
            yield from_arrow(batch.slice(skip))
            skip = 0
    except pyarrow.ArrowException as error:
        raise DocumentError(f"{path}: not a Parquet file of reports ({type(error).__name__})") from None
