"""Real noise keeps no state to clone; simulated noise says so and repeats only on request."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from privacy_stats.errors import ArgumentError
from privacy_stats.randomness import SystemRandomness, simulation_rng


def test_the_system_source_holds_no_state() -> None:
    assert SystemRandomness.__slots__ == ()
    assert not SystemRandomness().simulated


def test_other_processes_and_threads_draw_different_bytes() -> None:
    source = SystemRandomness()
    source.bytes(8)
    context = multiprocessing.get_context("spawn")
    with context.Pool(2) as pool:
        draws = pool.map(source.bytes, [16] * 8)
    with ThreadPoolExecutor(4) as threads:
        draws += threads.map(source.bytes, [16] * 8)
    assert len(set(draws)) == 16


def test_a_simulation_repeats_for_its_seed_and_says_what_it_is() -> None:
    assert simulation_rng(3).bytes(32) == simulation_rng(3).bytes(32) != simulation_rng(4).bytes(32)
    assert simulation_rng(3).simulated


@pytest.mark.parametrize("seed", [-1, 1.5, None, True, "1"])
def test_a_seed_is_a_non_negative_integer(seed: object) -> None:
    with pytest.raises(ArgumentError, match="seed"):
        simulation_rng(seed)  # type: ignore[arg-type]


def test_a_simulation_source_cannot_be_cloned_by_accident() -> None:
    source = simulation_rng(0)
    for clone in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(ArgumentError, match="not copied"):
            clone(source)  # type: ignore[operator]
