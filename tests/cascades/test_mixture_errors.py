"""Standard errors of the double mixture: against differences of the likelihood, and by coverage."""

from __future__ import annotations

import numpy as np
import pytest

import cascades as cs
from tests.cascades.truths import truth_of


def replicate(
    seed: int, rank: object, n_cascades: int = 600
) -> tuple[cs.designs.Design, cs.Cascades, cs.MixtureFit]:
    """Fit from the truth, so that the selected edges are the true ones."""
    rng = np.random.default_rng(0)
    design = cs.designs.b1("community", n_nodes=16, rank=2, rng=rng)
    rng = np.random.default_rng(seed)
    data = cs.simulate(design.theta, design.psi, design.pi, n_cascades=n_cascades, horizon=3.0, rng=rng)
    model = cs.DoubleMixture(design.support, rank=rank, prior=0.0, passes=250)  # type: ignore[arg-type]
    start = truth_of(design, cs.Exponential(), factors=rank != "full")
    return design, data, model.fit(data, rng=rng, start=start)


@pytest.mark.parametrize("grid", [0.0, 0.25], ids=["exact", "grouped"])
def test_the_information_is_minus_the_curvature_of_the_likelihood(grid: float) -> None:
    """For one receiver, by second differences of the observed log-likelihood in theta, psi and pi."""
    _, data, fit = replicate(1, "full", 100)
    data = data.round(grid) if grid else data
    fit = cs.DoubleMixture(fit.support, rank="full", prior=0.0, passes=400, resolution=grid or None).fit(
        data, rng=np.random.default_rng(0), start=fit
    )
    inside = (fit.pi > 0.05) & (fit.pi < 0.95)
    counts = np.bincount(fit.theta.receivers, minlength=16) + np.bincount(fit.psi.receivers, minlength=16)
    i = int(np.argmax(np.where(inside, counts, 0)))
    mine = [np.flatnonzero(net.receivers == i) for net in (fit.theta, fit.psi)]
    point = np.concatenate([fit.theta.weights[mine[0]], fit.psi.weights[mine[1]], [fit.pi[i]]])

    def value(x: np.ndarray) -> float:
        networks = []
        for net, rows, part in zip((fit.theta, fit.psi), mine, np.split(x[:-1], [len(mine[0])]), strict=True):
            weights = net.weights.copy()
            weights[rows] = part
            networks.append(cs.Network(net.nodes, net.senders, net.receivers, weights))
        pi = fit.pi.copy()
        pi[i] = x[-1]
        moved = cs.MixtureFit(
            fit.support, *networks, fit.u, fit.v, pi, fit.touched, 0.0, 0, fit.law, width=fit.width
        )
        each = moved.log_likelihood_on(data)
        return float(each[np.isfinite(each)].sum())

    step, m = 1e-4 * np.maximum(point, 0.1), len(point)
    curvature = np.zeros((m, m))
    for a in range(m):
        for b in range(m):
            for sa in (1, -1):
                for sb in (1, -1):
                    x = point.copy()
                    x[a] += sa * step[a]
                    x[b] += sb * step[b]
                    curvature[a, b] -= sa * sb * value(x) / (4 * step[a] * step[b])
    errors = fit.standard_errors(data)
    expected = np.sqrt(np.diag(np.linalg.inv(curvature)))
    found = np.concatenate([errors.theta[mine[0]], errors.psi[mine[1]], [errors.pi[i]]])
    np.testing.assert_allclose(found, expected, rtol=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("rank", ["full", 2])
def test_intervals_of_the_mixture_cover_the_truth_given_the_true_edges(rank: object) -> None:
    """Eight tables of fixed seeds, rates known to a quarter; some hundreds of intervals of 95 %."""
    covered: list[np.ndarray] = []
    for seed in range(1, 9):
        design, data, fit = replicate(seed, rank)
        errors = fit.standard_errors(data)
        for what, truth in (("theta", design.theta), ("psi", design.psi)):
            limits = errors.intervals(fit, what)
            net = fit.network(what)
            true = np.asarray(truth.matrix[net.senders, net.receivers]).ravel()
            clear = getattr(errors, what) < 0.25 * net.weights
            covered.append(((limits[:, 0] <= true) & (true <= limits[:, 1]))[clear])
        limits = errors.intervals(fit, "pi")
        clear = errors.pi < 0.1
        covered.append(((limits[:, 0] <= design.pi) & (design.pi <= limits[:, 1]))[clear])
    share = float(np.mean(np.concatenate(covered)))
    assert len(np.concatenate(covered)) > 250
    assert 0.92 < share < 0.98


def test_factors_make_latent_rates_more_certain_than_edges_do() -> None:
    """A model with fewer parameters has smaller errors; what the data do not determine is nan, not small."""
    _, data, free = replicate(3, "full")
    _, _, tied = replicate(3, 2)
    by_edge, by_factor = free.standard_errors(data), tied.standard_errors(data)
    both = np.isfinite(by_edge.psi) & np.isfinite(by_factor.psi)
    assert np.median(by_factor.psi[both]) < np.median(by_edge.psi[both])
    with pytest.raises(cs.ArgumentError, match="what: got 'rho'"):
        by_edge.intervals(free, "rho")
    with pytest.raises(cs.ArgumentError, match="level: got 2"):
        by_edge.intervals(free, "pi", level=2)
