"""How many users are enough?

Before a survey: what will the interval of a mean be, and what would make it narrower? Nothing is drawn;
everything follows from the public constants of the mechanisms. The first table asks for +-2 on a scale from
0 to 100; the second is about a class of thirty whose marks lie between 5 and 10.

The first figure is the planning curve of the first question; the second shows which mechanism has the least
error at which budget.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import privacy_stats as ps

figures = Path(os.environ.get("CERTIKIT_FIGURES", "."))

budgets = ps.Budgets.pure(np.repeat([0.5, 1.0, 2.0], [3000, 5000, 2000]))
print("+-2 on a scale from 0 to 100, ten thousand users of epsilon 0.5, 1 and 2")
for mechanism in (ps.OneBit(0, 100), ps.Piecewise(0, 100), ps.Hybrid(0, 100), ps.Laplace(0, 100)):
    found = ps.plan(budgets, mechanism=mechanism, half_width=2)
    print(
        f"  {mechanism.name:<10} +-{found.half_width:.2f} now; +-2 takes {found.users_needed:,} such users, "
        f"or epsilon {found.level_needed:.3f} for all"
    )

print("thirty marks between 5 and 10, one bit each")
for epsilon in (0.5, 1, 2, 4):
    marks = ps.plan(ps.Budgets.pure([epsilon] * 30), mechanism=ps.OneBit(5, 10), half_width=1, spread=1.53)
    print(f"  epsilon {epsilon:<3} +-{marks.half_width:.2f}  {'; '.join(marks.warnings)}".rstrip())

curve = ps.plan(budgets, mechanism=ps.Hybrid(0, 100), half_width=2).plot()
curve.figure.savefig(figures / "privacy_plan_1.svg")
plt.close(curve.figure)

mechanisms = [ps.OneBit(0, 100), ps.Piecewise(0, 100), ps.Hybrid(0, 100), ps.Laplace(0, 100)]
errors = ps.plot_rmse(mechanisms, np.geomspace(0.1, 8, 25).round(3), n_users=10_000)
errors.figure.savefig(figures / "privacy_plan_2.svg")
plt.close(errors.figure)
