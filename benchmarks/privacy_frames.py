"""The same reports counted by chunks of numpy, by DuckDB and by dask from Parquet: one state, three engines.

    python benchmarks/privacy_frames.py [users] [coordinates]        default 1,000,000 and 1

With one coordinate reports are those of `Hybrid`, with more those of both rounds of `HistogramRadius`.
Each engine runs in a process of its own; printed are its seconds, its peak memory and whether its state (all
integers, and who has reported) is that of numpy. Reports are drawn once, on a seeded generator.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Generator
from pathlib import Path

import numpy as np

import privacy_stats as ps

CHUNK = 1 << 17
LEVELS = [0.5, 1.0, 2.0, 4.0]
PROTOCOL = ps.HistogramRadius
ENGINES = ("numpy", "duckdb", "dask")


def rounds(users: int, coordinates: int) -> Generator[ps.Round, ps.State, None]:
    """What users are asked: one number each by `Hybrid`, vectors by both rounds of `HistogramRadius`.

    Send the state of a round to get the next one.
    """
    if coordinates == 1:
        yield ps.Round.of("frames", ps.Hybrid(0, 1), ps.Budgets.pure(LEVELS), n_users=users)
        return
    announced = PROTOCOL(1e6, coordinates, True).first_round(users, ps.Budgets.zcdp(LEVELS).levels)
    states: list[ps.State] = []
    while True:
        states.append((yield announced.round_))
        if announced.is_last:
            return
        announced = announced.protocol.next_round(states)


def write_reports(folder: Path, round_: ps.Round, coordinates: int) -> None:
    """Draw reports chunk by chunk into one Parquet file, with the columns that `aggregate_frame` wants."""
    import pyarrow
    from pyarrow import parquet

    (folder / "round.json").write_text(round_.to_json())
    people, noise, writer = np.random.default_rng([0, 1]), ps.simulation_rng(round_.number), None
    make = ps.Budgets.pure if round_.kind == "pure" else ps.Budgets.zcdp
    for first in range(0, round_.n_users, CHUNK):
        count = min(CHUNK, round_.n_users - first)
        values = people.random(count) if coordinates == 1 else 100 * people.random((count, coordinates))
        budgets, who = make(people.choice(LEVELS, count)), np.arange(first, first + count)
        reports = ps.randomise(round_, values, budgets, users=who, rng=noise)
        table = pyarrow.table({name: np.ascontiguousarray(x) for name, x in reports.columns().items()})
        writer = writer or parquet.ParquetWriter(folder / "reports.parquet", table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def by_numpy(round_: ps.Round, path: Path) -> ps.State:
    from pyarrow import parquet

    aggregator = ps.Aggregator(round_, allow_simulated=True)
    header = ps.Header.of(round_, simulated=True)
    for batch in parquet.ParquetFile(path).iter_batches(batch_size=CHUNK):
        drawn = [name for name in batch.schema.names if name.startswith("report")]
        columns = [batch.column(name).to_numpy() for name in drawn]
        report = columns[0] if drawn == ["report"] else np.column_stack(columns)
        user, stratum = (batch.column(name).to_numpy() for name in ("user", "stratum"))
        aggregator.add(ps.Reports(header, user, stratum, report))
    return aggregator.state()


def by_duckdb(round_: ps.Round, path: Path) -> ps.State:
    import duckdb

    return ps.aggregate_frame(round_, duckdb.read_parquet(str(path)), allow_simulated=True)


def by_dask(round_: ps.Round, path: Path) -> ps.State:
    import dask
    import dask.dataframe as dd

    warnings.simplefilter("ignore")  # narwhals announces that its dask support will move
    with dask.config.set(scheduler="synchronous"):
        return ps.aggregate_frame(round_, dd.read_parquet(path, split_row_groups=True), allow_simulated=True)


def engine(name: str, folder: Path) -> None:
    """Count in this process, save the state, print what it took."""
    round_ = ps.Round.from_json((folder / "round.json").read_text())
    run = {"numpy": by_numpy, "duckdb": by_duckdb, "dask": by_dask}[name]
    start = time.perf_counter()
    state = run(round_, folder / "reports.parquet")
    seconds = time.perf_counter() - start
    state.save(folder / f"{name}.json")
    print(json.dumps({"seconds": seconds, "peak": peak_memory()}))


def peak_memory() -> float:
    """Largest resident size of this process in GB (Linux; getrusage would count the parent's as well)."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 2**20


def compare(folder: Path) -> int:
    """Count the reports with every engine; return how many states differ from that of numpy."""
    different = 0
    for each in ENGINES:
        command = [sys.executable, __file__, "--engine", each, str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        took = json.loads(done.stdout)
        same = ps.State.load(folder / f"{each}.json") == ps.State.load(folder / "numpy.json")
        different += not same
        word = "the same state" if same else "ANOTHER STATE"
        print(f"{each:<8} {took['seconds']:8.1f} s {took['peak']:8.2f} GB  {word}", flush=True)
    return different


def main() -> int:
    if sys.argv[1:2] == ["--engine"]:
        engine(sys.argv[2], Path(sys.argv[3]))
        return 0
    users = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000
    coordinates = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    different, asked, state = 0, rounds(users, coordinates), None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        while True:
            try:
                round_ = asked.send(state)
            except StopIteration:
                break
            write_reports(folder, round_, coordinates)
            size = (folder / "reports.parquet").stat().st_size / 2**20
            asked_for = f"{round_.mechanism.name}, {round_.mechanism.n_sums} numbers each"
            print(f"{users:,} users, {asked_for}, {size:,.0f} MB of Parquet", flush=True)
            different += compare(folder)
            state = ps.State.load(folder / "numpy.json")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
