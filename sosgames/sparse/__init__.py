"""Large sparse games: the matrix as a coupled sum of small clique matrices, each with its own exact proof."""

from sosgames.sparse.cliques import Interaction
from sosgames.sparse.decomposition import Decomposition, SparseProgram, decompose
from sosgames.sparse.prove import SparseBound, prove_sparsely
from sosgames.sparse.witness import find_sparse_witness

__all__ = [
    "Decomposition",
    "Interaction",
    "SparseBound",
    "SparseProgram",
    "decompose",
    "find_sparse_witness",
    "prove_sparsely",
]
