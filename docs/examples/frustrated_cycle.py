"""What a sum over pairs cannot see

Players on a cycle push each other. On cycles of odd length the matrix is positive definite as a whole, but it
is no sum of positive semidefinite pieces, one for each pair of neighbours. The first attempt of certify is
such a sum; the second adds constant matrices on groups of rows, which repairs what constants can. What then
still fails is UNDECIDED: a decomposition that fails refutes nothing.
"""

import os

import matplotlib.pyplot as plt
import sympy

import sosgames as sg


def cycle(n: int, own: float) -> sg.Game:
    """n players on a cycle: own curvature, couplings 1, and a little of degree 4."""
    names = [f"x{k}" for k in range(n)]
    utilities = {
        str(k): f"-{own}*{names[k]}**2/2 - {names[k]}**4/100"
        f" - {names[k]}*{names[k - 1]} - {names[k]}*{names[(k + 1) % n]}"
        for k in range(n)
    }
    return sg.Game(utilities, {str(k): sg.Box({names[k]: (-1, 1)}) for k in range(n)})


lengths = [3, 5, 7, 9, 11]
steps = {n: sg.certify(cycle(n, 1.95), structure="cliques", level=2).brackets[0].steps for n in lengths}
for n, attempts in steps.items():
    bounds = ", then with constants ".join(f"{float(step.lower):8.5f}" for step in attempts)
    print(f"{n:2} players: by pairs {bounds}")
print()

# The same cycle of 5, all of it times t^2: no constant matrix fits every t.
t = sympy.Symbol("t")
pattern = sympy.Matrix(5, 5, lambda a, b: 1.75 if a == b else int((a - b) % 5 in (1, 4)))
scaled = (t**2 * pattern).applyfunc(sympy.nsimplify)
for structure in ("cliques", "whole"):
    print(sg.certify_matrix(scaled, sg.Box({t: (1, 2)}), structure=structure).summary())

figure, axes = plt.subplots(figsize=(5, 3))
axes.plot(lengths, [float(steps[n][0].lower) for n in lengths], "o", label="pairs")
axes.plot(lengths, [float(steps[n][-1].lower) for n in lengths], "x", label="pairs and constants")
axes.axhline(0, color="0.7", lw=0.8)
axes.set(xlabel="players on the cycle", ylabel="proved modulus", title="odd cycles are frustrated")
axes.legend()
figure.savefig(f"{os.environ['CERTIKIT_FIGURES']}/frustrated_cycle.svg", bbox_inches="tight")
