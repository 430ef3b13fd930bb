"""A sum that nobody had to be trusted with

Thirty thousand people commute; each allows as much to be learnt as they like (epsilon 0.5, 1 or 2). The
server announces a round, every phone answers with one randomised number, and the server adds up. Run it
again: the noise comes from the operating system, so the digits change and the interval still holds.
"""

import json

import numpy as np

import privacy_stats as ps

# What nobody but the users ever sees. (Here we play the users, so we know the truth.)
people = np.random.default_rng(2024)
minutes = np.clip(people.gamma(3.0, 11.0, 30_000), 0, 120)
epsilon = people.choice([0.5, 1.0, 2.0], 30_000, p=[0.3, 0.5, 0.2])

# The announcement: public, the same for everybody.
budgets = ps.Budgets.pure(epsilon)
round_ = ps.Round.of("commuting", ps.Hybrid(lower=0, upper=120), budgets)
print(f"announced   {round_}")

# One phone answers, in plain Python, at its own budget.
report = json.loads(ps.answer(round_, value=38.5, budget=1.0, user=17))
print(f"one phone   user {report['user']}, stratum {report['stratum']}, sends {report['report']}")

# All phones answer. A ledger makes sure that nobody answers twice.
ledger = ps.Ledger(budgets)
reports = ps.randomise(round_, minutes, budgets, ledger=ledger)
print(f"reports     {reports}; first five: {reports.report[:5].tolist()}")
try:
    ps.randomise(round_, minutes, budgets, ledger=ledger)
except ps.BudgetExhaustedError as refusal:
    print(f"again?      refused: {refusal}")

# Two servers count half each; their states add up to the state of the whole.
state = ps.merge([ps.aggregate(round_, reports[:15_000]), ps.aggregate(round_, reports[15_000:])])
print(f"server      {state}")
total, truth = ps.unbiased_sum(state), minutes.sum()
print(f"sum         {total.value:,.0f} +- {total.standard_error:,.0f} minutes; truth {truth:,.0f}")
mean, truth = ps.unbiased_mean(state), minutes.mean()
low, high = mean.interval(0.95)
print(f"mean        {mean.value:.2f} minutes, 95 % interval {low:.2f} .. {high:.2f}; truth {truth:.2f}")
