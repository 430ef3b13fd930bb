"""Exact points and directions that bound a modulus from above."""

from sosgames.witnesses.guided import improved_witness
from sosgames.witnesses.search import Witness, find_witness
from sosgames.witnesses.ties import points_near_value

__all__ = ["Witness", "find_witness", "improved_witness", "points_near_value"]
