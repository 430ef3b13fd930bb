"""From a game to a verdict with its proofs."""

from sosgames.search.bracketing import Search
from sosgames.search.free import FreeWeightsSearch
from sosgames.search.front import certify, certify_many, certify_matrix
from sosgames.search.limits import Limits
from sosgames.search.models import Program, program

__all__ = [
    "FreeWeightsSearch",
    "Limits",
    "Program",
    "Search",
    "certify",
    "certify_many",
    "certify_matrix",
    "program",
]
