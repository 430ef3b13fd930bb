"""Mixtures beyond the factorised one: whole cascades, edge by edge, ties, other laws, the published EM."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import cascades as cs
from cascades.exposures import timeline
from cascades.mixture.climb import climb
from cascades.mixture.columns import label
from cascades.mixture.layered import Layers, layered_expectation
from cascades.mixture.lifting import factorise
from cascades.mixture.merging import cheapest_pair, criterion, merge
from cascades.mixture.passes import expectation
from cascades.mixture.proximal import proximal_em, start_from_netrate
from cascades.mixture.state import Edges, Parameters
from cascades.mixture.steps import shrink, trim, update
from tests.cascades.truths import small_design, truth_of


def two_networks(seed: int = 0, n: int = 10, n_cascades: int = 150) -> tuple[cs.Cascades, np.ndarray]:
    """Cascades that run wholly on one of two networks, and on which."""
    rng = np.random.default_rng(seed)
    nets = [cs.designs.random_network(n, 2.0, rng=rng, low=1.0, high=2.0) for _ in range(2)]
    parts = [list(cs.simulate(net, n_cascades=n_cascades, horizon=3.0, rng=rng)) for net in nets]
    records = {f"{k}-{name}": times for k, part in enumerate(parts) for name, times in part}
    data = cs.Cascades.from_records(records, window=3.0, nodes=range(n))
    return data, np.array([str(name)[0] == "0" for name in data.names])


def test_whole_cascades_are_sorted_by_the_network_they_run_on() -> None:
    data, first = two_networks()
    fit = cs.MMRate(2, n_starts=2, passes=60).fit(data, rng=np.random.default_rng(0))
    sure = data.sizes >= 4
    agree = np.mean((fit.responsibilities(data)[:, 0] > 0.5)[sure] == first[sure])
    assert max(agree, 1 - agree) > 0.9
    assert fit.shares.sum() == pytest.approx(1.0)
    assert fit.starts[0] >= fit.starts[-1]
    assert "random starts ended from" in fit.summary()
    carriers = fit.carriers(data)
    source = data.times == data.first_times[data.cascade_of]
    assert np.isnan(carriers[source]).all()
    np.testing.assert_allclose(carriers[~source].sum(axis=1), 1.0)


def test_one_layer_is_netrate() -> None:
    data, _ = two_networks(1, n_cascades=60)
    single = cs.NetRate().fit(data)
    mixture = cs.MMRate(1, n_starts=1, passes=2000).fit(data, rng=np.random.default_rng(0))
    assert mixture.log_likelihood == pytest.approx(single.log_likelihood, abs=0.05)
    same = mixture.log_likelihood_on(data).sum()
    assert same == pytest.approx(mixture.log_likelihood, rel=1e-6)


def test_a_fit_of_whole_cascades_survives_saving(tmp_path) -> None:
    data, _ = two_networks(2, n_cascades=40)
    fit = cs.MMRate(2, background=True, n_starts=2, passes=10).fit(data, rng=np.random.default_rng(0))
    fit.save(tmp_path / "fit.json")
    again = cs.load_fit(tmp_path / "fit.json")
    assert isinstance(again, cs.LayersFit)
    assert again.to_dict() == fit.to_dict()
    assert len(fit.plot()) == 2


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.booleans(), st.floats(0.0, 2.0))
def test_climbing_edge_by_edge_never_loses(seed: int, whole: bool, grouped: bool, penalty: float) -> None:
    """With the plain step the penalised log-likelihood rises at each pass, for both kinds of mixture."""
    rng = np.random.default_rng(seed)
    nets = [cs.designs.random_network(6, 2.5, rng=rng) for _ in range(2)]
    data = cs.simulate(nets[0], nets[1], 0.5, n_cascades=25, horizon=2.0, rng=rng)
    data = data.round(0.25) if grouped else data
    line = timeline(data, cs.Exponential(), width=0.25 if grouped else 0.0)
    base = np.full((6, 2), 0.05)
    layers = Layers.of([n.matrix.tocsr() for n in nets], np.full((6, 2), 0.5), base=base, whole=whole)
    values = []
    for _ in range(8):
        end = climb(line, layers, np.arange(len(data)), passes=1, penalty=penalty, eta=1.0)
        layers = end.layers
        values.append(end.value - penalty * layers.rates.sum())
    assert np.all(np.diff(values) >= -1e-8 * np.abs(values[0]))


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.5, 5.0]), st.booleans())
def test_the_published_em_never_loses_penalised_likelihood(seed: int, nuclear: float, known: bool) -> None:
    rng = np.random.default_rng(seed)
    nets = [cs.designs.random_network(7, 2.0, rng=rng) for _ in range(2)]
    data = cs.simulate(nets[0], nets[1], 0.5, n_cascades=40, horizon=2.0, rng=rng)
    line, support = timeline(data, cs.Exponential()), nets[0] if known else None
    values, layers = [], start_from_netrate(line, support, 3)
    for _ in range(5):
        end, value = proximal_em(line, layers, support=support, passes=2, nuclear=nuclear)
        layers = end.layers
        values.append(value)
    assert np.all(np.diff(values) >= -1e-9 * np.abs(values[0]))
    if support is not None:
        outside = support.matrix.toarray()[layers.senders, layers.receivers] == 0
        assert not layers.rates[outside, 0].any()


def test_a_large_nuclear_norm_lowers_the_rank_of_the_published_em() -> None:
    design, data = small_design(n_cascades=150)
    ranks = []
    for penalty in (0.0, 5.0):
        fit = cs.DoubleMixture(design.support, method="em", penalty=penalty, passes=60).fit(
            data, rng=np.random.default_rng(0)
        )
        values = np.linalg.svd(fit.psi.matrix.toarray(), compute_uv=False)
        ranks.append(float(values.sum() ** 2 / (values**2).sum()))
    assert ranks[1] < ranks[0]


CLOCKS = [
    pytest.param("exponential", 0.0, id="exponential"),
    pytest.param(cs.PowerLaw(0.05), 0.0, id="power law"),
    pytest.param("exponential", 0.5, id="grouped"),
]


@pytest.mark.parametrize(("law", "grid"), CLOCKS)
@pytest.mark.parametrize("rank", [3, "full"])
def test_factors_and_edges_recover_both_networks_under_every_clock(law, grid: float, rank) -> None:
    design, data = small_design(transmission=law, n_cascades=800)
    data = data.round(grid) if grid else data
    model = cs.DoubleMixture(design.support, law, rank=rank, passes=60)
    fit = model.fit(data, rng=np.random.default_rng(0))
    assert fit.width == grid
    limit = 0.5 if grid else 0.3
    assert cs.metrics.relative_l1_error(fit.theta, design.theta) < limit
    assert cs.metrics.f1_at(fit.psi, design.psi) > (0.75 if grid else 0.85)
    if not fit.n_unexplained:
        assert fit.log_likelihood_on(data).sum() == pytest.approx(fit.log_likelihood, rel=1e-6)


def test_a_background_explains_what_nobody_passed_on() -> None:
    rng = np.random.default_rng(5)
    design = cs.designs.b1("community", n_nodes=20, rank=2, rng=rng)
    data = cs.simulate(
        design.theta, design.psi, design.pi, n_cascades=600, horizon=5.0, rng=rng, background=0.02
    )
    fit = cs.DoubleMixture(design.support, rank="full", background=True, passes=60).fit(data, rng=rng)
    assert 0.005 < np.median(fit.background) < 0.05
    assert np.isfinite(fit.log_likelihood_on(data)).all()


def test_labels_are_swapped_until_psi_has_low_rank() -> None:
    rng = np.random.default_rng(4)
    n = 40
    psi = (rng.random((n, 3)) < 0.4) @ rng.uniform(0.5, 1.5, (3, n))
    theta = rng.random((n, n)) * (rng.random((n, n)) < 0.06)
    np.fill_diagonal(psi, 0.0)
    np.fill_diagonal(theta, 0.0)
    mixed = rng.random(n) < 0.5
    pair = [np.where(mixed, psi, theta), np.where(mixed, theta, psi)]
    layers = Layers.of(
        [cs.Network.from_matrix(m).matrix.tocsr() for m in pair], np.full((n, 2), 0.5), whole=False
    )
    swap = label(layers, 3, rng)
    informative = (psi > 0).sum(axis=0) >= 2
    assert np.mean(swap[informative] == mixed[informative]) > 0.9


def test_without_a_support_the_columns_are_found() -> None:
    design, data = small_design(seed=8, n_cascades=2000)
    fit = cs.DoubleMixture(None, rank=2, n_starts=4, passes=60).fit(data, rng=np.random.default_rng(1))
    union = cs.Network.from_matrix(design.theta.matrix + design.psi.matrix)
    found = cs.Network.from_matrix(fit.theta.matrix + fit.psi.matrix)
    assert cs.metrics.f1(found, union) > 0.7
    assert any("starts without a support ended from" in s for s in fit.steps)
    assert any("no support was given" in n for n in fit.notes)


def test_rank_is_chosen_by_held_out_likelihood() -> None:
    design, data = small_design(n_cascades=150)
    model = cs.DoubleMixture(design.support, rank="auto", passes=12)
    fit = model.fit(data, rng=np.random.default_rng(0))
    assert fit.steps[0].startswith("rank ")
    assert "chosen by held-out log-likelihood" in fit.steps[0]


def test_the_model_that_made_the_data_predicts_best() -> None:
    data, _ = two_networks(n_cascades=120)
    models = {"one": cs.NetRate(background=True), "whole": cs.MMRate(2, background=True, n_starts=2)}
    scores = cs.held_out(models, data, n_folds=2, floor=1e-3, rng=np.random.default_rng(0))
    assert scores.best == "whole"
    design, mixed = small_design(n_cascades=800)
    models = {
        "one": cs.NetRate(background=True),
        "double": cs.DoubleMixture(design.support, rank=3, passes=60),
    }
    assert cs.held_out(models, mixed, n_folds=2, floor=1e-3, rng=np.random.default_rng(0)).best == "double"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "newton"}, "method: got 'newton'"),
        ({"rank": "many"}, "rank: got 'many'"),
        ({"penalty": -1.0}, "penalty: got -1.0"),
        ({"prior": -1.0}, "prior: got -1.0"),
        ({"threshold": -1.0}, "threshold: got -1.0"),
        ({"background": True}, "background: needs"),
        ({"n_starts": 0}, "wanted at least 1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(options: dict[str, object], message: str) -> None:
    support = cs.Network.from_edges([("a", "b")], nodes="ab")
    with pytest.raises(cs.ArgumentError, match=message):
        cs.DoubleMixture(support, **options)  # type: ignore[arg-type]


def test_two_halves_of_a_factor_are_merged_again() -> None:
    """The best rank-1 approximation of a split factor is the factor; an unrelated pair loses much more."""
    rng = np.random.default_rng(0)
    u, v = (rng.random((30, 3)) * (rng.random((30, 3)) < 0.5) for _ in "uv")
    upper = np.arange(30)[:, None] < 15
    split = np.concatenate([u[:, :2], np.where(upper, u[:, 2:], 0.0), np.where(upper, 0.0, u[:, 2:])], axis=1)
    p = Parameters(np.zeros(1), split, np.concatenate([v, v[:, 2:]], axis=1), np.zeros(30))
    pair = cheapest_pair(p, set())
    assert pair is not None
    assert set(pair) == {2, 3}
    q = merge(p, *pair)
    np.testing.assert_allclose(q.u @ q.v.T, u @ v.T, atol=1e-12)
    assert criterion(q, -100.0, 1000) < criterion(p, -100.0, 1000)
    other = merge(p, 0, 1)
    assert np.linalg.norm(other.u @ other.v.T - u @ v.T) > 0.1


def test_the_published_em_and_edge_by_edge_em_climb_the_same_hill() -> None:
    """Without penalty both maximise one likelihood: from one start they end within 0.02 % of its value.

    The first-order steps crawl near the top, so rates are compared where they are large only.
    """
    design, data = small_design(n_cascades=300)
    close = cs.DoubleMixture(design.support, rank="full", threshold=0.0, prior=0.0, passes=400)
    fast = close.fit(data, rng=np.random.default_rng(0))
    em = cs.DoubleMixture(design.support, method="em", passes=150).fit(
        data, rng=np.random.default_rng(0), start=fast
    )
    assert em.log_likelihood >= fast.log_likelihood - 1e-6
    assert em.log_likelihood == pytest.approx(fast.log_likelihood, rel=2e-4)
    large = fast.theta.weights > 1.0
    moved = np.asarray(em.theta.matrix[fast.theta.senders, fast.theta.receivers]).ravel()
    np.testing.assert_allclose(moved[large], fast.theta.weights[large], rtol=0.1)
    np.testing.assert_allclose(em.pi, fast.pi, atol=0.05)


def test_the_published_em_stays_where_edge_by_edge_em_ends_at_200_nodes() -> None:
    """Theta's rates above 1 within 0.1 %, psi within 1e-4 of its sum, likelihood within 1e-5 of its value."""
    rng = np.random.default_rng(5)
    design = cs.designs.b1("random", rng=rng)
    data = cs.simulate(design.theta, design.psi, design.pi, n_cascades=300, horizon=10.0, rng=rng)
    close = cs.DoubleMixture(design.support, rank="full", threshold=0.0, prior=0.0, passes=150)
    fast = close.fit(data, rng=rng)
    em = cs.DoubleMixture(design.support, method="em", passes=50).fit(data, rng=rng, start=fast)
    assert em.log_likelihood >= fast.log_likelihood - 1e-6
    assert em.log_likelihood == pytest.approx(fast.log_likelihood, rel=1e-5)
    large = fast.theta.weights > 1.0
    assert large.sum() > 100
    moved = np.asarray(em.theta.matrix[fast.theta.senders, fast.theta.receivers]).ravel()
    np.testing.assert_allclose(moved[large], fast.theta.weights[large], rtol=1e-3)
    assert abs(em.psi.matrix - fast.psi.matrix).sum() < 1e-4 * fast.psi.matrix.sum()
    np.testing.assert_allclose(em.pi, fast.pi, atol=0.01)


