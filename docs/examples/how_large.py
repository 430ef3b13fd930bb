"""How large in how long

What `OMP_NUM_THREADS=1 python benchmarks/scaling.py --limit 60 --csv docs/examples/how_large.csv` prints, as
far as it was left to run on a busy two-core machine: a complete exact proof of a bound, checked by the
verifier, for games that grow. A family may go further in a minute than its last row. The exponent is that of
seconds as a power of the number of players, over the upper half of a family.
"""

import csv
import os
from itertools import groupby
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

with Path(__file__).with_suffix(".csv").open(encoding="utf-8") as file:
    table = list(csv.DictReader(file))

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
print(f"{'family':20} {'largest measured':>17} {'seconds':>8} {'MB':>6} {'exponent':>9}")
for family, members in groupby(table, key=lambda row: row["family"]):
    rows = list(members)
    size, seconds, memory = (
        np.array([float(r[key]) for r in rows]) for key in ("size", "seconds", "megabytes")
    )
    fits = np.flatnonzero(seconds <= 60)[-1]  # of those within a minute
    upper = slice(len(rows) // 2 - 1, None)
    exponent = np.polyfit(np.log(size[upper]), np.log(seconds[upper]), 1)[0]
    print(f"{family:20} {size[fits]:17,.0f} {seconds[fits]:8.1f} {memory[fits]:6.0f} {exponent:9.1f}")
    left.plot(size, seconds, "o-", ms=4, label=family)
    right.plot(size, memory, "o-", ms=4, label=family)
left.axhline(60, color="0.7", lw=0.8)
for axes, label in ((left, "CPU seconds"), (right, "peak memory (MB)")):
    axes.set(xscale="log", yscale="log", xlabel="players", ylabel=label)
left.legend(fontsize=7)
figure.savefig(f"{os.environ['CERTIKIT_FIGURES']}/how_large.svg", bbox_inches="tight")
