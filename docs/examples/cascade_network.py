"""A network recovered from who was activated when

Fifty nodes, 94 hidden edges, 1500 cascades in which some activations come from nowhere. NetRate with a
background rate measures every candidate edge; likelihood-ratio tests with false-discovery control decide
which to believe. The figures show true and estimated rates, precision against recall as edges are taken in
order of strength, and time-rescaling residuals, which lie on the diagonal when the model is right.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

import cascades as cs

rng = np.random.default_rng(7)
truth = cs.designs.random_network(50, 2.0, rng=rng)
data = cs.simulate(truth, n_cascades=1500, horizon=3.0, rng=rng, background=0.004, unit="day")
print(data.summary())

tests = cs.edge_tests(cs.NetRate(background=True), data)
kept = tests.select(fdr=0.05)
print(tests.summary())
print(
    f"{kept.n_edges} kept, {truth.n_edges} true: precision {cs.metrics.precision(kept, truth):.3f}, "
    f"recall {cs.metrics.recall(kept, truth):.3f}, F1 {cs.metrics.f1(kept, truth):.3f}"
)
plain = cs.NetRate().fit(data).network
print(f"without the background rate, all rates above 0: F1 {cs.metrics.f1(plain, truth):.3f}")

sender, receiver, rate = max(truth.edges(), key=lambda edge: edge[2])
edge = tests.fit.edge(sender, receiver)
print(
    f"strongest edge {sender} -> {receiver}: true rate {rate:.3f} per day, "
    f"estimated {edge.rate:.3f}, 95 % interval [{edge.lower:.3f}, {edge.upper:.3f}]"
)
check = cs.residuals(tests.fit, data)
print(f"time-rescaling residuals leave the unit exponential by at most {check.deviation:.3f}")

folder = os.environ.get("CERTIKIT_FIGURES")
if folder:
    import matplotlib.pyplot as plt

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    pairs = truth.matrix.toarray()[kept.senders, kept.receivers]
    left.plot([0, 1.2], [0, 1.2], color="grey", linewidth=1)
    left.plot(pairs, kept.weights, ".")
    left.set(xlabel="true rate", ylabel="estimated rate")
    cs.plotting.precision_recall(tests.fit.network, truth, ax=middle)
    check.plot(right)
    figure.savefig(Path(folder, "cascade_network.svg"))