def test_the_published_em_leaves_a_start_that_does_not_explain_everything() -> None:
    design, data = small_design(n_cascades=100)
    first = truth_of(design, cs.Exponential(), factors=False)
    pruned = replace(first, psi=cs.Network.from_edges([], nodes=data.nodes))
    model = cs.DoubleMixture(design.support, method="em", passes=40)
    fit = model.fit(data, rng=np.random.default_rng(0), start=pruned)
    assert fit.n_unexplained == 0
    assert fit.psi.matrix.sum() > 0.1 * design.psi.matrix.sum()


@pytest.mark.parametrize("width", [0.0, 0.25])
def test_scores_and_exposures_are_derivatives_at_rates_of_zero_too(width: float) -> None:
    """A receiver whose column is 0, and cascades that touch nobody, still say what a rate would change."""
    design, data = small_design(n_cascades=40)
    data = data.round(0.25) if width else data
    line, every = timeline(data, cs.Exponential(), width=width), np.arange(len(data))
    pairs = sp.csr_array(1.0 - np.eye(data.n_nodes))
    theta = sp.csr_array(design.theta.matrix + 0.1 * pairs.toarray())
    layers = Layers.of([theta, pairs], np.full((data.n_nodes, 2), 0.5), whole=False)
    rates = layers.rates.copy()
    rates[(layers.senders + layers.receivers) % 3 > 0, 1] = 0.0
    rates[layers.receivers == 4, 1] = 0.0
    rates[layers.receivers == 5, :] *= layers.senders[layers.receivers == 5, None] < 4
    layers = layers.changed(rates=rates)
    sums = layered_expectation(line, layers, every)
    slope = (sums.score - sums.exposure)[:, 1]
    step, rng = 1e-6, np.random.default_rng(0)
    for e in rng.choice(np.flatnonzero(rates[:, 1] == 0.0), 25, replace=False):
        more = rates.copy()
        more[e, 1] += step
        raised = layered_expectation(line, layers.changed(rates=more), every)
        if raised.unexplained[0] == sums.unexplained[0]:
            gained = (raised.log_likelihood - sums.log_likelihood) / step
            assert gained == pytest.approx(slope[e], rel=1e-3, abs=1e-3)


