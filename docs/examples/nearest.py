"""A game repaired

Two players push each other too hard for a monotone game. The nearest monotone one is found, with a proof that
it is monotone and a proved lower bound on the distance to every monotone game in these coefficients.
"""

import os
from pathlib import Path

from sympy.abc import x, y

import sosgames as sg

game = sg.Game(
    {"row": -(x**2) + 4 * x * y - x**3 / 6 + x, "column": -(y**2) + 3 * x * y - x**2 * y},
    {"row": sg.Box({x: (-1, 1)}), "column": sg.Box({y: (-1, 1)})},
    name="pushing",
)
print(sg.certify(game, "monotone").summary())
near = sg.nearest(game, "monotone")
print(near.summary())
print(near.verify().text)

ax = near.plot()
ax.set_title("coefficients, before and after")
ax.figure.set_size_inches(6, 3)
ax.figure.savefig(Path(os.environ.get("CERTIKIT_FIGURES", ".")) / "nearest.svg")
