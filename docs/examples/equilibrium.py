"""An equilibrium that is proved

Two players of degree 4 on an interval and a triangle. The gaps are exact fractions, the game is certified
strictly monotone, so the unique equilibrium lies within the printed distance. The picture shows the gain of
every straight deviation: none rises above the player's gap, the dashed line.
"""

import os
from pathlib import Path

from sympy.abc import a, b, x

import sosgames as sg

game = sg.Game(
    {
        "row": x + x * a - x**2 - x**4 / 2,
        "column": a / 2 + b - x * a - a**2 - b**2 - a * b,
    },
    {"row": sg.Box({x: (0, 1)}), "column": sg.Simplex([a, b])},
    name="interval against triangle",
)
found = sg.solve(game)
print(found.summary())
print(f"largest gap: {float(max(found.gaps.values())):.1e}, exactly rational")
print(found.verify().text[:200], "...")

ax = found.plot()
ax.set_title(game.name)
ax.figure.set_size_inches(6, 3)
ax.figure.savefig(Path(os.environ.get("CERTIKIT_FIGURES", ".")) / "equilibrium.svg")
