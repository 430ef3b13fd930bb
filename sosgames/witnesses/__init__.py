"""Exact points and directions that bound a modulus from above."""

from sosgames.witnesses.search import Witness, find_witness
from sosgames.witnesses.ties import points_near_value

__all__ = ["Witness", "find_witness", "points_near_value"]
