"""A network game of 300 players

Every player meets only neighbours on a grid. The matrix of the game is then a sum of small matrices, one for
each pair of neighbours, and so is its proof: certify finds that out from the payoffs. The upper bound is a
point and a direction that lives on a few players; the rest of the network cannot make it better than it is.
"""

import os
from fractions import Fraction

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import sosgames as sg

grid = nx.grid_2d_graph(5, 60)
game = sg.network_game(grid, rng=np.random.default_rng(1), curvature=60, name="grid")
result = sg.certify(game)
print(result.summary())

certificate = result.certificate
(part,) = certificate.parts
sides = [len(block.basis) for block in part.blocks]
print(f"{len(part.cliques)} cliques, {len(sides)} Gram matrices of side at most {max(sides)},", end=" ")
print("against one of side", f"{len(game.players) * (len(game.players) + 1):,} for the whole matrix")
print(sg.verify(certificate, game))

# where the bound is attained: the direction of the witness, player by player
size = {name: abs(value) for name, value in result.witness.y.items()}
colours = [float(size.get(name, Fraction(0))) for name in game.variables]
figure, axes = plt.subplots(figsize=(9, 1.8))
positions = {node: (node[1], node[0]) for node in grid}
nx.draw_networkx_edges(grid, positions, ax=axes, edge_color="0.8")
nodes = nx.draw_networkx_nodes(grid, positions, node_size=18, node_color=colours, cmap="viridis_r", ax=axes)
figure.colorbar(nodes, ax=axes, label="|y|")
axes.set_title("the direction of the upper bound touches few of 300 players")
axes.axis("off")
figure.savefig(f"{os.environ['CERTIKIT_FIGURES']}/network_game.svg", bbox_inches="tight")
