"""The server counts exactly, merges in any order, refuses with the reason, and never needs a value."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privacy_stats as ps
from privacy_stats.aggregation.aggregator import tabulate, unshift

N = 600
BUDGETS = ps.Budgets.pure(np.tile([0.5, 1.0, 3.0], N // 3))
ZCDP = ps.Budgets.zcdp(np.tile([0.01, 0.1, 1.0], N // 3))
ROUNDS = {
    "one-bit": ps.Round.of("s", ps.OneBit(0, 1), BUDGETS),
    "hybrid": ps.Round.of("s", ps.Hybrid(0, 1), BUDGETS),
    "laplace": ps.Round.of("s", ps.Laplace(0, 1), BUDGETS),
    "gaussian": ps.Round.of("s", ps.Gaussian(0, 1), ZCDP),
    "vector-gaussian": ps.Round.of("s", ps.VectorGaussian(2, 1.0), ZCDP),
    "randomised-response": ps.Round.of("s", ps.RandomisedResponse(4), BUDGETS),
}


def made(name: str, seed: int = 0) -> ps.Reports:
    round_ = ROUNDS[name]
    values: Any = np.arange(N) % 4 if name == "randomised-response" else np.linspace(0, 1, N)
    if name == "vector-gaussian":
        values = np.column_stack([values, 1 - values])
    return ps.randomise(
        round_, values, ZCDP if round_.kind == "zcdp" else BUDGETS, rng=ps.simulation_rng(seed)
    )


def state_of(reports: ps.Reports, name: str) -> ps.State:
    return ps.aggregate(ROUNDS[name], reports, allow_simulated=True)


@pytest.mark.parametrize("name", ROUNDS)
def test_a_state_holds_the_exact_integers(name: str) -> None:
    reports = made(name)
    state = state_of(reports, name)
    rows = reports.report.reshape(N, -1).tolist()
    if name == "randomised-response":
        rows = [[int(c == row[0]) for c in range(4)] for row in rows]
    for stratum in range(ROUNDS[name].n_strata):
        mine = [row for row, s in zip(rows, reports.stratum.tolist(), strict=True) if s == stratum]
        assert state.counts[stratum] == len(mine)
        width = ROUNDS[name].mechanism.n_sums
        assert state.sums[stratum] == tuple(sum(row[k] for row in mine) for k in range(width))
        assert state.squares[stratum] == tuple(sum(row[k] ** 2 for row in mine) for k in range(width))


@given(st.lists(st.integers(-(2**31) + 1, 2**31 - 1), min_size=1, max_size=50))
def test_sums_of_extreme_reports_are_exact(reports: list[int]) -> None:
    round_ = ROUNDS["laplace"]
    column = np.array(reports, dtype=np.int32)
    sums, squares = tabulate(round_, np.zeros(len(reports), dtype=np.int32), column)
    assert sums[0] == (sum(reports),)
    assert squares[0] == (sum(r * r for r in reports),)


def test_a_full_chunk_of_the_largest_reports_is_still_exact() -> None:
    n, r = 1 << 20, 2**31 - 1
    sums, squares = tabulate(ROUNDS["laplace"], np.zeros(n, dtype=np.int32), np.full(n, r, dtype=np.int32))
    assert sums[0] == (n * r,)
    assert squares[0] == (n * r * r,)


def test_no_engine_sum_can_reach_two_to_the_63() -> None:
    # The claim of aggregate_frame: 2^31 - 1 users, digits below 2^16.
    assert (2**31 - 1) * (2**16 - 1) ** 2 < 2**63
    h = low = 2**16 - 1
    n = 2**31 - 1
    assert unshift(n, n * h, n * low, n * h * h, n * h * low, n * low * low)[0] == n * (2**31 - 1)


@pytest.mark.parametrize("name", ROUNDS)
def test_states_merge_in_any_order_to_the_state_of_the_whole(name: str) -> None:
    reports = made(name)
    whole = state_of(reports, name)
    cuts = [0, 1, 100, 333, N]
    parts = [state_of(reports[a:b], name) for a, b in itertools.pairwise(cuts)]
    random.Random(1).shuffle(parts)
    assert ps.merge(parts) == whole
    assert ps.State.from_dict(json.loads(json.dumps(whole.to_dict()))) == whole


def test_states_of_overlapping_users_do_not_merge() -> None:
    reports = made("one-bit")
    with pytest.raises(ps.ReportRejectedError, match="2 users are counted in both, the first is user 98"):
        ps.merge([state_of(reports[:100], "one-bit"), state_of(reports[98:], "one-bit")])
    with pytest.raises(ps.ArgumentError, match="different announcements"):
        ps.merge([ps.State.empty(ROUNDS["one-bit"]), ps.State.empty(ROUNDS["hybrid"])])
    with pytest.raises(ps.ArgumentError, match="at least one"):
        ps.merge([])


def test_a_user_is_counted_once_and_a_bad_batch_counts_for_nothing() -> None:
    reports = made("hybrid")
    aggregator = ps.Aggregator(ROUNDS["hybrid"], allow_simulated=True)
    aggregator.add(reports[:300])
    before = aggregator.state()
    with pytest.raises(ps.ReportRejectedError, match="row 0: user 298 has reported already"):
        aggregator.add(reports[slice(298, 301)])
    assert aggregator.state() == before
    twice = ps.Reports(reports.header, np.array([400, 401, 400]), reports.stratum[:3], reports.report[:3])
    with pytest.raises(ps.ReportRejectedError, match="user 400 occurs twice"):
        aggregator.add(twice)
    assert aggregator.state() == before
    assert before.has_reported(299)
    assert not before.has_reported(300)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"survey": "t"}, "survey is 't'"),
        ({"number": 2}, "number is '2'"),
        ({"version": 9}, "version is '9'"),
        ({"mechanism": ps.OneBit(0, 2).to_dict()}, "mechanism is"),
        ({"fingerprint": "0" * 16}, "another announcement of the same name"),
        ({"simulated": True}, "protect nobody"),
    ],
)
def test_reports_of_another_round_are_refused_with_the_reason(change: dict[str, Any], reason: str) -> None:
    reports = made("one-bit")
    header = dataclasses.replace(reports.header, **({"simulated": False} | change))
    bad = ps.Reports(header, reports.user, reports.stratum, reports.report)
    with pytest.raises(ps.ReportRejectedError, match=reason):
        ps.aggregate(ROUNDS["one-bit"], bad)


@pytest.mark.parametrize(
    ("user", "stratum", "report", "reason"),
    [
        (-1, 0, 0, "user -1 is not enrolled"),
        (N, 0, 0, f"user {N} is not enrolled"),
        (0, 3, 0, "stratum 3 was not announced"),
        (0, -1, 0, "stratum -1 was not announced"),
        (0, 0, 2, "outside what the mechanism can draw"),
        (0, 0, -1, "outside what the mechanism can draw"),
    ],
)
def test_a_report_that_nobody_could_have_drawn_is_refused(
    user: int, stratum: int, report: int, reason: str
) -> None:
    header = dataclasses.replace(made("one-bit").header, simulated=False)
    bad = ps.Reports(header, np.array([user]), np.array([stratum]), np.array([report]))
    with pytest.raises(ps.ReportRejectedError, match=reason):
        ps.aggregate(ROUNDS["one-bit"], bad)


def test_reports_of_another_width_are_refused() -> None:
    reports = made("vector-gaussian")
    bad = ps.Reports(reports.header, reports.user, reports.stratum, reports.report[:, 0])
    with pytest.raises(ps.ReportRejectedError, match="shape"):
        state_of(bad, "vector-gaussian")


@pytest.mark.parametrize(
    "change",
    [
        {"format": "x"},
        {"version": 3},
        {"counts": [1, 2]},
        {"counts": [-1, 1, 600]},
        {"counts": "x"},
        {"sums": [[1]]},
        {"sums": [[1.5]] * 3},
        {"received": "!"},
        {"received": None},
        {"received": ""},
        {"simulated": None},
        {"round": None},
    ],
)
def test_a_state_that_was_tampered_with_is_refused(change: dict[str, Any]) -> None:
    document = state_of(made("one-bit"), "one-bit").to_dict() | change
    with pytest.raises(ps.DocumentError):
        ps.State.from_dict(document)


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(20)), st.lists(st.integers(0, 20), max_size=4))
def test_any_split_and_order_of_reports_gives_the_same_state(order: list[int], cuts: list[int]) -> None:
    reports = made("laplace")[:20]
    shuffled = ps.Reports(reports.header, reports.user[order], reports.stratum[order], reports.report[order])
    aggregator = ps.Aggregator(ROUNDS["laplace"], allow_simulated=True)
    edges = [0, *sorted(cuts), 20]
    for a, b in itertools.pairwise(edges):
        aggregator.add(shuffled[a:b])
    assert aggregator.state() == state_of(reports, "laplace")


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_files_aggregate_to_the_same_state(tmp_path: Path, suffix: str) -> None:
    reports = made("gaussian")
    paths = [write(reports[:250], tmp_path / f"a{suffix}"), write(reports[250:], tmp_path / f"b{suffix}")]
    state = ps.aggregate_files(ROUNDS["gaussian"], paths, allow_simulated=True)
    assert state == state_of(reports, "gaussian")


def write(reports: ps.Reports, path: Path) -> Path:
    if path.suffix == ".parquet":
        from pyarrow import parquet

        parquet.write_table(ps.to_arrow(reports), path)
    else:
        with path.open("w") as file:
            ps.write_lines(reports, file)
    return path


def test_a_checkpoint_makes_a_second_run_harmless(tmp_path: Path) -> None:
    reports, round_ = made("one-bit"), ROUNDS["one-bit"]
    a, b = write(reports[:100], tmp_path / "a.jsonl"), write(reports[100:], tmp_path / "b.jsonl")
    place = tmp_path / "checkpoint.json"
    options: dict[str, Any] = {"checkpoint": place, "allow_simulated": True}
    first = ps.aggregate_files(round_, [a], **options)
    assert ps.aggregate_files(round_, [a], **options) == first
    assert ps.aggregate_files(round_, [a, b], **options) == state_of(reports, "one-bit")
    with pytest.raises(ps.ArgumentError, match="another announcement"):
        ps.aggregate_files(ROUNDS["hybrid"], [a], **options)
    torn = {"format": "privacy_stats.checkpoint", "done": {"x": 5}, "state": first.to_dict()}
    place.write_text(json.dumps(torn))
    with pytest.raises(ps.DocumentError, match="do not agree"):
        ps.aggregate_files(round_, [a], **options)


def test_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("user\n1\n")
    (tmp_path / "x.parquet").write_text("no")
    with pytest.raises(ps.ArgumentError, match=r"\.jsonl or \.parquet"):
        ps.aggregate_files(ROUNDS["one-bit"], [tmp_path / "x.csv"])
    with pytest.raises(ps.DocumentError, match="not a Parquet file"):
        ps.aggregate_files(ROUNDS["one-bit"], [tmp_path / "x.parquet"])


VICTIM = """
import sys, time
import privacy_stats as ps
from privacy_stats.aggregation import files
files._CHUNK = 40
round_ = ps.Round.from_json(open(sys.argv[1]).read())
ps.aggregate_files(round_, sys.argv[3:], checkpoint=sys.argv[2], every=0, allow_simulated=True,
                   progress=lambda n: time.sleep(0.02))
