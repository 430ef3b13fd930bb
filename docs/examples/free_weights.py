"""Which weights make a game monotone?

Two players pull at each other unequally: with equal weights the game is not monotone, and Rosen's theorem
says nothing. His weights may differ, and `certify(game, weights="free")` looks for the best ones. The lower
bound is proved at weights that are printed; the upper bound holds for every choice of positive weights.
"""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path

import matplotlib.pyplot as plt
from sympy.abc import x, y

import sosgames as sg

game = sg.Game(
    {"P": -(x**2) / 2 + 4 * x * y, "Q": x * y / 10 - y**2 / 2},
    {"P": sg.Box({x: (-1, 1)}), "Q": sg.Box({y: (-1, 1)})},
)
print(sg.certify(game).summary())
print()
free = sg.certify(game, weights="free")
print(free.summary())

ratios = [Fraction(2) ** k for k in range(-1, 11)]
moduli = [float(sg.certify(game, weights={"P": 1, "Q": ratio}).lower) for ratio in ratios]
figure, axes = plt.subplots(figsize=(6, 3.4))
axes.semilogx([float(r) for r in ratios], moduli, "o-", label="proved modulus at these weights")
axes.axhline(float(free.upper), color="tab:red", linestyle="--", label="proved bound for all weights")
axes.axhline(0, color="grey", linewidth=0.8)
axes.plot(
    [float(free.weights["Q"] / free.weights["P"])], [float(free.lower)], "k*", markersize=12, label="found"
)
axes.set_xlabel("weight of Q over weight of P")
axes.set_ylabel("modulus")
axes.legend()
figure.tight_layout()
figure.savefig(Path(os.environ.get("CERTIKIT_FIGURES", ".")) / "free_weights.svg")
