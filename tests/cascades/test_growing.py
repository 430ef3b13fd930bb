"""Entries of the factors that were lost early: found by their slope, added, and judged again."""

from __future__ import annotations

import numpy as np
import pytest

from cascades.mixture.passes import expectation
from cascades.mixture.restarts import EVENTS, PER_NODE, restart
from cascades.mixture.search import ACTIVATIONS, LARGER_SAMPLE, SAMPLE, Search, Stage
from cascades.mixture.state import Parameters
from cascades.mixture.steps import grow, hint, prune
from tests.cascades.test_starts import searcher


def lost(truth: Parameters, count: int) -> tuple[Parameters, list[tuple[int, int]]]:
    """Set the largest entries of U to 0; return where they stood."""
    u = truth.u.copy()
    order = np.argsort(-u, axis=None)[:count]
    places = [tuple(map(int, np.unravel_index(k, u.shape))) for k in order]
    u.flat[order] = 0.0
    return truth.changed(u=u), places  # type: ignore[return-value]


def test_the_slope_of_an_entry_that_is_zero_is_the_likelihoods() -> None:
    """Transmissions less exposure at a trace, against a difference of log-likelihoods."""
    search, _, truth = searcher(n_cascades=400)
    p, places = lost(truth, 2)
    every = np.arange(400)
    sums = expectation(search.line, search.edges, hint(p), every)
    for name, at in (("u", places[0]), ("v", tuple(np.argwhere((p.v == 0.0) & p.used)[0]))):
        values = []
        for step in (0.0, 1e-8):
            moved = getattr(hint(p), name).copy()
            moved[at] += step
            new = hint(p).changed(**{name: moved})
            values.append(search.value(expectation(search.line, search.edges, new, every)))
        slope = (getattr(sums, name) - getattr(sums, f"{name}_exposure"))[at]
        np.testing.assert_allclose((values[1] - values[0]) / 1e-8, slope, rtol=1e-3)


def test_lost_entries_come_back_with_few_others_and_nothing_else_changes() -> None:
    """Others come with them where nothing else explains an activation; pruning judges them again."""
    search, _, truth = searcher(n_cascades=2000)
    p, places = lost(truth, 2)
    sums = search.expectation(hint(p), np.arange(2000))
    new, count = grow(p, sums, 10.0)
    assert all(new.u[at] > 0.0 for at in places)
    assert count < 20  # of 76
    np.testing.assert_array_equal(new.u[p.u > 0.0], p.u[p.u > 0.0])
    np.testing.assert_array_equal(new.v[p.v > 0.0], p.v[p.v > 0.0])


def test_the_search_mends_what_was_lost() -> None:
    search, _, truth = searcher(n_cascades=2000)
    p, places = lost(truth, 2)
    stage = Stage(np.arange(2000), 60, first="grow")
    end, sums = search.climb(search._grow(p, stage), stage)
    without, poorer = search.climb(p, stage)
    assert search.value(sums) > search.value(poorer) + 50.0
    for at in places:
        np.testing.assert_allclose(
            end.u[at] * end.v[:, at[1]].max(), (truth.u @ truth.v.T)[at[0]].max(), rtol=0.6
        )
    assert without.u[places[0]] == 0.0
    assert np.count_nonzero(search.pruned(end, sums).u) <= np.count_nonzero(truth.u) + 1
    assert any("added" in words for words in search.log)


def test_what_fades_is_judged_where_it_goes() -> None:
    """A false entry, still significant by its size alone, goes; a true one at twice its value stays."""
    search, _, truth = searcher(n_cascades=8000)
    every = np.arange(8000)
    p, _ = search.climb(truth, Stage(every, 60))
    u = p.u.copy()
    false = tuple(np.argwhere((u == 0.0) & (u.any(axis=1))[:, None])[0])
    true = tuple(np.argwhere(u > 0.0)[0])
    u[false] = 0.3 * u[u > 0.0].mean()
    u[true] *= 2.0
    started = p.changed(u=u)
    sums = search.expectation(started, every)
    assert u[false] ** 2 * sums.u_squares[false] > 4.0
    assert sums.u[false] < sums.u_exposure[false]
    cut = prune(started, sums, 4.0)
    assert cut.u[false] == 0.0
    assert cut.u[true] == u[true]


def test_empty_factors_stay_empty() -> None:
    search, _, truth = searcher()
    u, v = truth.u.copy(), truth.v.copy()
    u[:, 0], v[:, 0] = 0.0, 0.0
    p = truth.changed(u=u, v=v)
    hinted = hint(p)
    assert not hinted.u[:, 0].any()
    new, _ = grow(p, search.expectation(hinted, np.arange(200)), 0.0)
    assert not new.u[:, 0].any()
    assert not new.v[:, 0].any()
    none = truth.changed(u=np.zeros_like(u), v=np.zeros_like(v))
    same, count = grow(none, search.expectation(hint(none), np.arange(200)), 0.0)
    assert count == 0
    assert not same.u.any()


def test_samples_have_fewer_cascades_where_these_are_large() -> None:
    search, _, _ = searcher()
    assert search.size(SAMPLE) == 200
    assert search.size(100) == 100
    mean = len(search.line.members) / 200
    assert mean < ACTIVATIONS
    line = search.line

    class Long(list[int]):
        def __len__(self) -> int:
            return 200 * 2 * ACTIVATIONS

    object.__setattr__(line, "members", Long())
    assert search.size(100) == 50
    assert search.size(LARGER_SAMPLE) == 200


def test_receivers_that_are_too_many_to_be_judged_are_left_alone() -> None:
    search, design, truth = searcher()
    sums = search.expectation(truth, np.arange(200))
    n = EVENTS // PER_NODE + 1
    many = truth.changed(pi=np.full(n, 0.5))
    object.__setattr__(search.line, "members", np.zeros(EVENTS + 1, dtype=np.int8))
    same, at = restart(search, design.support, many, sums, (1.0,))
    assert same is many
    assert at is sums
    assert "not started again" in search.log[-1]


def test_receivers_that_gain_on_a_few_cascades_only_do_not_move_the_fit() -> None:
    """Where no receiver ends higher, the end of the search comes back as it is."""
    search, design, truth = searcher(n_cascades=400)
    p, sums = search.refine(truth)
    same, at = restart(search, design.support, p, sums, (5.0, 1.0))
    assert same is p or search.value(at) > search.value(sums)


@pytest.mark.parametrize("prior", [0.0, 1.0])
def test_the_sums_of_a_search_are_those_of_what_it_returns(
    prior: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last pruning may drop entries; without a prior no later pass would notice."""
    search, _, truth = searcher(n_cascades=400, prior=prior)
    monkeypatch.setattr(Search, "stages", lambda *_: [Stage(np.arange(400), 1)])
    p, sums = search.run(lambda *_: hint(truth), np.random.default_rng(0))
    assert not search.log[-1].startswith("pruned 0 ")
    again = search.expectation(p, np.arange(400))
    np.testing.assert_allclose(sums.log_likelihood, again.log_likelihood, rtol=1e-12)
    np.testing.assert_array_equal(sums.unexplained, again.unexplained)