print("done")
"""


@pytest.mark.slow
def test_a_killed_aggregation_resumes_without_losing_or_doubling_a_report(tmp_path: Path) -> None:
    reports, round_ = made("hybrid"), ROUNDS["hybrid"]
    paths = [write(reports[a : a + 120], tmp_path / f"{a}.jsonl") for a in range(0, N, 120)]
    (tmp_path / "round.json").write_text(round_.to_json())
    command = [sys.executable, "-c", VICTIM, str(tmp_path / "round.json"), str(tmp_path / "state.json")]
    kills = 0
    for delay in [0.0, 0.01, 0.02, 0.03, 0.005, 0.015, 30.0]:
        child = subprocess.Popen([*command, *map(str, paths)], stdout=subprocess.PIPE, text=True)
        progress = tmp_path / "state.json"
        before = progress.stat().st_mtime_ns if progress.exists() else None
        while (
            child.poll() is None
            and delay < 30
            and (not progress.exists() or progress.stat().st_mtime_ns == before)
        ):
            time.sleep(0.001)
        time.sleep(min(delay, 0.03))
        if delay < 30 and child.poll() is None:
            os.kill(child.pid, signal.SIGKILL)
            kills += 1
        out, _ = child.communicate(timeout=120)
    assert kills >= 1
    assert out == "done\n"
    document = json.loads((tmp_path / "state.json").read_text())
    assert ps.State.from_dict(document["state"]) == state_of(reports, "hybrid")


@pytest.mark.parametrize("name", ["one-bit", "hybrid", "laplace", "gaussian"])
def test_sums_and_means_are_unbiased_with_the_stated_error(name: str) -> None:
    # 400 studies of 600 users; 5.3 standard errors of their mean: false alarm 1.2e-7
    truth = float(np.linspace(0, 1, N).sum())
    totals = [ps.unbiased_sum(state_of(made(name, seed), name)) for seed in range(400)]
    values = np.array([t.value for t in totals])
    error = float(totals[0].standard_error)
    assert abs(values.mean() - truth) <= 5.3 * error / 20
    assert values.std() <= error * 1.2
    assert values.std() >= error * (0.7 if name in ("one-bit", "hybrid") else 0.8)
    mean = ps.unbiased_mean(state_of(made(name), name))
    assert float(mean.value) == pytest.approx(float(totals[0].value) / N)


def test_counts_of_categories_are_unbiased() -> None:
    totals = np.array(
        [
            ps.unbiased_counts(state_of(made("randomised-response", s), "randomised-response")).value
            for s in range(300)
        ]
    )
    error = ps.unbiased_counts(state_of(made("randomised-response"), "randomised-response")).standard_error[0]
    assert totals.sum(axis=1) == pytest.approx(np.full(300, N))
    assert np.abs(totals.mean(axis=0) - N / 4).max() <= 5.5 * error / 300**0.5


def test_vectors_are_added_up_coordinate_by_coordinate() -> None:
    total = ps.unbiased_sum(state_of(made("vector-gaussian"), "vector-gaussian"))
    assert total.value.shape == (2,)
    x = np.column_stack([np.linspace(0, 1, N), np.linspace(1, 0, N)])
    assert np.abs(total.value - x.sum(axis=0)).max() <= 5.5 * total.standard_error[0]


def test_an_estimate_says_what_it_is_and_round_trips() -> None:
    total = ps.unbiased_sum(state_of(made("one-bit"), "one-bit"))
    assert ps.Estimate.from_dict(json.loads(json.dumps(total.to_dict()))) == total
    assert "SIMULATED" in total.summary()
    assert "sum of the clamped values" in repr(total)
    low, high = total.interval(0.9)
    assert high - low == pytest.approx(2 * 1.6448536 * float(total.standard_error))
    with pytest.raises(ps.ArgumentError, match="coverage"):
        total.interval(95)
    with pytest.raises(ps.DocumentError):
        ps.Estimate.from_dict({"format": "privacy_stats.estimate"})


def test_each_question_has_its_estimator() -> None:
    with pytest.raises(ps.ArgumentError, match="unbiased_counts"):
        ps.unbiased_sum(ps.State.empty(ROUNDS["randomised-response"]))
    with pytest.raises(ps.ArgumentError, match="unbiased_sum"):
        ps.unbiased_counts(ps.State.empty(ROUNDS["one-bit"]))
    with pytest.raises(ps.ArgumentError, match="no reports"):
        ps.unbiased_mean(ps.State.empty(ROUNDS["one-bit"]))
