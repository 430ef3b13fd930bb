"""Sums of values that nobody bounded well

Ten thousand users hold amounts near 80; all that is public is that none exceeds a million. Each
sets an own budget (zCDP, from 0.001 to 2). Noise for the whole bound drowns the sum; the protocols
look for the scale from the reports. The figure shows 60 runs of each beside two oracles that look
at the raw amounts (not private).
"""

import os
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np

import privacy_stats as ps

people = np.random.default_rng(7)
amounts = np.abs(people.normal(0, 100, 10_000))
wishes = np.exp(people.uniform(np.log(1e-3), np.log(2), 10_000))
budgets = ps.Budgets.zcdp(wishes).rounded_down(np.geomspace(wishes.min(), 2, 32))
print(budgets)

protocols = [
    ps.NaiveGaussian(1e6, non_negative=True),
    ps.SunRadius(1e6, non_negative=True),
    ps.OneHotRadius(1e6, non_negative=True),
    ps.HistogramRadius(1e6, non_negative=True),
    ps.OptimalUniformClip(1e6, non_negative=True),
    ps.DropConservative(1e6, non_negative=True),
]
truth, runs = amounts.sum(), {}
for protocol in protocols:
    runs[protocol.name] = ps.repeat_estimates(amounts, budgets, protocol=protocol, runs=60) / truth
    error = np.sqrt(np.mean((runs[protocol.name] - 1) ** 2))
    print(f"{protocol.name:26} relative error {100 * error:9.1f} %")

# One study in words.
total = ps.estimate_sum(amounts, budgets, protocol=protocols[3], rng=ps.simulation_rng(0))
print()
print(total.summary())
print(f"truth {truth:,.0f}")

figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
names = [name for name in runs if name != "naive-gaussian"]  # far outside
axes.boxplot([runs[name] for name in names], orientation="horizontal", tick_labels=names)
axes.axvline(1, color="tab:red", linewidth=1)
axes.set_xlabel("estimate / truth")
figure.savefig(Path(os.environ.get("CERTIKIT_FIGURES", ".")) / "privacy_loose_bound.svg")
