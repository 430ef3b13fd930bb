"""Tables of many activations: no copies that a table does not need, no index that nobody asked for."""

from __future__ import annotations

import pickle
import tracemalloc

import numpy as np
import pytest

import cascades as cs
from cascades.exposures import timeline
from cascades.models.delays import typical_rate
from cascades.tables.table import sealed
from cascades.transmission import Law


def large() -> tuple[np.ndarray, ...]:
    """A thousand cascades of two thousand nodes each: 32 MB of members and times."""
    n, size = 1000, 2000
    members = np.tile(np.arange(size), n)
    times = np.tile(np.linspace(0.0, 1.0, size), n)
    return np.arange(n + 1) * size, members, times, np.full(n, 2.0)


def table_of(arrays: tuple[np.ndarray, ...]) -> cs.Cascades:
    return cs.Cascades(tuple(range(2000)), tuple(range(1000)), *arrays)


def peak_of(action: object) -> float:
    """Return the most memory taken at once, in sizes of one array over the events."""
    action()  # type: ignore[operator]
    tracemalloc.start()
    kept = action()  # type: ignore[operator]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    del kept
    return peak / 16e6


def test_sealed_arrays_are_kept_and_checked_without_copies() -> None:
    arrays = tuple(sealed(a.copy()) for a in large())
    assert peak_of(lambda: table_of(arrays)) < 0.1
    data = table_of(arrays)
    assert data.members is arrays[1]
    assert peak_of(lambda: timeline(data, cs.Exponential())) < 1.1
    assert peak_of(lambda: cs.tie_share(data)) < 0.5
    line = timeline(data, cs.Exponential())
    assert peak_of(lambda: typical_rate(line)) < 0.1


def test_arrays_that_somebody_could_still_write_to_are_copied() -> None:
    arrays = large()
    data = table_of(arrays)
    arrays[2][1] = -5.0
    assert data.times[1] > 0.0
    whole = np.zeros((2, len(arrays[2])))
    whole[0] = large()[2]
    view = whole[0]
    view.setflags(write=False)
    data = table_of((arrays[0], arrays[1], view, arrays[3]))
    whole[0, 1] = -5.0
    assert data.times[1] > 0.0
    assert not data.times.flags.writeable


def test_the_index_by_node_is_made_once_and_only_when_asked_for() -> None:
    line = timeline(table_of(large()), cs.Exponential())
    assert not {"by_node", "totals", "of_lags"} & set(vars(line))
    assert line.by_node is line.by_node
    assert line.of_lags is line.of_lags
    np.testing.assert_array_equal(line.members[line.by_node.events[:1000]], 0)


def test_tables_and_networks_come_back_from_a_pickle_read_only() -> None:
    rng = np.random.default_rng(0)
    edges = {(j, i): 1.0 for j, i in rng.integers(400, size=(4000, 2)).tolist() if j != i}
    network = cs.Network.from_edges(edges, nodes=range(400))
    data = cs.simulate(network, n_cascades=30, horizon=1.0, rng=rng)
    again, table = pickle.loads(pickle.dumps((network, data)))
    assert not again.senders.flags.writeable
    assert again.senders.flags.owndata
    assert not table.times.flags.writeable
    np.testing.assert_array_equal(table.times, data.times)
    assert table.names == data.names
    fit = cs.DoubleMixture(again, rank=2, passes=3).fit(table, rng=rng, quiet=True)
    assert fit.theta.n_nodes == 400


@pytest.mark.parametrize("law", [cs.Exponential(), cs.Rayleigh(), cs.PowerLaw(0.5), cs.Weibull(0.7)])
def test_a_law_takes_lags_of_any_shape(law: Law) -> None:
    lags = np.array([[0.1, 0.6], [2.0, 7.5]])
    for function in (law.hazard, law.cumulative):
        found = function(lags)
        assert found.shape == lags.shape
        np.testing.assert_array_equal(found[1], function(lags[1]))
        assert function(2.0).shape == ()
        assert function(2.0) == found[1, 0]
    assert law.hazard([]).shape == (0,)


def test_ties_are_counted_within_cascades_alone() -> None:
    starts, members = np.array([0, 2, 3, 6]), np.array([0, 1, 1, 0, 1, 2])
    times, horizons = np.array([0.0, 4.0, 4.0, 1.0, 1.0, 3.0]), np.full(3, 9.0)
    data = cs.Cascades(("a", "b", "c"), ("x", "y", "z"), starts, members, times, horizons)
    assert cs.tie_share(data) == pytest.approx(2 / 6)
    np.testing.assert_array_equal(data.is_source, [True, False, True, True, True, False])
    np.testing.assert_array_equal(data.since_source, [0.0, 4.0, 0.0, 0.0, 0.0, 2.0])
