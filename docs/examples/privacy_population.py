"""A weighted mean, and the trap in it

Twenty thousand people rate their commute from 0 to 1. Most allow little (epsilon 0.5), some a lot (epsilon
4). Weighting each report by its precision cuts the error, as long as careful and careless people rate alike.
In the second survey they do not: the careful rate higher, precision weights hardly look at them, and no
interval around such a mean would be honest. The test over the levels notices and the interval is refused;
the stratified estimate is right in both surveys.

The first figure shows every level's mean with two nested bands, for the noise and for noise and sampling.
The second shows whose reports the weighted mean is made of.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import privacy_stats as ps

people = np.random.default_rng(5)
epsilon = people.choice([0.5, 1.0, 4.0], 20_000, p=[0.6, 0.2, 0.2])
budgets = ps.Budgets.pure(epsilon)
round_ = ps.Round.of("commute", ps.Hybrid(0, 1), budgets)
figures = Path(os.environ.get("CERTIKIT_FIGURES", "."))


def survey(ratings: np.ndarray, seed: int) -> ps.State:
    """All phones answer; the seed keeps this page the same from build to build."""
    reports = ps.randomise(round_, ratings, budgets, rng=ps.simulation_rng(seed))
    return ps.aggregate(round_, reports, allow_simulated=True)


alike = people.beta(2.0, 3.0, 20_000)
apart = np.where(epsilon < 1, people.beta(8.0, 2.0, 20_000), people.beta(2.0, 6.0, 20_000))
for name, ratings in (("rated alike", alike), ("careful people rate higher", apart)):
    state = survey(ratings, seed=1)
    print(f"{name}; the mean of their ratings is {ratings.mean():.3f}")
    for weights in ("inverse-variance", "stratified"):
        mean = ps.population_mean(state, weights=weights)
        print("  " + mean.summary().replace("\n", "\n  "))

mean = ps.population_mean(survey(alike, seed=1))
for number, draw in enumerate((mean.plot, mean.plot_weights), start=1):
    axes = draw()
    axes.figure.savefig(figures / f"privacy_population_{number}.svg")
    plt.close(axes.figure)
