"""Which mechanism has least noise?

Worst-case standard deviation of one report on the range [-1, 1], from the channels' exact constants: nothing
is simulated. One bit is best for small budgets, Piecewise for large ones, Hybrid is never far from the better
of the two, and Laplace noise never wins on a bounded range.
"""

import os
from fractions import Fraction
from pathlib import Path

import matplotlib.pyplot as plt

import privacy_stats as ps

mechanisms = [ps.OneBit(-1, 1), ps.Piecewise(-1, 1), ps.Laplace(-1, 1)]
levels = [Fraction(k, 10) for k in (1, 2, 3, 5, 7, 10, 13, 16, 20, 25, 30, 40, 50, 60, 80)]

figure, axes = plt.subplots(figsize=(5.0, 3.5))
for mechanism in mechanisms:
    deviations = [mechanism.channels("pure", level)[0].noise_variance ** 0.5 for level in levels]
    axes.plot([float(level) for level in levels], deviations, label=mechanism.name)
axes.set(xscale="log", yscale="log", xlabel="epsilon", ylabel="standard deviation of one report")
axes.legend()
figure.savefig(Path(os.environ.get("CERTIKIT_FIGURES", ".")) / "privacy_mechanisms.svg", bbox_inches="tight")
plt.close(figure)

print("epsilon   " + "".join(f"{m.name:>12}" for m in mechanisms))
for level in (Fraction(1, 2), Fraction(1), Fraction(13, 10), Fraction(2), Fraction(4)):
    row = [mechanism.channels("pure", level)[0].noise_variance ** 0.5 for mechanism in mechanisms]
    print(f"{float(level):<10}" + "".join(f"{deviation:12.3f}" for deviation in row))