def test_many_factors_start_from_a_factorised_climb_edge_by_edge() -> None:
    """Factorising the product of sparse factors gives it back; a fit of rank above 12 begins so."""
    rng = np.random.default_rng(2)
    u, v = (rng.random((25, 3)) * (rng.random((25, 3)) < 0.3) for _ in "uv")
    exposures = rng.uniform(5.0, 10.0, (25, 25))
    found = max((factorise(exposures * (u @ v.T), exposures, 3, rng) for _ in range(5)), key=lambda f: f[0])
    np.testing.assert_allclose(found[1] @ found[2].T, u @ v.T, atol=0.05)
    design, data = small_design(n_cascades=600)
    fit = cs.DoubleMixture(design.support, rank=13, passes=40).fit(data, rng=np.random.default_rng(0))
    assert cs.metrics.f1(fit.psi, design.psi) > 0.85
    assert fit.rank < 13


@pytest.mark.parametrize("rank", [2, "full"])
def test_a_prior_tames_rates_of_edges_hardly_ever_tried(rank: object) -> None:
    """With few cascades maximum likelihood runs away on some edges; one imagined transmission holds them."""
    design, data = small_design(n_cascades=60)
    truth = truth_of(design, cs.Exponential(), factors=rank != "full")
    errors = []
    for prior in (0.0, 1.0):
        model = cs.DoubleMixture(design.support, rank=rank, prior=prior)  # type: ignore[arg-type]
        fit = model.fit(data, rng=np.random.default_rng(0), start=truth)
        errors.append(cs.metrics.mean_relative_error(fit.theta, design.theta))
    assert errors[1] < 0.7 * errors[0]


