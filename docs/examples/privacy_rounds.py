"""Two rounds between phones and a server

The same protocol as a deployment runs it. The server announces a round as JSON; every phone checks
it, charges its own ledger and answers once, in plain Python; the server keeps integers only, and
computes the second announcement from them. The figure shows what the server learnt in round 1 (a
noisy histogram of octaves), the truth beside it, and the thresholds that it announced for each
budget.
"""

import os
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np

import privacy_stats as ps
from privacy_stats.protocols.histogram_radius import noisy_shares
from privacy_stats.protocols.shapes import estimate_shares

people = np.random.default_rng(3)
steps = np.exp(people.normal(8.5, 0.6, 600))  # steps walked in a day
budgets = ps.Budgets.zcdp(people.choice([0.05, 0.5, 2.0], 600))
rho = budgets.billionths / 1e9
ledgers = [ps.Ledger(ps.Budgets.zcdp([b])) for b in rho]

protocol = ps.HistogramRadius(bound=1e6, non_negative=True, resolution=16.0)
announced = protocol.first_round(600, budgets.levels)
states = []
while True:
    received = ps.ProtocolRound.from_json(announced.to_json())  # what a phone gets
    lines = [received.randomise(steps[u], rho[u], user=u, ledger=ledgers[u]) for u in range(600)]
    states.append(announced.aggregate(lines))
    print(f"{announced}: {len(lines)} lines, the first {len(lines[0])} bytes; {states[-1]}")
    if announced.is_last:
        break
    announced = protocol.next_round(states)

total = protocol.estimate(states)
print(f"sum {total.value:,.0f} +- {total.standard_error:,.0f} (noise); truth {steps.sum():,.0f}")
print("spent by user 0:", float(ledgers[0].spent(0)), "of", rho[0])
try:
    received.randomise(steps[0], rho[0], user=0, ledger=ledgers[0])
except ps.BudgetExhaustedError as refusal:
    print("again?", refusal)

noisy = noisy_shares(states[0])
found = estimate_shares(noisy)
octave = np.clip(np.ceil(np.log2(steps / 16)), 0, found.shape[1] - 1).astype(int)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
places = np.arange(found.shape[1])
left.bar(places, np.bincount(octave, minlength=len(places)) / 600, color="0.85", label="truth")
left.plot(places, noisy.weight @ noisy.share, "x", color="tab:orange", label="released (pooled)")
left.plot(places, noisy.weight @ found, "-", color="tab:blue", label="estimate")
left.set(xlabel="octave of length", ylabel="share of users")
left.legend()
right.plot([float(b) for b in budgets.levels], total.details["thresholds"], "o-")
right.axhline(steps.mean(), color="0.6", linewidth=1)
right.set(xlabel="budget rho", ylabel="announced threshold", xscale="log")
figure.savefig(Path(os.environ.get("CERTIKIT_FIGURES", ".")) / "privacy_rounds.svg")
