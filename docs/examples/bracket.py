"""A bracket, level by level

A two-player game of degree 6 whose modulus is bracketed: each dot is a lower bound with an exact proof, the
dashed line is the value at a rational point. The climb stops once the bracket is as narrow as asked for.
"""

import os
from pathlib import Path

from sympy.abc import x, y

import sosgames as sg

game = sg.Game(
    {"row": x**3 * y**2 / 2 - x**2 - x**4 * y / 3, "column": x**2 * y**3 / 4 - y**2 - x * y},
    {"row": sg.Box({x: (-1, 1)}), "column": sg.Box({y: (-1, 1)})},
    name="degree six",
)
result = sg.certify(game, "monotone", gap=1e-9)
print(result.summary())
for step in result.brackets[0].steps:
    print(
        f"level {step.level}: {float(step.lower):+.6f} proved, side {step.side}, {step.equations} equations"
    )

figures = Path(os.environ.get("CERTIKIT_FIGURES", "."))
ax = result.plot()
ax.set_title("modulus of the game 'degree six'")
ax.figure.set_size_inches(6, 3)
ax.figure.savefig(figures / "bracket.svg")