def test_dropping_entries_that_pass_nothing_on_hardly_changes_the_likelihood() -> None:
    """After thirty passes from a tiny start: many entries go, at less than 0.02 of log-likelihood each."""
    design, data = small_design()
    line, every = timeline(data, cs.Exponential()), np.arange(len(data))
    edges, n = Edges.of(design.support), data.n_nodes
    u, v = np.random.default_rng(0).uniform(0.002, 0.006, (2, n, 5))
    p = Parameters(np.ones(len(edges.senders)), u, v, np.full(n, 0.5))
    for k in range(30):
        sums = expectation(line, edges, p, every)
        p = update(p, sums, factor="uv"[k % 2], eta=1.5, free_pi=k > 5)
    sums = expectation(line, edges, p, every)
    fewer = trim(p, sums)
    dropped = sum(int(np.count_nonzero(getattr(p, f)) - np.count_nonzero(getattr(fewer, f))) for f in "uv")
    lost = float(sums.log_likelihood[0] - expectation(line, edges, fewer, every).log_likelihood[0])
    assert dropped > 40
    assert lost < 0.02 * dropped


def test_the_likelihood_of_many_events_is_gathered_without_loss() -> None:
    """Factors take logs of products of events, edge by edge of each event: 5,000 of them agree to 1e-12."""
    design, data = small_design(n_cascades=2000)
    line, every = timeline(data, cs.Exponential()), np.arange(2000)
    truth = truth_of(design, cs.Exponential(), factors=True)
    sums = expectation(line, Edges.of(design.support), truth.inner(design.support, line.scale), every)
    layers = truth.layers()
    inner = layers.changed(rates=layers.rates * line.scale)
    other = layered_expectation(line, inner, every)
    assert data.n_events > 5000
    assert float(sums.log_likelihood[0]) == pytest.approx(other.log_likelihood, rel=1e-12)
    np.testing.assert_allclose(sums.pi, other.shares[:, 0], rtol=1e-9)


