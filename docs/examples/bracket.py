"""Where a game stops being monotone

Left: the smallest eigenvalue of minus the symmetric Jacobian over the square; the game is monotone exactly
where it is blue. The star is the rational point that refutes the game on the whole square. Right: the same
game on smaller squares. The dots are proved: lower bounds by a sum of squares, upper bounds at a point.
"""

import os
from fractions import Fraction
from pathlib import Path

import matplotlib.pyplot as plt
from sympy.abc import x, y

import sosgames as sg

utilities = {
    "row": x**3 * y**2 / 2 - x**2 - x**4 * y / 3,
    "column": x**2 * y**3 / 4 - y**2 - x * y,
}


def on_square(half: Fraction) -> sg.Certification:
    """The game on [-half, half] x [-half, half]."""
    boxes = {"row": sg.Box({x: (-half, half)}), "column": sg.Box({y: (-half, half)})}
    return sg.certify(sg.Game(utilities, boxes, name=f"half width {half}"), "monotone")


whole = on_square(Fraction(1))
print(whole.summary())
halves = [Fraction(k, 10) for k in range(2, 11)]
results = [on_square(half) for half in halves]
for half, result in zip(halves, results, strict=True):
    lower, upper = float(result.lower), float(result.upper)
    print(f"{half!s:>4}  {result.verdict.name:<9}  {lower:+.6f} <= mu* <= {upper:+.6f}")

fig, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.3), layout="constrained")
whole.plot_map(x, y, ax=left)
left.set_title("eigenvalue map and counterexample", fontsize="medium")
right.axhline(0, color="0.5", linewidth=0.8)
right.plot(halves, [float(r.upper) for r in results], "v", label="upper bound, at a rational point")
right.plot(halves, [float(r.lower) for r in results], "^", label="lower bound, exact proof")
right.set_xlabel("half width of the square")
right.set_ylabel("modulus")
right.legend(fontsize="small")
right.set_title("certified above 0, refuted below", fontsize="medium")
fig.savefig(Path(os.environ.get("CERTIKIT_FIGURES", ".")) / "bracket.svg")
