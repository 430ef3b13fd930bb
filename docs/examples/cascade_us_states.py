"""Neighbours or kindred states? How policies spread over the United States

Policies are said to spread between neighbours, and between states that resemble each other wherever they lie.
The double mixture takes the land borders as the observed network and asks for the second one: each state, in
each policy, listens to its neighbours with probability pi and otherwise to a latent network. Years tie four
of five adoptions, so the likelihood is that of yearly bins; states may also act on their own. The threshold
below which entries are dropped, 1.0, was set by hand after a look at these data and at the stand-in.

The data (State Policy Innovation and Diffusion Database) are not shipped: `CERTIKIT_DATA` names a folder with
`spid_policies_long.csv`, `spid_policies_metadata.csv` and `us_state_neighbours.csv`. Without it the script
runs on a stand-in: a simulated country of 48 states on a grid, where the truth is known. The output below
says which of the two it was. The figure shows both networks and the preferences.
"""

from __future__ import annotations

import os
from pathlib import Path

import networkx as nx
import numpy as np

import cascades as cs

SINCE = 1950  # younger policies; older ones spread at another pace
YEARS = 40


def real(folder: Path) -> tuple[cs.Cascades, cs.Network, dict[str, str]]:
    """Read policies first adopted since 1950, the borders, and each policy's topic."""
    every = cs.datasets.state_policies(folder / "spid_policies_long.csv")
    young = [k for k, (_, times) in enumerate(every) if min(times.values()) >= SINCE]
    topics = cs.datasets.policy_topics(folder / "spid_policies_metadata.csv")
    borders = cs.datasets.borders(folder / "us_state_neighbours.csv", nodes=every.nodes)
    return every.select(young), borders, topics


def stand_in() -> tuple[cs.Cascades, cs.Network, dict[str, str], np.ndarray]:
    """Simulate 300 yearly policies on a grid of 48 states and a latent network of two kindred groups."""
    rng = np.random.default_rng(0)
    names = [f"state {k:02d}" for k in range(48)]
    grid = nx.to_numpy_array(nx.grid_2d_graph(6, 8))
    group = (rng.random((48, 2)) < 0.3).astype(float)
    kindred = 0.05 * group @ group.T
    np.fill_diagonal(kindred, 0.0)
    theta = cs.Network.from_matrix(grid * rng.uniform(0.05, 0.3, grid.shape), nodes=names)
    psi = cs.Network.from_matrix(kindred, nodes=names)
    pi = rng.uniform(0.3, 0.7, 48)
    data = cs.simulate(
        theta, psi, pi, n_cascades=300, horizon=YEARS, rng=rng, background=0.003, unit="year"
    ).round(1.0)
    topics = {str(name): ("even", "odd")[int(name) % 2] for name in data.names}  # topics mean nothing here
    return data, cs.Network.from_matrix(grid, nodes=names), topics, pi


folder = os.environ.get("CERTIKIT_DATA")
present = folder is not None and Path(folder, "us_state_neighbours.csv").exists()
if present and folder:
    data, borders, topics = real(Path(folder))
    print("policies of the US states")
else:
    data, borders, topics, true_pi = stand_in()
    print("simulated stand-in (CERTIKIT_DATA is not set)")
print(data.summary())

# 1. Does a second network help? Policies left out of the fit decide.
double = cs.DoubleMixture(borders, rank="full", background=True, passes=50, threshold=1.0)
models = {
    "one network": cs.NetRate(background=True, standard_errors=False),
    "two networks, a policy on one of them": cs.MMRate(2, background=True, n_starts=1, passes=25),
    "two networks, each state on one of them": double,
}
print(cs.held_out(models, data, n_folds=2, floor=1e-3, rng=np.random.default_rng(0)).summary())

# 2. The two networks and the states' preferences, with their uncertainty.
fit = double.fit(data, rng=np.random.default_rng(0))
errors = fit.standard_errors(data)
print(fit.summary())
limits = errors.intervals(fit, "pi")
alone = np.bincount(borders.receivers, minlength=data.n_nodes) == 0
order = [k for k in np.argsort(fit.pi) if np.isfinite(errors.pi[k]) and not alone[k]]
for k in order[:3] + order[-3:]:
    low, high = limits[k]
    print(
        f"{data.nodes[k]}: listens to its neighbours with probability {fit.pi[k]:.2f} [{low:.2f}, {high:.2f}]"
    )
if not present:
    covered = int(np.sum((limits[:, 0] <= true_pi) & (true_pi <= limits[:, 1])))
    off = float(np.mean(np.abs(fit.pi - true_pi)))
    print(f"true preferences: mean error {off:.3f}, {covered} of {data.n_nodes} inside their intervals")
latent = [(rate / error, j, i, rate) for (j, i, rate), error in zip(fit.psi.edges(), errors.psi, strict=True)]
for z, j, i, rate in sorted(e for e in latent if np.isfinite(e[0]))[:-6:-1]:
    print(f"latent, clearest: {j} -> {i}, {rate:.3f} per year, {z:.1f} standard errors from 0")

# 3. Which network carried an adoption, and does that differ between topics?
carried = fit.responsibilities(data)
topic = np.array([topics.get(str(name), "?") for name in data.names])[data.cascade_of]
shares = {t: carried[(topic == t) & ~np.isnan(carried)] for t in sorted(set(topic))}
for name, share in shares.items():
    if len(share) >= 100:
        print(
            f"{name}: {100 * share.mean():.0f} % of {len(share)} adoptions came through the neighbours' layer"
        )
known = carried[~np.isnan(carried)]
unsure = np.mean((known > 0.1) & (known < 0.9))
print(f"for {100 * unsure:.0f} % of adoptions the data do not tell which network carried them")

figures = os.environ.get("CERTIKIT_FIGURES")
if figures:
    import matplotlib.pyplot as plt

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained")
    cs.plotting.rate_matrix(fit.theta, ax=left, title="neighbours")
    cs.plotting.rate_matrix(fit.psi, ax=middle, title="latent network")
    rows = np.array(order)
    right.errorbar(
        np.arange(len(rows)),
        fit.pi[rows],
        yerr=np.abs(limits[rows].T - fit.pi[rows]),
        fmt=".",
        linewidth=1,
    )
    right.set(xlabel="state, sorted", ylabel="pi: preference for neighbours", ylim=(0, 1))
    figure.savefig(Path(figures, "cascade_us_states.svg"))
