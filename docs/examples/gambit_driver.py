"""A Gambit file with imperfect recall, certified

The absent-minded driver passes two exits and cannot tell which one she is at, so her behavioural strategy is
one probability, used twice: a polynomial of degree 2. The picture shows what the certificate says: the second
derivative is -6 everywhere, so the best probability is unique.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import sympy

import sosgames as sg

games = Path(__file__).parent / "games"
game = sg.load(games / "driver.efg")
print(game.show())
result = sg.certify(game, "concave")
print(result.summary())

utility = game.utility(game.players[0])
(variable,) = game.symbols
best = sympy.solve(sympy.diff(utility, variable), variable)[0]
print(f"best probability: {best}, worth {utility.subs(variable, best)}")

grid = np.linspace(0, 1, 201)
values = sympy.lambdify(variable, utility)(grid)
fig, ax = plt.subplots(figsize=(5, 3), layout="constrained")
ax.plot(grid, values)
ax.plot(float(best), float(utility.subs(variable, best)), "o")
ax.set_xlabel(str(variable))
ax.set_ylabel("expected payoff")
fig.savefig(Path(os.environ.get("CERTIKIT_FIGURES", ".")) / "gambit_driver.svg")
