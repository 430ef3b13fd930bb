"""A bracket that closes from one level to the next

How large can x + y be below two quartic curves? Less than 6: level 4 of the hierarchy proves a bound that
leaves this open, level 6 one that meets the value at a rational point to five digits. Each dot is proved, and
so is the dashed line, the upper bound at that point. The set is a test problem of Floudas and Pardalos.
"""

import os
from pathlib import Path

import sympy
from sympy.abc import x, y

import sosgames as sg

below = sg.Constraints(
    [
        "y <= 2*x**4 - 8*x**3 + 8*x**2 + 2",
        "y <= 4*x**4 - 32*x**3 + 88*x**2 - 96*x + 36",
        "0 <= x <= 3",
        "0 <= y <= 4",
    ]
)
result = sg.certify_matrix(sympy.Matrix([[6 - x - y]]), below)
print(result.summary())
for step in result.brackets[0].steps:
    print(f"level {step.level}: 6 - x - y >= {float(step.lower):+.6f}")

ax = result.plot()
ax.set_title("proved bounds of 6 - x - y, level by level")
ax.figure.set_size_inches(6, 3)
ax.figure.savefig(Path(os.environ.get("CERTIKIT_FIGURES", ".")) / "levels.svg")
