"""Two ways to add Laplace noise, attacked

Both samplers below claim epsilon = 1. One draws floating-point numbers, as textbooks do; the other is this
package's exact integer noise. The audit tries thresholds, single values, likely bins and bit patterns on some
draws, and bounds epsilon from below on others. It is wrong about a true claim with probability one in a
million.

The figure shows the same for all pure mechanisms at several claims: a dot above the line would refute its
claim.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import privacy_stats as ps

# A fixed seed keeps this page the same from build to build; real reports never have one.
seeded = np.random.default_rng(1)


def floating_point(which: int, n: int) -> np.ndarray:
    """Report the value, 0 or 1, plus numpy's Laplace noise."""
    return which + seeded.laplace(0.0, 1.0, n)


ours = ps.mechanism_sampler(ps.Laplace(0, 1), "pure", 1, rng=ps.simulation_rng(2))
for name, sampler in (("floating point", floating_point), ("exact integers", ours)):
    result = ps.audit(sampler, epsilon=1.0, n_draws=100_000)
    print(f"{name}: epsilon is at least {result.lower_bound:.3f} because of '{result.event}'")
    print(f"    happened {result.hits[0]} against {result.hits[1]} times in {result.draws} draws")

audits, labels = [], []
for mechanism in (
    ps.OneBit(0, 1),
    ps.Piecewise(0, 1),
    ps.Hybrid(0, 1),
    ps.Laplace(0, 1),
    ps.RandomisedResponse(4),
):
    for claim in (0.1, 0.5, 1, 2, 4):
        sampler = ps.mechanism_sampler(mechanism, "pure", claim, rng=ps.simulation_rng(3))
        audits.append(ps.audit(sampler, epsilon=claim, n_draws=100_000))
        labels.append(mechanism.name)
leak = ps.audit(floating_point, epsilon=1.0, n_draws=100_000)
axes = ps.plot_audits([*audits, leak], labels=[*labels, "floating-point Laplace"])
axes.figure.savefig(Path(os.environ.get("CERTIKIT_FIGURES", ".")) / "privacy_audit.svg", bbox_inches="tight")
plt.close(axes.figure)
