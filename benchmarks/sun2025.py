"""The settings of Sun et al. (2025), Table 1, as far as they are stated: relative l2 errors in per cent.

    python benchmarks/sun2025.py [n_users] [runs]      default 10,000 and 5; the paper uses 100,000 and 20

d = 128, bound 1e6. Values: coordinates normal (mean 1000, sd 1) and uniform on [0, 1000]. Budgets log-uniform
on [0.01, 100] in 64 levels: rho = 100 means epsilon about 166 at delta = 1e-6, and is kept because the
paper's figures use it. Digit 0 is that of scikit-learn's digits (178 images of 8 x 8), another data set than
MNIST.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

import privacy_stats as ps

BOUND = 1e6


def data(n: int) -> dict[str, Any]:
    from sklearn.datasets import load_digits

    rng, digits = np.random.default_rng(0), load_digits()
    return {
        "normal": rng.normal(1000, 1, (n, 128)),
        "uniform": rng.uniform(0, 1000, (n, 128)),
        "digit 0 (scikit-learn)": digits.data[digits.target == 0],
    }


def protocols(d: int) -> list[Any]:
    radius, histogram = ps.SunRadius(BOUND, d, True), ps.HistogramRadius(BOUND, d, True)
    return [
        ps.OptimalUniformClip(BOUND, d, True),
        ps.OracleScaleRadius(radius),
        radius,
        ps.SunDiameter(BOUND, d),
        ps.OneHotRadius(BOUND, d, True),
        histogram,
        ps.HullDiameter(histogram),
        ps.DropConservative(BOUND, d, True),
    ]


def main() -> None:
    n = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    for name, values in data(n).items():
        rho = np.exp(np.random.default_rng(1).uniform(math.log(0.01), math.log(100), len(values)))
        budgets = ps.Budgets.zcdp(rho).rounded_down(np.geomspace(rho.min(), rho.max(), 64))
        truth = values.sum(axis=0)
        for protocol in protocols(values.shape[1]):
            found = ps.repeat_estimates(values, budgets, protocol=protocol, runs=runs)
            errors = np.linalg.norm(found - truth, axis=1) / np.linalg.norm(truth)
            shown = f"{100 * np.median(errors):9.2f} median {100 * np.sqrt((errors**2).mean()):9.2f} rms"
            print(f"{name:24} n={len(values):<7} {protocol.name:26} {shown}", flush=True)


if __name__ == "__main__":
    main()