@pytest.mark.parametrize("factor", ["u", "v"])
def test_the_prior_pulls_entries_of_a_factor_to_their_columns_mean(factor: str) -> None:
    """Few imagined transmissions change little, many give the column's mean; what is 0 stays."""
    design, data = small_design(n_cascades=60)
    line = timeline(data, cs.Exponential())
    truth = truth_of(design, cs.Exponential(), factors=True)
    edges, p = Edges.of(design.support), truth.inner(design.support, line.scale)
    sums = expectation(line, edges, p, np.arange(len(data)))
    old, slopes, exposures = getattr(p, factor), getattr(sums, factor), getattr(sums, f"{factor}_exposure")
    plain = getattr(update(p, sums, factor=factor, eta=1.0, free_pi=True), factor)
    few, many = (getattr(shrink(p, sums, count, 1.0, factor=factor), factor) for count in (1e-9, 1e9))
    seen = (old > 0.0) & (exposures > 0.0)
    np.testing.assert_allclose(few[seen], plain[seen], rtol=1e-5, atol=1e-8)
    means = (old * slopes * seen).sum(axis=0) / (exposures * seen).sum(axis=0)
    np.testing.assert_allclose(many[seen], np.broadcast_to(means, old.shape)[seen], rtol=1e-5)
    assert not few[old == 0.0].any()
    assert not many[old == 0.0].any()


@pytest.mark.parametrize("rank", [2, 13, "full"])
def test_an_empty_support_does_no_harm(rank: object) -> None:
    """Without an observed edge everything is latent."""
    _, data = small_design(n_cascades=60)
    support = cs.Network.from_edges([], nodes=data.nodes)
    model = cs.DoubleMixture(support, rank=rank, passes=15)  # type: ignore[arg-type]
    fit = model.fit(data, rng=np.random.default_rng(0))
    assert np.isfinite(fit.log_likelihood)
    assert fit.responsibilities(data).shape == (data.n_events,)
