"""Visits to a doctor, four ways of being careful

20,190 people of the RAND health insurance experiment (statsmodels) and their visits to a doctor in a year:
most have few, one has 77. Everybody sets an own privacy level, drawn here in four ways, in the last one the
more carefully the more visits there were. The public bound is 1,000 visits. Shown are relative errors of the
sum, ten runs each; the grey line is an oracle that sees the values and chooses the best threshold and the
best least budget.

The whole study, five data sets and all protocols, is `make study-privacy`.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from statsmodels.datasets import randhie

import privacy_stats as ps

visits = randhie.load_pandas().data["mdvis"].to_numpy(dtype=float)
n, rng = len(visits), np.random.default_rng(1)
rank = np.argsort(np.argsort(visits, kind="stable"), kind="stable") / n
levels = np.geomspace(1e-3, 2, 16)
shapes = {
    "log-uniform": rng.choice(levels, n),
    "two groups": rng.choice([0.01, 1.0], n),
    "scarce": rng.choice(levels / 100, n),
    "careful rich": levels[(15.99 * (1 - rank)).astype(int)],
}
protocols = [kind(1000.0, non_negative=True) for kind in (ps.SunRadius, ps.OneHotRadius, ps.HistogramRadius)]
figure, axes = plt.subplots(1, len(shapes), figsize=(10, 3.2), sharey=True, layout="constrained")
for ax, (shape, rho) in zip(axes, shapes.items(), strict=True):
    budgets = ps.Budgets.zcdp(rho)
    for place, protocol in enumerate(protocols):
        found = ps.repeat_estimates(visits, budgets, protocol=protocol, runs=10)
        errors = np.abs(found / visits.sum() - 1)
        ax.plot(np.full(10, place), errors, "o", alpha=0.5)
        print(f"{shape:<12} {protocol.name:<18} median {np.median(errors):6.1%}  worst {errors.max():6.1%}")
    oracle = ps.DropConservative(1000.0, non_negative=True)
    chosen = ps.repeat_estimates(visits, budgets, protocol=oracle, runs=200)
    ax.axhline(float(np.sqrt(((chosen / visits.sum() - 1) ** 2).mean())), color="0.6")
    ax.set_xticks(range(len(protocols)), ["Sun", "one-hot", "histogram"])
    ax.set(title=shape, yscale="log")
axes[0].set_ylabel("relative error of the sum")
figure.savefig(Path(os.environ.get("CERTIKIT_FIGURES", ".")) / "privacy_real_data.svg")
