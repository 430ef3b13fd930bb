"""What a sum over pairs cannot see

Three players push each other around a triangle. Pair by pair the matrix cannot be split into positive
semidefinite pieces although it is positive definite as a whole, so asking for cliques ends UNDECIDED: a
decomposition that fails refutes nothing. On an open chain of the same couplings nothing is lost.
"""

import os

import matplotlib.pyplot as plt

import sosgames as sg


def game(n: int, closed: bool, own: float) -> sg.Game:
    """n players on a cycle or chain: own curvature, couplings 1, and a little of degree 4."""
    names = [f"x{k}" for k in range(n)]
    meet = {k: [j for j in (k - 1, k + 1) if closed or 0 <= j < n] for k in range(n)}
    utilities = {
        str(k): f"-{own}*{names[k]}**2/2 - {names[k]}**4/100"
        + "".join(f" - {names[k]}*{names[j % n]}" for j in meet[k])
        for k in range(n)
    }
    return sg.Game(utilities, {str(k): sg.Box({names[k]: (-1, 1)}) for k in range(n)})


for label, closed in (("triangle", True), ("chain", False)):
    for structure in ("cliques", "whole"):
        result = sg.certify(game(3, closed, 1.75), structure=structure)
        print(f"{label:8} {structure:8} {result.verdict.value:10} lower {float(result.lower):8.5f}")
print()
print(sg.certify(game(3, True, 1.75), structure="cliques").summary())

lengths = range(3, 10)
figure, axes = plt.subplots(figsize=(5, 3))
for structure, mark in (("cliques", "o"), ("whole", "x")):
    lower = [float(sg.certify(game(n, True, 1.75), structure=structure, level=2).lower) for n in lengths]
    axes.plot(lengths, lower, mark, label=structure)
axes.axhline(0, color="0.7", lw=0.8)
axes.set(xlabel="players on the cycle", ylabel="proved modulus", title="only odd cycles lose by pairs")
axes.legend()
figure.savefig(f"{os.environ['CERTIKIT_FIGURES']}/frustrated_cycle.svg", bbox_inches="tight")
