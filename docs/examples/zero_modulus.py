"""A modulus of exactly zero

In this game the second player's curvature vanishes where the first one plays 0: the modulus is 0, every Gram
matrix of a proof is singular, and rounding alone has no room. The point where the matrix is singular says
which subspace the Gram matrices live in, and on it an exact proof exists. Lowering the game by 1e-9 turns the
verdict into a refutation: no tolerance is involved.
"""

from __future__ import annotations

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import sympy
from sympy.abc import x, y

import sosgames as sg

utility = 2 * x * y**2 - x**2 - y
sets = {"P": sg.Box({x: (0, 1)}), "Q": sg.Box({y: (-1, 1)})}
result = sg.certify(sg.Game({"P": utility, "Q": -utility}, sets))
print(result.summary())
for step in result.brackets[0].steps:
    print(f"  level {step.level}: {step.rung}, Gram matrices of side {step.side}")

lowered = sg.Game({"P": utility, "Q": -utility + sympy.Rational(1, 10**9) * y**2 / 2}, sets)
print()
print(sg.certify(lowered).summary())

grid = np.linspace(0, 1, 200)
figure, axes = plt.subplots(figsize=(6, 3.2))
axes.plot(grid, np.minimum(2.0, 4 * grid), label="smallest eigenvalue of M(x)")
axes.axhline(0, color="tab:red", linestyle="--", label="proved lower bound, exactly 0")
axes.plot(
    [float(result.witness.x["x"])], [0], "k*", markersize=12, label="the point that bounds it from above"
)
axes.set_xlabel("x")
axes.legend()
figure.tight_layout()
figure.savefig(Path(os.environ.get("CERTIKIT_FIGURES", ".")) / "zero_modulus.svg")
