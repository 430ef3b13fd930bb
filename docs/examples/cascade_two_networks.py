"""Two networks at once: one observed, one latent

Sixty nodes pass things on over a network that we know (say, who lives near whom) and over one that we do not,
of low rank (who is interested in the same things). In every cascade each node is reached through one of the
two; nobody records which. From activation times and the known network alone, both rate matrices and each
node's preference come back. The figure shows the true and the estimated latent network.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

import cascades as cs

rng = np.random.default_rng(2)
design = cs.designs.b1("community", n_nodes=60, rank=3, rng=rng)
data = cs.simulate(design.theta, design.psi, design.pi, n_cascades=1200, horizon=10.0, rng=rng)
print(data.summary())

fit = cs.DoubleMixture(design.support, rank=5).fit(data, rng=rng)
print(fit.summary())

score = cs.metrics
print(
    f"observed network: mean relative error of rates {score.mean_relative_error(fit.theta, design.theta):.3f}"
)
print(
    f"latent network: F1 {score.f1(fit.psi, design.psi):.3f}, "
    f"mean relative error {score.mean_relative_error(fit.psi, design.psi):.3f}"
)
print(f"preferences: mean relative error {np.mean(np.abs(fit.pi - design.pi) / design.pi):.3f}")
carried = fit.responsibilities(data)
sure = np.mean((carried < 0.05) | (carried > 0.95), where=~np.isnan(carried))
print(f"for {100 * sure:.0f} % of activations the network that carried them is known with 95 % probability")

single = cs.NetRate().fit(data).network
print(f"one network fitted to the same data: F1 against the latent one {score.f1(single, design.psi):.3f}")

folder = os.environ.get("CERTIKIT_FIGURES")
if folder:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    cs.plotting.rate_matrix(design.psi, ax=left, title="latent network, true")
    cs.plotting.rate_matrix(fit.psi, ax=right, title="latent network, estimated")
    figure.savefig(Path(folder, "cascade_two_networks.svg"))
